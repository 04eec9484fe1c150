//! [`Git`]: runs `git` on a private repository, with a fixed configuration.
//!
//! Its input comes from a server that may be hostile, so everything is limited: time, silence, memory, processor time,
//! the sizes of its files and of its output. It does not outlive the agent.

use crate::process::{Fault, Input, Patience, Purpose, Speech, Start, Stream};
use rustix::process::Resource;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

/// The largest file that a fetch may write.
const MAX_PACK: u64 = 256 << 20;

const LIMITS: &[(Resource, u64)] = &[
    // An endless pack would fill the disk.
    (Resource::Fsize, MAX_PACK),
    // Small packs can contain objects of any size, and an endless list of refs comes before any pack.
    (Resource::As, 1 << 30),
    (Resource::Cpu, 300),
];

/// The maximum size of an answer or error message kept in memory.
const MAX_ANSWER: usize = 64 << 10;
/// How much of an error message is shown.
const MAX_SHOWN: usize = 300;

/// The permitted protocols of a URL. Others, such as `ext::`, run commands chosen by the author of the URL.
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
    "transfer.bundleURI=false",
    "gc.auto=0",
    "maintenance.auto=false",
    // All objects go into one file of limited size, and large ones are not kept in memory.
    "fetch.unpackLimit=1",
    "core.bigFileThreshold=16m",
    "core.deltaBaseCacheLimit=16m",
    "core.packedGitWindowSize=32m",
    "core.packedGitLimit=128m",
    "pack.threads=1",
    // A server that stops sending is given up.
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
];

/// Variables of the caller that `git` gets: places of programs, keys and proxies.
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

/// Variables that are always set.
const SET: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ALLOW_PROTOCOL", PROTOCOLS),
    ("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=30"),
];

/// The time limit of a subcommand, and of its silence.
pub(super) const USUAL: Patience =
    Patience { silence: Some(Duration::from_secs(60)), whole: Some(Duration::from_secs(15 * 60)) };

pub(super) struct Git {
    pub(super) dir: PathBuf,
    pub(super) patience: Patience,
}

impl Git {
    /// Runs a subcommand with a short answer.
    pub(super) fn ask(&self, args: &[&str]) -> Result<String, String> {
        let mut said = Vec::new();
        self.hear(args, |bytes| match said.len() + bytes.len() > MAX_ANSWER {
            true => Err(format!("git {}: it printed more than {} KiB", args[0], MAX_ANSWER >> 10)),
            false => {
                said.extend_from_slice(bytes);
                Ok(())
            }
        })?;
        String::from_utf8(said).map_err(|_| format!("git {}: its output is not UTF-8 text", args[0]))
    }

    /// Passes on the output of a subcommand as it arrives. It is stopped if `heard` refuses.
    pub(super) fn hear(&self, args: &[&str], mut heard: impl FnMut(&[u8]) -> Result<(), String>) -> Result<(), String> {
        let (mut complaint, mut refused) = (Vec::new(), None);
        let child = self.start(args).heard().begin().map_err(missing)?;
        let ended = child.hear(self.patience, |stream, bytes| {
            match stream {
                Stream::Stdout => refused = heard(bytes).err(),
                Stream::Stderr => {
                    complaint.extend_from_slice(bytes);
                    let too_many = complaint.len().saturating_sub(MAX_ANSWER);
                    complaint.drain(..too_many);
                }
            }
            if refused.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(why) = refused {
            return Err(why);
        }
        let status = ended.map_err(|fault| format!("git {}: {fault}", args[0]))?;
        if status.success() { Ok(()) } else { Err(last_line(&String::from_utf8_lossy(&complaint))) }
    }

    /// Starts a conversation with a subcommand.
    pub(super) fn speak(&self, args: &[&str]) -> Result<Speech, String> {
        let start = self.start(args).input(Input::Speech).map_err(|error| format!("git: {error}"))?;
        let child = start.begin().map_err(missing)?;
        child.speech(self.patience.silence).ok_or_else(|| "git: cannot write to its standard input".to_owned())
    }

    fn start(&self, args: &[&str]) -> Start {
        let given = VARIABLES.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
        Start::new("git", Purpose::Look)
            .args(["--git-dir".as_ref(), self.dir.as_os_str()])
            .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]))
            .args(args)
            .env(given)
            .env(SET.iter().copied())
            .dir(&self.dir)
            .resources(LIMITS)
    }
}

fn missing(fault: Fault) -> String {
    match fault {
        Fault::Program(error) if error.kind() == ErrorKind::NotFound => "`git` is not installed".to_owned(),
        fault => format!("git: {fault}"),
    }
}

/// The last line of an error message, which is the summary.
fn last_line(complaint: &str) -> String {
    // The message of a command that exceeded the limit of a file's size.
    if complaint.contains("signal 25") {
        return format!("it is larger than {} MiB", MAX_PACK >> 20);
    }
    let last = complaint.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("git failed");
    last.chars().take(MAX_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn git(name: &str) -> Git {
        let dir = std::env::temp_dir().join(format!("mclive-git-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        let git = Git { dir, patience: USUAL };
        git.ask(&["init", "--quiet", "--bare", "--template="]).unwrap();
        git
    }

    #[test]
    fn a_server_that_says_nothing_is_given_up() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("git://{}/x", server.local_addr().unwrap());
        let silence = Some(Duration::from_millis(300));
        let git = Git { patience: Patience { silence, ..USUAL }, ..git("silent") };
        let error = git.ask(&["ls-remote", "--", &url, "HEAD"]).unwrap_err();
        assert_eq!(error, "git ls-remote: no output for 0.3 s");
        std::fs::remove_dir_all(&git.dir).unwrap();
    }

    #[test]
    fn what_says_something_for_ever_is_given_up_as_well() {
        let whole = Some(Duration::from_millis(500));
        let git = Git { patience: Patience { whole, ..USUAL }, ..git("endless") };
        let endless = "alias.endless=!while :; do echo x; sleep 0.05; done";
        let error = git.hear(&["-c", endless, "endless"], |_| Ok(())).unwrap_err();
        assert_eq!(error, "git -c: still running after 0.5 s");
        std::fs::remove_dir_all(&git.dir).unwrap();
    }

    #[test]
    fn an_answer_has_a_bound() {
        let git = git("flood");
        let flood = "alias.flood=!yes";
        let error = git.ask(&["-c", flood, "flood"]).unwrap_err();
        assert!(error.contains("more than 64 KiB"), "{error}");
        let complaint = format!("x\nfatal: {}\n\n", "y".repeat(1_000));
        assert_eq!(last_line(&complaint).len(), MAX_SHOWN);
        std::fs::remove_dir_all(&git.dir).unwrap();
    }
}
