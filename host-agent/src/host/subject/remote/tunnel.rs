//! A tunnel to the shared store: the connection that starts a remote agent, and waits for it, also carries it. ssh runs
//! nothing before the tunnel is open, so an agent never reaches another store at its address.
//!
//! It leads to the member of the store that this host uses. When this host has lost that member and uses another one, the
//! connection is opened again, to the other one.

use super::super::{kernel_text, tool};
use super::{Context, ran, said, scripts, time_of_rest, words};
use crate::host::Shared;
use crate::host::running::Running;
use crate::network::mac::hex;
use mclive_base::hash::sha256;
use mclive_base::vocab::remote::{self, Join, Start, Store, Tunnel, not_opened};
use mclive_base::vocab::{CommandOutcome, HostError, HostErrorKind, Power};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The first and the longest pause between connections.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));
/// The id of this machine.
const MACHINE: &str = "/etc/machine-id";
/// What ssh prints about a tunnel that the other side does not open.
const NOT_OPENED: &str = "remote port forwarding failed";
/// How often to look whether this host uses another member of the store.
const LOOKS: Duration = Duration::from_secs(2);
/// When to look first in a connection that starts an agent with a small program.
const STARTED: Duration = Duration::from_secs(60);
/// How fast a slow connection carries a program. Units: bytes per second.
const SLOW: usize = 32 << 10;

/// Starts the agent unless it runs, and waits until it has ended. A lost connection is opened again.
pub(super) fn join(at: &Context, place: &remote::Place, join: &Join) -> Result<(), HostError> {
    let (began, host, mut tunnel) = (Instant::now(), &place.target.host, join.tunnel.clone());
    let (mut start, mut pause, mut has_cleared) = (join.start.as_ref(), PAUSES.0, false);
    // Why there is no tunnel any more, as it was told.
    let (mut was_joined, mut told) = (false, String::new());
    loop {
        let outcome = open(at, place, start, &tunnel)?;
        if let Some(error) = rival(&outcome, host, &at.shared.hostname, was_joined) {
            return Err(error);
        }
        let mut error = match said(place, &outcome) {
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        if has_joined(&outcome) {
            (start, pause, has_cleared) = (None, PAUSES.0, false);
            (was_joined, told) = (true, String::new());
        }
        // Otherwise it may be in the log of the other agent.
        let is_of_ssh = outcome.status == Some(255);
        let is_taken = is_of_ssh && tool::said(outcome.stderr.as_deref()).contains(NOT_OPENED);
        if is_taken && !has_cleared {
            // An earlier connection may hold the address, whose other end is gone.
            let cleared = ran(at, at.running, place, (scripts::CLEAR, &[us(at.shared).as_str()], None), None)?;
            if let Some(error) = rival(&cleared, host, &at.shared.hostname, was_joined) {
                return Err(error);
            }
            has_cleared = true;
            continue;
        }
        let is_lost = is_taken || outcome.status.is_none() || error.kind == HostErrorKind::Unavailable;
        if is_taken {
            error = not_opened(host, &tunnel.listen);
        }
        let other = successor(at.shared, &tunnel);
        // If the agent runs, its connection can be cut before it is joined.
        let goes_on = was_joined || other.is_some() && start.is_none();
        if !is_lost || !goes_on {
            return Err(error);
        }
        if let Some(other) = other {
            at.shared.show.line(at.id, &format!("the tunnel now leads to the shared store at {}", other.end()));
            (tunnel, told) = (other, String::new());
        } else if told != error.message {
            at.shared.show.line(at.id, &format!("lost the tunnel, connecting again: {}", error.message));
            told = error.message;
        }
        at.running.rest(pause);
        pause = PAUSES.1.min(pause * 2);
        // The next run of this agent finds the other one, and gives it a tunnel.
        if at.running.leaves_off(began) {
            let why = format!("the agent on {host} has no tunnel");
            return Err(HostError::new(HostErrorKind::Cancelled, why));
        }
    }
}

/// One connection, until it or the agent ends, or this host uses another member of the store.
fn open(
    at: &Context,
    place: &remote::Place,
    start: Option<&Start>,
    tunnel: &Tunnel,
) -> Result<CommandOutcome, HostError> {
    let ((ends, over), first) = (channel(), start.map_or(LOOKS, |start| started(start.files.len())));
    let (shared, running) = (at.shared, at.running);
    std::thread::scope(|scope| {
        let cuts = move || cut_when_moved(shared, running, tunnel, first, &over);
        // Without this thread, the tunnel only changes when it is lost itself.
        drop(std::thread::Builder::new().name("tunnel".into()).spawn_scoped(scope, cuts));
        let outcome = connect(at, place, start, tunnel);
        drop(ends);
        outcome
    })
}

/// When to look first in a connection that starts an agent with a program of this size. By then it runs: a start that is cut
/// short cannot be repeated.
fn started(n_bytes: usize) -> Duration {
    STARTED + Duration::from_secs((n_bytes / SLOW) as u64)
}

/// Ends the connection as soon as the tunnel should lead to another member.
fn cut_when_moved(shared: &Shared, running: &Running, tunnel: &Tunnel, first: Duration, over: &Receiver<()>) {
    let mut pause = first;
    while over.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        if successor(shared, tunnel).is_some() {
            running.cut();
        }
        pause = LOOKS;
    }
}

