//! Programs: from an input (a file, a directory, `-`, a link, a short link) to files and a main file.
//!
//! For an invalid input of any kind, the error is one clear sentence ([`Unusable`]), and nothing has been changed.

mod disk;
mod link;
mod module;
mod partial;

pub(crate) use disk::{Disk, Foreign, Looked};
pub(crate) use link::fragment;
pub(crate) use module::Download;

use crate::embed::contract::{Program, Shown, SourceFile};
use crate::embed::{Sandbox, Seeker, Trap};
use crate::share;
use mclive_base::layout;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A program for the compiler.
pub(crate) struct Loaded {
    pub(crate) program: Program,
    /// The prefix of the program tree's paths when they are shown.
    pub(crate) root: String,
    pub(crate) origin: Origin,
    disk: Option<Disk>,
    download: Download,
    /// The partial export that was added to it.
    added: Option<Added>,
}

/// A partial export that was added to a model.
struct Added {
    /// Its folder in the program's tree, and the prefix of its paths when they are shown.
    place: (String, String),
    /// The paths whose change may change one of the two; `None`: one of them is not from files.
    places: Option<BTreeSet<Looked>>,
}

/// The origin of a program, which determines trust.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A file of this machine, or standard input.
    Local,
    /// A link: a text by someone else.
    Link,
}

/// Why there is no program.
#[derive(Debug)]
pub(crate) struct Unusable(pub(crate) String);

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Further places of modules.
#[derive(Clone, Default)]
pub(crate) struct Search {
    pub(crate) module_path: Option<PathBuf>,
    pub(crate) download: Download,
    /// The name of a program from standard input.
    pub(crate) stdin_name: Option<String>,
    /// The variables of the environment that a model may read: `NAME`, or `NAME=VALUE`.
    pub(crate) variables: Vec<String>,
}

/// Variables of the environment with their values.
type Variables = Vec<(String, String)>;

impl Search {
    /// The variables with their values. Errors: one is not set.
    pub(crate) fn environment(&self) -> Result<Variables, Unusable> {
        let value = |given: &String| match given.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => match std::env::var(given) {
                Ok(value) => Ok((given.clone(), value)),
                Err(std::env::VarError::NotPresent) => Err(Unusable(format!(
                    "the environment variable `{given}` is not set; set it or use `--env {given}=VALUE`"
                ))),
                Err(std::env::VarError::NotUnicode(_)) => {
                    Err(Unusable(format!("the environment variable `{given}` is not UTF-8 text")))
                }
            },
        };
        self.variables.iter().map(value).collect()
    }
}

/// Reads the input; [`Loaded::complete`] adds its imports.
pub(crate) fn load(input: &str, search: &Search) -> Result<Loaded, Unusable> {
    if input.is_empty() {
        return Err(Unusable("the input is empty".into()));
    }
    let environment = search.environment()?;
    if let Some(loaded) = from_link(input, &environment) {
        return loaded;
    }
    if input == "-" {
        let bytes = from_stdin()?;
        let by_text = || layout::of_text(&String::from_utf8_lossy(&bytes)).main;
        let name = search.stdin_name.as_deref().unwrap_or_else(by_text);
        let text = disk::text("standard input", name, bytes)?;
        return single(text, name, "stdin:/", Origin::Local, environment);
    }
    let (mut disk, entry) = Disk::at(input, search)?;
    let program = Program { files: disk.first(&entry)?, entry, environment };
    let (root, download) = (disk.shown_root(), search.download);
    Ok(Loaded { program, root, origin: Origin::Local, disk: Some(disk), download, added: None })
}

/// The text of a program from standard input.
pub(crate) fn from_stdin() -> Result<Vec<u8>, Unusable> {
    crate::host::read_stdin(disk::MAX_TEXT)
        .map_err(|error| Unusable(format!("cannot read standard input: {}", crate::host::io_words(&error))))
}

/// The text of one file of a program.
pub(crate) fn from_file(path: &Path) -> Result<Vec<u8>, Unusable> {
    crate::host::read_small(path, disk::MAX_TEXT)
        .map_err(|error| Unusable(format!("cannot read `{}`: {}", path.display(), crate::host::io_words(&error))))
}

