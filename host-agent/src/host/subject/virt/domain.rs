//! Virtual machines: their state in libvirt, and their changes.

use super::Context;
use super::description::{AGENT, Runner, arranged, description, setup};
use super::edits::{child, children, parse, value};
use super::image::{self, Images, has_host_files};
use super::virsh::Virsh;
use mclive_base::vocab::virt::Part;
use mclive_base::vocab::virt::domain::{Domain, Layout, Move, Stand};
use mclive_base::vocab::{HostError, HostErrorKind};
use roxmltree::Node;
use std::ffi::OsStr;
use std::time::{Duration, Instant};

/// How long a guest may take to shut down.
const TO_STOP: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(200);

pub(super) fn look(at: &Context, virsh: &Virsh, name: &str) -> Result<Option<Domain>, HostError> {
    let Some(uuid) = find(at, virsh, name)? else { return Ok(None) };
    match seen(at, virsh, &uuid) {
        // It was removed in the meantime.
        Err(_) if find(at, virsh, name)?.is_none() => Ok(None),
        seen => seen.map(Some),
    }
}

/// The UUID of a machine. The tool interprets a name as a number or a UUID if it can, so machines are always addressed
/// by UUID.
fn find(at: &Context, virsh: &Virsh, name: &str) -> Result<Option<String>, HostError> {
    let all = virsh.ask(at, &["list", "--all", "--uuid", "--name"])?;
    let pairs = all.lines().filter_map(|line| line.trim_end().split_once(' '));
    Ok(pairs
        .map(|(uuid, known)| (uuid, known.trim_start()))
        .find(|(_, known)| *known == name)
        .map(|(uuid, _)| uuid.into()))
}

fn found(at: &Context, virsh: &Virsh, name: &str) -> Result<String, HostError> {
    let gone = || HostError::new(HostErrorKind::NotFound, format!("cannot find virtual machine {name}"));
    find(at, virsh, name)?.ok_or_else(gone)
}

fn seen(at: &Context, virsh: &Virsh, uuid: &str) -> Result<Domain, HostError> {
    let info = virsh.ask(at, &["dominfo", uuid])?;
    let field = |name: &str| {
        let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(str::trim).unwrap_or_default()
    };
    let stand = standing(field("State"));
    let is_off = stand == Stand::Off;
    let xml = virsh.ask(at, &["dumpxml", uuid])?;
    let now = parse(&xml)?;
    let (live, stored) = match (is_off, field("Persistent")) {
        (true, _) => (None, Some(setup(&now))),
        (false, "yes") => {
            let xml = virsh.ask(at, &["dumpxml", uuid, "--inactive"])?;
            (Some(setup(&now)), Some(setup(&parse(&xml)?)))
        }
        (false, _) => (Some(setup(&now)), None),
    };
    let is_agent = |channel: &Node| {
        value(*channel, "target", "name") == Some(AGENT) && value(*channel, "target", "state") == Some("connected")
    };
    let has_agent = children(child(now.root_element(), "devices"), "channel").any(|channel| is_agent(&channel));
    // An event reports when an agent becomes available.
    let guest_cpus = has_agent.then(|| virsh.ask(at, &["vcpucount", uuid, "--guest"]).ok()?.trim().parse().ok());
    Ok(Domain { stand, autostart: field("Autostart") == "enable", live, stored, guest_cpus: guest_cpus.flatten() })
}

fn standing(word: &str) -> Stand {
    match word {
        // An idle machine, and one that is shutting down, still run.
        "running" | "idle" | "in shutdown" => Stand::Running,
        "paused" => Stand::Paused,
        "pmsuspended" => Stand::Asleep,
        "shut off" => Stand::Off,
        word => Stand::Stuck(word.to_owned()),
    }
}

