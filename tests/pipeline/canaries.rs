//! Nothing but whitelisted fields reaches a model.

use serde_json::json;

use crate::program::{MockServer, Workplace};

/// Runs one dataset of a single row against a server and returns everything that was sent.
fn sent(dataset: &str, file: &str, content: &str) -> String {
    let place = Workplace::new();
    let server = MockServer::start(&[]);
    place.write(file, content);
    place.write(
        "study.toml",
        format!(
            "[study]\nname = \"canaries\"\n[[dataset]]\nname = \"d\"\npath = \"{file}\"\n{dataset}\n[[backend]]\n\
             name = \"b\"\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"m\"\n[[system]]\nname = \"plain\"\n\
             solver = \"direct\"\nbackend = \"b\"\n[[system]]\nname = \"structured\"\nsolver = \"direct\"\n\
             backend = \"b\"\nvariant = {{ structured = true }}\n",
            server.base_url
        ),
    );
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    assert!(place.count(&run, "SELECT count(*) FROM calls") >= 2);
    let everything = place.run(&[
        "sql",
        &run,
        "SELECT messages, parameters FROM calls",
        "--format",
        "json",
    ]);
    assert_eq!(everything.code, 0);
    everything.stdout
}

fn only_allowed(sent: &str) {
    assert!(sent.contains("ALLOWED"), "{sent}");
    assert!(!sent.contains("CANARY"), "{sent}");
}

#[test]
fn pubmedqa_sends_question_and_contexts_only() {
    let row = json!({"1": {
        "QUESTION": "ALLOWED question?", "CONTEXTS": ["ALLOWED context"], "LABELS": ["CANARY-LABELS"],
        "MESHES": ["CANARY-MESHES"], "YEAR": "CANARY-YEAR", "final_decision": "yes",
        "reasoning_required_pred": "CANARY-REASONING", "reasoning_free_pred": "CANARY-FREE",
        "LONG_ANSWER": "CANARY-LONG", "CANARY-KEY": "CANARY-VALUE"
    }});
    only_allowed(&sent(
        "adapter = \"pubmedqa\"",
        "cases.json",
        &row.to_string(),
    ));
}

#[test]
fn medqa_sends_question_and_options_only() {
    let row = json!({
        "question": "ALLOWED question?", "answer": "ALLOWED b", "answer_idx": "B",
        "options": {"A": "ALLOWED a", "B": "ALLOWED b"}, "meta_info": "CANARY-META",
        "metamap_phrases": ["CANARY-PHRASE"], "CANARY-KEY": "CANARY-VALUE"
    });
    only_allowed(&sent(
        "adapter = \"medqa\"",
        "cases.jsonl",
        &row.to_string(),
    ));
}

#[test]
fn a_table_sends_its_input_fields_only() {
    let row = json!({
        "id": "CANARY-ID", "q": "ALLOWED question?", "gold": "CANARY-GOLD", "ref": "CANARY-REFERENCE",
        "specialty": "CANARY-SPECIALTY", "prevalence": "CANARY-PREVALENCE", "origin": "CANARY-SOURCE",
        "step": "CANARY-STEP", "facts": ["CANARY-FACT"], "synonyms": ["CANARY-SYNONYM"]
    });
    let dataset = "adapter = \"table\"\nanswer_form = \"diagnosis\"\nfields = { id = \"id\", question = \"q\", gold \
                   = \"gold\", reference = \"ref\", specialty = \"specialty\", prevalence = \"prevalence\", source \
                   = \"origin\", \"labels.step\" = \"step\" }";
    only_allowed(&sent(dataset, "cases.jsonl", &row.to_string()));
}

#[test]
fn medmcqa_sends_question_and_options_only() {
    let row = json!({
        "id": "CANARY-ID", "question": "ALLOWED question?", "exp": "CANARY-EXPLANATION", "cop": 2,
        "opa": "ALLOWED a", "opb": "ALLOWED b", "opc": "ALLOWED c", "opd": "ALLOWED d",
        "subject_name": "CANARY-SUBJECT", "topic_name": "CANARY-TOPIC", "choice_type": "CANARY-TYPE",
        "CANARY-KEY": "CANARY-VALUE"
    });
    only_allowed(&sent(
        "adapter = \"medmcqa\"",
        "cases.jsonl",
        &row.to_string(),
    ));
}

/// A vignette whose answer is its second choice.
fn craftmd(answer: &str) -> String {
    format!(
        ",case_vignette,choice_1,choice_2,choice_3,choice_4,answer,category,dataset,case_id,CANARY-KEY\nCANARY-INDEX,\
         \"ALLOWED text. ALLOWED question?\",ALLOWED a,ALLOWED b,ALLOWED c,ALLOWED d,{answer},CANARY-CATEGORY,\
         CANARY-DATASET,CANARY-ID,CANARY-VALUE\n"
    )
}

