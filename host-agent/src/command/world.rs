//! `--world`: joins the store that several hosts share.

use super::unusable;
use crate::cli::Work;
use crate::host::{Joining, SharedStore, StateDir};
use crate::network::Network;
use crate::program::Failure;
use mclive_base::protocol::Options;
use mclive_base::vocab::{Datum, KeyStore};
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

/// The longest name of a cluster.
const LONGEST: usize = 253;
/// The agent's own key in the local store: a random text.
const ID: &str = "agent/id";

/// Joins the store, if the run has one. The inner error: why this host cannot.
pub(super) fn join(
    args: &Work,
    options: &Options,
    state: &StateDir,
    network: &Network,
) -> Result<Option<Result<Arc<SharedStore>, String>>, Failure> {
    let fleet = &args.fleet;
    if fleet.world.is_empty() {
        return Ok(None);
    }
    let urls = fleet.world.iter().map(|text| endpoint(text)).collect::<Result<Vec<_>, _>>().map_err(unusable)?;
    let name = &fleet.world_name;
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if !letters || !(1..=LONGEST).contains(&name.len()) {
        return Err(unusable(format!("invalid --world-name `{name}`: use letters, digits, `.`, `_` and `-`")));
    }
    let writes = !options.rehearse && !options.noop;
    let id = writes.then(|| id(state)).transpose().map_err(unusable)?;
    let joining = Joining {
        urls,
        name: name.clone(),
        ttl: fleet.world_ttl,
        wait: Duration::from_secs(fleet.world_wait),
        hostname: options.hostname.clone(),
        id,
    };
    Ok(Some(joining.join(network)))
}

/// A URL of a member of the store, without a slash at its end.
fn endpoint(text: &str) -> Result<String, String> {
    let url = text.trim().trim_end_matches('/');
    let authority = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    match authority {
        Some(authority) if !authority.is_empty() && !authority.contains(['/', '?', '#', '@']) => Ok(url.to_owned()),
        _ => Err(format!(
            "invalid --world URL `{text}`: expected the address of an etcd member, such as http://10.0.0.1:2379"
        )),
    }
}

/// The identity of the agent with this state directory.
fn id(state: &StateDir) -> Result<String, String> {
    if let Some(Datum::Bytes(id)) = state.key(KeyStore::Local, ID) {
        return Ok(String::from_utf8_lossy(&id).into_owned());
    }
    let mut bytes = [0; 8];
    let random = std::fs::File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes));
    random.map_err(|error| crate::host::io_failed("read", "/dev/urandom", &error).message)?;
    let id = format!("{:016x}", u64::from_ne_bytes(bytes));
    state.set_key(KeyStore::Local, ID, Some(&Datum::text(id.as_str())), || ()).map_err(|error| error.message)?;
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_scheme_and_an_address() {
        assert_eq!(endpoint(" http://10.0.0.1:2379/ ").as_deref(), Ok("http://10.0.0.1:2379"));
        for wrong in ["10.0.0.1:2379", "ftp://h:1", "http://", "http://u:p@h:1", "http://h:1/path"] {
            assert!(endpoint(wrong).is_err(), "{wrong}");
        }
    }
}
