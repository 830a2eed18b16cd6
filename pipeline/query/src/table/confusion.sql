-- What was answered for what, by dataset and system; NULL where no label was found.
-- Inputs: scores, cases, plan. Output: one row per dataset, system and pair that occurs.
SELECT
    {scores_run}scores.dataset, scores.system, truth,
    coalesce(predicted, 'no label found') AS predicted,
    count(*) AS n
FROM scores
JOIN cases ON cases.dataset = scores.dataset AND cases.case_id = scores.case_id{same_run}
JOIN plan ON plan.dataset = scores.dataset AND plan.system = scores.system
    AND plan.scorer = scores.scorer{same_plan_run}
WHERE scores.metric = 'correct' AND value IS NOT NULL AND cases.answer_form = 'label'
GROUP BY {scores_run}scores.dataset, scores.system, truth, predicted
ORDER BY {scores_run}scores.dataset, scores.system, truth, n DESC, predicted