pub(super) fn act(at: &Context, virsh: &Virsh, name: &str, change: &Move) -> Result<(), HostError> {
    let images = images(at, virsh, change)?;
    match change {
        Move::Define(spec) => {
            let xml = description(name, spec, &Runner::of(at, virsh)?, images);
            judge_files(at, virsh, &spec.layout, &xml)?;
            return virsh.tell(at, "define", &xml, &[]);
        }
        Move::Create { spec, paused } => {
            let xml = description(name, spec, &Runner::of(at, virsh)?, images);
            judge_files(at, virsh, &spec.layout, &xml)?;
            return virsh.tell(at, "create", &xml, if *paused { &["--paused"] } else { &[] });
        }
        _ => {}
    }
    let uuid = &*found(at, virsh, name)?;
    let say = |words: &[&str]| virsh.ask(at, words).map(drop);
    let told = |number: &u64, flags: &[&str], word: &str| say(&[&[word, uuid, &number.to_string()], flags].concat());
    match change {
        Move::Define(_) | Move::Create { .. } => Ok(()),
        Move::Persist => {
            let xml = virsh.ask(at, &["dumpxml", uuid, "--inactive", "--security-info"])?;
            virsh.tell(at, "define", &xml, &[])
        }
        Move::Undefine => say(&["undefine", uuid]),
        Move::Autostart(true) => say(&["autostart", uuid]),
        Move::Autostart(false) => say(&["autostart", uuid, "--disable"]),
        Move::Arrange { layout, .. } => {
            let xml = virsh.ask(at, &["dumpxml", uuid, "--inactive", "--security-info"])?;
            let xml = arranged(&xml, layout, images)?;
            judge_files(at, virsh, layout, &xml)?;
            virsh.tell(at, "define", &xml, &[])
        }
        Move::Cpus { part, to, .. } => told(to, &[flag(*part)], "setvcpus"),
        Move::MaxCpus { to, .. } => told(to, &["--config", "--maximum"], "setvcpus"),
        Move::GuestCpus { to, .. } => told(to, &["--guest"], "setvcpus"),
        Move::Memory { part: Part::Live, to, .. } => told(to, &["--live"], "setmem"),
        // Both are the memory of the machine: with less its guest could not use it.
        Move::Memory { part: Part::Stored, now, to } if to > now => {
            told(to, &["--config"], "setmaxmem").and_then(|()| told(to, &["--config"], "setmem"))
        }
        Move::Memory { part: Part::Stored, to, .. } => told(to, &["--config"], "setmem"),
        Move::Start { paused: false } => say(&["start", uuid]),
        Move::Start { paused: true } => say(&["start", uuid, "--paused"]),
        Move::Suspend => say(&["suspend", uuid]),
        Move::Resume => say(&["resume", uuid]),
        Move::Wake => say(&["dompmwakeup", uuid]),
        Move::Stop => stop(at, virsh, name, uuid),
    }
}

/// How far images are trusted. Errors: one names files that the policy was not asked about.
fn images(at: &Context, virsh: &Virsh, change: &Move) -> Result<Images, HostError> {
    let policy = &at.shared.policy;
    if virsh.is_remote() || policy.changes().is_all() && policy.reads().is_all() {
        return Ok(Images::Trusted);
    }
    let layout = match change {
        Move::Define(spec) | Move::Create { spec, .. } => &spec.layout,
        Move::Arrange { layout, .. } => layout,
        _ => return Ok(Images::Sealed),
    };
    let mut volumes = layout.disks.iter().chain(&layout.cdroms).flatten();
    volumes.try_for_each(|volume| image::stands_alone(&volume.source, &volume.format))?;
    Ok(Images::Sealed)
}

/// May a machine set modes in the folders that it shares, and a container have all files of this host, where it has no
/// others?
fn judge_files(at: &Context, virsh: &Virsh, layout: &Layout, xml: &str) -> Result<(), HostError> {
    if virsh.is_remote() {
        return Ok(());
    }
    let changes = at.shared.policy.changes();
    image::exposed(layout, xml)?.into_iter().try_for_each(|folder| changes.judge_shared(folder))?;
    if has_host_files(xml)? { changes.judge_below(OsStr::new("/")) } else { Ok(()) }
}

fn flag(part: Part) -> &'static str {
    match part {
        Part::Live => "--live",
        Part::Stored => "--config",
    }
}

/// Asks the guest to shut down, and turns it off if that does not help.
fn stop(at: &Context, virsh: &Virsh, name: &str, uuid: &str) -> Result<(), HostError> {
    let began = Instant::now();
    let state = || virsh.ask(at, &["domstate", uuid]).map(|state| standing(state.trim()));
    // A paused guest cannot react.
    match state()? {
        Stand::Paused => drop(virsh.ask(at, &["resume", uuid])?),
        Stand::Asleep => drop(virsh.ask(at, &["dompmwakeup", uuid])?),
        Stand::Off => return Ok(()),
        Stand::Running | Stand::Stuck(_) => {}
    }
    let mut is_asked = virsh.ask(at, &["shutdown", uuid]).is_ok();
    while is_asked && began.elapsed() < TO_STOP {
        match state() {
            Ok(Stand::Off) => return Ok(()),
            // A transient machine no longer exists.
            Err(_) if find(at, virsh, name)?.is_none() => return Ok(()),
            Ok(_) | Err(_) => at.running.rest(PAUSE),
        }
        is_asked &= !at.running.is_stopped();
    }
    if at.running.is_stopped() {
        return Err(HostError::new(HostErrorKind::Cancelled, format!("stopping {name} was interrupted")));
    }
    virsh.ask(at, &["destroy", uuid]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_how_one_stands() {
        assert_eq!(standing("idle"), Stand::Running);
        assert_eq!(standing("crashed"), Stand::Stuck("crashed".into()));
    }
}
