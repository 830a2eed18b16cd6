-- Which models were asked, who answered, and what it cost. Calls that were taken from an earlier
-- attempt, a recording or the cache were paid there: only calls that were sent have a cost.
-- Inputs: calls. Output: one row per backend, model asked for, model returned and fingerprint.
SELECT
    backend, model_requested, model_returned, fingerprint,
    count(*) FILTER (WHERE scorer IS NULL) AS solver_calls,
    count(*) FILTER (WHERE scorer IS NOT NULL) AS scorer_calls,
    count(*) FILTER (WHERE tries > 0 AND cost_usd IS NULL) AS unpriced_calls,
    -- Exact decimals, so that the order of calls cannot change the last digit.
    CAST(sum(CAST(cost_usd AS DECIMAL(38, 15))) FILTER (WHERE tries > 0) AS DOUBLE) AS cost_usd
FROM calls
GROUP BY backend, model_requested, model_returned, fingerprint
ORDER BY backend, model_requested, model_returned NULLS FIRST, fingerprint NULLS FIRST
