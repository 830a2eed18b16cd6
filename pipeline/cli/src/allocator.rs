//! The allocator, and how long it keeps what is free.

use std::env;
use std::ffi::c_long;

use libmimalloc_sys::{mi_option_get, mi_option_set, mi_option_t};

/// Calls and rows are many small pieces that one thread makes and another frees, which takes the system's
/// allocator a quarter of the time of a run.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// mimalloc's option `purge_delay`, in milliseconds; its versions 2 and 3 give it this number.
const PURGE_DELAY: mi_option_t = 15;

/// What version 3 begins with: a run's peak is a quarter higher with pages that nobody uses any more.
const SECOND: c_long = 1000;

/// Lets the allocator give free pages back after hundredths of a second; `MIMALLOC_PURGE_DELAY` says otherwise.
///
/// Called once, before there is a second thread.
pub(crate) fn give_back_soon() {
    if env::var_os("MIMALLOC_PURGE_DELAY").is_some() {
        return;
    }
    #[expect(
        unsafe_code,
        reason = "options of the allocator are plain numbers; there is no other thread yet"
    )]
    // SAFETY: both functions read and write one number of the allocator's options.
    unsafe {
        // Another version's option of this number is left alone.
        if mi_option_get(PURGE_DELAY) == SECOND {
            mi_option_set(PURGE_DELAY, 10);
        }
    }
}
