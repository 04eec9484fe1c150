//! Values in configuration files: `augtool`, with one lens for one file. Its script is in memory: no value appears on a
//! command line. It changes a private copy, whose text then replaces that of the file like any other edit (`fs::edit`),
//! so that changes by other programs in the meantime are not lost.

use super::mount::steady;
use super::{Backend, Context, absent, tool};
use crate::host::fs::{self, Last, locate, native, stat};
use crate::host::{Host, Shared, io_failed};
use crate::policy::Permit;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::lens::{Finding, Probe, Set, Step};
use mclive_base::vocab::path::shown;
use mclive_base::vocab::subjects::Lens;
use mclive_base::vocab::{Attributes, CommandSpec, Datum, HostError, HostErrorKind, Outcome};
use std::cell::RefCell;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

const TOOL: &str = "augtool";
/// A larger file is not a configuration file. Units: bytes.
const LARGEST: u64 = 16 << 20;

impl Backend for Lens {
    type State = ();
    absent! { watch fact }

    fn probe(at: &Context, Probe { file, lens, paths }: &Probe) -> Result<Finding, HostError> {
        if !judged(TOOL, file, at.shared.policy.reads())? {
            return Ok(Finding::Values(vec![None; paths.len()]));
        }
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        values(at, (file, lens), &paths, None).map(Finding::Values)
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        let Step { file, lens, sets } = step;
        let _mine = at.shared.files.lock(file);
        let changes = at.shared.policy.changes();
        if judged(TOOL, file, changes)?
            && let Some(stat) = stat(Permit::ALL, file, true)?
        {
            // The tool writes other content with the same mode.
            changes.judge_mode(stat.mode, file)?;
        }
        let mut script = opening(file, lens)?;
        for set in sets {
            script += &format!("set {} {}\n", node(file, &set.path)?, quoted(&set.value)?);
        }
        script += "save\nmatch /augeas//error/message\n";
        let began = Instant::now();
        let editing = fs::Editing {
            path: file,
            reads: at.shared.policy.reads(),
            changes,
            attributes: &Attributes::default(),
            umask: at.shared.umask,
            limit: LARGEST,
            patience: fs::PATIENCE,
            stopped: &|| at.running.leaves_off(began),
        };
        let failed = RefCell::new(None);
        let edit = |text: &[u8]| match edited(at, step, &script, text) {
            Ok(new) => Some(new),
            Err(error) => {
                failed.replace(Some(error));
                None
            }
        };
        fs::edit_file(&editing, &edit)?;
        failed.into_inner().map_or(Ok(Outcome::Done), Err)
    }
}

/// The text of a file after the script of a step.
fn edited(at: &Context, step: &Step, script: &str, text: &[u8]) -> Result<Vec<u8>, HostError> {
    let Step { file, lens, sets } = step;
    let root = Root::new()?;
    let copy = root.0.join(file.trim_start_matches('/'));
    let fails = |error: std::io::Error| io_failed("write", "a copy of the file", &error);
    std::fs::create_dir_all(copy.parent().unwrap_or(&root.0)).map_err(fails)?;
    // Many lenses match no empty file, but make one.
    if !text.is_empty() {
        std::fs::write(&copy, text).map_err(fails)?;
    }
    run(at, file, lens, script, Some(&root))?;
    let new = match std::fs::read(&copy) {
        Ok(new) => new,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let why = format!("augtool reported success, but has not written {file}");
            return Err(HostError::new(HostErrorKind::NotFound, why));
        }
        Err(error) => return Err(fails(error)),
    };
    // A path that leads to no such value once the file is read again would add an entry to it each time.
    let paths: Vec<&str> = sets.iter().map(|set| set.path.as_str()).collect();
    let after = values(at, (file, lens), &paths, Some(&root))?;
    match sets.iter().zip(&after).find_map(|(set, now)| lost(file, set, now.as_deref())) {
        Some(why) => Err(HostError::new(HostErrorKind::Other, why)),
        None => Ok(new),
    }
}

/// Why a file is not changed that would not have a value after it is set.
fn lost(file: &str, Set { path, value, .. }: &Set, after: Option<&str>) -> Option<String> {
    match after {
        None => Some(format!(
            "`{path}` of {file} would be missing even after it is set, so the file was not changed: identify an entry \
             of a list by a value, such as `seq::*[ipaddr='10.0.0.1']/canonical`, not by a new number or `last()+1`"
        )),
        Some(after) if after != value => {
            Some(format!("`{path}` of {file} would be {after} after it is set to {value}, so the file was not changed"))
        }
        Some(_) => None,
    }
}

/// A private folder that the tool takes for the root of the file system. It is removed with this value.
struct Root(PathBuf);

