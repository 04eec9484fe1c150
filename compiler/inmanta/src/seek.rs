//! Finds the modules that a model imports while its files arrive.
//!
//! The owner of the disk reads the directories that a step requests, adds their files, and asks again until nothing
//! more is requested. A file is parsed once, when it arrives, so a long chain of imports costs no more than as many
//! independent ones.

use crate::ast::{Definition, Item, Tree};
use crate::lex::{self, escape::Reading};
use crate::library;
use crate::load::{AutoStd, MAX_FILE_BYTES, MAX_FILES, file_of};
use crate::parse;
use mclive_base::ident::{Interner, Name};
use mclive_base::source::ProgramFiles;
use mclive_base::span::FileId;
use std::collections::{BTreeSet, VecDeque};

/// The folder of a module whose files are its namespaces. There is no module without it.
const MODEL: &str = "model";
/// The other folders of a module.
const PARTS: [&str; 4] = ["templates", "files", "plugins", "inmanta_plugins"];

/// The search for the modules of one model.
pub struct Seeker {
    main: String,
    /// The folder of the main file, with a trailing slash.
    root: String,
    names: Interner,
    is_main_read: bool,
    /// The number of files that were parsed, including built-in ones.
    n_parsed: usize,
    /// Namespaces that were looked up.
    known: BTreeSet<String>,
    /// Modules that the last step requested.
    requested: BTreeSet<String>,
    /// Modules whose files have arrived, if there are any.
    arrived: BTreeSet<String>,
    /// Imports of requested modules.
    waiting: VecDeque<Name>,
}

impl Seeker {
    /// For the model with this main file.
    pub fn new(main: &str) -> Seeker {
        let mut names = Interner::default();
        let std = names.intern("std");
        Seeker {
            main: main.to_owned(),
            root: main[..main.rfind('/').map_or(0, |slash| slash + 1)].to_owned(),
            names,
            is_main_read: false,
            n_parsed: 0,
            known: BTreeSet::new(),
            requested: BTreeSet::new(),
            arrived: BTreeSet::new(),
            waiting: VecDeque::from([std]),
        }
    }

    /// Follows the imports of the files that arrived. The result: directories whose files are needed next, with
    /// everything below them; each is requested once.
    pub fn wanted(&mut self, world: &dyn ProgramFiles) -> Vec<String> {
        let mut wanted = Vec::new();
        for module in std::mem::take(&mut self.requested) {
            let folder = format!("{}libs/{module}/", self.root);
            if world.is_dir(&format!("{folder}{MODEL}")) {
                wanted.extend(PARTS.map(|part| format!("{folder}{part}/")));
            }
            self.arrived.insert(module);
        }
        let mut queue = std::mem::take(&mut self.waiting);
        if !self.is_main_read
            && let Some(bytes) = world.read(&self.main)
        {
            self.is_main_read = true;
            queue.extend(self.imports(&bytes));
        }
        while let Some(module) = queue.pop_front() {
            let first = module.split("::").next().unwrap_or_default();
            if self.arrived.contains(first) {
                self.import(world, &module, &mut queue);
                continue;
            }
            if self.requested.insert(first.to_owned()) {
                wanted.push(format!("{}libs/{first}/{MODEL}/", self.root));
            }
            self.waiting.push_back(module);
        }
        wanted
    }

    /// Reads the files of `a`, `a::b` and `a::b::c`, as far as they exist, and adds their imports to the queue.
    fn import(&mut self, world: &dyn ProgramFiles, module: &str, queue: &mut VecDeque<Name>) {
        let words: Vec<&str> = module.split("::").collect();
        for n in 1..=words.len() {
            let namespace = words[..n].join("::");
            if !self.known.insert(namespace.clone()) {
                continue;
            }
            let (folder, path) = file_of(world, &self.root, &namespace);
            if let Some(bytes) = world.read(&path) {
                queue.extend(self.imports(&bytes));
            } else if !world.is_dir(&folder)
                && let Some(text) = library::module(&namespace, AutoStd::Whole)
            {
                queue.extend(self.imports(text.as_bytes()));
            } else {
                return;
            }
        }
    }

