//! Escaping for LaTeX: nothing in a text may become a command.

/// Text for running matter, cells and captions, on one line.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut before = None;
    for character in text.chars() {
        // `--`, `,,` and `''` would become one other character.
        if before == Some(character) && matches!(character, '-' | ',' | '\'') {
            out.push_str("{}");
        }
        match replacement(character) {
            Some(replacement) => out.push_str(replacement),
            None if character.is_control() => {}
            None => out.push(character),
        }
        before = Some(character);
    }
    out
}

fn replacement(character: char) -> Option<&'static str> {
    Some(match character {
        '\\' => "\\textbackslash{}",
        '&' => "\\&",
        '%' => "\\%",
        '$' => "\\$",
        '#' => "\\#",
        '_' => "\\_",
        '{' => "\\{",
        '}' => "\\}",
        '~' => "\\textasciitilde{}",
        '^' => "\\textasciicircum{}",
        '<' => "\\textless{}",
        '>' => "\\textgreater{}",
        '|' => "\\textbar{}",
        '`' => "\\textasciigrave{}",
        // A bracket or star after `\\` or a rule would be read as its option.
        '[' => "{[}",
        ']' => "{]}",
        '*' => "{*}",
        '\n' | '\t' => " ",
        '–' => "--",
        '—' => "---",
        '…' => "\\ldots{}",
        _ => return mathematical(character),
    })
}

/// Symbols of medicine and statistics that text fonts lack.
fn mathematical(character: char) -> Option<&'static str> {
    Some(match character {
        '−' => "$-$",
        '≤' => "$\\leq$",
        '≥' => "$\\geq$",
        '≠' => "$\\neq$",
        '≈' => "$\\approx$",
        '→' => "$\\rightarrow$",
        '←' => "$\\leftarrow$",
        '↑' => "$\\uparrow$",
        '↓' => "$\\downarrow$",
        '∞' => "$\\infty$",
        'α' => "$\\alpha$",
        'β' => "$\\beta$",
        'γ' => "$\\gamma$",
        'δ' => "$\\delta$",
        'Δ' => "$\\Delta$",
        'κ' => "$\\kappa$",
        'λ' => "$\\lambda$",
        'μ' => "$\\mu$",
        'ρ' => "$\\rho$",
        'σ' => "$\\sigma$",
        'τ' => "$\\tau$",
        'χ' => "$\\chi$",
        'ω' => "$\\omega$",
        _ => return None,
    })
}

/// Lines of a comment, each behind `% `.
pub(super) fn comment(text: &str) -> String {
    text.split('\n')
        .map(|line| format!("% {line}").trim_end().to_owned() + "\n")
        .collect()
}

/// Whether the character needs a font that pdflatex does not load.
pub(super) fn needs_other_font(character: char) -> bool {
    // Latin-1 and nearly all of Latin Extended-A are in T1.
    (u32::from(character) > 0x17F
        || matches!(
            character,
            'Ħ' | 'ħ' | 'ĸ' | 'Ŀ' | 'ŀ' | 'ŉ' | 'Ŧ' | 'ŧ' | 'ſ'
        ))
        && replacement(character).is_none()
        && !matches!(character, '‘' | '’' | '“' | '”' | '•' | '€' | '™')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_special_character_is_neutral() {
        assert_eq!(
            escape("\\ & % $ # _ { } ~ ^ [x] --"),
            "\\textbackslash{} \\& \\% \\$ \\# \\_ \\{ \\} \\textasciitilde{} \
             \\textasciicircum{} {[}x{]} -{}-"
        );
        assert_eq!(escape("患者 a\nb\u{7}"), "患者 a b");
        assert_eq!(comment("a\n\n\\input{x}"), "% a\n%\n% \\input{x}\n");
    }

    proptest! {
        #[test]
        fn only_our_own_commands_remain(text in any::<String>()) {
            // Takes out what `escape` writes itself; nothing active may be left.
            let mut rest = escape(&text);
            for ours in ["textbackslash", "textasciitilde", "textasciicircum", "textless",
                         "textgreater", "textbar", "textasciigrave", "ldots"] {
                rest = rest.replace(&format!("\\{ours}{{}}"), "");
            }
            let specials = ["\\&", "\\%", "\\$", "\\#", "\\_", "\\{", "\\}", "{}", "{[}", "{]}", "{*}"];
            for ours in specials {
                rest = rest.replace(ours, "");
            }
            for symbol in text.chars().filter_map(mathematical) {
                rest = rest.replace(symbol, "");
            }
            prop_assert!(!rest.contains(['\\', '&', '%', '$', '#', '_', '{', '}', '~', '^', '\n']), "{rest}");
        }
    }
}
