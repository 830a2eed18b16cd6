-- Macro, weighted and micro precision, recall and F1 over labels, as scikit-learn with
-- zero_division = 0. An answer without a readable label lowers recall and is no class.
-- Inputs: scores, cases, plan. Output: one row per dataset and system.
SELECT
    {run}dataset, system,
    p['macro_precision'] AS macro_precision,
    p['macro_recall'] AS macro_recall,
    p['macro_f1'] AS macro_f1,
    p['weighted_precision'] AS weighted_precision,
    p['weighted_recall'] AS weighted_recall,
    p['weighted_f1'] AS weighted_f1,
    p['micro_f1'] AS micro_f1,
    signature
FROM (
    SELECT
        {scores_run}scores.dataset, scores.system,
        prf_ci(truth, predicted, case_key(scores.dataset, scores.case_id), {seed}, {reps}) AS p,
        min(scores.signature) AS signature
    FROM scores
    JOIN cases ON cases.dataset = scores.dataset AND cases.case_id = scores.case_id{same_run}
    JOIN plan ON plan.dataset = scores.dataset AND plan.system = scores.system
        AND plan.scorer = scores.scorer{same_plan_run}
    WHERE scores.metric = 'correct' AND value IS NOT NULL AND cases.answer_form = 'label'
    GROUP BY {scores_run}scores.dataset, scores.system
)
ORDER BY {run}dataset, system
