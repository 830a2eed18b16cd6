-- Calls, tokens and cost by system, over every attempt. Calls that were taken from an earlier attempt
-- were paid there and count once. Tokens and cost are sums over the calls that reported them.
-- Inputs: samples, calls. Output: one row per system with at least one sample.
WITH asked AS (
    SELECT {run}system, count(*) AS samples FROM samples GROUP BY {run}system
),
sent AS (
    SELECT
        {run}system,
        count(*) AS sent_calls,
        sum(greatest(tries - 1, 0)) AS retries,
        sum(prompt_tokens) AS prompt_tokens,
        sum(cached_tokens) AS cached_tokens,
        sum(completion_tokens) AS completion_tokens,
        count(*) FILTER (WHERE prompt_tokens IS NULL OR completion_tokens IS NULL) AS unreported,
        -- Exact decimals, so that the order of calls cannot change the last digit.
        CAST(sum(CAST(cost_usd AS DECIMAL(38, 15))) AS DOUBLE) AS cost_usd
    FROM calls
    WHERE scorer IS NULL AND tries > 0
    GROUP BY {run}system
)
SELECT
    {run}system, samples,
    coalesce(sent_calls, 0) AS sent_calls,
    coalesce(retries, 0) AS retries,
    coalesce(prompt_tokens, 0) AS prompt_tokens,
    coalesce(cached_tokens, 0) AS cached_tokens,
    coalesce(completion_tokens, 0) AS completion_tokens,
    coalesce(unreported, 0) AS unreported,
    CASE WHEN sent_calls IS NULL THEN 0.0 ELSE cost_usd END AS cost_usd,
    CASE WHEN sent_calls IS NULL THEN 0.0 ELSE cost_usd / samples END AS cost_per_sample
FROM asked
LEFT JOIN sent USING ({run}system)
ORDER BY {run}system
