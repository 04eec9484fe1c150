//! [`Repository`]: a private bare repository, new for each download, which `git` fills.
//!
//! `git` never sees a work tree or an index, so filters, attributes, hooks, submodules and monitors do not apply; the
//! repository is given explicitly, and only the fixed configuration is used.

use super::git::{Git, USUAL};
use super::tree::{File, Files};
use crate::process::Speech;
use std::io::{BufRead, Read, Write};
use std::path::Path;

/// Limits of a module.
const MAX_FILES: usize = 10_000;
pub(super) const MAX_BYTES: u64 = 64 << 20;
/// The longest line of a list: paths are far shorter.
const MAX_ENTRY: usize = 8 << 10;

/// Removed when it is dropped.
pub(super) struct Repository {
    git: Git,
}

impl Repository {
    /// Creates an empty repository. Leftovers of a killed download are removed first.
    pub(super) fn open(dir: &Path) -> Result<Repository, String> {
        match std::fs::remove_dir_all(dir) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(format!("{}: {error}", dir.display()));
            }
            Ok(()) | Err(_) => {}
        }
        std::fs::create_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let repository = Repository { git: Git { dir: dir.to_owned(), patience: USUAL } };
        repository.git.ask(&["init", "--quiet", "--bare", "--template="])?;
        Ok(repository)
    }

    /// The newest commit at a URL.
    pub(super) fn head(&self, url: &str) -> Result<String, String> {
        foreign(url)?;
        let said = self.git.ask(&["ls-remote", "--", url, "HEAD"])?;
        said.split_whitespace().next().map(str::to_owned).ok_or_else(|| "the repository is empty".into())
    }

    /// Fetches the newest commit at a URL; returns its name.
    pub(super) fn fetch(&mut self, url: &str) -> Result<String, String> {
        foreign(url)?;
        // The progress output shows that the server is still sending.
        let how = ["fetch", "--progress", "--depth", "1", "--no-tags", "--no-recurse-submodules", "--", url, "HEAD"];
        self.git.ask(&how)?;
        Ok(self.git.ask(&["rev-parse", "--verify", "--end-of-options", "FETCH_HEAD^{commit}"])?.trim().to_owned())
    }

    /// The regular files of a commit, and the number of other entries: links, submodules.
    pub(super) fn files(&self, commit: &str) -> Result<(Files, usize), String> {
        let mut list = List::default();
        self.git.hear(&["ls-tree", "-r", "-z", "-l", "--full-tree", commit], |bytes| list.add(bytes))?;
        let mut reader = Contents::start(&self.git)?;
        let mut files = Files::default();
        for Blob { path, object, size, is_executable } in list.blobs {
            let content = reader.read(&object, size).map_err(|error| format!("git: {path}: {error}"))?;
            files.add(&path, File { content, is_executable });
        }
        Ok((files, list.left_out))
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.git.dir);
    }
}

/// Refuses a repository of this machine that is part of a downloaded module, which must never be used as one.
fn foreign(url: &str) -> Result<(), String> {
    let path = url.strip_prefix("file://").unwrap_or(url);
    let Ok(path) = std::fs::canonicalize(path) else { return Ok(()) };
    match path.ancestors().skip(1).find(|above| above.join("metadata.yaml").exists()) {
        Some(module) => {
            Err(format!("it is inside the module {}, whose files are treated as data only", module.display()))
        }
        None => Ok(()),
    }
}

/// The output of `ls-tree`, as it arrives. A few objects can list each other to more entries than fit in memory.
#[derive(Default)]
struct List {
    /// An incomplete entry.
    partial: Vec<u8>,
    blobs: Vec<Blob>,
    left_out: usize,
    n_bytes: u64,
}

struct Blob {
    path: String,
    object: String,
    size: u64,
    is_executable: bool,
}

impl List {
    fn add(&mut self, bytes: &[u8]) -> Result<(), String> {
        for piece in bytes.split_inclusive(|byte| *byte == 0) {
            self.partial.extend_from_slice(piece);
            if self.partial.len() > MAX_ENTRY {
                return Err(format!("it contains a path of more than {MAX_ENTRY} bytes"));
            }
            if self.partial.pop_if(|last| *last == 0).is_some() {
                let entry = std::mem::take(&mut self.partial);
                self.entry(std::str::from_utf8(&entry).map_err(|_| "it contains file names that are not UTF-8 text")?)?;
            }
        }
        Ok(())
    }

