//! The git commit of a program, for the list of deploys.
//!
//! The directory may come from an untrusted source, with a repository whose settings name programs. None of them is
//! run: no hooks, monitors or filters, no transports for missing objects, and nothing of submodules. Only the filters
//! in the user's own settings are run.

use crate::process::{Fault, Patience, Purpose, Start};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// How long each question to git may take.
const PATIENCE: Patience = Patience { silence: None, whole: Some(Duration::from_secs(10)) };
/// The longest answer. Units: bytes.
const LONGEST: usize = 64 << 10;
const SETTINGS: [&str; 4] = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
/// Nothing is fetched, and the index is not rewritten.
const VARIABLES: [(&str, &str); 3] =
    [("GIT_ALLOW_PROTOCOL", "none"), ("GIT_NO_LAZY_FETCH", "1"), ("GIT_OPTIONAL_LOCKS", "0")];
/// The variable with the number of settings in the environment.
const COUNT: &str = "GIT_CONFIG_COUNT";

/// The commit of the directory of an input, with `-dirty` if files differ from it. `None`: there is none, or no git.
pub(crate) fn commit_of(input: &str) -> Option<String> {
    let path = Path::new(input);
    let dir = if path.is_dir() { path } else { path.parent()? };
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let git = |args: &[&str], settings: &[(OsString, OsString)]| {
        let start = Start::new("git", Purpose::Look).args(SETTINGS).args(args).dir(dir);
        start.inherits().env(VARIABLES).env(settings.iter().cloned()).ask(PATIENCE, LONGEST)
    };
    let head = git(&["rev-parse", "--verify", "HEAD"], &[]).ok().filter(|answer| answer.status.success())?;
    let commit = String::from_utf8(head.stdout).ok()?.trim_end().to_owned();
    if commit.len() < 7 || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let filters = git(&["config", "-z", "--show-scope", "--name-only", "--get-regexp", "^filter[.]"], &[]).ok()?;
    // It ends with 1 if there are none.
    if !matches!(filters.status.code(), Some(0 | 1)) {
        return None;
    }
    let others = std::env::var(COUNT).ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    let settings = without_filters(&filters.stdout, others);
    match git(&["status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all"], &settings) {
        Ok(answer) if answer.status.success() && answer.stdout.is_empty() => Some(commit),
        Ok(answer) if !answer.status.success() => None,
        Ok(_) | Err(Fault::TooMuch(_)) => Some(commit + "-dirty"),
        Err(_) => None,
    }
}

/// Variables that replace the filters of a repository, after the `others` in the environment. `listed`: scopes and names
/// of settings, each ended by a zero.
fn without_filters(listed: &[u8], others: usize) -> Vec<(OsString, OsString)> {
    let mut words = listed.split(|byte| *byte == 0);
    let (mut variables, mut n) = (Vec::new(), others);
    while let (Some(scope), Some(name)) = (words.next(), words.next()) {
        if matches!(scope, b"system" | b"global" | b"command") {
            continue;
        }
        let value = if name.ends_with(b".required") { "false" } else { "" };
        variables.push((format!("GIT_CONFIG_KEY_{n}").into(), OsStr::from_bytes(name).to_owned()));
        variables.push((format!("GIT_CONFIG_VALUE_{n}").into(), value.into()));
        n += 1;
    }
    variables.push((COUNT.into(), n.to_string().into()));
    variables
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;

    fn git(dir: &Path, args: &[&str]) {
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        let start = Start::new("git", Purpose::Look).args(who).args(args).inherits().dir(dir);
        let answer = start.ask(PATIENCE, LONGEST).unwrap();
        assert!(answer.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&answer.stderr));
    }

    #[test]
    fn a_repository_of_a_stranger_runs_nothing() {
        let dir = Scratch::new("commit-of");
        let (program, ran) = (dir.join("main.mcl"), dir.join("ran"));
        let found = || commit_of(&program.display().to_string());
        std::fs::write(&program, "one").unwrap();
        git(&dir, &["init", "--quiet"]);
        assert_eq!(found(), None, "there is no commit yet");
        git(&dir, &["add", "main.mcl"]);
        git(&dir, &["commit", "--quiet", "-m", "x"]);
        let commit = found().unwrap();
        assert!(commit.len() >= 40 && !commit.contains('-'), "{commit}");

        let trap = format!("touch '{}'; cat", ran.display());
        git(&dir, &["config", "core.fsmonitor", &trap]);
        for name in ["clean", "process"] {
            git(&dir, &["config", &format!("filter.a=b.{name}"), &trap]);
        }
        git(&dir, &["config", "filter.a=b.required", "true"]);
        std::fs::create_dir_all(dir.join(".git/info")).unwrap();
        std::fs::write(dir.join(".git/info/attributes"), "* filter=a=b\n").unwrap();
        // With another time, git compares the content.
        let file = std::fs::File::options().write(true).open(&program).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(found(), Some(commit.clone()));
        std::fs::write(&program, "two").unwrap();
        assert_eq!(found(), Some(commit + "-dirty"));
        assert!(!ran.exists());
    }

    #[test]
    fn the_filters_of_the_user_stay() {
        let listed = b"global\0filter.lfs.clean\0local\0filter.a.process\0worktree\0filter.a.required\0";
        let variables = without_filters(listed, 2);
        let variables: Vec<String> =
            variables.iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect();
        let expect = [
            "GIT_CONFIG_KEY_2=filter.a.process",
            "GIT_CONFIG_VALUE_2=",
            "GIT_CONFIG_KEY_3=filter.a.required",
            "GIT_CONFIG_VALUE_3=false",
            "GIT_CONFIG_COUNT=4",
        ];
        assert_eq!(variables, expect);
        let none = [(OsString::from(COUNT), OsString::from("0"))];
        assert_eq!(without_filters(b"", 0), none);
    }
}
