-- Accuracy of each system minus that of the baseline, by prevalence: the same cases and epochs of both.
-- Inputs: scores, cases, plan. Output: one row per dataset, system and prevalence, and over all cases.
SELECT
    {run}dataset, system, {baseline} AS baseline, coalesce(prevalence, 'all') AS prevalence,
    count(DISTINCT case) AS cases,
    bootstrap_ci(difference, case, {seed}, {reps}) AS difference,
    min(signature) AS signature
FROM (
    SELECT
        {scores_run}scores.dataset, scores.system, scores.signature,
        coalesce(cases.prevalence, 'unknown') AS prevalence,
        case_key(scores.dataset, scores.case_id) AS case,
        scores.value - other.value AS difference
    FROM scores
    JOIN scores AS other ON other.dataset = scores.dataset AND other.case_id = scores.case_id
        AND other.epoch = scores.epoch AND other.scorer = scores.scorer
        AND other.metric = scores.metric AND other.system = {baseline}{same_other_run}
    JOIN cases ON cases.dataset = scores.dataset AND cases.case_id = scores.case_id{same_run}
    JOIN plan ON plan.dataset = scores.dataset AND plan.system = scores.system
        AND plan.scorer = scores.scorer{same_plan_run}
    WHERE scores.metric = 'correct' AND scores.system <> {baseline}
        AND scores.value IS NOT NULL AND other.value IS NOT NULL
)
GROUP BY GROUPING SETS (({run}dataset, system, prevalence), ({run}dataset, system))
ORDER BY {run}dataset, system, grouping(prevalence),
    CASE prevalence WHEN 'common' THEN 1 WHEN 'uncommon' THEN 2 WHEN 'rare' THEN 3 ELSE 4 END