    /// One line of `ls-tree -l`: `MODE TYPE OBJECT SIZE<tab>PATH`.
    fn entry(&mut self, line: &str) -> Result<(), String> {
        let (meta, path) = line.split_once('\t').ok_or("cannot read its list of files")?;
        let words: Vec<&str> = meta.split_whitespace().collect();
        let [mode, _kind, object, size] = words[..] else { return Err("cannot read its list of files".into()) };
        let is_executable = match mode {
            "100644" | "100664" => Some(false),
            "100755" => Some(true),
            _ => None,
        };
        match is_executable {
            None => self.left_out += 1,
            Some(is_executable) => {
                if !is_safe(path) {
                    let shown: String = path.chars().take(100).collect();
                    return Err(format!("it contains the path {shown:?}, which is not allowed in a module"));
                }
                let size = size.parse().map_err(|_| "cannot read its list of files")?;
                self.n_bytes = self.n_bytes.saturating_add(size);
                self.blobs.push(Blob { path: path.to_owned(), object: object.to_owned(), size, is_executable });
            }
        }
        if self.blobs.len() + self.left_out > MAX_FILES || self.n_bytes > MAX_BYTES {
            return Err(format!("it has more than {MAX_FILES} files or {} MiB", MAX_BYTES >> 20));
        }
        Ok(())
    }
}

/// Whether a path stays below its root, is not part of a repository, and can be shown and typed.
fn is_safe(path: &str) -> bool {
    let is_part = |part: &str| {
        !matches!(part, "" | "." | "..")
            && part.len() <= MAX_NAME
            && !part.eq_ignore_ascii_case(".git")
            && !part.chars().any(|character| character.is_control())
    };
    path.len() <= MAX_PATH && path.split('/').all(is_part)
}

/// The limit of file systems for names.
const MAX_NAME: usize = 255;
/// Leaves room for the path of the module.
const MAX_PATH: usize = 1024;

/// The contents of objects, one after the other.
struct Contents(Speech);

impl Contents {
    fn start(git: &Git) -> Result<Contents, String> {
        git.speak(&["cat-file", "--batch"]).map(Contents)
    }

    fn read(&mut self, object: &str, size: u64) -> std::io::Result<Vec<u8>> {
        use std::io::Error;
        let Speech { stdin, stdout, .. } = &mut self.0;
        writeln!(stdin, "{object}")?;
        let mut head = String::new();
        stdout.take(256).read_line(&mut head)?;
        if head.trim_end() != format!("{object} blob {size}") {
            return Err(Error::other("missing object"));
        }
        let mut content = vec![0; usize::try_from(size).map_err(Error::other)?];
        stdout.read_exact(&mut content)?;
        stdout.read_exact(&mut [0])?;
        Ok(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_and_are_no_repository() {
        let (long, deep) = ("a".repeat(256), "a/".repeat(600) + "a");
        for good in ["main.mcl", "files/a/b", ".github/x", "a.git/HEAD", "..."] {
            assert!(is_safe(good), "{good}");
        }
        for bad in [
            "/etc/x",
            "../x",
            "a/../x",
            "a//b",
            ".git/config",
            "sub/.GIT/hooks/x",
            ".",
            "a\x1b]0;b",
            "a\nb",
            &long,
            &deep,
        ] {
            assert!(!is_safe(bad), "{bad}");
        }
    }
    #[test]
    fn a_list_is_read_in_any_pieces_and_ends_at_its_bounds() {
        let entry = |path: &str, size: &str| format!("100644 blob 0123 {size}\t{path}\0");
        let text = entry("a", "      3") + "120000 blob 0123       3\tlink\0" + &entry("b/c", "4");
        let mut list = List::default();
        text.as_bytes().chunks(7).for_each(|piece| list.add(piece).unwrap());
        let paths: Vec<&str> = list.blobs.iter().map(|blob| &*blob.path).collect();
        assert_eq!((paths, list.left_out, list.n_bytes), (vec!["a", "b/c"], 1, 7));

        let mut many = List::default();
        let refused = (0..=MAX_FILES).find_map(|nth| many.add(entry(&nth.to_string(), "0").as_bytes()).err());
        assert!(refused.unwrap().contains("more than"));
        let mut links = List::default();
        let refused = (0..=MAX_FILES).find_map(|_| links.add(b"160000 commit 0123 -\tsub\0").err());
        assert!(refused.unwrap().contains("more than"));
        assert!(List::default().add(entry("big", &(MAX_BYTES + 1).to_string()).as_bytes()).is_err());
        assert!(List::default().add(&[b'a'; MAX_ENTRY + 1]).is_err());
    }
}
