-- Accuracy by system and source, and over all cases. Refused, truncated and unreadable answers count
-- as wrong; samples that failed for lack of infrastructure have no value and are left out.
-- Inputs: scores, cases, plan. Output: one row per system and source.
SELECT {run}system, coalesce(case_source, 'All cases') AS source, accuracy, signature
FROM (
    SELECT
        {scores_run}scores.system,
        cases.source AS case_source,
        {accuracy} AS accuracy,
        string_agg(DISTINCT scores.signature, ' + ' ORDER BY scores.signature) AS signature
    FROM scores
    JOIN cases ON cases.dataset = scores.dataset AND cases.case_id = scores.case_id{same_run}
    JOIN plan ON plan.dataset = scores.dataset AND plan.system = scores.system
        AND plan.scorer = scores.scorer{same_plan_run}
    WHERE scores.metric = 'correct'
    GROUP BY GROUPING SETS (({scores_run}scores.system, cases.source), ({scores_run}scores.system))
)
ORDER BY {run}case_source NULLS LAST, system
