-- How samples ended, by dataset and system: every planned sample stands in exactly one outcome or
-- under missing; unreadable and ambiguous answers are among the answered.
-- Inputs: plan, cases, samples, scores. Output: one row per dataset and system.
WITH counts AS (
    SELECT {plan_run}plan.dataset, plan.system, 'planned' AS what, plan.epochs AS n
    FROM plan JOIN cases ON cases.dataset = plan.dataset{same_cases_run}
    UNION ALL
    SELECT {run}dataset, system, outcome AS what, 1 AS n FROM samples
    UNION ALL
    SELECT {scores_run}scores.dataset, scores.system, reason AS what, 1 AS n
    FROM scores
    JOIN plan ON plan.dataset = scores.dataset AND plan.system = scores.system
        AND plan.scorer = scores.scorer{same_plan_run}
    WHERE scores.metric = 'correct' AND reason IN ('unextractable', 'ambiguous')
)
SELECT
    {run}dataset, system,
    coalesce(sum(n) FILTER (WHERE what = 'planned'), 0) AS planned,
    count(*) FILTER (WHERE what = 'ok') AS ok,
    count(*) FILTER (WHERE what = 'refused') AS refused,
    count(*) FILTER (WHERE what = 'content_filter') AS content_filter,
    count(*) FILTER (WHERE what = 'context_overflow') AS context_overflow,
    count(*) FILTER (WHERE what = 'truncated') AS truncated,
    count(*) FILTER (WHERE what = 'empty') AS empty,
    count(*) FILTER (WHERE what = 'malformed') AS malformed,
    count(*) FILTER (WHERE what = 'error') AS error,
    count(*) FILTER (WHERE what = 'timeout') AS timeout,
    count(*) FILTER (WHERE what IN ('budget', 'cancelled')) AS stopped,
    coalesce(sum(n) FILTER (WHERE what = 'planned'), 0)
        - count(*) FILTER (WHERE what NOT IN ('planned', 'unextractable', 'ambiguous')) AS missing,
    count(*) FILTER (WHERE what = 'unextractable') AS unextractable,
    count(*) FILTER (WHERE what = 'ambiguous') AS ambiguous
FROM counts
GROUP BY {run}dataset, system
ORDER BY {run}dataset, system
