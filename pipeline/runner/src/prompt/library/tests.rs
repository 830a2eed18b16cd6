use consilium_core::AnswerForm;
use serde_json::json;

use super::*;
use crate::prompt::case_values;
use crate::testing;

fn render(language: &str, form: AnswerForm, structured: bool) -> RenderedPrompt {
    let mut case = testing::case_view(form);
    case.language = language.to_owned();
    let mut values = case_values(&case);
    values.insert("structured".to_owned(), structured.into());
    values.insert("confidence".to_owned(), false.into());
    PromptLibrary::load(None)
        .unwrap()
        .render("direct/answer", language, &values)
        .unwrap()
}

#[test]
fn every_file_of_the_folder_is_built_in() {
    // Asked when the test runs: clones that share a target folder share its binary too.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    let folder = Path::new(&manifest).join("../../templates/prompts");
    let mut on_disk: BTreeMap<String, String> = BUILT_IN
        .iter()
        .map(|(name, _)| ((*name).to_owned(), String::new()))
        .collect();
    replace_from(&folder, &folder, &mut on_disk).unwrap();
    for (name, text) in BUILT_IN {
        assert_eq!(on_disk[*name], *text, "{name}");
    }
}

#[test]
fn direct_prompts_show_the_case_and_ask_for_its_form() {
    for language in ["en", "zh-CN", "de"] {
        let cue = if language == "zh-CN" {
            "答案："
        } else {
            "Answer:"
        };
        for form in [
            AnswerForm::Choice,
            AnswerForm::Label,
            AnswerForm::Diagnosis,
            AnswerForm::Text,
        ] {
            let prompt = render(language, form, false);
            // A reply in prose is the answer itself; the others end with it.
            assert_eq!(
                prompt.system.as_deref().unwrap().contains(cue),
                form != AnswerForm::Text,
                "{language} {form:?}"
            );
            assert!(prompt.user.contains("Which drug?"));
            let structured = render(language, form, true).system.unwrap();
            assert!(structured.contains("\"answer\"") && !structured.contains(cue));
        }
    }
    let user = render("en", AnswerForm::Choice, false).user;
    assert!(
        user.ends_with("Question: Which drug?\n\nOptions:\nA. Metformin\nB. Insulin"),
        "{user}"
    );
    let user = render("en", AnswerForm::Label, false).user;
    assert!(
        user.ends_with("Labels:\n- A: Metformin\n- B: Insulin"),
        "{user}"
    );
}

#[test]
fn data_is_never_a_template() {
    let mut case = testing::case_view(AnswerForm::Text);
    case.input.insert(
        "question".to_owned(),
        json!("{{ 7 * 7 }} {% raw %} <b>&\n---\nx"),
    );
    let mut values = case_values(&case);
    values.insert("structured".to_owned(), false.into());
    let prompt = PromptLibrary::load(None)
        .unwrap()
        .render("direct/answer", "en", &values)
        .unwrap();
    assert!(prompt.user.contains("{{ 7 * 7 }} {% raw %} <b>&\n---\nx"));
}

#[test]
fn a_folder_replaces_prompts_and_changes_their_hashes() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("direct")).unwrap();
    let file = folder.path().join("direct/answer.en.jinja");
    fs::write(&file, "Be brief.\n---\n{{ question }}\n").unwrap();
    let library = PromptLibrary::load(Some(folder.path())).unwrap();
    let prompt = library
        .render("direct/answer", "en", &json!({"question": "q"}))
        .unwrap();
    assert_eq!(
        prompt.messages(),
        [Message::system("Be brief."), Message::user("q")]
    );
    let built_in = PromptLibrary::load(None).unwrap().hashes(["direct/answer"]);
    let replaced = library.hashes(["direct/answer"]);
    assert_eq!(built_in.len(), 2);
    assert_ne!(
        built_in["direct/answer.en.jinja"],
        replaced["direct/answer.en.jinja"]
    );
    assert_eq!(
        built_in["direct/answer.zh.jinja"],
        replaced["direct/answer.zh.jinja"]
    );
}

#[test]
fn faulty_folders_are_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("direct")).unwrap();
    let file = folder.path().join("direct/anwser.en.jinja");
    fs::write(&file, "x\n---\ny").unwrap();
    let load = || PromptLibrary::load(Some(folder.path()));
    assert!(matches!(
        load(),
        Err(PromptError::UnknownFile { nearest, .. }) if nearest == "direct/answer.en.jinja"
    ));
    fs::remove_file(&file).unwrap();
    let file = folder.path().join("direct/answer.en.jinja");
    fs::write(&file, "no parts").unwrap();
    assert!(matches!(load(), Err(PromptError::Separator { .. })));
    fs::write(&file, "a\n---\nb\n{{ oops").unwrap();
    assert!(matches!(load(), Err(PromptError::Syntax { line: 4, .. })));
    fs::write(&file, "a\n---\nb\n{{ nothing }}").unwrap();
    let failed = load().unwrap().render("direct/answer", "en", &json!({}));
    assert!(matches!(failed, Err(PromptError::Render { line: 4, .. })));
    assert!(matches!(
        load().unwrap().render("direct/nobody", "en", &json!({})),
        Err(PromptError::Missing { .. })
    ));
}
