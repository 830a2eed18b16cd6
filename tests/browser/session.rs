//! A browser, a server, and what the browser complains of.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use chromiumoxide::cdp::browser_protocol::emulation::{
    MediaFeature, SetDeviceMetricsOverrideParams, SetScriptExecutionDisabledParams,
};
use chromiumoxide::cdp::browser_protocol::input::{DispatchKeyEventParams, DispatchKeyEventType};
use chromiumoxide::cdp::browser_protocol::log::EventEntryAdded;
use chromiumoxide::cdp::js_protocol::runtime::{EventConsoleApiCalled, EventExceptionThrown};
use chromiumoxide::{Browser, BrowserConfig, Page};
use futures::StreamExt as _;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// A page of a browser of its own, and the server it reads from.
pub(crate) struct Session {
    pub page: Page,
    address: String,
    browser: Browser,
    complaints: Arc<Mutex<Vec<String>>>,
    tasks: JoinSet<()>,
    _profile: tempfile::TempDir,
}

/// Where Chromium is; `None`, and said so, when it is not.
fn chromium() -> Option<PathBuf> {
    let path =
        std::env::var_os("CHROMIUM").map_or_else(|| "/usr/bin/chromium".into(), PathBuf::from);
    if path.exists() {
        return Some(path);
    }
    #[expect(clippy::print_stderr, reason = "a skipped test says so")]
    let () = eprintln!(
        "skipped: there is no Chromium at {}; set CHROMIUM to its path",
        path.display()
    );
    None
}

impl Session {
    /// Opens a browser on the pages; `None` when there is no Chromium.
    pub(crate) async fn open(pages: Router) -> Option<Self> {
        let chromium = chromium()?;
        let mut tasks = JoinSet::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tasks.spawn(async move {
            axum::serve(listener, pages).await.unwrap();
        });
        let profile = tempfile::tempdir().unwrap();
        let config = BrowserConfig::builder()
            .chrome_executable(chromium)
            .no_sandbox()
            .new_headless_mode()
            .user_data_dir(profile.path())
            .args([
                "disable-gpu",
                "disable-dev-shm-usage",
                "font-render-hinting=none",
            ])
            .viewport(None)
            .launch_timeout(Duration::from_mins(1))
            .request_timeout(Duration::from_mins(1))
            .build()
            .unwrap();
        let (browser, mut handler) = Browser::launch(config).await.unwrap();
        tasks.spawn(async move { while handler.next().await.is_some() {} });
        let page = browser.new_page("about:blank").await.unwrap();
        let complaints = Arc::new(Mutex::new(Vec::new()));
        listen(&page, &complaints, &mut tasks).await;
        Some(Self {
            page,
            address,
            browser,
            complaints,
            tasks,
            _profile: profile,
        })
    }

    /// Sets width and height of the window and the colours that the reader prefers.
    pub(crate) async fn look(&self, width: i64, height: i64, scheme: &str) {
        self.page
            .execute(SetDeviceMetricsOverrideParams::new(
                width,
                height,
                1.0,
                width < 500,
            ))
            .await
            .unwrap();
        let scheme = MediaFeature::new("prefers-color-scheme", scheme);
        self.page
            .emulate_media_features(vec![scheme])
            .await
            .unwrap();
    }

    /// Turns scripts off or on.
    pub(crate) async fn scripts(&self, on: bool) {
        self.page
            .execute(SetScriptExecutionDisabledParams::new(!on))
            .await
            .unwrap();
    }

    /// Goes to a path of ours.
    pub(crate) async fn go(&self, path: &str) {
        self.page
            .goto(format!("{}{path}", self.address))
            .await
            .unwrap();
    }

    /// The path at which the page is.
    pub(crate) async fn path(&self) -> String {
        let url: String = self.ask("location.href").await;
        url.strip_prefix(&self.address).unwrap_or(&url).to_owned()
    }

    /// The value of an expression in the page.
    pub(crate) async fn ask<T: serde::de::DeserializeOwned>(&self, expression: &str) -> T {
        self.page
            .evaluate_expression(expression)
            .await
            .unwrap()
            .into_value()
            .unwrap()
    }

    /// Waits until an expression is true.
    pub(crate) async fn until(&self, expression: &str) {
        for _ in 0..300 {
            let done = self.page.evaluate_expression(expression).await;
            if done.is_ok_and(|value| value.into_value::<bool>().unwrap_or(false)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("never true: {expression}; at {}", self.path().await);
    }

    /// Presses and releases a key.
    pub(crate) async fn press(&self, key: &str) {
        let (text, code) = match key {
            "Enter" => (Some("\r"), 13),
            "Tab" => (None, 9),
            _ => (Some(key), i64::from(key.to_ascii_uppercase().as_bytes()[0])),
        };
        for kind in [DispatchKeyEventType::KeyDown, DispatchKeyEventType::KeyUp] {
            let mut event = DispatchKeyEventParams::builder()
                .r#type(kind.clone())
                .key(key)
                .windows_virtual_key_code(code);
            if let (Some(text), DispatchKeyEventType::KeyDown) = (text, kind) {
                event = event.text(text);
            }
            self.page.execute(event.build().unwrap()).await.unwrap();
        }
    }

    /// Presses a key that goes to another page, and waits for it.
    pub(crate) async fn follow(&self, key: &str) -> String {
        self.ask::<bool>("window.staying = true").await;
        self.press(key).await;
        self.until("document.readyState === 'complete' && !window.staying")
            .await;
        self.path().await
    }

    /// Closes the browser; whatever it complained of fails the test.
    pub(crate) async fn close(mut self) {
        self.browser.close().await.unwrap();
        self.browser.wait().await.unwrap();
        self.tasks.abort_all();
        let complaints = self.complaints.lock().unwrap();
        assert!(complaints.is_empty(), "{complaints:#?}");
    }
}

async fn listen(page: &Page, complaints: &Arc<Mutex<Vec<String>>>, tasks: &mut JoinSet<()>) {
    page.enable_log().await.unwrap();
    page.enable_runtime().await.unwrap();
    let mut entries = page.event_listener::<EventEntryAdded>().await.unwrap();
    let mut console = page
        .event_listener::<EventConsoleApiCalled>()
        .await
        .unwrap();
    let mut exceptions = page.event_listener::<EventExceptionThrown>().await.unwrap();
    let list = Arc::clone(complaints);
    tasks.spawn(async move {
        while let Some(event) = entries.next().await {
            let text = format!("{:?}: {}", event.entry.source, event.entry.text);
            list.lock().unwrap().push(text);
        }
    });
    let list = Arc::clone(complaints);
    tasks.spawn(async move {
        while let Some(event) = console.next().await {
            list.lock().unwrap().push(format!("{:?}", event.args));
        }
    });
    let list = Arc::clone(complaints);
    tasks.spawn(async move {
        while let Some(event) = exceptions.next().await {
            list.lock()
                .unwrap()
                .push(event.exception_details.text.clone());
        }
    });
}
