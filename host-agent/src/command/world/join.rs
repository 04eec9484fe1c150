//! `run --world`: joins the store that several hosts share.

use super::super::key::{host_key, known_host_key};
use super::super::unusable;
use super::cluster;
use crate::cli::{Fleet, Work};
use crate::deploy::OperatorKey;
use crate::host::{HostKeys, Joining, SharedStore, Signer, StateDir, operators, random_name, recipients};
use crate::network::Network;
use crate::program::Failure;
use crate::utc;
use mclive_base::protocol::Options;
use mclive_base::vocab::{Datum, KeyStore};
use std::sync::Arc;
use std::time::Duration;

/// The agent's own key in the local store: a random text.
const ID: &str = "agent/id";
/// Its key there for the number of the last run that signed exports.
const SIGNED: &str = "agent/signed";

/// How long a host that can start without the store waits for it. Units: seconds.
const SHORT: u64 = 3;

/// Joins the store, if the run has one. `may_be_away`: this host can start without it. The inner error: why this host
/// cannot join.
pub(in super::super) fn join(
    args: &Work,
    options: &Options,
    state: &StateDir,
    network: &Network,
    may_be_away: bool,
) -> Result<Option<Result<Arc<SharedStore>, String>>, Failure> {
    let fleet = &args.fleet;
    if fleet.world.is_empty() {
        return Ok(None);
    }
    let cluster = cluster(&fleet.world, &fleet.world_name, &fleet.access)?;
    let writes = !options.rehearse && !options.noop;
    let id = writes.then(|| id(state)).transpose().map_err(unusable)?;
    let path = fleet.require_host_signatures.clone();
    let host_keys = path.map(|path| HostKeys::read(&path).map(|keys| (path, keys))).transpose().map_err(unusable)?;
    let list = fleet.require_vote_signatures.clone();
    let operators = list.map(|list| operators(&list).map(|keys| (list, keys))).transpose().map_err(unusable)?;
    let list = fleet.host_keys.clone();
    let recipients = list.map(|list| recipients(&list).map(|keys| (list, keys))).transpose().map_err(unusable)?;
    let key = key(fleet, &options.hostname, writes).map_err(unusable)?;
    let opening = key.as_ref().map(OperatorKey::opening);
    let signer = key.filter(|_| writes).map(|key| signer(key, fleet, state)).transpose().map_err(unusable)?;
    let joining = Joining {
        cluster,
        ttl: fleet.world_ttl,
        wait: Duration::from_secs(if may_be_away { fleet.world_wait.min(SHORT) } else { fleet.world_wait }),
        hostname: options.hostname.clone(),
        id,
        may_be_away,
        signer,
        opening,
        recipients,
        host_keys,
        operators,
    };
    Ok(Some(joining.join(network)))
}

/// The key of this host. `writes`: it is created if it does not exist. Errors: why it cannot be used.
fn key(fleet: &Fleet, hostname: &str, writes: bool) -> Result<Option<OperatorKey>, String> {
    let Some(path) = &fleet.host_key else { return Ok(None) };
    if writes { host_key(path, hostname).map(Some) } else { known_host_key(path) }
}

/// What signs the exports of this host. Errors: why it cannot.
fn signer(key: OperatorKey, fleet: &Fleet, state: &StateDir) -> Result<Signer, String> {
    Ok(Signer::new(key, &fleet.world_name, run(state)?))
}

/// A number that is larger in each run, also if the clock was set back or the state directory was lost.
fn run(state: &StateDir) -> Result<u32, String> {
    let last: u32 = match state.key(KeyStore::Local, SIGNED) {
        Some(Datum::Bytes(last)) => String::from_utf8_lossy(&last).parse().unwrap_or(0),
        _ => 0,
    };
    let run = last.saturating_add(1).max(u32::try_from(utc::now()).unwrap_or(0));
    let stored = Datum::text(run.to_string());
    state.set_key(KeyStore::Local, SIGNED, Some(&stored), || ()).map_err(|error| error.message)?;
    Ok(run)
}

/// The identity of the agent with this state directory.
fn id(state: &StateDir) -> Result<String, String> {
    if let Some(Datum::Bytes(id)) = state.key(KeyStore::Local, ID) {
        return Ok(String::from_utf8_lossy(&id).into_owned());
    }
    let id = random_name()?;
    state.set_key(KeyStore::Local, ID, Some(&Datum::text(id.as_str())), || ()).map_err(|error| error.message)?;
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;

    #[test]
    fn each_run_that_signs_has_a_larger_number() {
        let dir = Scratch::new("signed-runs");
        let state = StateDir::open(&dir).unwrap();
        let first = run(&state).unwrap();
        let second = run(&state).unwrap();
        assert!(first < second);
        // The clock was set back since then.
        let stored = Datum::text((second + 1_000_000).to_string());
        state.set_key(KeyStore::Local, SIGNED, Some(&stored), || ()).unwrap();
        assert_eq!(run(&state), Ok(second + 1_000_001));
    }
}
