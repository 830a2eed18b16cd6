-- Precision, recall and F1 of every label, the most frequent first.
-- Inputs: scores, cases, plan. Output: one row per dataset, system and label.
SELECT
    {run}dataset, system,
    class['class'] AS class,
    class['support'] AS support,
    class['predicted'] AS predicted,
    class['true_positive'] AS true_positive,
    class['precision'] AS "precision",
    class['recall'] AS recall,
    class['f1'] AS f1,
    signature
FROM (
    SELECT {run}dataset, system, signature, unnest(classes) AS class
    FROM (
        SELECT
            {scores_run}scores.dataset, scores.system,
            prf_by_class_ci(truth, predicted, case_key(scores.dataset, scores.case_id), {seed}, {reps})
                AS classes,
            min(scores.signature) AS signature
        FROM scores
        JOIN cases ON cases.dataset = scores.dataset AND cases.case_id = scores.case_id{same_run}
        JOIN plan ON plan.dataset = scores.dataset AND plan.system = scores.system
            AND plan.scorer = scores.scorer{same_plan_run}
        WHERE scores.metric = 'correct' AND value IS NOT NULL AND cases.answer_form = 'label'
        GROUP BY {scores_run}scores.dataset, scores.system
    )
)
-- The planner takes dataset and system, by which was grouped, to determine a row even behind unnest, and
-- drops what follows them; nullif hides one of them.
ORDER BY {run}dataset, nullif(system, ''), support DESC, class
