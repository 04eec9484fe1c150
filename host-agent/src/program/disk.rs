//! Reads a program from disk into a tree (language spec, 7.4, 7.7, 7.8).
//!
//! The main program's directory is `/`; entries above it have paths that begin with `/..`. Only reachable files are
//! read: the main file, the `files/` directory, and the imports that the compiler did not find. `--module-path` is at
//! `/modules/`.

use super::module::ModuleDir;
use super::{Search, Unusable};
use crate::embed::contract::SourceFile;
use mclive_base::files::LARGEST;
use mclive_base::layout::{self, Layout};
use mclive_base::protocol::trace::MAGIC;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Limits of a program, so that a wrong path does not read a disk into memory.
const MAX_FILES: usize = 10_000;
const MAX_BYTES: u64 = 64 << 20;
/// The limit of the text that is compiled.
pub(super) const MAX_TEXT: u64 = 16 << 20;

pub(crate) struct Disk {
    root: PathBuf,
    module_path: Option<PathBuf>,
    /// The file that the user named, of all others in its directory.
    named: Option<PathBuf>,
    seen: BTreeSet<PathBuf>,
    places: BTreeSet<Looked>,
    foreign: Vec<Foreign>,
    n_bytes: u64,
    n_text: u64,
}

/// A path whose change may change the program, whether it exists or not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Looked {
    pub(crate) path: PathBuf,
    /// Everything below it counts as well.
    pub(crate) is_tree: bool,
}

/// A file of the program that a link brought in from elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Foreign {
    /// The path in the program's directory.
    pub(crate) shown: String,
    /// The path that the link leads to.
    pub(crate) place: PathBuf,
}

/// The run that a file holds; `None`: it holds something else, or there is no such file. Errors: it cannot be read.
pub(super) fn recorded(input: &str) -> Result<Option<Vec<u8>>, Unusable> {
    let unreadable = |error: &std::io::Error| Unusable(format!("cannot read `{input}`: {}", words(error)));
    // Reading would empty a pipe.
    if !std::fs::metadata(input).is_ok_and(|meta| meta.is_file()) {
        return Ok(None);
    }
    let mut file = std::fs::File::open(input).map_err(|error| unreadable(&error))?;
    let mut begins = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut begins).map_err(|error| unreadable(&error))?;
    if begins != MAGIC {
        return Ok(None);
    }
    // One byte more than the limit is enough to detect an excess.
    file.take(LARGEST as u64 + 1).read_to_end(&mut begins).map_err(|error| unreadable(&error))?;
    Ok(Some(begins))
}

impl Disk {
    /// The tree of an input that names a file or a directory, and its main file.
    pub(super) fn at(input: &str, search: &Search) -> Result<(Disk, String), Unusable> {
        let path = Path::new(input);
        let meta =
            std::fs::metadata(path).map_err(|error| Unusable(format!("cannot read `{input}`: {}", words(&error))))?;
        let named = (!meta.is_dir()).then(|| path.to_owned());
        let (root, entry) = if meta.is_dir() {
            if !path.join("metadata.yaml").is_file() && main_in(path).is_none() {
                return Err(Unusable(format!("no main.mcl, main.cf or metadata.yaml in the directory `{input}`")));
            }
            (path.to_owned(), "/".to_owned())
        } else {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if layout::of(name).is_none() && name != "metadata.yaml" {
                return Err(Unusable(format!("`{input}` is not a program: its name must end in .mcl or .cf")));
            }
            (path.parent().unwrap_or(Path::new("")).to_owned(), format!("/{name}"))
        };
        let module_path = search.module_path.clone();
        let (seen, places, foreign) = Default::default();
        Ok((Disk { root, module_path, named, seen, places, foreign, n_bytes: 0, n_text: 0 }, entry))
    }

    /// The files that are elsewhere, as far as the program was read.
    pub(super) fn foreign(&self) -> &[Foreign] {
        &self.foreign
    }

    /// The paths that were looked at.
    pub(super) fn places(&self) -> &BTreeSet<Looked> {
        &self.places
    }

