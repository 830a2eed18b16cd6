//! Tokenizers, stemmers and Python's string methods.

use serde_json::{Map, Value, json};

use super::MetricError;
use super::arguments::{Arguments, invalid};
use super::sacrebleu::tercom as tercom_switches;
use crate::text::bleu_tokenizer::BleuTokenizer;
use crate::text::jieba::cut;
use crate::text::nltk_tokenizer::{nltk_words, word_punctuation};
use crate::text::porter::{PorterMode, PorterStemmer};
use crate::text::rouge_tokenizer::rouge_tokens;
use crate::text::tercom::Tercom;
use crate::text::whitespace::{split, strip_end};

pub(super) fn sacrebleu(inputs: Arguments) -> Result<Value, MetricError> {
    let text = inputs.text("text")?;
    let tokenizers = [
        BleuTokenizer::ThirteenA,
        BleuTokenizer::Chinese,
        BleuTokenizer::Character,
        BleuTokenizer::International,
        BleuTokenizer::Whitespace,
    ];
    let tokenized: Map<String, Value> = tokenizers
        .iter()
        .map(|tokenizer| {
            (
                format!("sacrebleu_{}", tokenizer.name()),
                json!(tokenizer.tokenize(text)),
            )
        })
        .collect();
    Ok(tokenized.into())
}

pub(super) fn tercom(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let text = inputs.text("text")?;
    let switches = tercom_switches(params)?;
    let mut tokenized = Map::new();
    for (normalized, normalized_name) in [(false, "False"), (true, "True")] {
        for (no_punctuation, punctuation_name) in [(false, "False"), (true, "True")] {
            let asian = if switches.asian_support { ",asian" } else { "" };
            let name = format!("normalized={normalized_name},no_punct={punctuation_name}{asian}");
            let tokenizer = Tercom {
                normalized,
                no_punctuation,
                ..switches
            };
            tokenized.insert(name, json!(tokenizer.tokenize(text)));
        }
    }
    Ok(tokenized.into())
}

pub(super) fn rouge(inputs: Arguments) -> Result<Value, MetricError> {
    let text = inputs.text("text")?;
    let stemmer = PorterStemmer::default();
    Ok(json!({
        "plain": rouge_tokens(text, None),
        "stemmed": rouge_tokens(text, Some(&stemmer)),
    }))
}

pub(super) fn python(inputs: Arguments) -> Result<Value, MetricError> {
    let text = inputs.text("text")?;
    Ok(json!({
        "split": split(text).collect::<Vec<_>>(),
        "lower": text.to_lowercase(),
        "rstrip": strip_end(text),
        "len_codepoints": text.chars().count(),
        "split_nl": text.split('\n').collect::<Vec<_>>(),
    }))
}

pub(super) fn nltk(inputs: Arguments) -> Result<Value, MetricError> {
    let text = inputs.text("text")?;
    Ok(json!({
        "NLTKWordTokenizer": nltk_words(text),
        "wordpunct": word_punctuation(text),
    }))
}

pub(super) fn jieba(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    if params.flag("cut_all")? {
        return Err(invalid("cut_all", "false"));
    }
    Ok(json!(cut(
        inputs.text("text")?,
        params.flag_or("HMM", true)?
    )))
}

pub(super) fn porter(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let mode = match params.text_or("mode", "NLTK_EXTENSIONS")? {
        "NLTK_EXTENSIONS" => PorterMode::NltkExtensions,
        "MARTIN_EXTENSIONS" => PorterMode::MartinExtensions,
        "ORIGINAL_ALGORITHM" => PorterMode::Original,
        _ => return Err(invalid("mode", "a mode of nltk's PorterStemmer")),
    };
    if !params.flag_or("to_lowercase", true)? {
        return Err(invalid("to_lowercase", "true"));
    }
    let stemmer = PorterStemmer::new(mode);
    Ok(inputs
        .texts("words")?
        .iter()
        .map(|word| stemmer.stem(word))
        .collect())
}
