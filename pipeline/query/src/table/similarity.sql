-- Likeness of answers and references as an encoder sees it: the mean over answers. A refused, filtered or
-- empty answer counts as 0; samples that failed for lack of infrastructure, and datasets that the encoder
-- cannot read, have no value.
-- Inputs: scores, scorers. Output: one row per dataset, system, scorer and metric.
SELECT
    {scores_run}scores.dataset, scores.system, scores.scorer, scores.metric,
    bootstrap_ci(scores.value, case_key(scores.dataset, scores.case_id), {seed}, {reps}) AS mean,
    min(scores.signature) AS signature
FROM scores
JOIN scorers ON scorers.scorer = scores.scorer{same_scorers_run}
WHERE scorers.kind = 'embedding'
GROUP BY {scores_run}scores.dataset, scores.system, scores.scorer, scores.metric
ORDER BY {scores_run}scores.dataset, scores.scorer, scores.metric, scores.system
