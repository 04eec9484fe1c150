//! [`Cache`]: limits the size of the caches of a server's proxies.
//!
//! Existing files are never removed for new ones: they may be permanent, and another program may have put them there.
//! If there is no room, a file is not kept.

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
        self.take_of(reads, dir, size, most(dir))
    }

    fn take_of(&self, reads: Permit, dir: &str, size: u64, most: u64) -> Result<(), HostError> {
        let size = size.div_ceil(BLOCK).max(1) * BLOCK;
        let mut all = self.0.lock();
        let known = all.get(dir).copied().filter(|held| held + size <= most);
        // Files may have been removed.
        let held = match known {
            Some(held) => held,
            None => held(reads, dir)?,
        };
        if held + size > most {
            all.insert(dir.to_owned(), held);
            let why = format!("{dir} holds {held} bytes and may hold {most}: no room for {size} more");
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

/// Determined by the nearest existing directory.
fn most(dir: &str) -> u64 {
    let mut dir = std::path::Path::new(dir);
    loop {
        match rustix::fs::statvfs(dir) {
            Ok(space) if space.f_blocks > 0 => return LARGEST.min(space.f_blocks * space.f_frsize / SHARE),
            Ok(_) => return LARGEST,
            Err(_) => match dir.parent() {
                Some(above) => dir = above,
                None => return LARGEST,
            },
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
        let take = |size| cache.take_of(Permit::ALL, dir, size, 4 * BLOCK);
        assert!(take(1).is_ok());
        // The new file replaces it.
        std::fs::write(scratch.join("one"), "1").unwrap();
        assert!(take(BLOCK + 1).is_ok());
        std::fs::write(scratch.join("two"), vec![0; 4097]).unwrap();
        let full = take(1).unwrap_err();
        assert!(full.message.contains("holds 16384 bytes and may hold 16384"), "{}", full.message);
        // Somebody makes room.
        std::fs::remove_file(scratch.join("theirs")).unwrap();
        assert!(take(1).is_ok());
    }
}
