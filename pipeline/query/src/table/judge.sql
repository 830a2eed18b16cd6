-- What judges said, by dataset, system and scorer. A judge that gave no verdict leaves the score
-- missing; the worst case takes every missing verdict for wrong, the best case for right.
-- Inputs: scores, calls. Output: one row per dataset, system and judge scorer.
WITH asked AS (
    SELECT
        {run}dataset, system, scorer,
        count(*) AS judge_calls,
        CAST(sum(CAST(cost_usd AS DECIMAL(38, 15))) AS DOUBLE) AS judge_cost_usd
    FROM calls
    WHERE scorer IS NOT NULL AND tries > 0
    GROUP BY {run}dataset, system, scorer
),
verdicts AS (
    SELECT
        {run}dataset, system, scorer,
        count(value) AS scored,
        count(*) FILTER (WHERE value IS NOT NULL AND (reason IS NOT NULL OR rule LIKE '%+synonym')) AS unasked,
        count(*) FILTER (WHERE value IS NULL AND reason = 'judge_failed') AS missing,
        count(*) FILTER (WHERE value = 1) AS correct,
        {accuracy} AS accuracy,
        min(signature) AS signature
    FROM scores
    WHERE metric = 'correct' AND signature LIKE 'judge|%'
    GROUP BY {run}dataset, system, scorer
)
SELECT
    {run}dataset, system, scorer,
    split_part(split_part(signature, '|policy:', 2), '|', 1) AS policy,
    scored, unasked, missing, accuracy,
    wilson(correct, scored + missing)['value'] AS worst_case,
    wilson(correct + missing, scored + missing)['value'] AS best_case,
    coalesce(judge_calls, 0) AS judge_calls,
    CASE WHEN judge_calls IS NULL THEN 0.0 ELSE judge_cost_usd END AS judge_cost_usd,
    signature
FROM verdicts
LEFT JOIN asked USING ({run}dataset, system, scorer)
ORDER BY {run}dataset, system, scorer
