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
