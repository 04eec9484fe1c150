//! [`Repository`]: a bare repository of our own, fresh for each download, and the `git` program that fills it.
//!
//! `git` never sees a work tree or an index, so filters, attributes, hooks, submodules and monitors have nothing to
//! work on; which repository is meant is told explicitly, and no configuration but ours counts.

use super::tree::{File, Files};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Bounds of a module.
const MAX_FILES: usize = 10_000;
const MAX_BYTES: u64 = 64 << 20;
/// The largest file that `git` may write while it fetches.
const MAX_PACK: u64 = 256 << 20;

/// What may speak for a URL. All others, such as `ext::`, are commands of whoever wrote the URL.
const PROTOCOLS: &str = "https:http:git:ssh:file";

const SETTINGS: &[&str] = &[
    "safe.bareRepository=explicit",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.askPass=",
    "credential.helper=",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "gc.auto=0",
    "maintenance.auto=false",
    // A server that has fallen silent is given up.
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
];

/// Variables of the caller that `git` may know: where programs, keys and proxies are.
const VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SSH_AUTH_SOCK",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
];

/// Removed again when it is dropped.
pub(super) struct Repository {
    dir: PathBuf,
}

impl Repository {
    /// An empty repository. What a download left that was killed is removed first.
    pub(super) fn open(dir: &Path) -> Result<Repository, String> {
        match std::fs::remove_dir_all(dir) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(format!("{}: {error}", dir.display()));
            }
            Ok(()) | Err(_) => {}
        }
        std::fs::create_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let repository = Repository { dir: dir.to_owned() };
        repository.git(&["init", "--quiet", "--bare", "--template="])?;
        Ok(repository)
    }

    /// The newest commit behind a URL.
    pub(super) fn head(&self, url: &str) -> Result<String, String> {
        foreign(url)?;
        let said = self.git(&["ls-remote", "--", url, "HEAD"])?;
        said.split_whitespace().next().map(str::to_owned).ok_or_else(|| "the repository is empty".into())
    }

    /// Fetches the newest commit behind a URL; its name.
    pub(super) fn fetch(&mut self, url: &str) -> Result<String, String> {
        foreign(url)?;
        self.git(&["fetch", "--quiet", "--depth", "1", "--no-tags", "--no-recurse-submodules", "--", url, "HEAD"])?;
        Ok(self.git(&["rev-parse", "--verify", "--end-of-options", "FETCH_HEAD^{commit}"])?.trim().to_owned())
    }

    /// The regular files of a commit, and how many entries are something else: links, submodules.
    pub(super) fn files(&self, commit: &str) -> Result<(Files, usize), String> {
        let listed = self.git(&["ls-tree", "-r", "-z", "-l", "--full-tree", commit])?;
        let (mut blobs, mut left_out, mut n_bytes) = (Vec::new(), 0, 0u64);
        for entry in listed.split_terminator('\0') {
            let Some(TreeEntry { mode, object, size, path }) = TreeEntry::parse(entry) else {
                return Err("its list of files cannot be read".into());
            };
            let is_executable = match mode {
                "100644" | "100664" => false,
                "100755" => true,
                _ => {
                    left_out += 1;
                    continue;
                }
            };
            if !is_safe(path) {
                return Err(format!("it holds the path {path:?}, which no module may have"));
            }
            n_bytes = n_bytes.saturating_add(size);
            blobs.push((path, object, size, is_executable));
            if blobs.len() > MAX_FILES || n_bytes > MAX_BYTES {
                return Err(format!("it is larger than {MAX_FILES} files or {} MiB", MAX_BYTES >> 20));
            }
        }
        let mut reader = Contents::start(self.command(&["cat-file", "--batch"]))?;
        let mut files = Files::default();
        for (path, object, size, is_executable) in blobs {
            let content = reader.read(object, size).map_err(|error| format!("git: {path}: {error}"))?;
            files.add(path, File { content, is_executable });
        }
        Ok((files, left_out))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(&self.dir).args(SETTINGS.iter().flat_map(|setting| ["-c", setting])).args(args);
        command.current_dir(&self.dir).env_clear();
        command.envs(VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        command.env("LC_ALL", "C").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_ATTR_NOSYSTEM", "1").env("GIT_NO_LAZY_FETCH", "1").env("GIT_NO_REPLACE_OBJECTS", "1");
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_ALLOW_PROTOCOL", PROTOCOLS);
        command.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=30");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// What a subcommand wrote, or the last line of its complaint.
    fn git(&self, args: &[&str]) -> Result<String, String> {
        let child = spawn(self.command(args))?;
        let output = child.wait_with_output().map_err(|error| format!("git: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("git failed");
            return Err(last.trim().to_owned());
        }
        String::from_utf8(output.stdout).map_err(|_| "it holds names that are not UTF-8 text".into())
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn spawn(mut command: Command) -> Result<Child, String> {
    let child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "the program `git` is not installed".to_owned(),
        _ => format!("git: {error}"),
    })?;
    // An endless pack would fill the disk.
    let limit = Rlimit { current: Some(MAX_PACK), maximum: Some(MAX_PACK) };
    prlimit(Some(Pid::from_child(&child)), Resource::Fsize, limit).map_err(|error| format!("git: {error}"))?;
    Ok(child)
}

/// Refuses a repository of this machine that is part of a downloaded module: it would be used as one.
fn foreign(url: &str) -> Result<(), String> {
    let path = url.strip_prefix("file://").unwrap_or(url);
    let Ok(path) = std::fs::canonicalize(path) else { return Ok(()) };
    match path.ancestors().skip(1).find(|above| above.join("metadata.yaml").exists()) {
        Some(module) => Err(format!("it lies inside of the module {}, whose files are only data", module.display())),
        None => Ok(()),
    }
}

/// One line of `ls-tree -l`: `MODE TYPE OBJECT SIZE<tab>PATH`.
struct TreeEntry<'a> {
    mode: &'a str,
    object: &'a str,
    size: u64,
    path: &'a str,
}

impl<'a> TreeEntry<'a> {
    fn parse(line: &'a str) -> Option<TreeEntry<'a>> {
        let (meta, path) = line.split_once('\t')?;
        let mut words = meta.split_whitespace();
        let (mode, _kind, object, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
        // A submodule has no size.
        Some(TreeEntry { mode, object, size: size.parse().unwrap_or(0), path })
    }
}

/// A path that stays below its root and is no part of a repository.
fn is_safe(path: &str) -> bool {
    path.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"))
}

/// Contents of objects, one after the other.
struct Contents {
    child: Child,
    stdout: BufReader<std::process::ChildStdout>,
}

impl Contents {
    fn start(mut command: Command) -> Result<Contents, String> {
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = spawn(command)?;
        let stdout = BufReader::new(child.stdout.take().ok_or("git: it has no output")?);
        Ok(Contents { child, stdout })
    }

    fn read(&mut self, object: &str, size: u64) -> std::io::Result<Vec<u8>> {
        use std::io::Error;
        let stdin = self.child.stdin.as_mut().ok_or_else(|| Error::other("it has no input"))?;
        writeln!(stdin, "{object}")?;
        let mut head = String::new();
        (&mut self.stdout).take(256).read_line(&mut head)?;
        if head.trim_end() != format!("{object} blob {size}") {
            return Err(Error::other("an object is missing"));
        }
        let mut content = vec![0; usize::try_from(size).map_err(Error::other)?];
        self.stdout.read_exact(&mut content)?;
        self.stdout.read_exact(&mut [0])?;
        Ok(content)
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_and_are_no_repository() {
        for good in ["main.mcl", "files/a/b", ".github/x", "a.git/HEAD", "..."] {
            assert!(is_safe(good), "{good}");
        }
        for bad in ["/etc/x", "../x", "a/../x", "a//b", ".git/config", "sub/.GIT/hooks/x", "."] {
            assert!(!is_safe(bad), "{bad}");
        }
    }
}
