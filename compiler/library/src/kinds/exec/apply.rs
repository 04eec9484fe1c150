//! Check and apply of an `exec`: guards, the command, its output. Resource spec, 2.2.

use crate::kinds::Want;
use crate::kinds::kind::{Decision, Seen, Sent};
use crate::kinds::walk::{Walk, cannot_tell, killed, succeeded};
use crate::value::Value;
use crate::vocab::path::escaped;
use crate::vocab::{CommandOutcome, CommandSpec, Finding, HostErrorKind, Outcome, Probe, Step, Watch, file, state};
use std::borrow::Cow;

/// The state file whose modification time says when the command last ran for its `mtimes`. Its content is what [`seen`]
/// returned then.
const STAMP: &str = "mtimes";
/// The sendables, also kept in state files of the same names.
const OUTPUTS: [&str; 3] = ["output", "stdout", "stderr"];

type Bytes = Option<Vec<u8>>;

/// The first look.
pub(super) fn probes(want: &Want) -> Vec<Probe> {
    let mut probes: Vec<Probe> =
        OUTPUTS.iter().map(|name| Probe::State(state::Probe::Read { name: (*name).to_string() })).collect();
    let mtimes = want.texts("mtimes");
    if !mtimes.is_empty() {
        probes.push(Probe::State(state::Probe::Stat { name: STAMP.to_string() }));
        probes
            .extend(mtimes.iter().map(|path| Probe::File(file::Probe::Stat { path: path.to_string(), follow: true })));
    }
    probes
}

pub(super) fn decide(want: &Want, seen: &Seen) -> Decision {
    walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
}

/// Without a run of the command: the output of an earlier run.
pub(super) fn sends_dry(seen: &Seen) -> Sent {
    seen.findings.get(..OUTPUTS.len()).map(|findings| sent(cached(findings))).unwrap_or_default()
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let (known, rest) = walk.look(probes(want))?.split_at(OUTPUTS.len());
    let cached = cached(known);
    if !is_forced(want, rest, walk)? && is_skipped(want, walk)? {
        return Ok(Decision::InState(with_fallbacks(want, cached)));
    }
    let ran = run(want, walk, "cmd", want.effective("cmd").into_owned(), "cwd", "shell")?;
    if !want.text("donecmd").is_empty() {
        run(want, walk, "donecmd", want.text("donecmd").into_owned(), "donecwd", "doneshell")?;
    }
    let outputs = [ran.output.clone(), ran.stdout.clone(), ran.stderr.clone()];
    let steps = keep(want, (&cached, rest), &outputs)?;
    if !steps.is_empty() {
        walk.act(steps)?;
    }
    Ok(Decision::Mended(sent(outputs)))
}

fn cached(findings: &[Finding]) -> [Bytes; 3] {
    std::array::from_fn(|index| match &findings[index] {
        Finding::State(state::Finding::Bytes(bytes)) => Some(bytes.clone()),
        _ => None,
    })
}

/// Whether a file changed since the command last ran for it. Then guards are skipped.
fn is_forced(want: &Want, findings: &[Finding], walk: &mut Walk) -> Result<bool, Decision> {
    let Some(stamp) = findings.first() else { return Ok(false) };
    let last = match stamp {
        Finding::State(state::Finding::Stat(stat)) => stat.as_ref().map(|stat| stat.mtime_ns),
        other => return Err(cannot_tell(other)),
    };
    let files = seen(want, findings)?;
    let Some(last) = last else { return Ok(true) };
    let newer: Vec<&str> = files.iter().filter(|(mtime_ns, _)| *mtime_ns > last).map(|(_, line)| &**line).collect();
    if newer.is_empty() {
        return Ok(false);
    }
    // A file with a time in the future is newer than every run.
    let look = Probe::State(state::Probe::Read { name: STAMP.to_string() });
    let Finding::State(state::Finding::Bytes(known)) = &walk.look(vec![look])?[0] else { return Ok(true) };
    let known = String::from_utf8_lossy(known);
    Ok(newer.into_iter().any(|line| !known.lines().any(|known| known == line)))
}

