//! From a server's words to the kind of a failure.

use std::sync::LazyLock;

use consilium_core::ErrorKind;
use regex::Regex;

/// The prompt, or the answer asked for, does not fit.
const OVERFLOW: &str = r"(?ix)
    context_length_exceeded | exceed_context_size | context_window_exceeded
  | (maximum|available|model'?s?)\ (context|model|prompt)\ (length|size|window)
  | context\ (size|length|window|limit)\D{0,40}exceed
  | exceeds?\ (the\ )?((available|maximum|model'?s)\ )*(context|input\ token|number\ of\ tokens|max(imum)?\ (input|prompt))
  | (prompt|input|request)\ is\ too\ long
  | input\ token\ count\D{0,40}\d+\D{0,40}exceeds
  | reduce\ the\ length\ of\ (the\ |your\ )?(messages|prompt|input)
  | longer\ than\ the\ (maximum\ )?model
  | range\ of\ input\ length
  | exceeded\ model\ token\ limit
  | too\ large\ for\ model\ with\ \d+\ maximum\ context
  | inputs`?\ (tokens\ \+|must\ have\ less\ than)
  | too\ many\ tokens
  | tokens?\ to\ keep\ from\ the\ initial\ prompt | when\ context\ the\ overflows
  | prompt\ 超长 | 输入.{0,8}(超过|超出|过长)
";

/// The provider's filter blocked the prompt or the answer.
const FILTER: &str = r"(?ix)
    content_filter | content_policy_violation | responsibleaipolicyviolation
  | content\ (management|filtering)\ policy | content\ filter
  | data_?inspection_?failed | inappropriate\ content
  | content\ exists\ risk
  | considered\ high\ risk
  | usage\ polic(y|ies) | safety\ (system|reasons|guidelines|policy) | prohibited_content
  | (input|prompt|request)\ (was|has\ been)\ (flagged|blocked|censored) | requires\ moderation
  | new_sensitive | sensitive_words? | censorship_block
  | 敏感内容 | 不安全 | 违规 | 内容安全 | ^1301\b
";

/// The account is empty: waiting does not help.
const QUOTA: &str = r"(?ix)
    insufficient[_\ ](quota|balance|credits?|funds) | exceeded_current_quota_error
  | billing_(hard_limit|not_active) | billing\ hard\ limit | arrearage | credit\ balance\ is\ too\ low
  | quota\ (is\ )?exhausted | out\ of\ credits | payment\ required
  | 余额不足 | 欠费 | ^1113\b
";

/// Too many requests, said in a body of status 200.
const RATE: &str = r"(?ix)
    rate[_\ -]?limit | too\ many\ requests | throttl | resource_exhausted | ^429\b
";

struct Patterns {
    overflow: Regex,
    filter: Regex,
    quota: Regex,
    rate: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    Some(Patterns {
        overflow: Regex::new(OVERFLOW).ok()?,
        filter: Regex::new(FILTER).ok()?,
        quota: Regex::new(QUOTA).ok()?,
        rate: Regex::new(RATE).ok()?,
    })
});

/// What the words alone say, where they say something that a status does not.
fn said(text: &str) -> Option<ErrorKind> {
    let patterns = PATTERNS.as_ref()?;
    if patterns.filter.is_match(text) {
        Some(ErrorKind::ContentFilter)
    } else if patterns.overflow.is_match(text) {
        Some(ErrorKind::ContextOverflow)
    } else {
        None
    }
}

fn is_quota(text: &str) -> bool {
    PATTERNS
        .as_ref()
        .is_some_and(|patterns| patterns.quota.is_match(text))
}

/// The kind of a failed HTTP reply, from its status and what its body says.
pub(super) fn of_status(status: u16, text: &str) -> ErrorKind {
    match status {
        // Some providers forbid a flagged prompt; that says nothing about the key.
        403 if said(text) == Some(ErrorKind::ContentFilter) => ErrorKind::ContentFilter,
        401 | 403 => ErrorKind::Auth,
        404 => ErrorKind::NotFound,
        451 => ErrorKind::ContentFilter,
        429 if is_quota(text) => ErrorKind::BadRequest,
        429 => ErrorKind::RateLimit,
        // Older llama.cpp servers report an overflow as their own failure.
        500 if said(text) == Some(ErrorKind::ContextOverflow) => ErrorKind::ContextOverflow,
        408 | 409 | 425 | 500..=599 => ErrorKind::Server,
        400 | 413 | 422 => said(text).unwrap_or(ErrorKind::BadRequest),
        _ => ErrorKind::BadRequest,
    }
}

/// The kind of a reply of status 200 that holds an error.
pub(super) fn of_error_in_reply(text: &str) -> ErrorKind {
    if let Some(kind) = said(text) {
        return kind;
    }
    if is_quota(text) {
        return ErrorKind::BadRequest;
    }
    match PATTERNS.as_ref() {
        Some(patterns) if patterns.rate.is_match(text) => ErrorKind::RateLimit,
        _ => ErrorKind::BadReply,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by hand after the wording of each provider; none was captured from the wire.
    const FIXTURES: &str = include_str!("fixtures/failures.jsonl");

    #[test]
    fn every_known_wording_has_its_kind() {
        let mut seen = 0;
        for line in FIXTURES.lines().filter(|line| !line.trim().is_empty()) {
            let fixture: serde_json::Value = serde_json::from_str(line).unwrap();
            let status = u16::try_from(fixture["status"].as_u64().unwrap()).unwrap();
            let complaint = super::super::complaint::Complaint::read(&fixture["body"]);
            let text = complaint.unwrap_or_default().text();
            let kind = match status {
                200 => of_error_in_reply(&text),
                _ => of_status(status, &text),
            };
            assert_eq!(
                kind.as_str(),
                fixture["kind"].as_str().unwrap(),
                "{line}\n{text}"
            );
            seen += 1;
        }
        assert!(seen > 40, "{seen}");
    }

    #[test]
    fn a_status_without_words_is_enough() {
        let table = [
            (301, ErrorKind::BadRequest),
            (400, ErrorKind::BadRequest),
            (401, ErrorKind::Auth),
            (402, ErrorKind::BadRequest),
            (403, ErrorKind::Auth),
            (404, ErrorKind::NotFound),
            (405, ErrorKind::BadRequest),
            (408, ErrorKind::Server),
            (409, ErrorKind::Server),
            (413, ErrorKind::BadRequest),
            (422, ErrorKind::BadRequest),
            (425, ErrorKind::Server),
            (429, ErrorKind::RateLimit),
            (500, ErrorKind::Server),
            (503, ErrorKind::Server),
            (529, ErrorKind::Server),
        ];
        for (status, kind) in table {
            assert_eq!(of_status(status, ""), kind, "{status}");
        }
    }
}
