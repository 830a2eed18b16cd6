//! One writer per run.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};

use crate::{RunDirectory, StoreError};

/// The right to write to a run, held until it is dropped; the system takes it back when the process
/// ends, however it ends.
#[derive(Debug)]
pub struct RunLock {
    // Locked for as long as it is open.
    _file: File,
}

impl RunLock {
    /// Takes the lock of a run.
    ///
    /// # Errors
    /// When another process holds it, or the lock file cannot be opened.
    pub fn acquire(directory: &RunDirectory) -> Result<Self, StoreError> {
        let path = directory.root().join(".lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(StoreError::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                // Unreadable just means that the holder cannot be named.
                let mut text = String::new();
                let process = match file.read_to_string(&mut text) {
                    Ok(_) => text.trim().parse().ok(),
                    Err(_) => None,
                };
                return Err(StoreError::Locked {
                    run: directory.name().to_owned(),
                    process,
                });
            }
            Err(TryLockError::Error(source)) => {
                return Err(StoreError::Io {
                    action: "lock",
                    path,
                    source,
                });
            }
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(StoreError::io("write", &path))?;
        Ok(Self { _file: file })
    }
}

/// Whether a process holds the lock of a run; asks without writing, so that a run that may only be read
/// can be asked about.
pub fn is_locked(directory: &RunDirectory) -> bool {
    File::open(directory.root().join(".lock"))
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::new_run;

    #[test]
    fn a_second_writer_is_refused_until_the_first_ends() {
        let (_folder, directory) = new_run();
        let first = RunLock::acquire(&directory).unwrap();
        let error = RunLock::acquire(&directory).unwrap_err().to_string();
        assert!(error.contains(directory.name()), "{error}");
        assert!(
            error.contains(&format!("(number {})", std::process::id())),
            "{error}"
        );
        assert!(is_locked(&directory));
        drop(first);
        assert!(!is_locked(&directory));
        RunLock::acquire(&directory).unwrap();
    }
}