/// The program in a link, with all its files; `None`: the input is not a link.
pub(crate) fn from_link(input: &str, environment: &[(String, String)]) -> Option<Result<Loaded, Unusable>> {
    let environment = environment.to_vec();
    if let Some(link) = share::Link::parse(input) {
        return Some(link.open().map_err(Unusable).and_then(|shared| linked(shared, environment)));
    }
    let found = link::program(input)?;
    Some(found.and_then(|found| match found {
        link::Linked::One { text, name } => single(text, &name, "link:/", Origin::Link, environment),
        link::Linked::Shared(shared) => linked(shared, environment),
    }))
}

/// The prefix of paths in a deploy when they are shown.
pub(crate) const DEPLOY_ROOT: &str = "deploy:/";

/// A program that was deployed to all hosts of a cluster: each path with its content.
pub(crate) fn deployed(entry: &str, files: Vec<(String, Vec<u8>)>) -> Loaded {
    let files = files.into_iter().map(|(path, content)| SourceFile { path, content }).collect();
    let program = Program { files, entry: entry.to_owned(), environment: Vec::new() };
    let (root, download) = (DEPLOY_ROOT.into(), Download::default());
    Loaded { program, root, origin: Origin::Local, disk: None, download, added: None }
}

/// The program of a host that has no deploy: it describes nothing.
pub(crate) fn nothing() -> Loaded {
    let main = format!("/{}", layout::ALL[0].main);
    deployed(&main, vec![(main.clone(), Vec::new())])
}

/// The recorded run in a file or a link; `None`: the input is something else. Errors: the link cannot be opened.
pub(crate) fn recorded(input: &str) -> Result<Option<share::Shared>, Unusable> {
    let shared = match (share::Link::parse(input), link::program(input)) {
        (Some(link), _) => link.open().map_err(Unusable)?,
        (None, Some(found)) => match found? {
            link::Linked::One { .. } => return Ok(None),
            link::Linked::Shared(shared) => shared,
        },
        (None, None) => {
            let Some(trace) = disk::recorded(input)? else { return Ok(None) };
            return share::Shared::recording(trace).map(Some).map_err(Unusable);
        }
    };
    Ok(shared.trace().is_some().then_some(shared))
}

/// A program from a link with all its files.
fn linked(shared: share::Shared, environment: Variables) -> Result<Loaded, Unusable> {
    let shared = shared.program().map_err(Unusable)?;
    let files = shared.files().map(|(path, content)| SourceFile { path: format!("/{path}"), content: content.into() });
    let program = Program { files: files.collect(), entry: format!("/{}", shared.entry), environment };
    let (root, download) = ("link:/".into(), Download::default());
    Ok(Loaded { program, root, origin: Origin::Link, disk: None, download, added: None })
}

/// A program in the form for sharing. Errors: why it cannot be shared.
pub(crate) fn shared(program: &Program) -> Result<share::Shared, Unusable> {
    let below = |path: &str| path.strip_prefix('/').unwrap_or(path).to_owned();
    let files: BTreeMap<String, Vec<u8>> =
        program.files.iter().map(|file| (below(&file.path), file.content.clone())).collect();
    let entry = match below(&program.entry) {
        entry if !entry.is_empty() => entry,
        // The directory itself.
        _ => {
            let mains = layout::ALL.into_iter().map(|layout| layout.main);
            let main = mains.into_iter().find(|main| files.contains_key(*main));
            main.ok_or_else(|| Unusable("no main.mcl or main.cf in this directory; specify the main file".into()))?
                .into()
        }
    };
    share::Shared::new(&entry, files).map_err(Unusable)
}

