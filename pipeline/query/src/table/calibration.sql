-- Stated confidence against accuracy, over samples whose answer says how sure the model is.
-- Inputs: scores, samples, plan. Output: one row per dataset and system that states confidence.
SELECT
    {run}dataset, system,
    bootstrap_ci(confidence, case, {seed}, {reps}) AS confidence,
    bootstrap_ci(value, case, {seed}, {reps}) AS accuracy,
    bootstrap_ci(confidence - value, case, {seed}, {reps}) AS overconfidence,
    min(signature) AS signature
FROM (
    SELECT
        {scores_run}scores.dataset, scores.system, scores.value, scores.signature,
        case_key(scores.dataset, scores.case_id) AS case,
        TRY_CAST(json_text(samples.payload, '/confidence') AS DOUBLE) / 100 AS confidence
    FROM scores
    JOIN samples ON samples.dataset = scores.dataset AND samples.case_id = scores.case_id
        AND samples.system = scores.system AND samples.epoch = scores.epoch{same_samples_run}
    JOIN plan ON plan.dataset = scores.dataset AND plan.system = scores.system
        AND plan.scorer = scores.scorer{same_plan_run}
    WHERE scores.metric = 'correct' AND scores.value IS NOT NULL
)
WHERE confidence BETWEEN 0 AND 1
GROUP BY {run}dataset, system
ORDER BY {run}dataset, system
