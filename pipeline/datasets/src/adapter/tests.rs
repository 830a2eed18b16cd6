//! Each adapter on a row of its real shape.

use std::collections::BTreeMap;

use consilium_core::Case;
use consilium_core::study::DatasetSpec;
use serde_json::{Value, json};

use super::{SourceRow, build};
use crate::error::Place;

fn made(adapter: &str, row: Value) -> Result<Case, String> {
    made_as(json!({"name": "d", "adapter": adapter, "path": "f"}), row)
}

fn made_as(spec: Value, row: Value) -> Result<Case, String> {
    let spec: DatasetSpec = serde_json::from_value(spec).unwrap();
    let Value::Object(fields) = row else {
        panic!("a row is an object")
    };
    let row = SourceRow {
        place: Place::Line(3),
        key: None,
        fields,
    };
    build(&spec)
        .unwrap()
        .case(&row)
        .map_err(|error| error.message)
}

fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn medmcqa(cop: &Value) -> Result<Case, String> {
    made(
        "medmcqa",
        json!({
            "id": "u-1", "question": "Which?", "exp": null, "cop": cop, "opa": "a", "opb": "b", "opc": "c",
            "opd": "d", "subject_name": "Skin", "topic_name": null, "choice_type": "multi"
        }),
    )
}

#[test]
fn medmcqa_counts_its_options_from_one() {
    let case = medmcqa(&json!(3)).unwrap();
    assert_eq!((&*case.view.case_id, case.gold[0].as_str()), ("u-1", "C"));
    assert_eq!(case.view.specialty.as_deref(), Some("Skin"));
    assert_eq!(case.view.labels, labels(&[("choice_type", "multi")]));
    assert!(
        medmcqa(&json!(0))
            .unwrap_err()
            .contains("counts options from 0")
    );
    assert_eq!(
        medmcqa(&json!(5)).unwrap_err(),
        "cop is 5, and there are 4 options"
    );
    assert_eq!(
        medmcqa(&json!("2")).unwrap_err(),
        "cop is missing or no number"
    );
}

fn craftmd(form: &str, answer: &str) -> Result<Case, String> {
    made_as(
        json!({"name": "d", "adapter": "craftmd", "path": "f", "answer_form": form}),
        json!({
            "": "0", "case_vignette": "A man has pain. What is it?", "choice_1": "Gout ", "choice_2": "Flu",
            "choice_3": "Rash", "choice_4": "Cold", "answer": answer, "category": "Rheumatology",
            "dataset": "MedQA_USMLE", "case_id": "case_0"
        }),
    )
}

#[test]
fn craftmd_asks_openly_or_with_its_choices() {
    let open = craftmd("diagnosis", "Gout ").unwrap();
    assert_eq!(
        (open.gold[0].as_str(), open.view.options.len()),
        ("Gout", 0)
    );
    assert_eq!(open.view.input["text"], "A man has pain.");
    assert_eq!(open.view.input["question"], "What is it?");
    assert_eq!(open.view.specialty.as_deref(), Some("Rheumatology"));
    assert_eq!(open.view.labels, labels(&[("part", "MedQA_USMLE")]));
    let closed = craftmd("choice", "Gout").unwrap();
    assert_eq!(
        (closed.gold[0].as_str(), closed.view.options.len()),
        ("A", 4)
    );
    assert!(
        craftmd("choice", "Measles")
            .unwrap_err()
            .contains("not among the 4")
    );
}

fn mediq(answer: &str, letter: &str) -> Case {
    made(
        "mediq",
        json!({
            "id": 129, "question": "Which?", "context": ["He coughs."], "context_len": 1,
            "options": {"A": "Gout", "B": "Flu"}, "answer": answer, "answer_idx": letter, "explanation": "",
            "facts": ["1. He coughs."],
            "patient": {
                "gender": "Male", "age": "70 years old", "specialty_prob": [0.6, 0.4], "gpt_specialty": "Urology",
                "specialties": ["Infectious Disease",
                    "In this case, the most relevant specialty would be Infectious Disease", "Internal Medicine"],
                "subspecialties": ["General Urology."]
            }
        }),
    )
    .unwrap()
}

#[test]
fn mediq_keeps_facts_as_input_and_specialties_as_labels() {
    let case = mediq("Flu", "B");
    assert_eq!((&*case.view.case_id, case.gold[0].as_str()), ("129", "B"));
    assert_eq!(case.view.input["facts"], json!(["1. He coughs."]));
    assert_eq!(case.view.specialty.as_deref(), Some("Urology"));
    assert_eq!(
        case.view.labels,
        labels(&[
            ("age", "70 years old"),
            ("sex", "male"),
            ("specialties", "Infectious Disease; Internal Medicine"),
            ("subspecialties", "General Urology"),
        ])
    );
    // The text of the answer is believed where the letter names another option, the letter where
    // the text names none.
    assert_eq!(mediq("Flu ", "A").gold, ["B"]);
    assert_eq!(mediq("Influenza", "B").gold, ["B"]);
}