/// The modification time of each file in `mtimes`, also as a line of text with its path.
fn seen(want: &Want, findings: &[Finding]) -> Result<Vec<(i64, String)>, Decision> {
    let files = findings.iter().skip(1);
    let seen = want.texts("mtimes").into_iter().zip(files).map(|(path, finding)| match finding {
        Finding::File(file::Finding::Stat(Some(stat))) => Ok((stat.mtime_ns, format!("{} {path:?}", stat.mtime_ns))),
        Finding::File(file::Finding::Stat(None)) => {
            Err(Decision::CannotTell(format!("stat {path}: no such file or directory")))
        }
        other => Err(cannot_tell(other)),
    });
    seen.collect()
}

fn is_skipped(want: &Want, walk: &mut Walk) -> Result<bool, Decision> {
    let ifcmd = want.text("ifcmd");
    if !ifcmd.is_empty() {
        let outcome = ask(want, walk, "ifcmd", ifcmd.into_owned(), "ifcwd", "ifshell")?;
        if outcome.status != Some(0) {
            return Ok(true);
        }
        let is = |field: &str, bytes: &Bytes| {
            let expected = want.set(field).and_then(Value::as_bytes);
            expected.is_some_and(|expected| **expected == *bytes.as_deref().unwrap_or_default())
        };
        if is("ifequals", &outcome.output) || is("ifequals_stdout", &outcome.stdout) {
            return Ok(true);
        }
    }
    let nifcmd = want.text("nifcmd");
    if !nifcmd.is_empty() {
        let outcome = ask(want, walk, "nifcmd", nifcmd.into_owned(), "nifcwd", "nifshell")?;
        if outcome.status == Some(0) {
            return Ok(true);
        }
    }
    let creates = want.text("creates");
    if creates.is_empty() {
        return Ok(false);
    }
    match &walk.look(vec![Probe::File(file::Probe::Stat { path: creates.into_owned(), follow: true })])?[0] {
        Finding::File(file::Finding::Stat(stat)) => Ok(stat.is_some()),
        // A component of the path is a file, so nothing is there.
        Finding::Failed(error) if error.kind == HostErrorKind::NotADirectory => Ok(false),
        other => Err(cannot_tell(other)),
    }
}

/// Runs a guard.
fn ask(
    want: &Want,
    walk: &mut Walk,
    name: &str,
    text: String,
    cwd: &str,
    shell: &str,
) -> Result<CommandOutcome, Decision> {
    let spec = command(want, name, text, cwd, shell)?;
    match &walk.look(vec![Probe::Command(spec)])?[0] {
        Finding::Command(CommandOutcome { status: None, signal, .. }) => Err(killed(name, signal.as_deref())),
        Finding::Command(outcome) => Ok(outcome.clone()),
        other => Err(cannot_tell(other)),
    }
}

/// Runs a command that changes something.
fn run(
    want: &Want,
    walk: &mut Walk,
    name: &str,
    text: String,
    cwd: &str,
    shell: &str,
) -> Result<CommandOutcome, Decision> {
    let spec = command(want, name, text, cwd, shell)?;
    match &walk.act(vec![Step::Command(spec)])?[0] {
        Outcome::Command(outcome) => {
            let Err(failed) = succeeded(name, outcome) else { return Ok(outcome.clone()) };
            // A command explains its failure on stderr, even if the last line of all is from stdout.
            let said = last_line(&outcome.stderr).or_else(|| last_line(&outcome.output));
            Err(match (failed, said) {
                (Decision::CannotTell(error), Some(line)) => {
                    Decision::CannotTell(format!("{error} (last output: {line})"))
                }
                (failed, _) => failed,
            })
        }
        Outcome::Done | Outcome::Failed(_) => Err(Decision::CannotTell(format!("{name} has no exit status"))),
    }
}

/// The last non-empty line.
fn last_line(output: &Bytes) -> Option<String> {
    let text = String::from_utf8_lossy(output.as_deref()?).into_owned();
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
}

fn command(want: &Want, name: &str, text: String, cwd: &str, shell: &str) -> Result<CommandSpec, Decision> {
    let shell = want.text(shell);
    let argv = if shell.is_empty() {
        let mut words: Vec<String> = text.split_whitespace().map(String::from).collect();
        let args = want.items("args");
        if name == "cmd" && !args.is_empty() {
            words.truncate(1);
            words.extend(args.iter().map(handed));
        }
        words
    } else {
        vec![shell.into_owned(), "-c".to_string(), text]
    };
    if argv.is_empty() {
        return Err(Decision::CannotTell(format!("the {name} is empty")));
    }
    Ok(spec(want, argv, &want.text(cwd)))
}

