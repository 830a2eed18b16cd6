//! Pages that say why there is no page.

use std::sync::atomic::{AtomicU64, Ordering};

use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};

use crate::LibraryError;
use crate::shell::{Section, Shell};
use crate::view::text::short;

/// Why a page cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PageError {
    /// There is no such thing; the words name the kind of thing, never the id.
    #[error("find {0}")]
    NotFound(&'static str),
    /// The address cannot be read, and why.
    #[error("read the address: {0}")]
    Bad(&'static str),
    /// The address asks for something that its page does not know.
    #[error("read the address: there is no parameter of this name")]
    UnknownParameter {
        /// As given.
        name: String,
        /// The known one that it most resembles.
        nearest: Option<String>,
        /// All known ones.
        known: Vec<String>,
    },
    /// The runs cannot be read.
    #[error(transparent)]
    Library(#[from] LibraryError),
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    shell: Shell,
    heading: &'static str,
    text: String,
    reference: Option<u64>,
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        match self {
            Self::NotFound(what) => page(
                StatusCode::NOT_FOUND,
                "Not found",
                format!("There is no {what} here. It may have been moved, renamed or deleted."),
                None,
            ),
            Self::Bad(why) => page(
                StatusCode::BAD_REQUEST,
                "The address cannot be read",
                why.to_owned(),
                None,
            ),
            Self::UnknownParameter {
                name,
                nearest,
                known,
            } => page(
                StatusCode::BAD_REQUEST,
                "The address cannot be read",
                unknown_parameter(&name, nearest.as_deref(), &known),
                None,
            ),
            Self::Library(mut error) => {
                let reference = next_reference();
                tracing::error!(
                    reference,
                    error = &error as &dyn std::error::Error,
                    "no page"
                );
                match error.shown.take() {
                    Some(text) => page(
                        StatusCode::INTERNAL_SERVER_ERROR,
                        "This cannot be read",
                        text,
                        Some(reference),
                    ),
                    None => broken(reference),
                }
            }
        }
    }
}

fn unknown_parameter(name: &str, nearest: Option<&str>, known: &[String]) -> String {
    let hint = match nearest {
        Some(nearest) => format!("Did you mean '{nearest}'?"),
        None if known.is_empty() => "It takes none.".to_owned(),
        None => format!("It takes {}.", known.join(", ")),
    };
    format!(
        "This page takes no parameter '{}' after the '?'. {hint}",
        short(name)
    )
}

/// The page after a panic; the process lives on.
pub(crate) fn after_panic(_: Box<dyn std::any::Any + Send>) -> Response {
    let reference = next_reference();
    tracing::error!(reference, "a page panicked");
    broken(reference)
}

/// The page for an address that is none of ours.
pub(crate) async fn unknown_address() -> PageError {
    PageError::NotFound("page")
}

/// The page for a method that a page does not know.
pub(crate) async fn unknown_method() -> Response {
    page(
        StatusCode::METHOD_NOT_ALLOWED,
        "Only for reading",
        "These pages can be read, and nothing can be sent to them.".to_owned(),
        None,
    )
}

fn broken(reference: u64) -> Response {
    page(
        StatusCode::INTERNAL_SERVER_ERROR,
        "This page could not be made",
        "Something failed on the server; the runs themselves are untouched. The server's log says \
         more under the reference below."
            .to_owned(),
        Some(reference),
    )
}

fn page(
    status: StatusCode,
    heading: &'static str,
    text: String,
    reference: Option<u64>,
) -> Response {
    let page = ErrorPage {
        shell: Shell::new(heading, Section::Nowhere),
        heading,
        text,
        reference,
    };
    match page.render() {
        Ok(body) => (status, Html(body)).into_response(),
        Err(_) => (status, heading).into_response(),
    }
}

/// Numbers the failures of this process, so that a reader can name one without seeing it.
fn next_reference() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}
