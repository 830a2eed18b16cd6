-- How the counting attempts ended, for the card of a run.
-- Inputs: samples. Output: one row per system and outcome.
SELECT system, outcome, count(*) AS samples
FROM samples
GROUP BY system, outcome
ORDER BY system, outcome