/// A program of one file, whose name determines its language.
fn single(
    content: Vec<u8>,
    name: &str,
    root: &str,
    origin: Origin,
    environment: Variables,
) -> Result<Loaded, Unusable> {
    let name = name.rsplit('/').next().unwrap_or_default();
    if layout::of(name).is_none() {
        return Err(Unusable(format!("`{name}` is not a program name: it must end in .mcl or .cf")));
    }
    let path = format!("/{name}");
    let files = vec![SourceFile { path: path.clone(), content }];
    Ok(Loaded {
        program: Program { files, entry: path, environment },
        root: root.into(),
        origin,
        disk: None,
        download: Download::default(),
        added: None,
    })
}

impl Loaded {
    /// The files that links in the program's directories brought in from elsewhere on this machine.
    pub(crate) fn foreign(&self) -> &[Foreign] {
        self.disk.as_ref().map_or(&[], Disk::foreign)
    }

    /// The paths whose change may change the program; `None`: it is not from files.
    pub(crate) fn places(&self) -> Option<&BTreeSet<Looked>> {
        match &self.added {
            Some(added) => added.places.as_ref(),
            None => self.disk.as_ref().map(Disk::places),
        }
    }

    /// How its diagnostics are shown.
    pub(crate) fn shown(&self, colour: bool) -> Shown {
        let elsewhere = self.added.iter().map(|added| added.place.clone()).collect();
        Shown { colour, root: self.root.clone(), elsewhere }
    }

    /// Reads what the program imports, and what that imports, until nothing more is found.
    pub(crate) fn complete(&mut self, sandbox: &mut Sandbox) -> Result<(), Failure> {
        let Some(disk) = &mut self.disk else { return Ok(()) };
        // Metadata may name another main file, which only the compiler finds.
        if !self.program.files.iter().any(|file| is_metadata(file) || imports_files(file)) {
            return Ok(());
        }
        let mut seeker = Seeker::start(sandbox, &self.program)?;
        let mut found = Vec::new();
        let mut n_rounds = 0;
        loop {
            let missing = seeker.missing(&found)?;
            self.program.files.append(&mut found);
            if !missing.modules.is_empty() {
                n_rounds += 1;
                if self.download.depth.is_none_or(|depth| n_rounds <= depth) {
                    fetch(disk, &missing.modules, self.download)?;
                }
            }
            for path in &missing.paths {
                found.extend(disk.more(path)?);
            }
            for dir in &missing.trees {
                found.extend(disk.tree(dir)?);
            }
            // A directory without files can lead to others: a built-in module may take its place.
            if found.is_empty() && missing.trees.is_empty() {
                return Ok(seeker.end()?);
            }
        }
    }
}

/// Downloads missing modules and updates existing ones, as requested.
fn fetch(disk: &Disk, modules: &[(String, String)], download: Download) -> Result<(), Unusable> {
    for (dir, url) in modules {
        match disk.place(dir).join("metadata.yaml").is_file() {
            true if download.update => module::update(url, &disk.slot(dir))?,
            false if download.missing => module::download(url, &disk.slot(dir))?,
            true | false => {}
        }
    }
    Ok(())
}

fn is_metadata(file: &SourceFile) -> bool {
    file.path.ends_with("/metadata.yaml")
}

/// Whether a text may import anything but core modules. A quick check with false positives: the exact answer takes a
/// pass of the compiler.
fn imports_files(file: &SourceFile) -> bool {
    let mut lines = file.content.split(|byte| *byte == b'\n');
    if layout::INMANTA.names(&file.path) {
        return lines.any(|line| line.windows(6).any(|word| word == b"import"));
    }
    lines.any(|line| {
        let line = String::from_utf8_lossy(line);
        line.contains("import")
            && line.split('"').skip(1).any(|word| word.ends_with('/') || word.contains(['.', ':', '?', '#', '%']))
    })
}

/// Why a program could not be completed.
pub(crate) enum Failure {
    Unusable(Unusable),
    Trap(Trap),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Unusable(why) => why.fmt(f),
            Failure::Trap(trap) => trap.fmt(f),
        }
    }
}

impl From<Unusable> for Failure {
    fn from(why: Unusable) -> Failure {
        Failure::Unusable(why)
    }
}

impl From<Trap> for Failure {
    fn from(trap: Trap) -> Failure {
        Failure::Trap(trap)
    }
}