    /// Where a file really is, if links lead out of the directory that this part of the tree begins in.
    fn beyond(&self, path: &str) -> Option<PathBuf> {
        let ModuleDir { base, below } = self.slot(path);
        let begins = if base.as_os_str().is_empty() { Path::new(".") } else { &base };
        let (begins, place) = (begins.canonicalize().ok()?, base.join(&below).canonicalize().ok()?);
        let mut plain = begins.clone();
        for part in below.components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                Component::Normal(name) => plain.push(name),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        (place != plain && !place.starts_with(&begins)).then_some(place)
    }

    /// The prefix of the tree's paths when they are shown.
    pub(super) fn shown_root(&self) -> String {
        let root = self.root.to_string_lossy();
        if root.is_empty() {
            return "./".into();
        }
        if root.ends_with('/') { root.into_owned() } else { format!("{root}/") }
    }

    /// The initial files.
    pub(super) fn first(&mut self, entry: &str) -> Result<Vec<SourceFile>, Unusable> {
        let mut files = Vec::new();
        let (dir, name) = entry.split_at(entry.rfind('/').map_or(0, |at| at + 1));
        let layout = match name {
            "" => main_in(&self.place(dir)),
            name => layout::of(name),
        };
        let layout = layout.unwrap_or(&layout::MCL);
        let main = if name.is_empty() { layout.main } else { name };
        for name in layout.beside.iter().copied().chain([main]) {
            let path = format!("{dir}{name}");
            self.is_file_or_none(&path)?;
            files.extend(self.file(&path)?);
        }
        let Some(data) = layout.data.map(|data| format!("{dir}{data}")) else { return Ok(files) };
        if let Some(index) = layout.index.map(|index| format!("{data}{index}")) {
            match self.index(&index)? {
                Some(found) => files.push(found),
                None => return Ok(files),
            }
        }
        files.extend(self.tree(&data)?);
        Ok(files)
    }

    /// The file that makes a folder a part of the program. Errors: it is not known whether it is there.
    fn index(&mut self, path: &str) -> Result<Option<SourceFile>, Unusable> {
        let place = self.place(path);
        match std::fs::metadata(&place) {
            Err(error) if !is_missing(&error) => {
                Err(Unusable(format!("cannot read `{}`: {}", place.display(), words(&error))))
            }
            Ok(_) | Err(_) => self.file(path),
        }
    }

    /// All files below a directory of the tree.
    pub(super) fn tree(&mut self, dir: &str) -> Result<Vec<SourceFile>, Unusable> {
        self.below(&self.place(dir), dir, true)
    }

    /// The file at a path of the tree, or the direct content of a directory.
    pub(super) fn more(&mut self, path: &str) -> Result<Vec<SourceFile>, Unusable> {
        let place = self.place(path);
        if !place.is_dir() {
            return Ok(self.file(path)?.into_iter().collect());
        }
        let dir = format!("{}/", path.trim_end_matches('/'));
        let mut files = self.below(&place, &dir, false)?;
        files.extend(self.below(&place.join("files"), &format!("{dir}files/"), true)?);
        Ok(files)
    }

    /// The path on disk of a path in the tree.
    pub(super) fn place(&self, path: &str) -> PathBuf {
        let ModuleDir { base, below } = self.slot(path);
        base.join(below)
    }

    /// The same, as a path below the directory that the user named.
    pub(super) fn slot(&self, path: &str) -> ModuleDir {
        let below = path.trim_start_matches('/');
        match (&self.module_path, below.strip_prefix("modules/")) {
            (Some(modules), Some(below)) => ModuleDir { base: modules.clone(), below: below.into() },
            _ => ModuleDir { base: self.root.clone(), below: below.into() },
        }
    }

