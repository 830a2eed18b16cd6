-- What was answered for what, for datasets of at most 12 labels; NULL where no label was found. Of more
-- labels the table of the most frequent wrong answers is the one to read.
-- Inputs: scores, cases, plan. Output: one row per dataset, system and pair that occurs.
WITH labelled AS (
    SELECT
        {scores_run}scores.dataset, scores.system, truth,
        coalesce(predicted, 'no label found') AS predicted
    FROM scores
    JOIN cases ON cases.dataset = scores.dataset AND cases.case_id = scores.case_id{same_run}
    JOIN plan ON plan.dataset = scores.dataset AND plan.system = scores.system
        AND plan.scorer = scores.scorer{same_plan_run}
    WHERE scores.metric = 'correct' AND value IS NOT NULL AND cases.answer_form = 'label'
),
small AS (
    SELECT {run}dataset
    FROM labelled
    GROUP BY {run}dataset
    HAVING count(DISTINCT truth) <= 12 AND count(DISTINCT predicted) <= 13
)
SELECT {run}dataset, system, truth, predicted, count(*) AS n
FROM labelled
JOIN small USING ({run}dataset)
GROUP BY {run}dataset, system, truth, predicted
ORDER BY {run}dataset, system, truth, predicted
