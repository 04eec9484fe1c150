//! Finds scenarios: `*.scenario` next to a program, sections of that name in a text archive (`*.txtar`), and files of
//! that name in a link.

use super::super::unusable;
use crate::embed::Sandbox;
use crate::embed::contract::{Program, SourceFile};
use crate::host::{io_words, read_small};
use crate::program::{self, Failure, Loaded, Search};
use mclive_base::archive::Archive;
use mclive_base::layout;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A program with its scenarios.
pub(super) struct Suite {
    pub(super) program: Program,
    /// The prefix of the program tree's paths when they are shown.
    pub(super) root: String,
    pub(super) scenarios: Vec<Found>,
}

pub(super) struct Found {
    pub(super) name: String,
    /// The file as the user named it.
    pub(super) file: String,
    pub(super) text: String,
}

const ENDING: &str = ".scenario";
/// The maximum number of bytes of a scenario or an archive.
const LARGEST: u64 = 64 << 20;
/// The maximum depth of the search.
const DEEPEST: usize = 32;

/// All scenarios below these paths and in these links. A scenario of someone else does nothing to this host.
pub(super) fn suites(paths: &[PathBuf], is_real: bool) -> Result<Vec<Suite>, Failure> {
    let here = [PathBuf::from(".")];
    let (mut files, mut suites) = (Vec::new(), Vec::new());
    for path in if paths.is_empty() { &here } else { paths } {
        if let Some(loaded) = path.to_str().and_then(|path| program::from_link(path, &[])) {
            if is_real {
                return Err(unusable(
                    "--real cannot run scenarios from links; save the program to a file first".into(),
                ));
            }
            suites.extend(link(loaded?)?);
            continue;
        }
        match path.is_dir() {
            true => below(path, 0, &mut files)?,
            false if path.exists() => files.push(path.clone()),
            false => return Err(unusable(format!("`{}` does not exist", path.display()))),
        }
    }
    let mut folders: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        let name = file.to_string_lossy().into_owned();
        if name.ends_with(".txtar") {
            suites.extend(archive(&file, &name)?);
        } else if name.ends_with(ENDING) {
            let folder = file.parent().map_or_else(PathBuf::new, Path::to_owned);
            folders.entry(folder).or_default().push(file);
        } else {
            return Err(unusable(format!("`{name}` is not a scenario: its name must end in {ENDING} or .txtar")));
        }
    }
    let mut sandbox = None;
    for (folder, files) in folders {
        suites.push(beside(&folder, &files, &mut sandbox)?);
    }
    Ok(suites)
}

/// Scenarios and archives below a folder, sorted by name; hidden folders and links to folders are skipped.
fn below(dir: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let fails = |error: std::io::Error| unusable(format!("cannot read `{}`: {}", dir.display(), io_words(&error)));
    let mut entries = std::fs::read_dir(dir).map_err(fails)?.collect::<Result<Vec<_>, _>>().map_err(fails)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        let kind = entry.file_type().map_err(fails)?;
        if kind.is_dir() && !name.starts_with('.') && depth < DEEPEST {
            below(&path, depth + 1, files)?;
        } else if path.is_file() && (name.ends_with(ENDING) || (name.ends_with(".txtar") && has_scenario(&path))) {
            files.push(path);
        }
    }
    Ok(())
}

fn has_scenario(path: &Path) -> bool {
    read(path).is_ok_and(|bytes| Archive::parse(&bytes).files.iter().any(|(name, _)| name.ends_with(ENDING)))
}

fn text(name: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|_| unusable(format!("`{name}` is not UTF-8 text")))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    read_small(path, LARGEST)
        .map_err(|error| unusable(format!("cannot read `{}`: {}", path.display(), io_words(&error))))
}

/// The name without its extension and without a leading `./`.
fn short(name: &str, ending: &str) -> String {
    name.trim_start_matches("./").trim_end_matches(ending).to_owned()
}

/// The folders in an archive of programs that pass its scenarios, and of programs that do not.
const GOOD: &str = "good/";
const MISSES: &str = "miss/";

fn archive(path: &Path, name: &str) -> Result<Vec<Suite>, Failure> {
    sections(
        Archive::parse(&read(path)?).files,
        "/main.mcl",
        &format!("{name}/"),
        &format!("{}/", short(name, ".txtar")),
    )
}

