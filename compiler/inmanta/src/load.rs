//! Loads the files of a model: the main file, and everything imported. Spec, 4.1 and 4.2.

use crate::ast::{Definition, FileTree, ImportDef, Item, Tree};
use crate::fault::{Class, Failure, Fault, Location, Warning, Within};
use crate::lex::{self, escape::Reading};
use crate::library;
use crate::parse;
use mclive_base::diag::suggest::closest;
use mclive_base::ident::{Interner, Name};
use mclive_base::source::{ProgramFiles, Source, Sources};
use mclive_base::span::Span;
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// The part of `std` that every file sees without an import. Spec, 4.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AutoStd {
    /// All of it.
    #[default]
    Whole,
    /// Only its root entity, until it is imported.
    RootOnly,
    /// A small one: the root entity, `Dataclass`, `none` and `print`.
    Mini,
}

/// Parameters of loading.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// Which part of `std` is imported automatically.
    pub std: AutoStd,
    /// How strings are read.
    pub reading: Reading,
}

/// The maximum number of files of a model.
pub(crate) const MAX_FILES: usize = 2_000;
/// The maximum number of bytes of a file.
pub(crate) const MAX_FILE_BYTES: usize = 16 << 20;

/// One loaded file with its namespace.
pub struct Loaded {
    /// The namespace.
    pub namespace: Name,
    /// The content.
    pub tree: FileTree,
    /// Whether it is built in.
    pub is_builtin: bool,
}

/// All loaded files.
#[derive(Default)]
pub struct Files {
    /// The files.
    pub sources: Sources,
    /// The syntax tree.
    pub tree: Tree,
    /// The files in order of loading.
    pub files: Vec<Loaded>,
    /// All errors.
    pub faults: Vec<Failure>,
    /// All warnings.
    pub warnings: Vec<Warning>,
    /// The text of what could not be read.
    pub lost: Vec<Span>,
    /// Interned names.
    pub names: Interner,
    /// The folder of the main file, with a trailing slash.
    pub root: String,
}

/// Loads a model. `before`: files of other models, whose ids come before those of this one.
pub fn load(world: &dyn ProgramFiles, main: &str, reader: &Reader, before: Sources) -> Files {
    let out = Files { sources: before, ..Files::default() };
    let mut loader = Loader { world, reader, out, known: FxHashMap::default(), queue: VecDeque::new() };
    loader.out.root = main[..main.rfind('/').map_or(0, |slash| slash + 1)].to_owned();
    let config = loader.out.names.intern("__config__");
    match world.read(main) {
        Some(bytes) => loader.file(main, config, &bytes, false),
        None => {
            let fault = Fault::new(Class::Compiler, format!("cannot find file `{main}`"));
            loader.out.faults.push(fault);
        }
    }
    let std = loader.out.names.intern("std");
    if reader.std != AutoStd::RootOnly {
        loader.module_file(&std, None);
    }
    while let Some((module, import)) = loader.queue.pop_front() {
        loader.import(&module, &import);
    }
    if reader.std == AutoStd::Whole && loader.mentions_classic() {
        loader.file("{lib}/std/model/classic.cf", std, library::CLASSIC.as_bytes(), true);
    }
    loader.out
}

struct Loader<'a> {
    world: &'a dyn ProgramFiles,
    reader: &'a Reader,
    out: Files,
    /// Namespaces that were tried.
    known: FxHashMap<Name, ()>,
    queue: VecDeque<(Name, Origin)>,
}

/// The place of an import.
#[derive(Clone)]
struct Origin {
    text: String,
    place: Location,
    span: Span,
}