impl Root {
    fn new() -> Result<Root, HostError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let pid = std::process::id();
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("mclive-augeas-{pid}-{number}"));
            // Never a folder that someone else has made.
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Root(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(io_failed("create", &path.to_string_lossy(), &error)),
            }
        }
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether a file exists, if the policy allows reading or changing it. The tool opens it by its path, so no other user
/// may be able to replace a part of that path.
pub(super) fn judged(tool: &'static str, file: &str, permit: Permit) -> Result<bool, HostError> {
    match locate(permit, tool, file, Last::Followed).and_then(|place| steady(tool, place.path())) {
        Ok(_) => Ok(true),
        Err(error) if error.kind == HostErrorKind::NotFound => {
            let path = Path::new(file);
            let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return Err(error) };
            let above = locate(Permit::ALL, tool, &above.to_string_lossy(), Last::Followed)?;
            permit.judge(Path::new(above.path()).join(name).as_os_str(), file)?;
            steady(tool, above.path()).map(|_| false)
        }
        Err(error) => Err(error),
    }
}

/// The same for something that is handed over as a whole: of a folder the policy must allow everything in it.
pub(super) fn judged_whole(tool: &'static str, path: &str, permit: Permit) -> Result<(), HostError> {
    if permit.is_all() {
        return Ok(());
    }
    judged(tool, path, permit)?;
    // Where it really is: a link says nothing of what is below it.
    match std::fs::canonicalize(&*native(path)) {
        Ok(place) if place.is_dir() => permit.judge_below(place.as_os_str()),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Loads the one file, and reports what is wrong with it.
fn opening(file: &str, lens: &str) -> Result<String, HostError> {
    // The tool treats the file as a pattern, and as the path of a node.
    if file.contains(|c: char| "[]{}()*?|=!,'\"\\".contains(c) || c.is_whitespace()) || leads_out(file) {
        let why = format!("Augeas would treat `{}` as a pattern: it contains special characters", shown(file));
        return Err(HostError::new(HostErrorKind::Refused, why));
    }
    let (file, lens) = (quoted(file)?, quoted(lens)?);
    Ok(format!(
        "set /augeas/load/mclive/lens {lens}\nset /augeas/load/mclive/incl {file}\nload\n\
         match /augeas//error/message\nprint /augeas/load/mclive/error\n"
    ))
}

/// A node of the file. The tool's tree also contains the settings that decide which files it writes, and a path could
/// reach everything in it.
fn node(file: &str, path: &str) -> Result<String, HostError> {
    if leads_out(path) {
        let why =
            format!("the path `{}` leaves its file: `..`, `|`, parents and siblings are not allowed", shown(path));
        return Err(HostError::new(HostErrorKind::Refused, why));
    }
    quoted(&format!("/files{file}/{path}"))
}

/// Whether a path may lead to a node outside its start. Conditions count as well, since recognizing them needs the
/// tool's full grammar.
fn leads_out(path: &str) -> bool {
    const AXES: [&str; 5] = ["parent::", "ancestor::", "root::", "preceding-sibling::", "following-sibling::"];
    // Spaces are allowed between an axis and its colons.
    let path: String = path.chars().filter(|c| !c.is_whitespace()).collect();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let goes_up = |(at, _): (usize, &str)| !path[..at].ends_with(is_word);
    path.contains('|') || AXES.iter().any(|axis| path.contains(axis)) || path.match_indices("..").any(goes_up)
}

/// Quotes a word of a script.
fn quoted(text: &str) -> Result<String, HostError> {
    if text.contains(['\n', '\r', '\0']) {
        return Err(HostError::new(HostErrorKind::Refused, "commands for Augeas must be a single line"));
    }
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// Runs a script. Returns its output, without the messages of commands that found nothing.
fn run(at: &Context, file: &str, lens: &str, script: &str, root: Option<&Root>) -> Result<Vec<String>, HostError> {
    let program = tool::find(TOOL, "augeas-tools")?;
    let script = tool::memory("augtool", script.as_bytes())?;
    let path = tool::path(&script);
    // Only what the script names is loaded: neither modules nor files.
    let mut argv = [program.as_str(), "--noautoload", "--noload", "--file", &path].map(str::to_owned).to_vec();
    if let Some(Root(root)) = root {
        argv.extend(["--root".to_owned(), root.to_string_lossy().into_owned()]);
    }
    let outcome = tool::run(at, CommandSpec { argv, ..CommandSpec::default() })?;
    let out = String::from_utf8_lossy(outcome.stdout.as_deref().unwrap_or_default()).into_owned();
    let other = |why: &str| HostError::new(HostErrorKind::Other, format!("{lens} for {file}: {why}"));
    let wrong = |line: &&str| line.starts_with("/augeas/") && line.contains("error");
    if let Some(line) = out.lines().find(wrong) {
        return Err(other(line.split_once(" = ").map_or(line, |(_, why)| why.trim_matches('"'))));
    }
    match outcome.status {
        Some(0) => {}
        _ => return Err(other(&tool::said(outcome.output.as_deref()))),
    }
    let answers = out.lines().filter(|line| line.starts_with("/files/"));
    Ok(answers.map(str::to_owned).collect())
}

/// What a lens sees at paths in a file.
fn values(
    at: &Context,
    (file, lens): (&str, &str),
    paths: &[&str],
    root: Option<&Root>,
) -> Result<Vec<Option<String>>, HostError> {
    let mut script = opening(file, lens)?;
    for path in paths {
        script += &format!("get {}\n", node(file, path)?);
    }
    let lines = run(at, file, lens, &script, root)?;
    let pairs = lines.iter().zip(paths);
    let values: Vec<Option<String>> = pairs
        .map(|(line, path)| value(line, &format!("/files{file}/{path}")))
        .collect::<Option<_>>()
        .unwrap_or_default();
    if values.len() == paths.len() && lines.len() == paths.len() {
        return Ok(values);
    }
    let said = lines.join("; ");
    Err(HostError::new(HostErrorKind::Other, format!("unexpected output from augtool: {said}")))
}

/// The value in a line of `get`: `PATH = VALUE`, `PATH (none)` without a value, `PATH (o)` without a node.
fn value(line: &str, path: &str) -> Option<Option<String>> {
    match line.strip_prefix(path)? {
        " (none)" | " (o)" => Some(None),
        rest => rest.strip_prefix(" = ").map(|value| Some(value.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;
    use crate::policy::Policy;

    #[test]
    fn a_folder_is_handed_over_only_with_all_that_is_in_it() {
        let dir = Scratch::new("judged-whole");
        let at = |name: &str| dir.join(name).display().to_string();
        std::fs::create_dir_all(at("whole")).unwrap();
        std::fs::create_dir_all(at("bare")).unwrap();
        std::os::unix::fs::symlink(at("bare"), at("whole/link")).unwrap();
        std::fs::write(at("bare/file"), "x").unwrap();
        let policy = format!("paths = ['{0}/whole/**', '{0}/whole', '{0}/bare', '{0}/bare/file']", dir.display());
        let policy = Policy::parse(&policy).unwrap();
        let judged = |name: &str| judged_whole("virsh", &at(name), policy.changes()).map_err(|error| error.message);
        assert_eq!(judged("whole"), Ok(()));
        assert_eq!(judged("bare/file"), Ok(()));
        for name in ["bare", "whole/link"] {
            assert!(judged(name).unwrap_err().contains("bare/**"), "{name}");
        }
    }

    #[test]
    fn words_and_answers() {
        assert_eq!(quoted(r#"a "b" \c"#).unwrap(), r#""a \"b\" \\c""#);
        assert!(quoted("a\nrm /files").is_err());
        let path = "/files/etc/hosts/1/alias";
        assert_eq!(value("/files/etc/hosts/1/alias = a = b", path), Some(Some("a = b".into())));
        assert_eq!(value("/files/etc/hosts/1/alias (o)", path), Some(None));
        assert_eq!(value("/files/etc/hosts/1/alias (none)", path), Some(None));
        assert_eq!(value("/files/etc/hosts/2 = x", path), None);
    }

    #[test]
    fn a_file_is_changed_only_if_it_has_the_values_afterwards() {
        let set = Set { path: "01/ipaddr".into(), value: "10.0.0.1".into(), now: None };
        assert_eq!(lost("/etc/hosts", &set, Some("10.0.0.1")), None);
        for (after, why) in [(None, "would be missing"), (Some("10"), "would be 10 after it is set to 10.0.0.1")] {
            let said = lost("/etc/hosts", &set, after).unwrap();
            assert!(said.starts_with(&format!("`01/ipaddr` of /etc/hosts {why}")), "{said}");
        }
    }

    #[test]
    fn a_file_is_no_pattern() {
        assert!(
            opening("/etc/ssh/sshd_config", "Sshd.lns").is_ok() && opening("/etc/x.d/10-a..b@c", "Sshd.lns").is_ok()
        );
        for file in ["/srv/*/x", "/srv/a|/augeas/load/mclive/incl", "/srv/x[1]", "/srv/x/../y", "/srv/a b", "/srv/?"] {
            assert_eq!(opening(file, "Sshd.lns").unwrap_err().kind, HostErrorKind::Refused, "{file}");
        }
    }

    #[test]
    fn a_node_is_in_its_file() {
        let inside =
            ["NAME", "*[ipaddr='::1']/alias[last()+1]", "//Match/*", "Host[. = 'a..b']/x", "a..b", "self::*/child::x"];
        for path in inside {
            assert!(!leads_out(path), "{path}");
        }
        for path in [
            "..",
            "../../../augeas/load/mclive/incl",
            "x/ .. /y",
            "x[1]/..",
            "x[a'b]/..[c'd]",
            "parent :: *",
            "x/ancestor::*",
            "root::*",
            "x/following-sibling::y",
            "x | /augeas/load",
        ] {
            assert!(leads_out(path), "{path}");
            assert_eq!(node("/srv/x", path).unwrap_err().kind, HostErrorKind::Refused);
        }
    }
}
