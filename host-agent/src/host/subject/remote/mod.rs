//! Agents on other hosts, over the host's `ssh`. Each probe and each step is one connection and one script
//! ([`scripts`]); a watch is a persistent connection, and so is a tunnel ([`tunnel`]).

mod line;
mod scripts;
mod tunnel;

use super::{Backend, Context, absent, lens, refused, tool};
use crate::host::running::Running;
use crate::host::{Host, Shared, subscribe};
use crate::policy::Policy;
use line::Line;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::remote::{Finding, Move, Probe, Program, Start, Step, Store, There, Tunnel, Watch, ended};
use mclive_base::vocab::subjects::Remote;
use mclive_base::vocab::{CommandOutcome, Datum, HostError, HostErrorKind, Outcome, Power, path, remote};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The first and the longest pause between reconnections.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));
const TOOL: &str = "ssh";
/// This agent's binary.
const OURS: &str = "/proc/self/exe";

impl Backend for Remote {
    type State = ();
    absent! { fact }

    fn probe(at: &Context, Probe { place }: &Probe) -> Result<Finding, HostError> {
        let said = ask(at, at.running, place, scripts::LOOK, &[], None)?;
        let mut there = There::default();
        for (name, value) in said.lines().filter_map(|line| line.split_once('=')) {
            match name {
                "machine" => there.program.machine = value.to_owned(),
                "binary" => there.program.binary = value.to_owned(),
                "pid" => there.pid = value.parse().ok(),
                "digest" => there.digest = value.to_owned(),
                _ => {}
            }
        }
        if there.program.machine.is_empty() {
            let why = format!("unexpected output from {}", place.target.host);
            return Err(HostError::new(HostErrorKind::Other, why));
        }
        let ours = ours()?;
        Ok(match &at.shared.world {
            None => Finding::State { there, ours },
            Some(world) => {
                let (url, group) = world.address();
                Finding::Sharing { there, ours, store: Store { url: url.to_owned(), group: group.to_owned() } }
            }
        })
    }

    fn step(at: &Context, Step { place, change }: &Step) -> Result<Outcome, HostError> {
        match change {
            Move::Stop { .. } => drop(ask(at, at.running, place, scripts::STOP, &[], None)?),
            Move::Copy { installs } => {
                let binary = File::open(OURS).map_err(|error| crate::host::io_failed("open", OURS, &error))?;
                let installs = if *installs { "1" } else { "" };
                ask(at, at.running, place, scripts::COPY, &[installs], Some(binary))?;
            }
            Move::Start(start) => begin(at, place, start)?,
            Move::Await => awaited(at, place, ask(at, at.running, place, scripts::AWAIT, &[], None).map(drop))?,
            Move::Join(join) => awaited(at, place, tunnel::join(at, place, join))?,
        }
        Ok(Outcome::Done)
    }

    /// In place when the other host confirms it, or is unreachable.
    fn watch(host: &mut Host, ticket: Ticket, Watch { place }: &Watch) -> Result<(), HostError> {
        judge_key(&host.shared.policy, place)?;
        let (running, shared, place) = (Arc::new(Running::look()), host.shared.clone(), place.clone());
        host.followed.entry(ticket).or_default().push(running.clone());
        host.awaits(ticket);
        host.pool.run_apart(move || follow(&shared, ticket, &place, &running))
    }
}

/// A stop of this wait stops the remote agent as well.
fn awaited(at: &Context, place: &remote::Place, awaited: Result<(), HostError>) -> Result<(), HostError> {
    if at.running.is_stopped() {
        let _ = ask(at, &Running::step(), place, scripts::STOP, &[], None);
    }
    awaited
}

fn begin(at: &Context, place: &remote::Place, start: &Start) -> Result<(), HostError> {
    let files = tool::memory("program", &start.files)?;
    let timeout = time_of_rest(start);
    ask(at, at.running, place, scripts::START, &words(start, &timeout), Some(files)).map(drop)
}

/// The arguments of a script that starts an agent.
fn words<'a>(start: &'a Start, timeout: &'a str) -> [&'a str; 5] {
    let stays = if start.stays { "1" } else { "" };
    [&start.digest, &start.hostname, timeout, &start.entry, stays]
}

fn time_of_rest(start: &Start) -> String {
    start.ends_after_s.map(|s| s.to_string()).unwrap_or_default()
}

/// Runs a script there. Returns its output.
fn ask(
    at: &Context,
    running: &Running,
    place: &remote::Place,
    script: &str,
    words: &[&str],
    input: Option<File>,
) -> Result<String, HostError> {
    said(place, &ran(at, running, place, (script, words, None), input)?)
}

/// Runs a script there with its arguments, through a tunnel if there is one.
fn ran(
    at: &Context,
    running: &Running,
    place: &remote::Place,
    (script, words, tunnel): (&str, &[&str], Option<&Tunnel>),
    input: Option<File>,
) -> Result<CommandOutcome, HostError> {
    judge_key(&at.shared.policy, place)?;
    let line = Line::to(ssh()?, place, script, words, tunnel)?;
    tool::feed(at.shared, &at.id.kind, running, line.spec(), input)
}

