//! A tunnel to the shared store: the connection that starts a remote agent, and waits for it, also carries it. ssh runs
//! nothing before the tunnel is open, so an agent never reaches another store at its address.

use super::super::tool;
use super::{Context, ran, said, scripts, time_of_rest, words};
use mclive_base::vocab::remote::{self, Join, Start, Tunnel, not_opened};
use mclive_base::vocab::{CommandOutcome, HostError, HostErrorKind};
use std::time::{Duration, Instant};

/// The first and the longest pause between connections.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));
/// What ssh says about a tunnel that the other side does not open.
const NOT_OPENED: &str = "remote port forwarding failed";

/// Starts the agent unless it runs, and waits until it has ended. A lost connection is opened again.
pub(super) fn join(at: &Context, place: &remote::Place, join: &Join) -> Result<(), HostError> {
    let (began, tunnel, host) = (Instant::now(), &join.tunnel, &place.target.host);
    let (mut start, mut pause, mut has_cleared) = (join.start.as_ref(), PAUSES.0, false);
    // Why there is no tunnel any more, as it was told.
    let (mut was_joined, mut told) = (false, String::new());
    loop {
        let outcome = open(at, place, start, tunnel)?;
        if let Some(error) = rival(&outcome, host, was_joined) {
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
            let cleared = ran(at, at.running, place, (scripts::CLEAR, &[at.shared.hostname.as_str()], None), None)?;
            if let Some(error) = rival(&cleared, host, was_joined) {
                return Err(error);
            }
            has_cleared = true;
            continue;
        }
        let is_lost = is_taken || outcome.status.is_none() || error.kind == HostErrorKind::Unavailable;
        if is_taken {
            error = not_opened(host, &tunnel.listen);
        }
        if !was_joined || !is_lost {
            return Err(error);
        }
        if told != error.message {
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

/// One connection, until it or the agent ends.
fn open(
    at: &Context,
    place: &remote::Place,
    start: Option<&Start>,
    tunnel: &Tunnel,
) -> Result<CommandOutcome, HostError> {
    let (url, us) = (tunnel.url(), at.shared.hostname.as_str());
    let Some(start) = start else {
        return ran(at, at.running, place, (scripts::STAY, &[url.as_str(), us], Some(tunnel)), None);
    };
    let (files, timeout) = (tool::memory("program", &start.files)?, time_of_rest(start));
    let words = [&words(start, &timeout)[..], &[&*url, &*tunnel.store.group, us]].concat();
    ran(at, at.running, place, (scripts::JOIN, &words, Some(tunnel)), Some(files))
}

/// The error if a script found that another agent is connected. Before the first connection, nothing was begun.
fn rival(outcome: &CommandOutcome, host: &str, was_joined: bool) -> Option<HostError> {
    if outcome.status != Some(scripts::RIVAL) {
        return None;
    }
    let who = tool::said(outcome.stdout.as_deref());
    let why = format!(
        "another agent, on {who}, is connected to the agent on {host}: in its program a resource has the same name; \
         rename one of them"
    );
    let kind = if was_joined { HostErrorKind::Other } else { HostErrorKind::NotBegun };
    Some(HostError::new(kind, why))
}

/// Whether the agent has run with its tunnel in this connection.
fn has_joined(outcome: &CommandOutcome) -> bool {
    let said = outcome.stdout.as_deref().unwrap_or_default();
    said.split(|byte| *byte == b'\n').any(|line| line == scripts::JOINED)
}
