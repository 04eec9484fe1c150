//! [`Seeker`]: finds the files of a program while they arrive. The compiler itself never reads one: a step records what
//! was looked up and not found, so that the owner of the disk knows what to read next.

use crate::language::{self, Seek};
use crate::source::{MemoryWorld, ProgramFiles};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The search for the files of one program.
pub struct Seeker {
    world: SeekingWorld,
    seek: Box<dyn Seek>,
}

impl Seeker {
    /// For the program at this entry, with its first files.
    pub fn new(files: MemoryWorld, entry: &str) -> Seeker {
        let seek = language::at(&files, entry).seek(entry);
        Seeker { world: SeekingWorld::new(files), seek }
    }

    /// Adds files that were found, and returns what to look for next.
    pub fn step(&mut self, found: impl IntoIterator<Item = (String, Vec<u8>)>) -> Wanted {
        for (path, content) in found {
            self.world.files.insert(&path, content);
        }
        self.seek.step(&self.world);
        self.world.take()
    }
}

/// What a step looked for without success; each list is sorted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Paths; directories end with a slash.
    pub paths: Vec<String>,
    /// Modules with a URL: the directory of each, and its URL.
    pub modules: Vec<(String, String)>,
    /// Directories that are needed with everything below them; each ends with a slash.
    pub trees: Vec<String>,
}

/// Files in memory, with a record of failed lookups.
pub struct SeekingWorld {
    files: MemoryWorld,
    missing: RefCell<BTreeSet<String>>,
    trees: RefCell<BTreeSet<String>>,
    modules: RefCell<BTreeSet<(String, String)>>,
    /// The directories of data that were requested: a directory may have no files, so it is not asked for again.
    data: RefCell<BTreeSet<String>>,
}

impl SeekingWorld {
    /// A world of these files.
    fn new(files: MemoryWorld) -> SeekingWorld {
        let (missing, trees, modules, data) = Default::default();
        SeekingWorld { files, missing, trees, modules, data }
    }

    /// The files, for lookups that are not recorded.
    pub fn files(&self) -> &MemoryWorld {
        &self.files
    }

    /// Requests everything below a directory (which ends with a slash).
    pub fn wants_tree(&self, dir: String) {
        self.trees.borrow_mut().insert(dir);
    }

    /// The record, which begins again.
    fn take(&self) -> Wanted {
        Wanted {
            paths: self.missing.take().into_iter().collect(),
            modules: self.modules.take().into_iter().collect(),
            trees: self.trees.take().into_iter().collect(),
        }
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

    fn wants_data(&self, dir: &str) {
        if self.data.borrow_mut().insert(dir.to_owned()) {
            self.wants_tree(dir.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Setup, compile};

    fn first(main: &str) -> Wanted {
        Seeker::new(MemoryWorld::single(main), "/main.mcl").step([])
    }

    #[test]
    fn what_an_import_looks_for_is_reported() {
        let missing = first("import \"lib.mcl\"\nimport \"sub/\"\n").paths;
        assert!(
            missing.contains(&"/lib.mcl".to_owned()) && missing.iter().any(|path| path.starts_with("/sub/")),
            "{missing:?}"
        );
    }

    #[test]
    fn a_module_that_is_not_there_is_reported_with_its_url() {
        let modules = first("import \"git://example.com/some/module/\"\n").modules;
        assert!(modules.iter().any(|(_, url)| url.contains("example.com/some/module")), "{modules:?}");
    }

    #[test]
    fn compiling_looks_for_nothing_more() {
        for main in [
            "import \"lib.mcl\"\nimport \"sub/\"\n",
            "import \"git://example.com/some/module/\"\n",
            "import \"deploy\"\nimport \"near.mcl\"\n$a int = \"x\"\nprint deploy.readfile(\"/files/a\") {}\n",
            "class c {\n\timport \"inner.mcl\"\n}\ninclude c\n",
            "import \"datetime\"\nprint \"x\" {}\n",
        ] {
            let world = SeekingWorld::new(MemoryWorld::single(main));
            compile(&world, "/main.mcl", Setup { hostname: "host" });
            assert_eq!(world.take(), first(main), "{main}");
        }
    }

    #[test]
    fn what_was_found_is_not_reported_again() {
        let mut seeker = Seeker::new(MemoryWorld::single("import \"lib.mcl\"\n"), "/main.mcl");
        assert!(seeker.step([]).paths.contains(&"/lib.mcl".to_owned()));
        let next = seeker.step([("/lib.mcl".to_owned(), b"import \"more.mcl\"\n".to_vec())]).paths;
        assert!(next.contains(&"/more.mcl".to_owned()) && !next.contains(&"/lib.mcl".to_owned()), "{next:?}");
    }

    #[test]
    fn the_data_of_each_module_is_reported_once() {
        let named = [("/metadata.yaml", &b"files: data/\n"[..]), ("/main.mcl", &b"import \"lib/\"\n"[..])];
        let mut seeker = Seeker::new(MemoryWorld::of(named), "/");
        assert_eq!(seeker.step([]).trees, ["/data/"]);
        let lib = [("/lib/metadata.yaml", "files: ./a//b/\n"), ("/lib/main.mcl", "import \"c.mcl\"\n")];
        let lib = lib.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        assert_eq!(seeker.step(lib).trees, ["/lib/a/b/"]);
        assert_eq!(seeker.step([("/lib/c.mcl".to_owned(), Vec::new())]).trees, ["/lib/files/"]);
        assert!(seeker.step([]).trees.is_empty());
    }

    #[test]
    fn the_language_of_the_entry_looks_for_its_modules() {
        let files = MemoryWorld::of([("/main.cf", &b"import shop\n"[..])]);
        for entry in ["/", "/main.cf"] {
            let mut seeker = Seeker::new(files.clone(), entry);
            let wanted = seeker.step([]);
            assert_eq!(wanted.trees, ["/libs/shop/model/", "/libs/std/model/"]);
            assert_eq!((wanted.paths, wanted.modules), (Vec::new(), Vec::new()));
            assert!(seeker.step([]).trees.is_empty());
        }
    }
}
