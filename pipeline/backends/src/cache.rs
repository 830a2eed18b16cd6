//! Replies kept between runs.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use consilium_core::canonical::canonical_sha256;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Backend, ChatRequest, Reply, ResponseFormat};

/// Version of the entries; entries of another one are not read.
const VERSION: u32 = 1;

/// A folder of replies, one file each, named by the hash of what was asked.
///
/// An entry holds the whole request beside the reply, so that a hit is checked and not only
/// believed. Files are written under another name and renamed: processes may share the folder, and
/// a torn or rotten entry is a miss. Nothing is held in memory.
#[derive(Debug)]
pub struct ResponseCache {
    folder: PathBuf,
    written: AtomicU64,
}

/// What decides the answer to a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheKey {
    version: u32,
    endpoint: String,
    epoch: u32,
    /// Place among identical requests of the sample, from 0.
    ordinal: u32,
    /// How structured replies are asked for.
    format: String,
    request_sha256: String,
    model: String,
    messages: Value,
    parameters: Value,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    asked: CacheKey,
    reply: Reply,
    /// Hash of the reply.
    sha256: String,
}

impl CacheKey {
    /// The key of a request to a backend in a repetition; `ordinal` counts identical requests of
    /// the sample from 0.
    pub fn new(
        backend: &dyn Backend,
        request: &ChatRequest,
        request_sha256: &str,
        epoch: u32,
        ordinal: u32,
    ) -> Self {
        let mut parameters = request.parameters();
        if let Some(schema) = &request.schema {
            parameters.insert("schema".to_owned(), schema.schema.clone());
            parameters.insert("schema_name".to_owned(), schema.name.clone().into());
        }
        let format = match backend.effective_format() {
            ResponseFormat::Text => "text",
            ResponseFormat::JsonObject => "json_object",
            ResponseFormat::JsonSchema => "json_schema",
        };
        Self {
            version: VERSION,
            endpoint: backend.endpoint().to_owned(),
            epoch,
            ordinal,
            format: format.to_owned(),
            request_sha256: request_sha256.to_owned(),
            model: request.model.clone(),
            messages: serde_json::to_value(&request.messages).unwrap_or_default(),
            parameters: Value::Object(without_nulls(parameters)),
        }
    }

    fn hash(&self) -> Option<String> {
        canonical_sha256(self).ok()
    }
}

/// JSON has no way to tell an absent setting from one that is null.
fn without_nulls(mut parameters: Map<String, Value>) -> Map<String, Value> {
    parameters.retain(|_, value| !value.is_null());
    parameters
}

impl ResponseCache {
    /// A cache in a folder, which is made when the first reply is kept.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            written: AtomicU64::new(0),
        }
    }

    /// The reply kept for a key, if there is one and it is whole.
    pub fn find(&self, key: &CacheKey) -> Option<Reply> {
        let path = self.path(&key.hash()?);
        let bytes = fs::read(&path).ok()?;
        let entry: Entry = serde_json::from_slice(&bytes).ok()?;
        let whole = canonical_sha256(&entry.reply).is_ok_and(|sha256| sha256 == entry.sha256);
        if entry.asked == *key && whole {
            return Some(entry.reply);
        }
        tracing::warn!(entry = %path.display(), "a cached reply is damaged and is asked again");
        None
    }

    /// Keeps a reply.
    ///
    /// # Errors
    /// When it cannot be written; what was there before is whole.
    pub fn keep(&self, key: CacheKey, reply: &Reply) -> io::Result<()> {
        let path = match key.hash() {
            Some(hash) => self.path(&hash),
            None => return Err(io::Error::other("the request has no canonical form")),
        };
        let entry = Entry {
            asked: key,
            sha256: canonical_sha256(reply).map_err(io::Error::other)?,
            reply: reply.clone(),
        };
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        // The process and a number make the name one nobody else writes to.
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let temporary = folder.join(format!(".{}-{number}.tmp", std::process::id()));
        let mut file = fs::File::create(&temporary)?;
        serde_json::to_writer(io::BufWriter::new(&file), &entry)?;
        file.flush()?;
        fs::rename(&temporary, &path)
    }

    /// Two digits as folder, so that no folder holds millions of files.
    fn path(&self, hash: &str) -> PathBuf {
        let (shard, rest) = hash.split_at(2.min(hash.len()));
        self.folder
            .join(shard)
            .join(Path::new(rest).with_extension("json"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use consilium_core::study::GenerationSpec;
    use serde_json::json;

    use super::*;
    use crate::testing::{ScriptedBackend, reply};
    use crate::{Message, OutputSchema};

    fn request() -> ChatRequest {
        ChatRequest {
            model: "m".to_owned(),
            messages: vec![Message::user("q")],
            generation: GenerationSpec::default(),
            seed: Some(7),
            schema: None,
        }
    }

    fn key_of(request: &ChatRequest, epoch: u32, ordinal: u32) -> CacheKey {
        let backend = ScriptedBackend::new([]);
        CacheKey::new(&*backend, request, &request.sha256(), epoch, ordinal)
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        fs::read_dir(folder)
            .unwrap()
            .flat_map(|shard| fs::read_dir(shard.unwrap().path()).unwrap())
            .map(|entry| entry.unwrap().path())
            .collect()
    }

    #[test]
    fn a_reply_is_found_again_and_only_for_what_was_asked() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ResponseCache::new(folder.path().join("cache"));
        let key = key_of(&request(), 1, 0);
        assert_eq!(cache.find(&key), None);
        let answer = Reply {
            latency_ms: 1.0 / 3.0,
            extra: Map::from_iter([("x".to_owned(), json!(1))]),
            ..reply("B", "stop")
        };
        cache.keep(key.clone(), &answer).unwrap();
        assert_eq!(cache.find(&key), Some(answer));

        let changes: [fn(&mut ChatRequest); 5] = [
            |request| request.model.push('x'),
            |request| request.messages[0].content.push('x'),
            |request| request.generation.temperature = Some(0.0),
            |request| request.seed = Some(8),
            |request| {
                request.schema = Some(Arc::new(OutputSchema {
                    name: "n".to_owned(),
                    schema: json!({}),
                    answer_field: "a".to_owned(),
                }));
            },
        ];
        for change in changes {
            let mut other = request();
            change(&mut other);
            assert_eq!(cache.find(&key_of(&other, 1, 0)), None);
        }
        assert_eq!(cache.find(&key_of(&request(), 2, 0)), None);
        assert_eq!(cache.find(&key_of(&request(), 1, 1)), None);
        let mut elsewhere = key;
        elsewhere.endpoint.push('x');
        assert_eq!(cache.find(&elsewhere), None);
    }

    #[test]
    fn a_damaged_entry_is_a_miss_and_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ResponseCache::new(folder.path().to_owned());
        let key = key_of(&request(), 1, 0);
        cache.keep(key.clone(), &reply("B", "stop")).unwrap();
        let [path] = &files(folder.path())[..] else {
            panic!("one file")
        };
        let text = fs::read_to_string(path).unwrap();
        for damaged in [
            text.replace("\"content\":\"B\"", "\"content\":\"C\""),
            text.replace("\"epoch\":1", "\"epoch\":2"),
            text[..text.len() / 2].to_owned(),
        ] {
            assert_ne!(damaged, text);
            fs::write(path, damaged).unwrap();
            assert_eq!(cache.find(&key), None);
        }
        cache.keep(key.clone(), &reply("B", "stop")).unwrap();
        assert!(cache.find(&key).is_some());
        assert_eq!(files(folder.path()).len(), 1);
    }
}
