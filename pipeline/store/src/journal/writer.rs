//! The threads that write the journal and make it durable.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use consilium_core::CallRow;

use super::segment::segment_path;
use super::{Failure, Line};
use crate::RecordError;

/// Bytes gathered into one write when appends come faster than writes.
const BUFFER_BYTES: usize = 1 << 20;
/// Longest time between a write and the request to make it durable.
const SYNC_EVERY: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) enum Message {
    Lines(Vec<u8>),
    Rotate {
        carried: Vec<Arc<CallRow>>,
        reply: SyncSender<Result<u64, RecordError>>,
    },
}

/// An open segment; shared with the thread that makes it durable.
#[derive(Debug)]
struct Segment {
    path: PathBuf,
    file: File,
}

/// Owns the segment being written.
#[derive(Debug)]
pub(super) struct Writer {
    folder: PathBuf,
    number: u64,
    segment: Arc<Segment>,
    buffer: Vec<u8>,
    written_since: Option<Instant>,
    failure: Failure,
    // Rendezvous: a request is taken only when the thread has nothing to do.
    sync_requests: Option<SyncSender<Arc<Segment>>>,
    syncer: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn create(
        folder: PathBuf,
        number: u64,
        carried: &[Arc<CallRow>],
        failure: Failure,
    ) -> Result<Self, RecordError> {
        let segment = Segment::create(&folder, number, carried)?;
        let (sync_requests, inbox) = mpsc::sync_channel::<Arc<Segment>>(0);
        let syncer_failure = Arc::clone(&failure);
        let syncer = thread::Builder::new()
            .name("journal-sync".to_owned())
            .spawn(move || {
                for segment in inbox {
                    if let Err(error) = segment.sync() {
                        syncer_failure.get_or_init(|| error);
                    }
                }
            })
            .map_err(|error| RecordError::journal(&segment.path, error))?;
        Ok(Self {
            folder,
            number,
            segment: Arc::new(segment),
            buffer: Vec::new(),
            written_since: None,
            failure,
            sync_requests: Some(sync_requests),
            syncer: Some(syncer),
        })
    }

    /// Writes what arrives until nobody is left to send. After a failure it goes on receiving, so
    /// that no caller hangs, and writes nothing more.
    pub(super) fn run(mut self, inbox: &Receiver<Message>) {
        loop {
            let message = match self.written_since {
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(since) => inbox.recv_timeout(SYNC_EVERY.saturating_sub(since.elapsed())),
            };
            match message {
                Ok(message) => {
                    self.take(message);
                    while self.buffer.len() < BUFFER_BYTES
                        && let Ok(message) = inbox.try_recv()
                    {
                        self.take(message);
                    }
                    self.write_out();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self
                .written_since
                .is_some_and(|since| since.elapsed() >= SYNC_EVERY)
            {
                self.request_sync();
            }
        }
        self.write_out();
        self.remember(self.segment.sync());
        drop(self.sync_requests.take());
        if let Some(syncer) = self.syncer.take() {
            // A panic there has been reported by its hook.
            let _ended = syncer.join();
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Lines(lines) if self.buffer.is_empty() => self.buffer = lines,
            Message::Lines(lines) => self.buffer.extend_from_slice(&lines),
            Message::Rotate { carried, reply } => {
                let result = self.rotate(&carried);
                self.remember(result.clone().map(|_| ()));
                // Whoever asked may have given up.
                let _delivered = reply.send(result);
            }
        }
    }

    fn rotate(&mut self, carried: &[Arc<CallRow>]) -> Result<u64, RecordError> {
        self.write_out();
        if let Some(error) = self.failure.get() {
            return Err(error.clone());
        }
        self.segment.sync()?;
        let number = self.number + 1;
        self.segment = Arc::new(Segment::create(&self.folder, number, carried)?);
        self.number = number;
        self.written_since = None;
        Ok(number)
    }

    fn write_out(&mut self) {
        let lines = mem::take(&mut self.buffer);
        if lines.is_empty() || self.failure.get().is_some() {
            return;
        }
        let written = (&self.segment.file).write_all(&lines);
        self.remember(written.map_err(|error| RecordError::journal(&self.segment.path, error)));
        self.written_since.get_or_insert_with(Instant::now);
    }

    fn request_sync(&mut self) {
        let Some(requests) = &self.sync_requests else {
            return;
        };
        self.written_since = match requests.try_send(Arc::clone(&self.segment)) {
            // Still busy with the last request: what was written since is due again.
            Err(TrySendError::Full(_)) => Some(Instant::now()),
            Ok(()) | Err(TrySendError::Disconnected(_)) => None,
        };
    }

    fn remember(&self, result: Result<(), RecordError>) {
        if let Err(error) = result {
            self.failure.get_or_init(|| error);
        }
    }
}

impl Segment {
    fn create(folder: &Path, number: u64, carried: &[Arc<CallRow>]) -> Result<Self, RecordError> {
        let path = segment_path(folder, number);
        let created = OpenOptions::new().append(true).create(true).open(&path);
        let file = created.map_err(|error| RecordError::journal(&path, error))?;
        let written = carried
            .iter()
            .try_for_each(|call| {
                let mut line = Vec::new();
                Line::Call(call).append_to(&mut line)?;
                (&file).write_all(&line)
            })
            .and_then(|()| file.sync_data())
            .and_then(|()| {
                if cfg!(unix) {
                    File::open(folder)?.sync_all()
                } else {
                    Ok(())
                }
            });
        written.map_err(|error| RecordError::journal(&path, error))?;
        Ok(Self { path, file })
    }

    fn sync(&self) -> Result<(), RecordError> {
        self.still_there()
            .and_then(|()| self.file.sync_data())
            .map_err(|error| RecordError::journal(&self.path, error))
    }

    /// Writing to a file that somebody removed succeeds and saves nothing.
    #[cfg(unix)]
    fn still_there(&self) -> io::Result<()> {
        use std::os::unix::fs::MetadataExt;
        if self.file.metadata()?.nlink() == 0 {
            return Err(io::Error::other(
                "the file was removed while the run was using it",
            ));
        }
        Ok(())
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as on Unix")]
    fn still_there(&self) -> io::Result<()> {
        Ok(())
    }
}
