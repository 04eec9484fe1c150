//! [`Cache`]: limits the size of the caches of a server's proxies.
//!
//! Existing files are never removed for new ones: they may be permanent, or another program may have created them. If
//! there is no room, a file is not kept. The cache leaves half of the free space of the disk to others.

use crate::host::fs;
use crate::lock::Mutex;
use crate::policy::Permit;
use mclive_base::vocab::{FileKind, HostError, HostErrorKind};
use std::collections::BTreeMap;

/// The maximum size of a cache. Units: bytes.
const LARGEST: u64 = 1 << 30;
/// The maximum share of its file system: one part in this many.
const SHARE: u64 = 4;
/// The minimum disk usage of a file.
const BLOCK: u64 = 4096;

/// The known size of each.
#[derive(Default)]
pub(super) struct Cache(Mutex<BTreeMap<String, u64>>);

impl Cache {
    /// Records a new file. Errors: there is no room for it.
    pub(super) fn take(&self, reads: Permit, dir: &str, size: u64) -> Result<(), HostError> {
        self.take_of(reads, dir, size, Room::of(dir))
    }

    fn take_of(&self, reads: Permit, dir: &str, size: u64, Room { most, free }: Room) -> Result<(), HostError> {
        let size = size.div_ceil(BLOCK).max(1) * BLOCK;
        if size > free / 2 {
            let why = format!("{dir} may use at most half of the {free} free bytes: not enough space for {size} more");
            return Err(HostError::new(HostErrorKind::Other, why));
        }
        let mut all = self.0.lock();
        let known = all.get(dir).copied().filter(|held| held + size <= most);
        // Files may have been removed.
        let held = match known {
            Some(held) => held,
            None => held(reads, dir)?,
        };
        if held + size > most {
            all.insert(dir.to_owned(), held);
            let why = format!("{dir} uses {held} of at most {most} bytes: not enough space for {size} more");
            return Err(HostError::new(HostErrorKind::Other, why));
        }
        all.insert(dir.to_owned(), held + size);
        Ok(())
    }
}

fn held(reads: Permit, dir: &str) -> Result<u64, HostError> {
    match fs::list_dir(reads, dir, true) {
        Ok(found) => Ok(found
            .iter()
            .filter(|(_, stat)| stat.kind == FileKind::File)
            .map(|(_, stat)| stat.size.div_ceil(BLOCK).max(1) * BLOCK)
            .sum()),
        Err(error) if error.kind == HostErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

/// Units: bytes.
#[derive(Clone, Copy)]
struct Room {
    /// The limit of the cache.
    most: u64,
    /// The free space of its disk.
    free: u64,
}

impl Room {
    /// Determined by the nearest existing directory.
    fn of(dir: &str) -> Room {
        let above = std::path::Path::new(dir).ancestors();
        let space = above.filter_map(|dir| rustix::fs::statvfs(dir).ok()).next();
        // Some file systems do not report their size.
        match space.filter(|space| space.f_blocks > 0) {
            Some(space) => Room {
                most: LARGEST.min(space.f_blocks.saturating_mul(space.f_frsize) / SHARE),
                free: space.f_bavail.saturating_mul(space.f_frsize),
            },
            None => Room { most: LARGEST, free: u64::MAX },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;

    #[test]
    fn a_cache_takes_no_more_than_it_may_hold() {
        let scratch = Scratch::new("cache");
        let (cache, dir) = (Cache::default(), scratch.to_str().unwrap());
        std::fs::write(scratch.join("theirs"), vec![0; 4096]).unwrap();
        let take = |size| cache.take_of(Permit::ALL, dir, size, Room { most: 4 * BLOCK, free: u64::MAX });
        assert!(take(1).is_ok());
        // The new file replaces it.
        std::fs::write(scratch.join("one"), "1").unwrap();
        assert!(take(BLOCK + 1).is_ok());
        std::fs::write(scratch.join("two"), vec![0; 4097]).unwrap();
        let full = take(1).unwrap_err();
        assert!(full.message.contains("uses 16384 of at most 16384 bytes"), "{}", full.message);
        // Files of others are removed.
        std::fs::remove_file(scratch.join("theirs")).unwrap();
        assert!(take(1).is_ok());
    }

    #[test]
    fn a_cache_leaves_half_of_what_is_free() {
        let scratch = Scratch::new("cache-free");
        let (cache, dir) = (Cache::default(), scratch.to_str().unwrap());
        let take = |size| cache.take_of(Permit::ALL, dir, size, Room { most: LARGEST, free: 4 * BLOCK });
        assert!(take(2 * BLOCK).is_ok());
        assert!(take(2 * BLOCK + 1).unwrap_err().message.contains("half of the 16384 free bytes"));
    }
}
