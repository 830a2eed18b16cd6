-- Latency of calls by system, as measured; a repeat of the study gives other figures.
-- Inputs: calls. Output: one row per system that called a model.
SELECT
    {run}system, count(*) AS timed_calls,
    percentile_cont(latency_ms, 0.5) AS median_ms,
    percentile_cont(latency_ms, 0.95) AS p95_ms,
    max(latency_ms) AS longest_ms
FROM calls
WHERE latency_ms IS NOT NULL AND scorer IS NULL AND NOT cache_hit
GROUP BY {run}system
ORDER BY {run}system
