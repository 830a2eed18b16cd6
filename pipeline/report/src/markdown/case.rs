//! The page of one case.

use super::escape::escape;
use crate::case_page::CaseView;

/// Renders the page as one Markdown file.
pub(crate) fn case(view: &CaseView) -> String {
    let mut blocks = vec![format!("# {}", escape(&view.title))];
    for part in &view.parts {
        blocks.push(format!("## {}", escape(&part.title)));
        blocks.extend(
            part.marks
                .iter()
                .map(|mark| format!("> ⚠ **{}**", escape(mark))),
        );
        blocks.push(pairs(&part.facts));
        for (label, text) in &part.inputs {
            blocks.push(format!("### {}", escape(label)));
            blocks.push(quotation(text));
        }
        if !part.options.is_empty() {
            blocks.push("### Options".to_owned());
            let options = part.options.iter().map(|option| {
                let gold = if option.gold { " ✓ gold" } else { "" };
                let text = match option.text.as_str() {
                    "" => String::new(),
                    text => format!(" {}", escape(text)),
                };
                format!("- **{}**{text}{gold}", escape(&option.label))
            });
            blocks.push(options.collect::<Vec<_>>().join("\n"));
        }
        blocks.push("### Gold".to_owned());
        let gold = part.gold.iter().map(|gold| format!("- {}", escape(gold)));
        let gold = gold.collect::<Vec<_>>().join("\n");
        blocks.push(if gold.is_empty() {
            "None.".to_owned()
        } else {
            gold
        });
        if let Some(reference) = &part.reference {
            blocks.push("### Reference".to_owned());
            blocks.push(quotation(reference));
        }
        for system in &part.systems {
            blocks.push(format!("### {}", escape(&system.name)));
            for sample in &system.samples {
                let title = match sample.title.as_str() {
                    "" => String::new(),
                    title => format!("{}: ", escape(title)),
                };
                blocks.push(format!("**{title}{}**", escape(&sample.summary)));
                blocks.push(
                    sample
                        .answer
                        .as_deref()
                        .map_or_else(|| "No answer.".to_owned(), quotation),
                );
                let scores = sample.scores.iter().map(|score| {
                    let details = score.details.iter();
                    let details =
                        details.map(|(label, text)| format!("; {label} {}", escape(text)));
                    format!(
                        "- {} {}: {}{}",
                        escape(&score.scorer),
                        escape(&score.metric),
                        escape(&score.value),
                        details.collect::<String>()
                    )
                });
                let facts = (!sample.facts.is_empty()).then(|| pairs(&sample.facts));
                blocks.push(scores.chain(facts).collect::<Vec<_>>().join("\n"));
            }
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

fn pairs(pairs: &[(String, String)]) -> String {
    let line =
        |(label, value): &(String, String)| format!("- {}: {}", escape(label), escape(value));
    pairs.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A quotation of one paragraph, its lines kept.
fn quotation(text: &str) -> String {
    if text.is_empty() {
        return "> (empty)".to_owned();
    }
    format!("> {}", escape(text))
}
