//! The write-ahead log of a live run.
//!
//! Segments `journal/segment-NNNNNN.jsonl` hold one JSON object a line. A line counts once its
//! newline is there. One thread writes, at once and in the order of [`Journal::append`]; another
//! makes it durable every 100 ms, so that neither callers nor writes wait for the disk. Letting records
//! gather for a millisecond would save a twentieth of a run's processor time and cost a kill the calls of
//! that millisecond, which are paid for.

mod record;
mod replay;
mod segment;
mod writer;

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use consilium_core::CallRow;

pub(crate) use record::Line;
pub(crate) use replay::{Replayed, TornLine, attempt_of, replay};
pub(crate) use segment::{
    last_segment, remove_empty_segment, remove_segments_before, segment_path,
};
use writer::{Message, Writer};

use crate::{RecordError, StoreError};

/// Appends that may wait for the writer before callers do.
pub(crate) const WAITING_APPENDS: usize = 256;

/// The first failure of recording, given to everybody who comes later.
pub(crate) type Failure = Arc<OnceLock<RecordError>>;

/// The open journal of a run.
#[derive(Debug)]
pub(crate) struct Journal {
    messages: SyncSender<Message>,
    failure: Failure,
    thread: Option<JoinHandle<()>>,
}

impl Journal {
    /// Starts a new segment that begins with `carried`, durable when this returns.
    pub(crate) fn create(
        folder: PathBuf,
        number: u64,
        carried: &[Arc<CallRow>],
        failure: Failure,
    ) -> Result<Self, StoreError> {
        let writer = Writer::create(folder, number, carried, Arc::clone(&failure))
            .map_err(StoreError::Record)?;
        let (messages, inbox) = mpsc::sync_channel(WAITING_APPENDS);
        let thread = thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || writer.run(&inbox))
            .map_err(StoreError::Thread)?;
        Ok(Self {
            messages,
            failure,
            thread: Some(thread),
        })
    }

    /// Hands complete lines to the writer; they are written together.
    pub(crate) fn append(&self, lines: Vec<u8>) -> Result<(), RecordError> {
        self.send(Message::Lines(lines))
    }

    /// As [`Self::append`]; `false`, and nothing is handed over, where it would have to wait.
    pub(crate) fn try_append(&self, lines: Vec<u8>) -> Result<bool, RecordError> {
        self.check()?;
        match self.messages.try_send(Message::Lines(lines)) {
            Ok(()) => Ok(true),
            Err(TrySendError::Full(_)) => Ok(false),
            Err(TrySendError::Disconnected(_)) => Err(self.ended()),
        }
    }

    /// Ends the segment and starts the next with `carried`. Everything appended so far is durable,
    /// and so is the new segment's beginning, when its number arrives.
    pub(crate) fn rotate(
        &self,
        carried: Vec<Arc<CallRow>>,
    ) -> Result<Receiver<Result<u64, RecordError>>, RecordError> {
        let (reply, rotated) = mpsc::sync_channel(1);
        self.send(Message::Rotate { carried, reply })?;
        Ok(rotated)
    }

    fn send(&self, message: Message) -> Result<(), RecordError> {
        self.check()?;
        self.messages.send(message).map_err(|_| self.ended())
    }

    fn check(&self) -> Result<(), RecordError> {
        self.failure.get().cloned().map_or(Ok(()), Err)
    }

    fn ended(&self) -> RecordError {
        self.failure
            .get()
            .cloned()
            .unwrap_or_else(|| RecordError::Journal {
                path: PathBuf::from("journal"),
                cause: Arc::new(std::io::Error::other("the writer thread has ended")),
            })
    }
}

impl Drop for Journal {
    /// Waits until everything appended is durable.
    fn drop(&mut self) {
        // The writer ends when nobody can send to it any more.
        let (closed, _) = mpsc::sync_channel(0);
        drop(std::mem::replace(&mut self.messages, closed));
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported by its hook, and the journal is read back anyway.
            let _ended = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