impl Loader<'_> {
    /// Whether a file of the model mentions an entity of the classic part of `std`.
    fn mentions_classic(&self) -> bool {
        let own = self.out.files.iter().filter(|loaded| !loaded.is_builtin);
        own.map(|loaded| self.out.sources.get(loaded.tree.file)).any(|source| {
            let text = String::from_utf8_lossy(&source.text);
            library::CLASSIC_ENTITIES.iter().any(|name| text.contains(&format!("std::{name}")))
        })
    }

    /// Loads the files of `a`, `a::b` and `a::b::c`.
    fn import(&mut self, module: &Name, origin: &Origin) {
        let words: Vec<&str> = module.split("::").collect();
        for n in 1..=words.len() {
            let part = self.out.names.intern(&words[..n].join("::"));
            if !self.module_file(&part, Some((module, origin))) {
                return;
            }
        }
    }

    /// Loads the file of one namespace, once.
    fn module_file(&mut self, namespace: &Name, origin: Option<(&Name, &Origin)>) -> bool {
        if self.known.insert(namespace.clone(), ()).is_some() {
            return true;
        }
        let (folder, path) = file_of(self.world, &self.out.root, namespace);
        if let Some(bytes) = self.world.read(&path) {
            self.file(&path, namespace.clone(), &bytes, false);
            return true;
        }
        if !self.world.is_dir(&folder)
            && let Some(text) = library::module(namespace, self.reader.std)
        {
            self.file(&builtin_path(namespace), namespace.clone(), text.as_bytes(), true);
            return true;
        }
        if let Some((module, origin)) = origin {
            let first = namespace.split("::").next().unwrap_or_default();
            let exists = self.world.is_dir(&folder) || library::module(first, self.reader.std).is_some();
            let meant = self.meant(module);
            let is_own = self.world.is_dir(&folder) || !exists;
            let place = if is_own { format!("{{dir}}{path}") } else { builtin_path(namespace) };
            self.out.faults.push(missing(module, first, exists, (path.as_str(), place.as_str()), origin, meant));
        }
        false
    }

    /// What may be meant by a module that does not exist.
    fn meant(&self, module: &str) -> Option<String> {
        if let Some(known) = library::INSTEAD.iter().find(|known| known.module == module) {
            return Some(format!("`{module}` is not built in: {}", known.text));
        }
        let libs = format!("{}libs/", self.out.root);
        let files = self.world.list(&libs);
        let own = files.iter().filter_map(|path| path.strip_prefix(&libs)?.split('/').next());
        let names: BTreeSet<&str> = library::MODULES.iter().map(|(name, _)| *name).chain(own).collect();
        let last = module.rsplit("::").next().filter(|last| names.contains(last));
        let meant = last.or_else(|| closest(module, names.iter().copied()))?;
        Some(format!("did you mean `{meant}`?"))
    }

    fn file(&mut self, path: &str, namespace: Name, bytes: &[u8], is_builtin: bool) {
        self.known.insert(namespace.clone(), ());
        if bytes.len() > MAX_FILE_BYTES {
            let message = format!("`{path}` is larger than {} MiB", MAX_FILE_BYTES >> 20);
            return self.out.faults.push(Fault::new(Class::Limit, message));
        }
        if self.out.files.len() >= MAX_FILES {
            // Only once: what is not read is not searched either.
            self.queue.clear();
            let message =
                format!("the model has more than {MAX_FILES} files; `{path}` and any further files were not read");
            return self.out.faults.push(Fault::new(Class::Limit, message));
        }
        let text = lex::normalize(&String::from_utf8_lossy(bytes));
        let file = self.out.sources.add(Source::new(path, text.as_bytes()));
        if std::str::from_utf8(bytes).is_err() {
            let place = Location::At { file, line: 1, col: 1, near: Span::new(file, 0, 0) };
            self.out.faults.push(Fault::new(Class::Parser, format!("`{path}` is not UTF-8 text")).at(place));
        }
        let parsed = parse::parse(file, &text, self.reader.reading, &mut self.out.tree, &mut self.out.names);
        self.out.faults.extend(parsed.faults);
        self.out.warnings.extend(parsed.warnings);
        self.out.lost.extend(parsed.lost);
        for item in &parsed.tree.items {
            if let Item::Define(Definition::Import(import)) = item {
                self.queue.push_back((import.module.clone(), origin(import)));
            }
        }
        self.out.files.push(Loaded { namespace, tree: parsed.tree, is_builtin });
    }
}

/// The folder of a namespace's module, and the path of its file.
pub(crate) fn file_of(world: &dyn ProgramFiles, root: &str, namespace: &str) -> (String, String) {
    let (first, below) = namespace.split_once("::").unwrap_or((namespace, ""));
    let folder = format!("{root}libs/{first}/model");
    let below = below.replace("::", "/");
    let path = if below.is_empty() {
        format!("{folder}/_init.cf")
    } else if world.is_dir(&format!("{folder}/{below}")) {
        format!("{folder}/{below}/_init.cf")
    } else {
        format!("{folder}/{below}.cf")
    };
    (folder, path)
}

/// The path of a built-in module's file, as if it were installed.
fn builtin_path(namespace: &str) -> String {
    match namespace.split_once("::") {
        Some((first, below)) => format!("{{lib}}/{first}/model/{}.cf", below.replace("::", "/")),
        None => format!("{{lib}}/{namespace}/model/_init.cf"),
    }
}

/// An import in messages.
pub fn import_text(import: &ImportDef) -> String {
    match &import.alias {
        Some((alias, _)) => format!("import {} as {alias}", import.module),
        None => format!("import {}", import.module),
    }
}

fn origin(import: &ImportDef) -> Origin {
    Origin { text: import_text(import), place: Location::Line(import.at), span: import.module_span }
}

/// The error of a module that does not exist: its file has a path here, and a place in the original's message.
fn missing(
    module: &str,
    first: &str,
    exists: bool,
    (path, place): (&str, &str),
    origin: &Origin,
    meant: Option<String>,
) -> Failure {
    let cause = if exists {
        let mut cause = Fault::new(Class::InvalidModule, format!("could not locate module with name: {module}"));
        cause.foreign_cause = Some(format!("FileNotFoundError: [Errno 2] No such file or directory: '{place}'"));
        cause
    } else {
        let message = format!(
            "Could not find module {first}. Please make sure to add any module v2 requirements with `inmanta module add --v2` and to install all the project's dependencies with `inmanta project install`."
        );
        Fault::new(Class::ModuleNotFound, message)
    };
    let fault = Fault::new(Class::ModuleLoading, format!("Failed to load module {module}"));
    let path = path.trim_start_matches('/');
    let fault = meant.into_iter().fold(fault, Fault::help);
    fault
        .help(format!(
            "a module is a directory next to the main file: add `{path}`; published modules must be copied there"
        ))
        .within(Within::Text(origin.text.clone()))
        .at(origin.place)
        .also(origin.span, "this module")
        .cause(cause)
}
