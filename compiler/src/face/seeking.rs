//! [`SeekingWorld`]: records which files a compilation looked up and did not find, so that the owner of the disk knows
//! what to read next. The compiler itself never reads one.

use crate::source::{MemoryWorld, ProgramFiles};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Files in memory, with a record of failed lookups.
pub struct SeekingWorld {
    files: MemoryWorld,
    missing: RefCell<BTreeSet<String>>,
    trees: RefCell<BTreeSet<String>>,
    modules: RefCell<BTreeSet<(String, String)>>,
}

impl SeekingWorld {
    /// A world of these files.
    pub fn new(files: MemoryWorld) -> SeekingWorld {
        SeekingWorld { files, missing: RefCell::default(), trees: RefCell::default(), modules: RefCell::default() }
    }

    /// Requests everything below a directory (which ends with a slash).
    pub fn wants_tree(&self, dir: &str) {
        self.trees.borrow_mut().insert(dir.to_owned());
    }

    /// Requested directories, sorted.
    pub fn trees(&self) -> Vec<String> {
        self.trees.borrow().iter().cloned().collect()
    }

    /// The missing paths, sorted; directories end with a slash.
    pub fn missing(&self) -> Vec<String> {
        self.missing.borrow().iter().cloned().collect()
    }

    /// The missing modules: the directory of each, and its URL.
    pub fn modules(&self) -> Vec<(String, String)> {
        self.modules.borrow().iter().cloned().collect()
    }
}

impl ProgramFiles for SeekingWorld {
    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        let found = self.files.read(path);
        if found.is_none() {
            self.missing.borrow_mut().insert(path.to_owned());
        }
        found
    }

    fn is_dir(&self, path: &str) -> bool {
        let found = self.files.is_dir(path);
        if !found {
            self.missing.borrow_mut().insert(format!("{}/", path.trim_end_matches('/')));
        }
        found
    }

    fn list(&self, dir: &str) -> Vec<String> {
        let found = self.files.list(dir);
        if found.is_empty() {
            self.missing.borrow_mut().insert(dir.to_owned());
        }
        found
    }

    fn wants_module(&self, dir: &str, url: &str) {
        self.modules.borrow_mut().insert((dir.to_owned(), url.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Setup, compile};

    #[test]
    fn what_an_import_looks_for_is_told() {
        let world = SeekingWorld::new(MemoryWorld::single("import \"lib.mcl\"\nimport \"sub/\"\n"));
        compile(&world, "/main.mcl", Setup { hostname: "h" });
        let missing = world.missing();
        assert!(
            missing.contains(&"/lib.mcl".to_owned()) && missing.iter().any(|path| path.starts_with("/sub/")),
            "{missing:?}"
        );
    }

    #[test]
    fn a_module_that_is_not_there_is_told_with_its_url() {
        let world = SeekingWorld::new(MemoryWorld::single("import \"git://example.com/some/module/\"\n"));
        compile(&world, "/main.mcl", Setup { hostname: "h" });
        let modules = world.modules();
        assert!(modules.iter().any(|(_, url)| url.contains("example.com/some/module")), "{modules:?}");
    }
}
