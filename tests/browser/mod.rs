//! The pages in a headless Chromium.
//!
//! Skipped with a message where none is found at `$CHROMIUM` or `/usr/bin/chromium`.

mod appearance;
mod keyboard;
mod pictures;
mod session;
