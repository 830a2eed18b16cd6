//! `/embeddings`: texts in, vectors out.

use consilium_core::ErrorKind;
use consilium_core::study::GenerationSpec;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Map, Value, json};

use super::body::NoReply;
use super::client::OpenAi;
use super::complaint::Complaint;
use super::failure;
use crate::{CallFailure, ChatRequest, Message};

/// Vectors of some texts, in their order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EmbeddingReply {
    pub(crate) vectors: Vec<Vec<f32>>,
    /// Tokens read, as far as the server reports them.
    pub(crate) tokens: Option<u64>,
}

impl OpenAi {
    /// Asks once for the vectors of texts, none of which is empty.
    pub(crate) async fn embed(
        &self,
        texts: &[&str],
        extra: &GenerationSpec,
    ) -> Result<EmbeddingReply, CallFailure> {
        // What a message must not repeat is told by a request.
        let request = ChatRequest {
            model: self.model_name().to_owned(),
            messages: texts.iter().map(|text| Message::user(*text)).collect(),
            generation: GenerationSpec::default(),
            seed: None,
            schema: None,
        };
        let secrets = self.secrets(Some(&request));
        let mut body = Map::from_iter([
            ("model".to_owned(), json!(request.model)),
            ("input".to_owned(), json!(texts)),
            ("encoding_format".to_owned(), json!("float")),
        ]);
        body.extend(extra.extra.clone());
        let post = self
            .post_embeddings()
            .header(CONTENT_TYPE, "application/json")
            .body(Value::Object(body).to_string());
        let (status, headers, received) = self.send_authorized(post, secrets).await?;
        if !(200..300).contains(&status) {
            let mut failure = failure::of_status(status, &headers, &received, secrets).0;
            if let (ErrorKind::NotFound, Some(hint)) = (failure.kind, self.address_hint()) {
                failure.message = format!("{}; {hint}", failure.message);
            }
            return Err(failure);
        }
        read(&received, texts.len()).map_err(|broken| match broken {
            Broken::NoReply(none) => failure::of_no_reply(status, none, &headers, secrets),
            Broken::Vectors(what) => CallFailure {
                http_status: Some(status),
                ..CallFailure::new(
                    ErrorKind::BadReply,
                    format!("HTTP {status}, but the reply holds {what}"),
                )
            },
        })
    }
}

#[derive(Debug, PartialEq)]
enum Broken {
    NoReply(NoReply),
    Vectors(String),
}

/// Reads a reply with `count` vectors; servers need not send them in order.
fn read(body: &[u8], count: usize) -> Result<EmbeddingReply, Broken> {
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        Broken::NoReply(NoReply::NotJson(place))
    })?;
    let Some(Value::Array(rows)) = value.get("data") else {
        return Err(Complaint::read(&value).map_or_else(
            || Broken::Vectors("no embeddings".to_owned()),
            |complaint| Broken::NoReply(NoReply::Complains(complaint)),
        ));
    };
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; count];
    for (position, row) in rows.iter().enumerate() {
        let index = row["index"]
            .as_u64()
            .map_or(Some(position), |index| usize::try_from(index).ok());
        let vector = row["embedding"].as_array().and_then(|row| numbers(row));
        let place = index.and_then(|index| vectors.get_mut(index));
        match (place, vector) {
            (Some(place @ None), Some(vector)) => *place = Some(vector),
            _ => return Err(Broken::Vectors("an unusable embedding".to_owned())),
        }
    }
    let vectors: Vec<Vec<f32>> = vectors.into_iter().flatten().collect();
    if vectors.len() != count {
        let what = format!("{} embeddings for {count} texts", vectors.len());
        return Err(Broken::Vectors(what));
    }
    if vectors.windows(2).any(|two| two[0].len() != two[1].len()) {
        return Err(Broken::Vectors("embeddings of different length".to_owned()));
    }
    Ok(EmbeddingReply {
        vectors,
        tokens: value
            .pointer("/usage/prompt_tokens")
            .and_then(Value::as_u64),
    })
}

fn numbers(row: &[Value]) -> Option<Vec<f32>> {
    let numbers: Option<Vec<f32>> = row
        .iter()
        .map(|number| {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "servers compute embeddings in 32 bits or fewer"
            )]
            let number = number.as_f64()? as f32;
            number.is_finite().then_some(number)
        })
        .collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(body: &Value, count: usize) -> Result<Vec<Vec<f32>>, Broken> {
        read(body.to_string().as_bytes(), count).map(|reply| reply.vectors)
    }

    #[test]
    fn vectors_are_put_in_order() {
        let body = json!({"data": [{"index": 1, "embedding": [1.0]},
            {"index": 0, "embedding": [2]}], "usage": {"prompt_tokens": 7}});
        assert_eq!(vectors(&body, 2), Ok(vec![vec![2.0], vec![1.0]]));
        let unnumbered = json!({"data": [{"embedding": [1.0]}, {"embedding": [2.0]}]});
        assert_eq!(vectors(&unnumbered, 2), Ok(vec![vec![1.0], vec![2.0]]));
    }

    #[test]
    fn what_are_no_vectors_is_refused() {
        for (body, count) in [
            (json!({"data": [{"index": 0, "embedding": [1.0]}]}), 2),
            (json!({"data": [{"index": 5, "embedding": [1.0]}]}), 1),
            (json!({"data": [{"index": 0, "embedding": []}]}), 1),
            (json!({"data": [{"index": 0, "embedding": [1e99]}]}), 1),
            (json!({"data": [{"index": 0, "embedding": "AACA"}]}), 1),
            (
                json!({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}),
                2,
            ),
            (
                json!({"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]}),
                2,
            ),
            (json!({"object": "list"}), 1),
        ] {
            assert!(
                matches!(vectors(&body, count), Err(Broken::Vectors(_))),
                "{body}"
            );
        }
        let complaint = json!({"error": {"message": "no such model"}});
        assert!(matches!(
            vectors(&complaint, 1),
            Err(Broken::NoReply(NoReply::Complains(_)))
        ));
    }
}
