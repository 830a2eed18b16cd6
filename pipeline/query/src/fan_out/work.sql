-- The work list: every selected case × the systems that run on it × epochs, in case order,
-- without the samples that are finished. Only columns of a case without gold are read.
-- Inputs: cases, assignments (dataset, work), finished (key). Output: one row per sample to execute.
SELECT
    work.dataset, work.case_id, work.source, work.language, work.answer_form, work.specialty,
    work.prevalence, work.labels, work.input, work.options, work.system, work.epoch,
    CAST(1 AS INT) AS attempt
FROM finished
RIGHT ANTI JOIN (
    SELECT
        dataset, case_id, source, language, answer_form, specialty, prevalence, labels, input, options,
        item['system'] AS system, item['epoch'] AS epoch
    FROM (
        SELECT
            cases.dataset, case_id, source, language, answer_form, specialty, prevalence, labels,
            input, options, unnest(assignments.work) AS item
        FROM assignments
        JOIN cases ON assignments.dataset = cases.dataset
    )
) AS work
    ON finished.dataset = work.dataset
    AND finished.case_id = work.case_id
    AND finished.system = work.system
    AND finished.epoch = work.epoch
