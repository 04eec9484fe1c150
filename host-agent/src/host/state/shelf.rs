//! [`Shelf`]: the last good deploy on this host's disk, with which it starts while the shared store is unreachable, and
//! the contents of deploys by their sums, so that only new ones are fetched.

use super::StateDir;
use super::entry::{self, Care};
use crate::deploy::{Contents, Filed, Record, Sum};
use mclive_base::vocab::HostError;
use std::collections::BTreeSet;
use std::path::PathBuf;

const GOOD: &str = "good";

pub(crate) struct Shelf {
    dir: PathBuf,
    care: Care,
    writes: bool,
}

impl StateDir {
    /// The deploys in this state.
    pub(crate) fn shelf(&self) -> Shelf {
        let writes = self.lock.is_some() && !self.plans;
        Shelf { dir: self.prefix.join("deploy"), care: self.care, writes }
    }
}

impl Shelf {
    /// The last good deploy with its contents. `None`: there is none, or a part of it is damaged.
    pub(crate) fn good(&self) -> Result<Option<(Record, Contents)>, HostError> {
        let Some(bytes) = entry::read(&self.dir.join(GOOD), self.care)? else { return Ok(None) };
        let Ok(record) = Record::read(&bytes) else { return Ok(None) };
        let contents = self.contents(&record.files)?;
        let is_whole = record.files.iter().all(|file| contents.contains_key(&file.sha256));
        Ok(is_whole.then_some((record, contents)))
    }

    /// The contents of these files, as far as they are here.
    pub(crate) fn contents(&self, files: &[Filed]) -> Result<Contents, HostError> {
        let mut contents = Contents::new();
        for Filed { sha256, size, path: _ } in files {
            if contents.contains_key(sha256) {
                continue;
            }
            let found = entry::read(&self.place(*sha256), self.care)?;
            let found = found.filter(|content| content.len() as u64 == *size && Sum::of(content) == *sha256);
            if let Some(content) = found {
                contents.insert(*sha256, content);
            }
        }
        Ok(contents)
    }

    /// Keeps contents for later. Those that neither the last good deploy nor one of these needs are removed: deploys may
    /// be refused one after the other.
    pub(crate) fn keep(&self, contents: &Contents, needed: &[&Record]) -> Result<(), HostError> {
        if !self.writes {
            return Ok(());
        }
        match entry::read(&self.dir.join(GOOD), self.care)?.map(|bytes| Record::read(&bytes)) {
            Some(Ok(good)) => self.remove_others(needed.iter().copied().chain([&good]))?,
            None => self.remove_others(needed.iter().copied())?,
            // It is unknown which ones it needs.
            Some(Err(_)) => {}
        }
        let missing = contents.iter().filter(|(sum, _)| !self.place(**sum).exists());
        let missing = missing.map(|(sum, content)| (sum.to_string(), content.as_slice()));
        entry::write_all(&self.files(), missing)
    }

    /// Makes a deploy the last good one. Its contents are here; those that no other record needs are removed.
    pub(crate) fn set_good(&self, record: &Record, needed: &[&Record]) -> Result<(), HostError> {
        if !self.writes {
            return Ok(());
        }
        entry::write(&self.dir.join(GOOD), &record.bytes())?;
        self.remove_others(needed.iter().copied().chain([record]))
    }

    /// Removes the contents that none of these deploys needs.
    fn remove_others<'a>(&self, needed: impl Iterator<Item = &'a Record>) -> Result<(), HostError> {
        let files = needed.flat_map(|record| &record.files);
        let kept: BTreeSet<PathBuf> = files.map(|file| self.place(file.sha256)).collect();
        let found = entry::entries(&self.files())?;
        for path in found.iter().filter(|path| !kept.contains(*path)) {
            std::fs::remove_file(path)
                .map_err(|error| crate::host::io_failed("unlink", &path.to_string_lossy(), &error))?;
        }
        Ok(())
    }

    fn place(&self, sum: Sum) -> PathBuf {
        self.files().join(sum.to_string())
    }

    /// The directory of contents.
    fn files(&self) -> PathBuf {
        self.dir.join("files")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deploy::Tree;
    use crate::embed::contract::{Program, SourceFile};
    use crate::host::scratch::Scratch;

    fn deploy(files: &[(&str, &str)]) -> (Record, Contents) {
        let file = |(path, text): &(&str, &str)| SourceFile { path: (*path).into(), content: (*text).into() };
        let files = files.iter().map(file).collect();
        let Tree { entry, files, contents } = Tree::of(Program { files, entry: "/a".into(), environment: Vec::new() });
        (Record::after(None, entry, files).unwrap(), contents)
    }

    #[test]
    fn the_last_good_deploy_comes_back_and_what_nobody_needs_is_removed() {
        let dir = Scratch::new("shelf");
        let shelf = StateDir::open(&dir).unwrap().shelf();
        assert_eq!(shelf.good().unwrap(), None);
        let (first, second) = (deploy(&[("/a", "1"), ("/b", "same")]), deploy(&[("/a", "2"), ("/b", "same")]));
        for (record, contents) in [&first, &second] {
            shelf.keep(contents, &[record]).unwrap();
            shelf.set_good(record, &[]).unwrap();
            assert_eq!(shelf.good().unwrap(), Some((record.clone(), contents.clone())));
        }
        assert_eq!(shelf.contents(&first.0.files).unwrap().len(), 1);
        // A damaged content is as good as none.
        std::fs::write(shelf.place(Sum::of(b"2")), "mclive 1 x\n2").unwrap();
        assert_eq!(shelf.good().unwrap(), None);
        let look = Shelf { writes: false, ..shelf };
        look.keep(&first.1, &[]).unwrap();
        assert_eq!(look.contents(&first.0.files).unwrap().len(), 1);
    }

    #[test]
    fn contents_of_deploys_that_are_refused_do_not_add_up() {
        let dir = Scratch::new("shelf-refused");
        let shelf = StateDir::open(&dir).unwrap().shelf();
        let n_kept = || entry::entries(&shelf.dir.join("files")).unwrap().len();
        let (good, runs) = (deploy(&[("/a", "good")]), deploy(&[("/a", "runs")]));
        for (record, contents) in [&good, &runs] {
            shelf.keep(contents, &[record]).unwrap();
        }
        assert_eq!(n_kept(), 1, "nothing needs the first one yet");
        shelf.keep(&good.1, &[&good.0, &runs.0]).unwrap();
        shelf.set_good(&good.0, &[&runs.0]).unwrap();
        for n in 0..5 {
            let refused = deploy(&[("/a", &n.to_string()), ("/b", "same")]);
            shelf.keep(&refused.1, &[&runs.0, &refused.0]).unwrap();
            assert_eq!((shelf.contents(&refused.0.files).unwrap().len(), n_kept()), (2, 4));
        }
        assert_eq!(shelf.good().unwrap(), Some(good));
        // A good deploy of a later version keeps everything.
        entry::write(&shelf.dir.join(GOOD), br#"{"v":99}"#).unwrap();
        shelf.keep(&Contents::new(), &[]).unwrap();
        assert_eq!(n_kept(), 4);
    }
}