/// A text as it is passed to a command, any bytes.
fn handed(value: &Value) -> String {
    value.as_bytes().map(|bytes| escaped(bytes).into_owned()).unwrap_or_default()
}

fn spec(want: &Want, argv: Vec<String>, cwd: &str) -> CommandSpec {
    let sig = want.text("sig");
    CommandSpec {
        argv,
        env: want.map("env").iter().map(|(name, value)| (handed(name), handed(value))).collect(),
        cwd: cwd.to_string(),
        user: want.text("user").into_owned(),
        group: want.text("group").into_owned(),
        signal: if sig.is_empty() { "SIGTERM".to_string() } else { sig.into_owned() },
    }
}

/// Stores new output of the command, and the files that it ran for. `findings`: of `mtimes`.
fn keep(
    want: &Want,
    (cached, findings): (&[Bytes; 3], &[Finding]),
    outputs: &[Bytes; 3],
) -> Result<Vec<Step>, Decision> {
    let mut steps = Vec::new();
    for ((name, before), now) in OUTPUTS.iter().zip(cached).zip(outputs) {
        let name = (*name).to_string();
        match now {
            now if now == before => {}
            Some(content) => steps.push(Step::State(state::Step::Write { name, content: content.clone() })),
            None => steps.push(Step::State(state::Step::Remove { name })),
        }
    }
    if !want.items("mtimes").is_empty() {
        let lines: String = seen(want, findings)?.into_iter().map(|(_, line)| format!("{line}\n")).collect();
        steps.push(Step::State(state::Step::Write { name: STAMP.to_string(), content: lines.into_bytes() }));
    }
    Ok(steps)
}

fn sent(outputs: [Bytes; 3]) -> Sent {
    OUTPUTS.into_iter().zip(outputs.map(|bytes| bytes.map(Value::from))).collect()
}

fn with_fallbacks(want: &Want, outputs: [Bytes; 3]) -> Sent {
    let mut sent = sent(outputs);
    for ((_, value), field) in sent.iter_mut().zip(["send_output", "send_stdout", "send_stderr"]) {
        if value.is_none() {
            *value = want.set(field).cloned();
        }
    }
    sent
}

pub(super) fn watches(want: &Want) -> Vec<Watch> {
    let creates = want.text("creates");
    let creates = (!creates.is_empty()).then_some(creates);
    let paths = want.texts("mtimes").into_iter().chain(want.texts("watchfiles")).chain(creates);
    let path = |path: Cow<str>| file::Watch { recursive: path.ends_with('/'), path: path.into_owned() }.into();
    let mut watches: Vec<Watch> = paths.map(path).collect();
    let watchcmd = want.text("watchcmd");
    if !watchcmd.is_empty()
        && let Ok(spec) = command(want, "watchcmd", watchcmd.into_owned(), "watchcwd", "watchshell")
    {
        watches.push(Watch::Command(spec));
    }
    watches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;
    use crate::vocab::{FileKind, FileStat, HostError};

    #[test]
    fn a_file_from_the_future_is_run_for_once() {
        let stat = |mtime_ns| {
            let (mode, uid, gid, size, device, inode, target) = (0o644, 0, 0, 0, 1, 1, None);
            Some(FileStat { kind: FileKind::File, mode, uid, gid, size, mtime_ns, device, inode, target })
        };
        let runs = |known: &str| {
            let none = || Finding::Failed(HostError::new(HostErrorKind::NotFound, "no such file or directory"));
            let mut findings = vec![none(), none(), none(), Finding::State(state::Finding::Stat(stat(10)))];
            findings.push(Finding::File(file::Finding::Stat(stat(20))));
            findings.push(Finding::State(state::Finding::Bytes(known.as_bytes().to_vec())));
            // What it creates is there.
            findings.push(Finding::File(file::Finding::Stat(stat(5))));
            let draft = Draft::new("exec", "e").text("cmd", "/bin/true").text("creates", "/srv/made");
            let draft = draft.texts("mtimes", &["/srv/a b"]);
            match draft.kind.decide(&draft.want(), &Seen { findings: &findings, ..Seen::first() }) {
                Decision::Drifted(steps) => steps.len() == 1,
                Decision::InState(_) => false,
                other => panic!("{other:?}"),
            }
        };
        assert!(!runs("20 \"/srv/a b\"\n"));
        for known in ["", "ran\n", "19 \"/srv/a b\"\n", "20 \"/srv/b\"\n"] {
            assert!(runs(known), "{known}");
        }
    }
}
