-- Accuracy by dataset, system and scorer, headline and complete-case. The headline counts refused,
-- truncated and unreadable answers as wrong; complete-case leaves them out and is printed as sensitivity.
-- Inputs: scores. Output: one row per dataset, system and scorer.
SELECT
    {run}dataset, system, scorer,
    count(DISTINCT case_id) FILTER (WHERE value IS NOT NULL) AS scored_cases,
    count(*) FILTER (WHERE value = 1) AS correct,
    {accuracy} AS accuracy,
    wilson(
        count(*) FILTER (WHERE value = 1 AND reason IS NULL),
        count(*) FILTER (WHERE value IS NOT NULL AND reason IS NULL)
    )['value'] AS complete_case,
    count(*) FILTER (WHERE value IS NOT NULL AND reason IS NULL) AS complete_n,
    min(signature) AS signature
FROM scores
WHERE metric = 'correct'
GROUP BY {run}dataset, system, scorer
ORDER BY {run}dataset, system, scorer
