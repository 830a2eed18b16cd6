-- Text metrics of answers against references: the corpus value from summed statistics and the mean of
-- sentence values. A refused, filtered or empty answer counts as an empty text; samples that failed for
-- lack of infrastructure have no value and are left out.
-- Inputs: scores, scorers. Output: one row per dataset, system, scorer and metric.
SELECT
    {scores_run}scores.dataset, scores.system, scores.scorer, scores.metric,
    text_ci(metric, stats, case_key(scores.dataset, scores.case_id), {seed}, {reps}) AS corpus,
    bootstrap_ci(value, case_key(scores.dataset, scores.case_id), {seed}, {reps}) AS sentences,
    min(scores.signature) AS signature
FROM scores
JOIN scorers ON scorers.scorer = scores.scorer{same_scorers_run}
WHERE scorers.kind = 'text'
GROUP BY {scores_run}scores.dataset, scores.system, scores.scorer, scores.metric
ORDER BY {scores_run}scores.dataset, scores.scorer, scores.metric, scores.system
