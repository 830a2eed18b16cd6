-- Likeness of answers and references by {subgroup}: the mean over answers, as in the table over all cases.
-- Inputs: scores, scorers, cases. Output: one row per dataset, metric, {subgroup} and system.
WITH compared AS (
    SELECT
        {scores_run}scores.dataset, scores.case_id, scores.system, scores.scorer, scores.metric,
        scores.value, scores.signature,
        coalesce(nullif(trim(cases.{subgroup}), ''), 'unknown') AS subgroup
    FROM scores
    JOIN scorers ON scorers.scorer = scores.scorer{same_scorers_run}
    JOIN cases ON cases.dataset = scores.dataset AND cases.case_id = scores.case_id{same_run}
    WHERE scorers.kind = 'embedding'
),
counted AS (
    SELECT {run}dataset, subgroup, count(DISTINCT case_id) AS cases
    FROM compared
    GROUP BY {run}dataset, subgroup
),
valued AS (
    SELECT
        {run}dataset, subgroup, scorer, metric, system,
        bootstrap_ci(value, case_key(dataset, case_id), {seed}, {reps}) AS mean,
        min(signature) AS signature
    FROM compared
    GROUP BY {run}dataset, subgroup, scorer, metric, system
)
SELECT {run}dataset, subgroup, cases, scorer, metric, system, mean, signature
FROM valued
JOIN counted USING ({run}dataset, subgroup)
ORDER BY
    {run}dataset, scorer, metric,
    CASE subgroup
        WHEN 'common' THEN 0 WHEN 'uncommon' THEN 1 WHEN 'rare' THEN 2 WHEN 'unknown' THEN 4 ELSE 3
    END,
    cases DESC, subgroup, system
