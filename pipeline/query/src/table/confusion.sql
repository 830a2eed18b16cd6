-- The most frequent wrong answers, by dataset and system; an answer without a readable label counts
-- as one. Right answers are in the table by label.
-- Inputs: scores, cases, plan. Output: at most 20 rows per dataset and system, the largest first.
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
supported AS (
    SELECT {run}dataset, system, truth, count(*) AS support
    FROM labelled
    GROUP BY {run}dataset, system, truth
),
confused AS (
    SELECT {run}dataset, system, truth, predicted, count(*) AS n
    FROM labelled
    WHERE truth <> predicted
    GROUP BY {run}dataset, system, truth, predicted
),
placed AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY {run}dataset, system ORDER BY n DESC, truth, predicted) AS place
    FROM confused
)
SELECT
    {run}dataset, system, truth, predicted, n, support,
    CAST(n AS DOUBLE) / support AS share
FROM placed
JOIN supported USING ({run}dataset, system, truth)
WHERE place <= 20
ORDER BY {run}dataset, system, place