    /// The modules that a file imports. Its syntax tree is not kept.
    fn imports(&mut self, bytes: &[u8]) -> Vec<Name> {
        if bytes.len() > MAX_FILE_BYTES || self.n_parsed >= MAX_FILES {
            return Vec::new();
        }
        self.n_parsed += 1;
        let text = lex::normalize(&String::from_utf8_lossy(bytes));
        let parsed = parse::parse(FileId(0), &text, Reading::default(), &mut Tree::default(), &mut self.names);
        let imported = |item: &Item| match item {
            Item::Define(Definition::Import(import)) => Some(import.module.clone()),
            Item::Define(_) | Item::Stmt(_) => None,
        };
        parsed.tree.items.iter().filter_map(imported).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::source::MemoryWorld;
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    /// The files that have arrived, and how often each was read.
    #[derive(Default)]
    struct Arrived {
        files: MemoryWorld,
        reads: RefCell<BTreeMap<String, usize>>,
        n_lookups: Cell<usize>,
    }

    impl ProgramFiles for Arrived {
        fn read(&self, path: &str) -> Option<Arc<[u8]>> {
            self.n_lookups.set(self.n_lookups.get() + 1);
            let found = self.files.read(path)?;
            *self.reads.borrow_mut().entry(path.to_owned()).or_default() += 1;
            Some(found)
        }

        fn is_dir(&self, path: &str) -> bool {
            self.n_lookups.set(self.n_lookups.get() + 1);
            self.files.is_dir(path)
        }

        fn list(&self, dir: &str) -> Vec<String> {
            self.files.list(dir)
        }
    }

    /// The result of a search on a disk.
    struct Sought {
        arrived: Arrived,
        /// The requested directories, in order.
        wanted: Vec<String>,
        n_parsed: usize,
    }

    /// Searches as the owner of this disk, who starts with the main file.
    fn sought(disk: &MemoryWorld) -> Sought {
        let mut arrived = Arrived::default();
        arrived.files.insert("/main.cf", disk.read("/main.cf").unwrap());
        let mut seeker = Seeker::new("/main.cf");
        let mut wanted = Vec::new();
        loop {
            let dirs = seeker.wanted(&arrived);
            if dirs.is_empty() {
                return Sought { arrived, wanted, n_parsed: seeker.n_parsed };
            }
            for path in dirs.iter().flat_map(|dir| disk.list(dir)) {
                arrived.files.insert(&path, disk.read(&path).unwrap());
            }
            wanted.extend(dirs);
        }
    }

    fn disk(files: &[(&str, &str)]) -> MemoryWorld {
        MemoryWorld::of(files.iter().map(|(path, text)| (*path, text.as_bytes())))
    }

    #[test]
    fn each_module_of_a_chain_is_parsed_once() {
        const MODULES: usize = 1_990;
        let mut disk = MemoryWorld::default();
        disk.insert("/main.cf", &b"import m0\n"[..]);
        for nr in 0..MODULES {
            let text = format!("import m{}\nx = {nr}\n", (nr + 1) % MODULES);
            disk.insert(&format!("/libs/m{nr}/model/_init.cf"), text.into_bytes());
        }
        let Sought { arrived, wanted, n_parsed } = sought(&disk);
        assert_eq!(arrived.files, disk);
        assert_eq!(n_parsed, MODULES + 2, "with the main file and the built-in std");
        assert!(arrived.reads.borrow().values().all(|n| *n == 1));
        // Its folder and its file.
        assert!(arrived.n_lookups.get() <= 3 * MODULES, "{}", arrived.n_lookups.get());
        let distinct: BTreeSet<&String> = wanted.iter().collect();
        assert_eq!((wanted.len(), distinct.len()), (5 * MODULES + 1, 5 * MODULES + 1));
    }

    #[test]
    fn a_module_is_wanted_with_all_its_parts_and_only_if_it_is_imported() {
        let disk = disk(&[
            ("/main.cf", "import a::b\nimport a::c\nimport gone\n"),
            ("/libs/a/model/_init.cf", ""),
            ("/libs/a/model/b/_init.cf", "import d\n"),
            ("/libs/a/model/c.cf", "import e as other\n"),
            ("/libs/a/model/unused.cf", "import f\n"),
            ("/libs/a/templates/t.tmpl", "hello"),
            ("/libs/d/model/_init.cf", ""),
            ("/libs/e/model/_init.cf", ""),
            ("/libs/f/model/_init.cf", ""),
            ("/libs/gone/templates/t.tmpl", "not a module"),
        ]);
        let Sought { arrived, wanted, .. } = sought(&disk);
        assert_eq!(wanted[..3], ["/libs/std/model/", "/libs/a/model/", "/libs/gone/model/"]);
        let there = |path: &str| arrived.files.read(path).is_some();
        for path in ["/libs/a/model/unused.cf", "/libs/a/templates/t.tmpl", "/libs/d/model/_init.cf"] {
            assert!(there(path), "{path}");
        }
        assert!(there("/libs/e/model/_init.cf"));
        assert!(!there("/libs/f/model/_init.cf") && !there("/libs/gone/templates/t.tmpl"));
    }

    #[test]
    fn a_module_beside_the_model_replaces_the_built_in_one_of_its_name() {
        let files = [("/main.cf", "import fs\n"), ("/libs/mitogen/model/_init.cf", "import own\n")];
        let with_own = [&files[..], &[("/libs/fs/model/_init.cf", "import net\n")][..]].concat();
        let wanted = |files: &[(&str, &str)]| sought(&disk(files)).wanted;
        // The built-in `fs` imports `mitogen`; the one of the model does not.
        assert!(wanted(&files).contains(&"/libs/own/model/".to_owned()));
        assert!(wanted(&with_own).contains(&"/libs/fs/plugins/".to_owned()));
        assert!(!wanted(&with_own).iter().any(|dir| dir.starts_with("/libs/mitogen/")));
    }
}
