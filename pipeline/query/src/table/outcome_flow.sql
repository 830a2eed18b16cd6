-- From planned samples to results: every planned sample stands in exactly one row's count. Refused,
-- filtered, truncated and empty answers are wrong; infrastructure failures and samples that were not
-- run have no result.
-- Inputs: plan, cases, samples, scores. Output: one row per system, outcome and result that occurs.
WITH planned AS (
    SELECT {plan_run}plan.system, sum(plan.epochs) AS n
    FROM plan JOIN cases ON cases.dataset = plan.dataset{same_cases_run}
    GROUP BY {plan_run}plan.system
),
graded AS (
    SELECT {scores_run}scores.dataset, case_id, scores.system, epoch, value, reason, FALSE AS as_text
    FROM scores
    JOIN plan ON plan.dataset = scores.dataset AND plan.system = scores.system
        AND plan.scorer = scores.scorer{same_plan_run}
    WHERE scores.metric = 'correct'
    UNION ALL
    SELECT {scores_run}scores.dataset, case_id, scores.system, epoch, NULL, NULL, TRUE
    FROM scores
    JOIN scorers ON scorers.scorer = scores.scorer{same_scorers_run}
    WHERE scorers.kind IN ('text', 'embedding') AND value IS NOT NULL
),
results AS (
    SELECT
        {run}dataset, case_id, system, epoch,
        max(value) AS value, max(reason) AS reason, bool_or(as_text) AS as_text
    FROM graded
    GROUP BY {run}dataset, case_id, system, epoch
),
ended AS (
    SELECT
        {run}system, outcome,
        CASE
            WHEN value IS NULL AND as_text THEN 'compared as text'
            WHEN value IS NULL THEN 'no score'
            WHEN outcome IN ('ok', 'truncated') AND reason IN ('unextractable', 'ambiguous')
                THEN 'unreadable'
            WHEN value = 1 THEN 'right'
            WHEN value = 0 THEN 'wrong'
            ELSE 'partly right'
        END AS result
    FROM samples
    LEFT JOIN results USING ({run}dataset, case_id, system, epoch)
),
missing AS (
    SELECT {run}system, n - coalesce(ended_n, 0) AS n
    FROM planned
    LEFT JOIN (SELECT {run}system, count(*) AS ended_n FROM samples GROUP BY {run}system) AS counted
        USING ({run}system)
)
SELECT {run}system, outcome, result, count(*) AS n
FROM ended
GROUP BY {run}system, outcome, result
UNION ALL
SELECT {run}system, 'not run' AS outcome, 'no score' AS result, n FROM missing WHERE n > 0
ORDER BY {run}system, n DESC, outcome, result
