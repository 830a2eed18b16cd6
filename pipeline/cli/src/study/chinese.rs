//! Chinese references and metrics that cannot read them.

use consilium_core::is_mostly_han;
use consilium_core::study::{ScorerKind, Study, TextTarget};
use consilium_scorers::TextScorer;
use consilium_store::CaseRow;

/// Counts what answers to the cases of one dataset are compared with.
#[derive(Debug, Default)]
pub(crate) struct ChineseReferences {
    references: Texts,
    gold: Texts,
}

#[derive(Debug, Default)]
struct Texts {
    chinese: u64,
    all: u64,
}

impl Texts {
    fn add(&mut self, text: &str) {
        self.all += 1;
        self.chinese += u64::from(is_mostly_han(text));
    }

    /// More than a tenth: so many values that say little change every mean.
    const fn are_often_chinese(&self) -> bool {
        self.chinese * 10 > self.all
    }
}

impl ChineseReferences {
    pub(crate) fn add(&mut self, case: &CaseRow) {
        if let Some(reference) = &case.reference {
            self.references.add(reference);
        }
        if let Some(gold) = case.gold.first() {
            self.gold.add(gold);
        }
    }

    /// A note for every scorer with metrics to which a Chinese text is one word, or none: their values say
    /// little, however good the answers are.
    pub(crate) fn notes(&self, study: &Study, dataset: &str) -> Vec<String> {
        let mut notes = Vec::new();
        for spec in &study.scorer {
            if spec.kind != ScorerKind::Text || !spec.datasets.iter().any(|name| name == dataset) {
                continue;
            }
            let texts = match spec.against {
                Some(TextTarget::Gold) => &self.gold,
                None if self.references.all == 0 => &self.gold,
                Some(TextTarget::Reference) | None => &self.references,
            };
            if !texts.are_often_chinese() {
                continue;
            }
            // A metric that is not known has been refused before.
            let Ok(scorer) = TextScorer::new(spec.display_name(), &spec.metrics, spec.against)
            else {
                continue;
            };
            let blind = scorer.metrics_blind_to_chinese();
            if !blind.is_empty() {
                notes.push(format!(
                    "scorer '{}': {} of {} references of dataset '{dataset}' are Chinese, which {} cannot \
                     cut into words; chrf and metrics that end in -zh, -chars or -jieba or begin with \
                     rouge_chinese can",
                    spec.display_name(),
                    texts.chinese,
                    texts.all,
                    blind.join(", "),
                ));
            }
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use consilium_core::AnswerForm;
    use consilium_core::study::ScorerSpec;

    use super::*;

    fn notes(texts: &[&str], metrics: &[&str], against: Option<TextTarget>) -> Vec<String> {
        let mut references = ChineseReferences::default();
        for text in texts {
            references.add(&CaseRow {
                dataset: "notes".to_owned(),
                case_id: "1".to_owned(),
                source: String::new(),
                language: String::new(),
                answer_form: AnswerForm::Text,
                specialty: None,
                prevalence: None,
                labels: BTreeMap::new(),
                input: "{}".to_owned(),
                options: Vec::new(),
                gold: vec!["pneumonia".to_owned()],
                reference: Some((*text).to_owned()),
                sha256: String::new(),
            });
        }
        let mut study: Study = toml::from_str(
            "[study]\nname='s'\nseed=1\n[[dataset]]\nname='notes'\nadapter='table'\npath='p'\n",
        )
        .unwrap();
        study.scorer.push(ScorerSpec {
            datasets: vec!["notes".to_owned()],
            metrics: metrics.iter().map(|name| (*name).to_owned()).collect(),
            against,
            ..ScorerSpec::of_kind(ScorerKind::Text)
        });
        assert!(references.notes(&study, "other").is_empty());
        references.notes(&study, "notes")
    }

    #[test]
    fn metrics_of_english_words_are_named_for_chinese_references_only() {
        let chinese = ["考虑肺炎", "建议 CT 检查", "no finding"];
        let told = notes(&chinese, &["rougeL", "bleu-zh", "token_f1"], None);
        assert_eq!(told.len(), 1);
        assert!(
            told[0].contains("which rougeL, token_f1 cannot"),
            "{told:?}"
        );
        assert_eq!(notes(&chinese, &[], None).len(), 1);
        assert!(notes(&chinese, &["bleu-zh", "chrf"], None).is_empty());
        assert!(notes(&chinese, &["rougeL"], Some(TextTarget::Gold)).is_empty());
        let few = ["考虑肺炎"; 1].into_iter().chain(["no finding"; 9]);
        assert!(notes(&few.collect::<Vec<_>>(), &["rougeL"], None).is_empty());
    }
}