#[test]
fn craftmd_sends_vignette_and_question_and_choices_only_when_they_are_asked() {
    let open = sent(
        "adapter = \"craftmd\"",
        "cases.csv",
        &craftmd("CANARY-ANSWER"),
    );
    only_allowed(&open);
    assert!(!open.contains("ALLOWED a"), "{open}");
    let closed = sent(
        "adapter = \"craftmd\"\nanswer_form = \"choice\"",
        "cases.csv",
        &craftmd("ALLOWED b"),
    );
    only_allowed(&closed);
    assert!(closed.contains("ALLOWED d"), "{closed}");
}

#[test]
fn mediq_sends_question_context_and_options_only() {
    let row = json!({
        "id": 7, "question": "ALLOWED question?", "context": ["ALLOWED sentence"], "context_len": "CANARY-LENGTH",
        "options": {"A": "ALLOWED a", "B": "ALLOWED b"}, "answer": "ALLOWED b", "answer_idx": "B",
        "explanation": "CANARY-EXPLANATION", "facts": ["ALLOWED fact"],
        "patient": {"gender": "CANARY-SEX", "age": "CANARY-AGE 7", "specialties": ["CANARY-SPECIALTY"],
            "subspecialties": ["CANARY-SUBSPECIALTY"], "gpt_specialty": "CANARY-GPT"},
        "CANARY-KEY": "CANARY-VALUE"
    });
    only_allowed(&sent(
        "adapter = \"mediq\"",
        "cases.jsonl",
        &row.to_string(),
    ));
}

#[test]
fn agentclinic_sends_objective_actor_findings_and_tests_only() {
    let row = json!({"CANARY-KEY": "CANARY-VALUE", "OSCE_Examination": {
        "Objective_for_Doctor": "ALLOWED objective", "Patient_Actor": {"History": "ALLOWED history"},
        "Physical_Examination_Findings": {"Vital_Signs": {"Pulse": "ALLOWED pulse"}},
        "Test_Results": {"Imaging": "ALLOWED image"}, "Correct_Diagnosis": "CANARY-DIAGNOSIS",
        "Management_and_Follow_Up": {"Treatment": "CANARY-TREATMENT"}
    }});
    let sent = sent("adapter = \"agentclinic\"", "cases.jsonl", &row.to_string());
    only_allowed(&sent);
    for section in ["objective", "history", "pulse", "image"] {
        assert!(sent.contains(&format!("ALLOWED {section}")), "{section}");
    }
}

#[test]
fn mtcmb_sends_records_findings_and_options_only() {
    let record = json!({"主诉": "ALLOWED complaint", "CANARY-FIELD": "CANARY-RECORD"});
    for (adapter, answer) in [
        (
            "mtcmb-syndrome",
            json!({"证型": "痰热蕴结证", "疾病": "CANARY-DISEASE"}),
        ),
        (
            "mtcmb-disease",
            json!({"证型": "CANARY-SYNDROME", "疾病": "心悸病"}),
        ),
    ] {
        let row =
            json!({"id": 1, "disease_case": record, "answer": answer, "source": "CANARY-SOURCE"});
        only_allowed(&sent(
            &format!("adapter = \"{adapter}\""),
            "cases.jsonl",
            &row.to_string(),
        ));
    }
    for (adapter, answer) in [
        (
            "mtcmb-diagnosis",
            json!({"疾病名称": "CANARY-1", "病位证素": "CANARY-2", "病性证素": "CANARY-3", "证名": "CANARY-4"}),
        ),
        (
            "mtcmb-formula",
            json!({"治法": "CANARY-1", "方剂": "CANARY-2", "药物组成": "CANARY-3"}),
        ),
    ] {
        let row = json!({"id": 1, "question": "ALLOWED findings", "answer": answer, "source": "CANARY-SOURCE"});
        only_allowed(&sent(
            &format!("adapter = \"{adapter}\""),
            "cases.jsonl",
            &row.to_string(),
        ));
    }
    let row = json!({
        "id": 1, "question": "ALLOWED question", "options": ["A.ALLOWED a", "B.ALLOWED b"], "answer": "A",
        "source": "CANARY-SOURCE", "CANARY-KEY": "CANARY-VALUE"
    });
    only_allowed(&sent(
        "adapter = \"mtcmb-choice\"",
        "cases.jsonl",
        &row.to_string(),
    ));
}

#[test]
fn cases_send_their_input_only() {
    let row = json!({
        "dataset": "CANARY-DATASET", "case_id": "CANARY-ID", "source": "CANARY-SOURCE", "language": "en",
        "answer_form": "diagnosis", "specialty": "CANARY-SPECIALTY", "prevalence": "CANARY-PREVALENCE",
        "labels": {"step": "CANARY-LABEL"}, "input": {"text": "ALLOWED text"}, "options": [],
        "gold": ["CANARY-GOLD"], "reference": "CANARY-REFERENCE", "sha256": "CANARY-HASH"
    });
    only_allowed(&sent(
        "adapter = \"cases\"",
        "cases.jsonl",
        &row.to_string(),
    ));
}
