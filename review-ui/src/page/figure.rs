//! `GET /runs/{run}/figures/{figure}`: one figure as a picture.

use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use crate::AppState;
use crate::error::PageError;
use crate::params::Params;

/// The handler.
pub(crate) async fn show(
    State(state): State<AppState>,
    Path((run, name)): Path<(String, String)>,
    params: Params,
) -> Result<Response, PageError> {
    params.only(&[])?;
    let figures = state
        .runs
        .figures(&run)
        .await?
        .ok_or(PageError::NotFound("run"))?;
    let figure = figures
        .into_iter()
        .find(|figure| figure.name == name)
        .ok_or(PageError::NotFound("figure"))?;
    Ok(([(CONTENT_TYPE, "image/svg+xml")], figure.svg).into_response())
}