/// The files of the program come with the link.
fn link(loaded: Loaded) -> Result<Vec<Suite>, Failure> {
    let Loaded { program: Program { files, entry, .. }, root, .. } = loaded;
    let files = files.into_iter().map(|file| (file.path.trim_start_matches('/').to_owned(), file.content));
    let suites = sections(files.collect(), &entry, &root, "")?;
    match suites.is_empty() {
        true => Err(unusable("the program in this link has no scenario; `mclive plan` shows what it would do".into())),
        false => Ok(suites),
    }
}

/// An archive is a program with its scenarios. A lesson has several programs: each good one is tested in place of the
/// main file that the learner starts with. `root` is the prefix of shown paths, `prefix` that of names.
fn sections(sections: Vec<(String, Vec<u8>)>, entry: &str, root: &str, prefix: &str) -> Result<Vec<Suite>, Failure> {
    let mut scenarios = Vec::new();
    let (mut files, mut good) = (Vec::new(), Vec::new());
    for (section, content) in sections {
        if section.ends_with(ENDING) {
            let file = format!("{root}{section}");
            scenarios.push((short(&section, ENDING), text(&file, content)?, file));
        } else if let Some(program) = section.strip_prefix(GOOD) {
            good.push((program.to_owned(), content));
        } else if !section.starts_with(MISSES) {
            files.push(SourceFile { path: format!("/{section}"), content });
        }
    }
    let suite = |files: Vec<SourceFile>, with: &str| {
        let found = |(section, text, file): &(String, String, String)| Found {
            name: format!("{prefix}{section}{with}"),
            file: file.clone(),
            text: text.clone(),
        };
        let program = Program { files, entry: entry.into(), environment: Vec::new() };
        Suite { program, root: root.to_owned(), scenarios: scenarios.iter().map(found).collect() }
    };
    if scenarios.is_empty() {
        return Ok(Vec::new());
    }
    if good.is_empty() {
        return Ok(vec![suite(files, "")]);
    }
    let played = good.into_iter().map(|(program, content)| {
        let mut files: Vec<SourceFile> = files.iter().filter(|file| file.path != entry).cloned().collect();
        files.push(SourceFile { path: entry.into(), content });
        suite(files, &format!(" with {GOOD}{program}"))
    });
    Ok(played.collect())
}

/// Whether a scenario may name this file: not a folder, or the dangling link with which an editor marks an open file.
fn is_program(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| !name.starts_with('.') && layout::of(name).is_some()) && path.is_file()
}

/// A program on disk: its folder's main file, its imports, and the other programs next to it.
fn beside(folder: &Path, files: &[PathBuf], sandbox: &mut Option<Sandbox>) -> Result<Suite, Failure> {
    let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut programs: Vec<PathBuf> = std::fs::read_dir(shown)
        .map_err(|error| unusable(format!("cannot read `{}`: {}", shown.display(), io_words(&error))))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| is_program(path))
        .collect();
    programs.sort();
    let mut suite: Option<Suite> = None;
    for path in programs {
        let mut loaded = program::load(&path.to_string_lossy(), &Search::default())?;
        let sandbox = match sandbox {
            Some(sandbox) => sandbox,
            None => sandbox.insert(Sandbox::start()?),
        };
        loaded.complete(sandbox)?;
        match &mut suite {
            None => suite = Some(Suite { program: loaded.program, root: loaded.root, scenarios: Vec::new() }),
            Some(suite) => {
                let new = |file: &SourceFile| suite.program.files.iter().all(|known| known.path != file.path);
                let files: Vec<SourceFile> = loaded.program.files.into_iter().filter(|file| new(file)).collect();
                suite.program.files.extend(files);
            }
        }
    }
    let mut suite = suite.ok_or_else(|| {
        unusable(format!("no program found next to `{}`; expected main.mcl or main.cf", files[0].display()))
    })?;
    for path in files {
        let file = path.to_string_lossy().trim_start_matches("./").to_owned();
        let text = text(&file, read(path)?)?;
        suite.scenarios.push(Found { name: short(&file, ENDING), file, text });
    }
    Ok(suite)
}
