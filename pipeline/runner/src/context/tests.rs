use consilium_core::study::BackendSpec;
use consilium_core::{AnswerForm, SystemClock};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;

use super::*;
use crate::testing::{self, MemoryRecorder};
use consilium_backends::testing::reply;
use consilium_backends::{Backend, CallFailure, CallIdentity, ChatRequest, Reply};

/// Answers the first call last.
#[derive(Debug)]
struct Backwards(BackendSpec);

impl Backend for Backwards {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn model(&self) -> &'static str {
        "m"
    }

    fn endpoint(&self) -> &'static str {
        "nowhere"
    }

    fn spec(&self) -> &BackendSpec {
        &self.0
    }

    fn send<'a>(
        &'a self,
        call: &'a CallIdentity,
        _request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<Reply, CallFailure>> {
        async move {
            tokio::time::sleep(Duration::from_millis(u64::from(10 - call.seq))).await;
            Ok(reply(&format!("reply {}", call.seq), "stop"))
        }
        .boxed()
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), CallFailure>> {
        async { Ok(()) }.boxed()
    }
}

fn context(recorder: &Arc<MemoryRecorder>) -> SolverContext {
    let spec =
        json!({"name": "b", "kind": "openai", "generation": {"temperature": 0.1, "max_tokens": 5}});
    let backend = Arc::new(Backwards(serde_json::from_value(spec).unwrap()));
    let backend = Arc::new(LimitedBackend::new(backend, Arc::new(SystemClock), 1));
    let recorder: Arc<dyn SampleRecorder> = Arc::<MemoryRecorder>::clone(recorder);
    let surroundings = Surroundings {
        study_seed: 1,
        backends: BTreeMap::from([("doctor".to_owned(), backend)]),
        generation: GenerationSpec {
            temperature: Some(0.5),
            ..GenerationSpec::default()
        },
        prompts: Arc::new(PromptLibrary::load(None).unwrap()),
        recorder,
        cancel: CancellationToken::new(),
        progress: Arc::default(),
        sample_limits: SampleLimits::default(),
    };
    let item = testing::work_item("s", testing::case_view(AnswerForm::Text));
    SolverContext::new(Arc::new(surroundings), item)
}

fn ask(agent: &str) -> CallSpec {
    CallSpec {
        agent: agent.to_owned(),
        ..CallSpec::new("doctor", "opinion", vec![Message::user(agent)])
    }
}

#[tokio::test(start_paused = true)]
async fn parallel_calls_are_numbered_and_joined_in_program_order() {
    let recorder = Arc::new(MemoryRecorder::default());
    let mut context = context(&recorder);
    let opinions = context
        .call_all(vec![ask("x"), ask("y"), ask("z")])
        .await
        .unwrap();
    let texts: Vec<&str> = opinions
        .iter()
        .map(|opinion| opinion.text.as_str())
        .collect();
    assert_eq!(texts, ["reply 0", "reply 1", "reply 2"]);
    let recorded: Vec<(u32, String)> = recorder
        .calls
        .lock()
        .unwrap()
        .iter()
        .map(|call| (call.seq, call.agent.clone()))
        .collect();
    // Recorded as they finish.
    assert_eq!(
        recorded,
        [
            (2, "z".to_owned()),
            (1, "y".to_owned()),
            (0, "x".to_owned())
        ]
    );
    assert_eq!(context.call(ask("x")).await.unwrap().seq, 3);
}

#[tokio::test(start_paused = true)]
async fn settings_of_the_call_go_over_those_of_the_system_and_the_backend() {
    let recorder = Arc::new(MemoryRecorder::default());
    let mut context = context(&recorder);
    let mut call = ask("x");
    call.generation.top_p = Some(0.9);
    context.call(call).await.unwrap();
    let parameters: serde_json::Value =
        serde_json::from_str(&recorder.calls.lock().unwrap()[0].parameters).unwrap();
    assert_eq!(parameters["temperature"], 0.5);
    assert_eq!(
        (&parameters["max_tokens"], &parameters["top_p"]),
        (&json!(5), &json!(0.9))
    );
}

#[tokio::test]
async fn randomness_depends_on_the_sample_and_the_purpose() {
    let recorder = Arc::new(MemoryRecorder::default());
    let (left, right) = (context(&recorder), context(&recorder));
    assert_eq!(left.seed("shuffle"), right.seed("shuffle"));
    assert_ne!(left.seed("shuffle"), left.seed("vote"));
    let mut unknown = ask("x");
    unknown.role = "nurse".to_owned();
    let mut left = left;
    assert!(matches!(
        left.call(unknown).await,
        Err(SampleEnd::Ended { .. })
    ));
}
