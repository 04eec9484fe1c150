//! [`Outputs`]: the captured output of commands, limited per command and for all running commands together.

use crate::process::Stream;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most that is kept of each output; the rest is read and dropped, so that the command continues.
pub(super) const MOST: usize = 8 << 20;
/// Always kept of each output, whatever other commands write.
const SURE: usize = 64 << 10;
/// The limit of the rest, for all commands together.
const LARGEST_ROOM: usize = 64 << 20;

/// The memory that the outputs of many commands share.
pub(super) struct Room {
    n_taken: AtomicUsize,
}

/// For all commands of the agent.
pub(super) static ROOM: Room = Room::new();

pub(super) struct Outputs {
    pub(super) both: Captured,
    pub(super) stdout: Captured,
    pub(super) stderr: Captured,
}

/// The first bytes of a stream.
pub(super) struct Captured {
    room: &'static Room,
    bytes: Option<Vec<u8>>,
    pub(super) n_dropped: usize,
    /// Its share of the room.
    n_taken: usize,
}

impl Outputs {
    pub(super) fn new(room: &'static Room) -> Outputs {
        let captured = || Captured { room, bytes: None, n_dropped: 0, n_taken: 0 };
        Outputs { both: captured(), stdout: captured(), stderr: captured() }
    }

    pub(super) fn add(&mut self, stream: Stream, bytes: &[u8]) {
        self.both.add(bytes);
        match stream {
            Stream::Stdout => self.stdout.add(bytes),
            Stream::Stderr => self.stderr.add(bytes),
        }
    }
}

impl Captured {
    fn add(&mut self, bytes: &[u8]) {
        let kept = self.bytes.get_or_insert_default();
        // After a gap nothing more is kept: the output is a prefix.
        let most = if self.n_dropped > 0 { 0 } else { MOST - kept.len() };
        let wanted = bytes.len().min(most);
        let sure = SURE.saturating_sub(kept.len()).min(wanted);
        let shared = self.room.take(wanted - sure);
        self.n_taken += shared;
        kept.extend_from_slice(&bytes[..sure + shared]);
        self.n_dropped += bytes.len() - sure - shared;
    }

    /// `None`: nothing was written.
    pub(super) fn into_bytes(mut self) -> Option<Vec<u8>> {
        self.bytes.take()
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        self.room.n_taken.fetch_sub(self.n_taken, Ordering::Relaxed);
    }
}

impl Room {
    const fn new() -> Room {
        Room { n_taken: AtomicUsize::new(0) }
    }

    /// Takes up to the wanted number of bytes.
    fn take(&self, wanted: usize) -> usize {
        let more = |taken: usize| Some(taken + wanted.min(LARGEST_ROOM - taken));
        let before = self.n_taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).unwrap_or(LARGEST_ROOM);
        wanted.min(LARGEST_ROOM - before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_commands_together_keep_no_more_than_the_room() {
        let piece = vec![b'x'; 1 << 20];
        let room: &'static Room = Box::leak(Box::new(Room::new()));
        let mut many: Vec<Outputs> = (0..40).map(|_| Outputs::new(room)).collect();
        for outputs in &mut many {
            (0..10).for_each(|_| outputs.add(Stream::Stdout, &piece));
        }
        let lengths: Vec<usize> = many.iter().map(|outputs| outputs.stdout.bytes.as_ref().unwrap().len()).collect();
        assert_eq!(lengths[0], MOST);
        assert!(lengths.iter().all(|length| (SURE..=MOST).contains(length)), "{lengths:?}");
        assert!(lengths.iter().sum::<usize>() <= LARGEST_ROOM + 40 * SURE);
        assert_eq!(many[39].stdout.n_dropped + lengths[39], 10 << 20);
        // Freed room can be used again, but an output with a gap does not continue.
        many[39].add(Stream::Stdout, b"later");
        let last = many.pop().unwrap();
        drop(many);
        let mut after = Outputs::new(room);
        after.add(Stream::Stderr, &piece);
        assert_eq!((after.stderr.n_dropped, after.stdout.into_bytes()), (0, None));
        assert_eq!(last.stdout.into_bytes().map(|bytes| bytes.len()), Some(lengths[39]));
    }
}