/// Whether the policy allows reading the private key. The tool opens it by its path, in which it replaces some parts.
fn judge_key(policy: &Policy, place: &remote::Place) -> Result<(), HostError> {
    let key = place.target.key.as_deref().filter(|key| !key.is_empty() && !policy.reads().is_all());
    let Some(key) = key else { return Ok(()) };
    if !key.starts_with('/') || key.contains(['%', '$', '"', '\\']) {
        let rule = "with `reads` in the policy it must be an absolute path without `%`, `$`, quotes and backslashes";
        return Err(refused(format!("the key file `{}` is not used: {rule}", path::shown(key))));
    }
    lens::judged_whole(TOOL, key, policy.reads())
}

fn said(place: &remote::Place, outcome: &CommandOutcome) -> Result<String, HostError> {
    let host = &place.target.host;
    let (text, why) = (outcome.stdout.as_deref().unwrap_or_default(), tool::said(outcome.stderr.as_deref()));
    let other = |why: String| Err(HostError::new(HostErrorKind::Other, why));
    match outcome.status {
        Some(0) => Ok(String::from_utf8_lossy(text).into_owned()),
        Some(scripts::ENDED) => {
            let (status, log) = why.split_once(' ').unwrap_or((&why, ""));
            Err(ended(status.parse().unwrap_or(-1), log))
        }
        Some(255) if why.contains("Host key verification failed") => other(format!(
            "the host key of {host} is unknown or has changed: verify it, then add it to `~/.ssh/known_hosts` or set \
             the field `hostkey`"
        )),
        // The exit status of `ssh` itself.
        Some(255) => Err(HostError::new(HostErrorKind::Unavailable, format!("ssh to {host}: {why}"))),
        _ => other(format!("{host}: {why}")),
    }
}

fn ssh() -> Result<String, HostError> {
    tool::find(TOOL, "openssh-client")
}

/// The identity of this agent, computed once.
fn ours() -> Result<Program, HostError> {
    static OURS_IS: OnceLock<Program> = OnceLock::new();
    if let Some(ours) = OURS_IS.get() {
        return Ok(ours.clone());
    }
    let sum = File::open(OURS).and_then(hashed).map_err(|error| crate::host::io_failed("read", OURS, &error))?;
    let binary = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    let machine = rustix::system::uname().machine().to_string_lossy().into_owned();
    Ok(OURS_IS.get_or_init(|| Program { machine, binary }).clone())
}

fn hashed(mut file: File) -> std::io::Result<[u8; 32]> {
    let (mut sum, mut buffer) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(sum.finalize().into()),
            n => sum.update(&buffer[..n]),
        }
    }
}

/// Keeps a connection, and reports the output of its script and its end.
fn follow(shared: &Shared, ticket: Ticket, place: &remote::Place, running: &Running) {
    let (mut pause, mut is_first) = (PAUSES.0, true);
    while !running.is_stopped() {
        let mut is_there = false;
        let allowed = shared.policy.power(&Power::Ask(place.target.url.as_str().into())).map_err(refused);
        let line = allowed.and_then(|()| Line::to(ssh()?, place, scripts::WATCH, &[], None));
        let hears = |bytes: &[u8]| {
            for line in bytes.split(|byte| *byte == b'\n') {
                match line {
                    // Connected: after a lost connection everything is checked again.
                    b"ready" if std::mem::take(&mut is_first) => subscribe::in_place(shared, ticket),
                    b"ready" | b"changed" => subscribe::changed(shared, ticket, Some(place.target.host.clone())),
                    _ => {}
                }
                is_there |= line == b"ready";
            }
        };
        if let Ok(line) = line {
            let _ = tool::hear(shared, "remote", running, line.spec(), hears);
        }
        // The check reports why it is unreachable.
        if std::mem::take(&mut is_first) {
            subscribe::in_place(shared, ticket);
        } else if is_there && !running.is_stopped() {
            subscribe::changed(shared, ticket, Some(place.target.host.clone()));
        }
        pause = if is_there { PAUSES.0 } else { PAUSES.1.min(pause * 2) };
        running.rest(pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;
    use mclive_base::vocab::password::Secret;

    #[test]
    fn a_key_is_read_where_the_policy_lets_read() {
        let dir = Scratch::new("remote-key");
        let at = |name: &str| dir.join(name).display().to_string();
        ["id", "other"].iter().for_each(|name| std::fs::write(at(name), "key").unwrap());
        std::os::unix::fs::symlink(at("other"), at("link")).unwrap();
        let judged = |policy: &str, key: Option<&str>| {
            let target = remote::Target {
                url: "ssh://h:22".into(),
                user: "root".into(),
                host: "h".into(),
                port: 22,
                password: Secret(String::new()),
                key: key.map(str::to_owned),
                host_key: String::new(),
            };
            let place = remote::Place { target, id: "0".into(), is_kept: true };
            judge_key(&Policy::parse(policy).unwrap(), &place).map_err(|error| error.message)
        };
        let limited = format!("reads = ['{}', '{}']\npaths = []", at("id"), at("link"));
        assert_eq!(judged("", Some("~/id")), Ok(()));
        for key in [None, Some(""), Some(at("id").as_str())] {
            assert_eq!(judged(&limited, key), Ok(()), "{key:?}");
        }
        for key in [at("other"), at("link")] {
            assert!(judged(&limited, Some(&key)).unwrap_err().contains("does not allow reading"), "{key}");
        }
        for key in ["~/id".to_owned(), "id".to_owned(), at("%d"), at("${HOME}"), at("id\" -x")] {
            assert!(judged(&limited, Some(&key)).unwrap_err().contains("must be an absolute path"), "{key}");
        }
    }
}
