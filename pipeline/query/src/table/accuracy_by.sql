-- Accuracy by {subgroup} and system, with the share of cases that each has, the unknown among them.
-- Refused, truncated and unreadable answers count as wrong; samples that failed for lack of
-- infrastructure have no value and are left out.
-- Inputs: scores, cases, plan. Output: one row per {subgroup} and system, and over all cases.
WITH headline AS (
    SELECT
        {scores_run}scores.system, scores.dataset, scores.case_id, scores.value, scores.signature,
        coalesce(nullif(trim(cases.{subgroup}), ''), 'unknown') AS subgroup
    FROM scores
    JOIN cases ON cases.dataset = scores.dataset AND cases.case_id = scores.case_id{same_run}
    JOIN plan ON plan.dataset = scores.dataset AND plan.system = scores.system
        AND plan.scorer = scores.scorer{same_plan_run}
    WHERE scores.metric = 'correct'
),
grouped AS (
    SELECT *, CASE WHEN subgroup = 'unknown' THEN 1 ELSE 0 END AS place FROM headline
    UNION ALL
    SELECT * EXCEPT (subgroup), 'All cases' AS subgroup, 2 AS place FROM headline
),
counted AS (
    SELECT {run}place, subgroup, count(DISTINCT case_key(dataset, case_id)) AS cases
    FROM grouped
    GROUP BY {run}place, subgroup
),
scored AS (
    SELECT
        {run}place, subgroup, system,
        {accuracy} AS accuracy,
        string_agg(DISTINCT signature, ' + ' ORDER BY signature) AS signature
    FROM grouped AS scores
    GROUP BY {run}place, subgroup, system
)
SELECT
    {run}subgroup, cases,
    CAST(cases AS DOUBLE) / max(cases) OVER ({partition}) AS share,
    system, accuracy, signature
FROM scored
JOIN counted USING ({run}place, subgroup)
ORDER BY
    {run}place,
    CASE subgroup WHEN 'common' THEN 0 WHEN 'uncommon' THEN 1 WHEN 'rare' THEN 2 ELSE 3 END,
    cases DESC, subgroup, system
