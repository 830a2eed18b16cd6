//! Reading the next while this one is used.

use std::panic;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

/// Items that are ready before they are asked for.
const READY: usize = 2;

/// The same items; the next ones are made by another thread meanwhile.
pub fn read_ahead<T: Send + 'static>(
    items: impl Iterator<Item = T> + Send + 'static,
) -> impl Iterator<Item = T> {
    let (sender, receiver) = sync_channel(READY);
    let reading = thread::spawn(move || {
        for item in items {
            // Nobody is waiting any more.
            if sender.send(item).is_err() {
                break;
            }
        }
    });
    ReadAhead {
        receiver,
        reading: Some(reading),
    }
}

struct ReadAhead<T> {
    receiver: Receiver<T>,
    reading: Option<JoinHandle<()>>,
}

impl<T> Iterator for ReadAhead<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if let Ok(item) = self.receiver.recv() {
            return Some(item);
        }
        // A thread that broke off must not look like one that came to the end.
        if let Some(Err(panicked)) = self.reading.take().map(JoinHandle::join) {
            panic::resume_unwind(panicked);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_comes_in_order_and_a_panic_is_no_end() {
        assert!(read_ahead(0..1000).eq(0..1000));
        let items = (0..5).map(|item| if item < 3 { item } else { panic!("broken") });
        let read = panic::catch_unwind(|| read_ahead(items).count());
        assert_eq!(read.unwrap_err().downcast_ref::<&str>(), Some(&"broken"));
    }

    #[test]
    fn an_endless_source_ends_with_its_reader() {
        assert!(read_ahead(0..).take(3).eq(0..3));
    }
}
