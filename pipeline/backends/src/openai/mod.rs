//! Any OpenAI-compatible chat server.

mod address;
mod body;
mod classify;
mod client;
mod complaint;
mod dialect;
mod embeddings;
mod failure;
mod redact;
mod retry_after;
mod stated_limits;
mod surrogate;
mod wire;

pub(super) use client::OpenAi;
