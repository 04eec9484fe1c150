//! Claims: whether one holds now, and the actual state if not.

use super::stage::Stage;
use crate::embed::Sandbox;
use crate::embed::contract::{Program, Shown};
use crate::show::counted;
use mclive_base::scenario::{AccountHas, Claim, Found, Has, kind_name};
use mclive_base::shapes::RunPhase;
use mclive_base::vocab::FileKind;
use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

/// Checks a claim. Errors: the actual state.
pub(super) fn judge(stage: &mut Stage, program: &Program, claim: &Claim) -> Result<(), String> {
    let truth = |holds: bool, instead: String| if holds { Ok(()) } else { Err(instead) };
    let there = |is: bool, wanted: bool, what: String| {
        truth(is == wanted, format!("{what} {}", if is { "exists" } else { "does not exist" }))
    };
    match claim {
        Claim::Path { path, kind, is_there } => {
            let found = stat(path).as_ref().map(kind_of);
            let is = found.is_some_and(|found| kind.holds(found));
            truth(is == *is_there, format!("{path} {}", kind_name(found)))
        }
        Claim::File { path, has } => file(path, has),
        Claim::Steps { count, of } => {
            let n = stage.n_steps_of(of.as_ref().map(ToString::to_string).as_deref());
            let each: Vec<String> = stage.steps.iter().map(|(id, n)| format!("{id} {n}")).collect();
            let each = if each.is_empty() { String::new() } else { format!(" ({})", each.join(", ")) };
            truth(count.holds(n), format!("expected {count} steps, found {n}{each}"))
        }
        Claim::Phase { id, phase } => match stage.phases.get(&id.to_string()) {
            Some(found) => truth(*found == RunPhase::from(*phase), format!("{id} is {found:?}")),
            None => Err(format!("no record of `{id}`")),
        },
        Claim::Output { text, count } => {
            let n = stage.said.lines().filter(|line| line.contains(text)).count();
            truth(
                count.holds(n),
                if n == 0 {
                    format!("{text:?} is not in the output")
                } else {
                    format!("{text:?} is in the output {}", counted(n, "time"))
                },
            )
        }
        Claim::Error { code, is_there } => {
            let found = errors(stage, program)?;
            let is = if code.is_empty() { !found.is_empty() } else { found.contains(code) };
            truth(is == *is_there, if found.is_empty() { "no error was reported".to_owned() } else { found })
        }
        Claim::User { name, is_there } => {
            there(line("/etc/passwd", name).is_some(), *is_there, format!("the user {name}"))
        }
        Claim::Group { name, is_there } => {
            there(line("/etc/group", name).is_some(), *is_there, format!("the group {name}"))
        }
        Claim::Account { name, has } => account(name, has),
        Claim::Hostname { name } => {
            let held = rustix::system::uname().nodename().to_string_lossy().into_owned();
            truth(held == *name, format!("the host's name is {held}"))
        }
        Claim::Running => truth(stage.runs(), format!("the agent {}", ended(stage))),
        Claim::Ended { how } => {
            let is = !stage.runs() && stage.ended.is_some_and(|status| how.holds(status.code().unwrap_or(-1)));
            truth(is, format!("the agent {}", ended(stage)))
        }
        Claim::Resource { .. }
        | Claim::Field { .. }
        | Claim::Edge { .. }
        | Claim::Value { .. }
        | Claim::Function { .. }
        | Claim::Ran { .. }
        | Claim::Unit { .. }
        | Claim::Package { .. }
        | Claim::Mount { .. }
        | Claim::Page { .. }
        | Claim::Answer { .. }
        | Claim::Key { .. } => Err("cannot be checked with --real".into()),
    }
}

/// The fields of an account or group, from its line.
pub(super) fn line(file: &str, name: &str) -> Option<Vec<String>> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.split(':').next() == Some(name))?;
    Some(line.split(':').map(str::to_owned).collect())
}

fn ended(stage: &mut Stage) -> String {
    if stage.runs() {
        return "runs".into();
    }
    match stage.ended {
        Some(status) => status.code().map_or_else(|| status.to_string(), |code| format!("ended with {code}")),
        None => "is not running".into(),
    }
}

fn stat(path: &str) -> Option<Metadata> {
    fs::symlink_metadata(path).ok()
}

fn kind_of(found: &Metadata) -> FileKind {
    match found.file_type() {
        it if it.is_file() => FileKind::File,
        it if it.is_dir() => FileKind::Dir,
        it if it.is_symlink() => FileKind::Symlink,
        _ => FileKind::Other,
    }
}

fn file(path: &str, has: &Has) -> Result<(), String> {
    let Some(stat) = stat(path) else { return Err(format!("{path} does not exist")) };
    let content = || {
        let bytes = fs::read(path).map_err(|error| format!("{path} cannot be read: {error}"))?;
        Ok::<_, String>(String::from_utf8_lossy(&bytes).into_owned())
    };
    let named = |file: &str, id: u32| {
        let text = fs::read_to_string(file).unwrap_or_default();
        let is = |line: &&str| line.split(':').nth(2) == Some(&id.to_string());
        text.lines().find(is).and_then(|line| line.split(':').next()).map_or_else(|| id.to_string(), str::to_owned)
    };
    let found = Found {
        kind: kind_of(&stat),
        mode: stat.permissions().mode() & 0o7777,
        owner: named("/etc/passwd", stat.uid()),
        group: named("/etc/group", stat.gid()),
        target: fs::read_link(path).ok().map(|target| target.to_string_lossy().into_owned()),
        content: &content,
    };
    has.judge(path, &found)
}

fn account(name: &str, has: &AccountHas) -> Result<(), String> {
    let Some(user) = line("/etc/passwd", name) else { return Err(format!("cannot find user {name}")) };
    let field = |at: usize| user.get(at).cloned().unwrap_or_default();
    let is = |holds: bool, instead: String| if holds { Ok(()) } else { Err(format!("{name} has {instead}")) };
    match has {
        AccountHas::Id(id) => is(field(2) == id.to_string(), format!("the uid {}", field(2))),
        AccountHas::Shell(shell) => is(field(6) == *shell, format!("the shell {}", field(6))),
        AccountHas::Home(home) => {
            is(field(5).trim_end_matches('/') == home.trim_end_matches('/'), format!("the home {}", field(5)))
        }
        AccountHas::Group(group) => {
            let groups = fs::read_to_string("/etc/group").unwrap_or_default();
            let holds = |line: &str| {
                let parts: Vec<&str> = line.split(':').collect();
                parts.get(2) == Some(&&*field(3))
                    || parts.get(3).is_some_and(|names| names.split(',').any(|it| it == name))
            };
            let names: Vec<&str> =
                groups.lines().filter(|line| holds(line)).filter_map(|line| line.split(':').next()).collect();
            is(names.contains(&group.as_str()), format!("the groups {}", names.join(", ")))
        }
    }
}

/// The errors in the program, and those at run time.
fn errors(stage: &Stage, program: &Program) -> Result<String, String> {
    let program = Program { files: program.files.clone(), entry: stage.entry.clone(), environment: Vec::new() };
    let shown = Shown { colour: false, root: "/".into(), elsewhere: Vec::new() };
    let report = Sandbox::start().and_then(|sandbox| sandbox.check(&program, None, &[], &shown));
    let report = report.map_err(|trap| trap.to_string())??;
    let of_program = if report.refused { report.rendered } else { String::new() };
    Ok(of_program + &stage.errors)
}
