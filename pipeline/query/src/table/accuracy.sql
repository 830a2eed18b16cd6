-- Accuracy by system and dataset, headline and complete-case. The headline counts refused, truncated
-- and unreadable answers as wrong; complete-case leaves them out and is printed as sensitivity.
-- Inputs: scores, plan. Output: one row per dataset and system.
SELECT
    {scores_run}scores.dataset,
    scores.system,
    scores.scorer,
    count(*) AS scored_samples,
    count(*) FILTER (WHERE value = 1) AS correct,
    {accuracy} AS accuracy,
    wilson(
        count(*) FILTER (WHERE value = 1 AND reason IS NULL),
        count(*) FILTER (WHERE value IS NOT NULL AND reason IS NULL)
    )['value'] AS complete_case,
    count(*) FILTER (WHERE value IS NOT NULL AND reason IS NULL) AS complete_n,
    min(scores.signature) AS signature
FROM scores
JOIN plan ON plan.dataset = scores.dataset AND plan.system = scores.system
    AND plan.scorer = scores.scorer{same_plan_run}
WHERE scores.metric = 'correct'
GROUP BY {scores_run}scores.dataset, scores.system, scores.scorer
ORDER BY {scores_run}scores.dataset, scores.system, scores.scorer