    /// Otherwise an entry with the name of a relevant file that is not a file would be ignored silently.
    fn is_file_or_none(&self, path: &str) -> Result<(), Unusable> {
        let place = self.place(path);
        match std::fs::metadata(&place) {
            Ok(meta) if !meta.is_file() => {
                Err(Unusable(format!("cannot read `{}`: not a regular file", place.display())))
            }
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Unusable(format!("cannot read `{}`: {}", place.display(), words(&error))))
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn file(&mut self, path: &str) -> Result<Option<SourceFile>, Unusable> {
        let place = self.place(path);
        self.places.insert(Looked { path: place.clone(), is_tree: false });
        if self.seen.contains(&place) || !place.is_file() {
            return Ok(None);
        }
        let fails = |error: std::io::Error| Unusable(format!("cannot read `{}`: {}", place.display(), words(&error)));
        let size = std::fs::metadata(&place).map_err(fails)?.len();
        let is_text = layout::of(path).is_some();
        self.n_bytes += size;
        self.n_text += if is_text { size } else { 0 };
        if self.n_text > MAX_TEXT {
            return Err(Unusable(format!(
                "the program has more than {} MiB of source text (at `{}`)",
                MAX_TEXT >> 20,
                place.display()
            )));
        }
        if self.n_bytes > MAX_BYTES || self.seen.len() >= MAX_FILES {
            let limits = format!("{MAX_FILES} files and {} MiB", MAX_BYTES >> 20);
            return Err(Unusable(format!("the program is larger than {limits} (at `{}`)", place.display())));
        }
        // The limits also apply to a file that grows in the meantime, or does not report its size.
        let mut content = Vec::new();
        let room = MAX_BYTES.saturating_sub(self.n_bytes - size) + 1;
        let opened = std::fs::File::open(&place).map_err(fails)?;
        opened.take(room).read_to_end(&mut content).map_err(fails)?;
        let more = (content.len() as u64).saturating_sub(size);
        self.n_bytes += more;
        self.n_text += if is_text { more } else { 0 };
        if self.n_bytes > MAX_BYTES || self.n_text > MAX_TEXT {
            return Err(Unusable(format!("`{}` is too large for a program", place.display())));
        }
        let content = if is_text { text(&place.to_string_lossy(), path, content)? } else { content };
        if self.named.as_ref() != Some(&place)
            && let Some(beyond) = self.beyond(path)
        {
            self.foreign.push(Foreign { shown: place.display().to_string(), place: beyond });
        }
        self.seen.insert(place);
        Ok(Some(SourceFile { path: path.to_owned(), content }))
    }

    /// The regular files of a directory, with `deep` everything below it.
    fn below(&mut self, dir: &Path, tree: &str, deep: bool) -> Result<Vec<SourceFile>, Unusable> {
        self.places.insert(Looked { path: dir.to_owned(), is_tree: deep });
        let mut files = Vec::new();
        let read = std::fs::read_dir(dir).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
        let mut entries = match read {
            // Of a tree a part would be taken for all of it; of other directories only the files that are imported count.
            Err(error) if deep && !is_missing(&error) => {
                return Err(Unusable(format!("cannot read `{}`: {}", dir.display(), words(&error))));
            }
            read => read.unwrap_or_default(),
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && deep => {
                    files.extend(self.below(&entry.path(), &format!("{tree}{name}/"), true)?)
                }
                Ok(kind) if !kind.is_dir() => files.extend(self.file(&format!("{tree}{name}"))?),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(files)
    }
}

/// The language whose main file a directory contains.
fn main_in(dir: &Path) -> Option<&'static Layout> {
    layout::ALL.into_iter().find(|layout| dir.join(layout.main).is_file())
}

/// The text of a program file, which messages call `name`. In MCL, each byte that is not UTF-8 is read as U+FFFD
/// (language spec, 1), of which the compiler warns; elsewhere it is refused here, with its position.
pub(super) fn text(name: &str, path: &str, bytes: Vec<u8>) -> Result<Vec<u8>, Unusable> {
    match std::str::from_utf8(&bytes) {
        Err(_) if layout::MCL.names(path) => Ok(bytes),
        Ok(_) => Ok(bytes),
        Err(error) => {
            let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
            Err(Unusable(format!("`{name}` is not UTF-8 text: byte {} (line {line})", error.valid_up_to())))
        }
    }
}

/// Whether there is no directory.
fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

fn words(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    use std::os::unix::fs::symlink;

    #[test]
    fn a_tree_that_cannot_be_read_whole_is_refused() {
        let dir = Scratch::new("program-deep");
        std::fs::create_dir(dir.join("files")).unwrap();
        std::fs::write(dir.join("main.mcl"), "").unwrap();
        let (name, mode) = ("a".repeat(250), Mode::from_raw_mode(0o700));
        let mut open = openat(CWD, dir.join("files"), OFlags::DIRECTORY, Mode::empty()).unwrap();
        // Longer than a path may be.
        for _ in 0..20 {
            mkdirat(&open, name.as_str(), mode).unwrap();
            open = openat(&open, name.as_str(), OFlags::DIRECTORY, Mode::empty()).unwrap();
        }
        let read = || {
            let (mut disk, entry) = Disk::at(&dir.to_string_lossy(), &Search::default()).unwrap();
            disk.first(&entry).map(|files| files.len()).map_err(|why| why.0)
        };
        let why = read().unwrap_err();
        assert!(why.starts_with("cannot read `"), "{why}");
        std::fs::remove_dir_all(dir.join("files")).unwrap();
        assert_eq!(read(), Ok(1), "a program needs no such tree");
    }

    /// A model may have a folder of that name for something else.
    #[test]
    fn partial_exports_belong_to_a_model_once_they_are_listed() {
        let dir = Scratch::new("program-parts");
        std::fs::create_dir_all(dir.join("partial/1")).unwrap();
        for path in ["main.cf", "partial/1/main.cf"] {
            std::fs::write(dir.join(path), "").unwrap();
        }
        std::fs::write(dir.join("partial/other.cf"), b"\xff").unwrap();
        let read = || {
            let (mut disk, entry) = Disk::at(&dir.to_string_lossy(), &Search::default()).unwrap();
            let files = disk.first(&entry).map_err(|why| why.0)?;
            Ok::<Vec<String>, String>(files.into_iter().map(|file| file.path).collect())
        };
        let none: Result<Vec<String>, String> = Ok(vec!["/main.cf".to_owned()]);
        assert_eq!(read(), none);
        std::fs::write(dir.join("partial/parts.json"), "{\"parts\": []}").unwrap();
        assert!(read().is_err_and(|why| why.contains("is not UTF-8 text")));
        std::fs::remove_file(dir.join("partial/other.cf")).unwrap();
        let all = ["/main.cf", "/partial/parts.json", "/partial/1/main.cf"].map(str::to_owned);
        assert_eq!(read(), Ok(all.to_vec()));
        std::fs::remove_dir_all(dir.join("partial")).unwrap();
        std::fs::write(dir.join("partial"), "a file").unwrap();
        assert_eq!(read(), none);
    }

    #[test]
    fn what_links_bring_in_from_elsewhere_is_known() {
        let dir = Scratch::new("program-links");
        for below in ["it/files", "it/lib", "it/own", "beside", "outside"] {
            std::fs::create_dir_all(dir.join(below)).unwrap();
        }
        for (path, text) in
            [("outside/secret", "hush"), ("outside/main.mcl", ""), ("it/own/main.mcl", ""), ("beside/main.mcl", "")]
        {
            std::fs::write(dir.join(path), text).unwrap();
        }
        symlink(dir.join("outside/secret"), dir.join("it/files/secret")).unwrap();
        symlink(dir.join("outside/main.mcl"), dir.join("it/lib/main.mcl")).unwrap();
        symlink("own/main.mcl", dir.join("it/main.mcl")).unwrap();
        let search = Search::default();
        let read = |input: PathBuf| {
            let (mut disk, entry) = Disk::at(&input.to_string_lossy(), &search).unwrap();
            assert!(!disk.first(&entry).unwrap().is_empty());
            for path in ["/lib/main.mcl", "/../beside/main.mcl"] {
                assert_eq!(disk.more(path).unwrap().len(), 1, "{path}");
            }
            disk.foreign().iter().map(|it| it.place.clone()).collect::<Vec<_>>()
        };
        let outside = |name: &str| dir.join("outside").canonicalize().unwrap().join(name);
        assert_eq!(read(dir.join("it")), [outside("secret"), outside("main.mcl")]);
        // Whoever names a link means what is behind it.
        std::fs::remove_file(dir.join("it/main.mcl")).unwrap();
        symlink(dir.join("outside/main.mcl"), dir.join("it/main.mcl")).unwrap();
        assert_eq!(read(dir.join("it/main.mcl")), [outside("secret"), outside("main.mcl")]);
        assert_eq!(read(dir.join("it")).len(), 3);
    }
}