/// The tunnel to the member that this host uses now, if that is a different one and the policy allows it. The agent at
/// the other end must find it at the URL with which it was started.
fn successor(shared: &Shared, tunnel: &Tunnel) -> Option<Tunnel> {
    let world = shared.world.as_ref().filter(|world| world.live_since().is_some())?;
    let (url, group) = world.address();
    if url == tunnel.store.url || shared.policy.power(&Power::Ask(url.into())).is_err() {
        return None;
    }
    let store = Store { url: url.to_owned(), group: group.to_owned() };
    let other = Tunnel { listen: tunnel.listen.clone(), store };
    (other.url() == tunnel.url()).then_some(other)
}

/// The connection itself.
fn connect(
    at: &Context,
    place: &remote::Place,
    start: Option<&Start>,
    tunnel: &Tunnel,
) -> Result<CommandOutcome, HostError> {
    let (url, us) = (tunnel.url(), us(at.shared));
    let Some(start) = start else {
        return ran(at, at.running, place, (scripts::STAY, &[url.as_str(), us.as_str()], Some(tunnel)), None);
    };
    let (files, timeout) = (tool::memory("program", &start.files)?, time_of_rest(start));
    let words = [&words(start, &timeout)[..], &[&*url, &*tunnel.store.group, &*us]].concat();
    ran(at, at.running, place, (scripts::JOIN, &words, Some(tunnel)), Some(files))
}

/// What this agent calls itself on the other host: its identity and, for messages, the name of its host.
fn us(shared: &Shared) -> String {
    // Images of machines may have no id.
    let machine = kernel_text(MACHINE).unwrap_or_default();
    format!("{} {}", identity(machine.trim(), shared.state.prefix(), &shared.hostname), shared.hostname)
}

/// An agent by its machine and its state directory, which is of one agent at a time. Several machines may have one name, and
/// a machine may get another one, after which its earlier connection is still its own. The id of a machine itself is not
/// passed on.
fn identity(machine: &str, prefix: &Path, hostname: &str) -> String {
    let machine = if machine.is_empty() { hostname } else { machine };
    let mut identity = hex(&sha256(format!("remote:{machine}:{}", prefix.display()).as_bytes()));
    identity.truncate(16);
    identity
}

/// The error if a script found that another agent is connected. Before the first connection, nothing was begun.
fn rival(outcome: &CommandOutcome, host: &str, hostname: &str, was_joined: bool) -> Option<HostError> {
    if outcome.status != Some(scripts::RIVAL) {
        return None;
    }
    let who = tool::said(outcome.stdout.as_deref());
    let also = if who == hostname { "a host that is also called " } else { "" };
    let why = format!(
        "another agent, on {also}{who}, is connected to the agent on {host}: a resource in its program has the same name; \
         rename one of the two"
    );
    let kind = if was_joined { HostErrorKind::Other } else { HostErrorKind::NotBegun };
    Some(HostError::new(kind, why))
}

/// Whether the agent has run with its tunnel in this connection.
fn has_joined(outcome: &CommandOutcome) -> bool {
    let said = outcome.stdout.as_deref().unwrap_or_default();
    said.split(|byte| *byte == b'\n').any(|line| line == scripts::JOINED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_told_apart_by_their_machines() {
        let of = |machine: &str, prefix: &str, hostname: &str| identity(machine, Path::new(prefix), hostname);
        let ours = of("0a1b", "/var/lib/mclive", "web1");
        assert_eq!(ours, of("0a1b", "/var/lib/mclive", "web2"), "its host has got another name");
        for other in [of("0a1c", "/var/lib/mclive", "web1"), of("0a1b", "/srv/other", "web1")] {
            assert_ne!(ours, other);
        }
        assert_ne!(of("", "/p", "web1"), of("", "/p", "web2"));
        assert!(!ours.contains("0a1b") && !ours.contains(' '), "{ours}");
    }

    #[test]
    fn the_transfer_of_a_large_program_is_not_cut_short() {
        assert_eq!((started(0), started(10_000)), (STARTED, STARTED));
        assert_eq!(started(64 << 20), STARTED + Duration::from_secs(2048));
    }
}
