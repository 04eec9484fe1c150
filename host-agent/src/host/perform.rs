//! Carrying out one probe or one step: from the vocabulary to the calls that do it.

use super::fs::{self, Bytes};
use super::program::Asker;
use super::running::Running;
use super::{Shared, accounts, exec};
use mclive_compiler::protocol::ResourceId;
use mclive_compiler::vocab::{
    CommandOutcome, CommandSpec, Content, FileKind, Finding, HostError, HostErrorKind, Outcome, Probe, Step,
};

/// Does this wait for a command?
pub(super) fn probe_waits(probe: &Probe) -> bool {
    matches!(probe, Probe::Run(_))
}

pub(super) fn step_waits(step: &Step) -> bool {
    matches!(step, Step::Run(_))
}

/// What is no link is the same with links followed, so the second of two such looks need not be taken.
pub(super) fn seen_before(asked: &[Probe], found: &[Finding], probe: &Probe) -> Option<Finding> {
    let Probe::Stat { path, follow: true } = probe else { return None };
    match (asked.last()?, found.last()?) {
        (Probe::Stat { path: before, follow: false }, Finding::Stat(stat)) if before == path => {
            let is_link = stat.as_ref().is_some_and(|stat| stat.kind == FileKind::Symlink);
            (!is_link).then(|| Finding::Stat(stat.clone()))
        }
        _ => None,
    }
}

pub(super) fn probe(shared: &Shared, id: &ResourceId, probe: &Probe, running: &Running) -> Finding {
    let reads = shared.policy.reads();
    let found = match probe {
        Probe::Stat { path, follow } => fs::stat(reads, path, *follow).map(Finding::Stat),
        Probe::ReadFile { path, limit } => fs::read_file(reads, path, *limit).map(Finding::Bytes),
        Probe::HashFile { path } => fs::hash_file(reads, path, &|| running.is_stopped()).map(Finding::Hash),
        Probe::ListDir { path, recursive } => fs::list_dir(reads, path, *recursive).map(Finding::Entries),
        Probe::Run(spec) => run(shared, id, spec, running).map(Finding::Command),
        Probe::ReadState { name } => shared.state.read(id, name).map(Finding::Bytes),
        Probe::StatState { name } => shared.state.stat(id, name).map(Finding::Stat),
        Probe::ListStates { name } => shared.state.list(name).map(Finding::States),
        Probe::Key { store, key } => Ok(Finding::Datum(shared.state.key(*store, key))),
        Probe::Label { path } => fs::label(reads, path).map(Finding::Label),
        Probe::User { name } => accounts::user(name).map(|user| Finding::Id(user.uid)),
        Probe::Posted { address } => Ok(Finding::Datum(shared.web.posted(address))),
        Probe::Umask => Ok(Finding::Id(shared.umask)),
        Probe::Group { name } => accounts::group(name).map(Finding::Id),
    };
    found.unwrap_or_else(Finding::Failed)
}

/// Carries out a step that the policy allows, and writes the audit line.
pub(super) fn step(shared: &Shared, id: &ResourceId, step: &Step, running: &Running) -> Outcome {
    let outcome = match shared.policy.step(id, step) {
        Ok(()) => change(shared, id, step, running).unwrap_or_else(Outcome::Failed),
        Err(why) => Outcome::Failed(HostError::new(HostErrorKind::Refused, why)),
    };
    shared.audit.write(id, step, &outcome);
    outcome
}

fn change(shared: &Shared, id: &ResourceId, step: &Step, running: &Running) -> Result<Outcome, HostError> {
    let umask = shared.umask;
    let changes = shared.policy.changes();
    match step {
        Step::WriteFile { path, content, mode } => {
            let bytes = match content {
                Content::Bytes(bytes) => Bytes::These(bytes),
                Content::CopyOf(source) => Bytes::Of(shared.policy.reads(), source),
            };
            fs::write_file(changes, path, &bytes, *mode, umask)?;
        }
        Step::CreateFile { path, mode } => fs::create_file(changes, path, *mode, umask)?,
        Step::MakeDir { path, parents, mode } => fs::make_dir(changes, path, *parents, *mode, umask)?,
        Step::Remove { path, recursive } => fs::remove(changes, path, *recursive)?,
        Step::Symlink { path, target } => fs::symlink(changes, shared.policy.targets(), path, target)?,
        Step::SetMode { path, mode } => fs::set_mode(changes, path, *mode)?,
        Step::SetOwner { path, uid, gid } => fs::set_owner(changes, path, *uid, *gid)?,
        Step::SetLabel { path, label } => fs::set_label(changes, path, label.as_deref())?,
        Step::Run(spec) => return run(shared, id, spec, running).map(Outcome::Command),
        Step::WriteState { name, content } => shared.state.write(id, name, content)?,
        Step::RemoveState { name } => shared.state.remove(id, name)?,
        Step::SetKey { store, key, value } => {
            if shared.state.set_key(*store, key, value.as_ref())? {
                shared.key_changed(*store, key);
            }
        }
        Step::Print { text } => shared.show.line(id, text),
    }
    Ok(Outcome::Done)
}

fn run(shared: &Shared, id: &ResourceId, spec: &CommandSpec, running: &Running) -> Result<CommandOutcome, HostError> {
    let program = shared.may_run(Asker::Resource(&id.kind), spec)?;
    exec::run(spec, &program, running, &|text| shared.show.line(id, text))
}
