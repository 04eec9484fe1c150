//! Programs: from what a person names (a file, a directory, `-`, a link, a short link) to files and an entry.
//!
//! Bad input of any kind is one clear sentence ([`Unusable`]); nothing was touched then.

mod disk;
mod link;
mod module;

pub(crate) use disk::{Disk, Foreign};
pub(crate) use link::fragment;
pub(crate) use module::Download;

use crate::embed::contract::{Program, SourceFile};
use crate::embed::{Sandbox, Trap};
use crate::share;
use mclive_base::layout;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

/// A program that can be handed to the compiler.
pub(crate) struct Loaded {
    pub(crate) program: Program,
    /// Put before paths of the program's tree when they are shown.
    pub(crate) root: String,
    pub(crate) origin: Origin,
    disk: Option<Disk>,
    download: Download,
}

/// Where a program comes from, as far as trust goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A file of this machine, or what was piped in.
    Local,
    /// A link: somebody else's text.
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

/// Where else modules are looked for.
#[derive(Clone, Default)]
pub(crate) struct Search {
    pub(crate) module_path: Option<PathBuf>,
    pub(crate) download: Download,
    /// What a program from standard input is called.
    pub(crate) stdin_name: Option<String>,
}

/// Reads what the input names; what it imports comes with [`Loaded::complete`].
pub(crate) fn load(input: &str, search: &Search) -> Result<Loaded, Unusable> {
    if input.is_empty() {
        return Err(Unusable("the input is empty".into()));
    }
    if let Some(link) = share::Link::parse(input) {
        return linked(link.open().map_err(Unusable)?);
    }
    if let Some(found) = link::program(input) {
        return match found? {
            link::Linked::One { text, name } => single(text, &name, "link:/", Origin::Link),
            link::Linked::Shared(shared) => linked(shared),
        };
    }
    if input == "-" {
        let mut bytes = Vec::new();
        let stdin = std::io::stdin().lock();
        stdin
            .take(disk::MAX_TEXT + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| Unusable(format!("cannot read standard input: {error}")))?;
        if bytes.len() as u64 > disk::MAX_TEXT {
            return Err(Unusable(format!("standard input has more than {} MiB of text", disk::MAX_TEXT >> 20)));
        }
        let name = search.stdin_name.as_deref().unwrap_or(layout::ALL[0].main);
        return single(disk::text("standard input", bytes)?, name, "stdin:/", Origin::Local);
    }
    let (mut disk, entry) = Disk::at(input, search)?;
    let program = Program { files: disk.first(&entry)?, entry };
    let (root, download) = (disk.shown_root(), search.download);
    Ok(Loaded { program, root, origin: Origin::Local, disk: Some(disk), download })
}

/// A recorded run that the input leads to, as a file or a link; `None`: it leads to something else. Errors: the link does not
/// open.
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
fn linked(shared: share::Shared) -> Result<Loaded, Unusable> {
    let shared = shared.program().map_err(Unusable)?;
    let files = shared.files().map(|(path, content)| SourceFile { path: format!("/{path}"), content: content.into() });
    let program = Program { files: files.collect(), entry: format!("/{}", shared.entry) };
    Ok(Loaded { program, root: "link:/".into(), origin: Origin::Link, disk: None, download: Download::default() })
}

/// A program as it is shared. Errors: why it cannot be.
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
            main.ok_or_else(|| Unusable("this directory has no main.mcl or main.cf; name its main file".into()))?.into()
        }
    };
    share::Shared::new(&entry, files).map_err(Unusable)
}

/// A program of one file, whose name tells its language.
fn single(content: Vec<u8>, name: &str, root: &str, origin: Origin) -> Result<Loaded, Unusable> {
    let name = name.rsplit('/').next().unwrap_or_default();
    if layout::of(name).is_none() {
        return Err(Unusable(format!("`{name}` names no program: it does not end with .mcl or .cf")));
    }
    let path = format!("/{name}");
    let files = vec![SourceFile { path: path.clone(), content }];
    Ok(Loaded {
        program: Program { files, entry: path },
        root: root.into(),
        origin,
        disk: None,
        download: Download::default(),
    })
}

impl Loaded {
    /// The files that links in the program's directories brought in from elsewhere on this machine.
    pub(crate) fn foreign(&self) -> &[Foreign] {
        self.disk.as_ref().map_or(&[], Disk::foreign)
    }

    /// Reads what the program imports, and what that imports, until nothing more is found.
    pub(crate) fn complete(&mut self, sandbox: &mut Sandbox) -> Result<(), Failure> {
        let Some(disk) = &mut self.disk else { return Ok(()) };
        if !self.program.files.iter().any(imports_files) {
            return Ok(());
        }
        let mut n_rounds = 0;
        loop {
            let missing = sandbox.missing(&self.program)?;
            if !missing.modules.is_empty() {
                n_rounds += 1;
                if self.download.depth.is_none_or(|depth| n_rounds <= depth) {
                    fetch(disk, &missing.modules, self.download)?;
                }
            }
            let mut found = Vec::new();
            for path in &missing.paths {
                found.extend(disk.more(path)?);
            }
            for dir in &missing.trees {
                found.extend(disk.tree(dir)?);
            }
            if found.is_empty() {
                return Ok(());
            }
            self.program.files.extend(found);
        }
    }
}

/// Fetches what is not there, and updates what is, as far as that is wished.
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

/// Does a text import anything but core modules? A quick look that may say yes too often: the exact
/// answer costs a pass of the compiler.
fn imports_files(file: &SourceFile) -> bool {
    let mut lines = file.content.split(|byte| *byte == b'\n');
    if layout::INMANTA.names(&file.path) {
        return lines.any(|line| line.windows(6).any(|word| word == b"import"));
    }
    lines.any(|line| {
        let line = String::from_utf8_lossy(line);
        line.contains("import")
            && line.split('"').skip(1).any(|word| word.ends_with('/') || word.contains(".mcl") || word.contains(':'))
    })
}

/// Why a program could not be completed.
pub(crate) enum Failure {
    Unusable(Unusable),
    Trap(Trap),
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