#[test]
fn agentclinic_keeps_its_sections_and_writes_them_out() {
    let case = made(
        "agentclinic",
        json!({"OSCE_Examination": {
            "Objective_for_Doctor": "Assess the man.",
            "Patient_Actor": {"Demographics": "35-year-old male", "Symptoms": {"Secondary_Symptoms": ["a", "b"]}},
            "Physical_Examination_Findings": {"Vital_Signs": {"Heart_Rate": "72 bpm"}},
            "Test_Results": {"Imaging": "Normal"}, "Correct_Diagnosis": "Gout"
        }}),
    )
    .unwrap();
    assert_eq!(&*case.view.case_id, "agentclinic-3");
    assert_eq!(
        case.view.input["text"],
        "Patient\nDemographics: 35-year-old male\nSymptoms:\n  Secondary Symptoms: a; b\n\nPhysical \
         examination\nVital Signs:\n  Heart Rate: 72 bpm\n\nTest results\nImaging: Normal"
    );
    assert_eq!(case.view.input["tests"], json!({"Imaging": "Normal"}));
    let bare = json!({"OSCE_Examination": {"Correct_Diagnosis": "Gout"}});
    assert_eq!(
        made("agentclinic", bare).unwrap_err(),
        "OSCE_Examination.Patient_Actor is missing"
    );
}

#[test]
fn mtcmb_reads_records_findings_and_three_ways_of_writing_options() {
    let record = |syndromes: &str| {
        json!({"id": 1, "disease_case": {"性别": "女", "主诉": "胸闷。"}, "source": "s",
            "answer": {"证型": syndromes, "疾病": "心悸病"}})
    };
    let case = made("mtcmb-syndrome", record("气虚血瘀证|痰湿痹阻证")).unwrap();
    assert_eq!(case.gold, ["气虚血瘀证", "痰湿痹阻证"]);
    assert_eq!(case.view.input["text"], "性别：女\n主诉：胸闷。");
    assert_eq!(
        (case.view.options.len(), case.view.language.as_str()),
        (10, "zh")
    );
    assert!(made("mtcmb-syndrome", record("风寒证")).is_err());
    assert_eq!(made("mtcmb-disease", record("-")).unwrap().gold, ["心悸病"]);

    let diagnosis = json!({"id": 0, "question": "恶寒重。", "source": "s",
        "answer": {"疾病名称": "感冒", "病位证素": "表、肺", "病性证素": "外风、寒", "证名": "风寒束表"}});
    let case = made("mtcmb-diagnosis", diagnosis).unwrap();
    assert_eq!(case.gold, ["感冒"]);
    assert_eq!(
        case.reference.as_deref(),
        Some("疾病名称：感冒\n病位证素：表、肺\n病性证素：外风、寒\n证名：风寒束表")
    );
    let formula = json!({"id": 0, "question": "恶寒重。", "source": "s",
        "answer": {"治法": "辛温解表", "方剂": "荆防败毒散", "药物组成": "荆芥、防风"}});
    let case = made("mtcmb-formula", formula).unwrap();
    assert_eq!(
        case.reference.as_deref(),
        Some("治法：辛温解表\n方剂：荆防败毒散\n药物组成：荆芥、防风")
    );
    for options in [
        json!({"A": "肝", "B": "心"}),
        json!(["A.肝", "B.心"]),
        json!("A. 肝 B. 心"),
    ] {
        let row = json!({"id": 0, "question": "哪个？", "options": options, "answer": "B", "source": "s"});
        let case = made("mtcmb-choice", row).unwrap();
        let seen: Vec<_> = case
            .view
            .options
            .iter()
            .map(|option| (option.label.as_str(), option.text.as_str()))
            .collect();
        assert_eq!(
            (seen, case.gold[0].as_str()),
            (vec![("A", "肝"), ("B", "心")], "B")
        );
    }
}

#[test]
fn a_study_may_set_only_the_forms_that_an_adapter_has() {
    let spec = |adapter: &str, form: &str| -> DatasetSpec {
        serde_json::from_value(
            json!({"name": "d", "adapter": adapter, "path": "f", "answer_form": form}),
        )
        .unwrap()
    };
    assert!(build(&spec("craftmd", "choice")).is_ok());
    assert!(build(&spec("craftmd", "text")).is_err());
    assert!(build(&spec("medmcqa", "diagnosis")).is_err());
}
