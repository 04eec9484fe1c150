//! [`Joining`]: how a host joins a cluster when it starts: it waits for the store, reads all keys, and makes sure that
//! no other agent uses its name.

use super::electorate::Electorate;
use super::gateway::{Cluster, Failure, Gateway};
use super::host_keys::HostKeys;
use super::judge::Judge;
use super::leases::Tick;
use super::opening::Opener;
use super::sealing::Sealer;
use super::signing::Signer;
use super::{Inside, Reached, SharedStore, unanswered};
use crate::deploy::Operators;
use crate::lock::Mutex;
use crate::network::Network;
use crate::output;
use crate::sealed::{OpeningKey, Recipients};
use crate::utc::LAST;
use mclive_base::vocab::Datum;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};

/// The pause between attempts to reach the store.
const AGAIN: Duration = Duration::from_millis(500);
/// The least time for an attempt.
const LEAST: Duration = Duration::from_secs(1);
/// When to say what is awaited, and how often.
const TELLS: (Duration, Duration) = (Duration::from_secs(3), Duration::from_secs(60));
/// The version of the keys that this agent reads and writes.
const LAYOUT: &str = "1";

/// A host that joins a cluster.
pub(crate) struct Joining {
    pub(crate) cluster: Cluster,
    /// How long the keys of this host are kept after its agent has stopped. Units: seconds.
    pub(crate) ttl: u64,
    /// How long to wait for the store.
    pub(crate) wait: Duration,
    pub(crate) hostname: String,
    /// Distinguishes the agent of this state directory from another one with its name. `None`: nothing is written.
    pub(crate) id: Option<String>,
    /// If the store is away, the host starts without it, and joins when it is back.
    pub(crate) may_be_away: bool,
    /// Signs what this host exports, its values and its votes.
    pub(crate) signer: Option<Signer>,
    /// Opens what is sealed for this host.
    pub(crate) opening: Option<OpeningKey>,
    /// The keys to which the secrets of exported resources are sealed: the file with them, and what it holds.
    pub(crate) recipients: Option<(PathBuf, Recipients)>,
    /// Exported resources, and values of hosts, count only if they are signed with a key of their host: the file with the
    /// keys, and what it holds.
    pub(crate) host_keys: Option<(PathBuf, HostKeys)>,
    /// Votes count only with a list of voters that one of these operators has signed: the file with their keys, and what it
    /// holds.
    pub(crate) operators: Option<(PathBuf, Operators)>,
}

impl Joining {
    /// Joins the cluster. Errors: why this host cannot.
    pub(crate) fn join(self, network: &Network) -> Result<Arc<SharedStore>, String> {
        let (wait, ttl, may_be_away) = (self.wait, self.ttl, self.may_be_away);
        let store = Arc::new(self.into_store());
        let joins = store.clone();
        // Its own limits come first.
        let limit = wait + Duration::from_secs(ttl + 60);
        let joined = network.wait(limit, async move { joins.join(wait, may_be_away).await }, |_| {});
        joined.unwrap_or_else(|none| Err(unanswered(none)))?;
        Ok(store)
    }

    pub(super) fn into_store(self) -> SharedStore {
        let cluster = self.cluster.name.clone();
        let own_key = self.signer.as_ref().map(Signer::public);
        let judge = self.host_keys.map(|(list, keys)| Judge::new(list, keys, &cluster, own_key));
        let electorate = Electorate::new(&cluster, self.operators);
        let opener = Opener::new(cluster, self.opening);
        let gateway = Gateway::new(self.cluster);
        gateway.begin_for(&self.hostname);
        SharedStore {
            gateway,
            hostname: self.hostname,
            ttl: self.ttl,
            id: self.id,
            signer: self.signer,
            opener,
            sealer: self.recipients.map(|(list, keys)| Sealer::new(list, keys)),
            inside: Mutex::new(Inside { judge, electorate, ..Inside::default() }),
            reached: watch::Sender::new(Reached { revision: 0, is_live: false, since: None }),
            mends: Notify::new(),
            doubts: Notify::new(),
            proving: Notify::new(),
            reporting: Notify::new(),
            exporting: tokio::sync::Mutex::default(),
            granting: tokio::sync::Mutex::default(),
            casting: tokio::sync::Mutex::default(),
        }
    }
}

impl SharedStore {
    async fn join(&self, wait: Duration, may_be_away: bool) -> Result<(), String> {
        match self.first_snapshot(wait).await {
            Ok(()) => self.enter().await,
            Err(Failure::Away(why) | Failure::Refused(why)) if may_be_away => {
                self.inside.lock().why.clone_from(&why);
                output::tell(&format!("mclive: warning: {why}; applying the last deploy that this host has kept"));
                Ok(())
            }
            Err(failure) => Err(failure.words()),
        }
    }

    /// Checks that this host may use the store; then its session says that it is there. Errors: why it may not.
    pub(super) async fn enter(&self) -> Result<(), String> {
        let layout = self.inside.lock().mirror.held("layout").map(|held| text(&held.value));
        if let Some(why) = other_layout(layout.as_deref().map(str::as_bytes)) {
            return Err(format!("cannot use the shared store: {why}"));
        }
        if let Some(id) = &self.id {
            self.is_alone(id).await?;
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
            let live = json!({ "id": id, "since": since, "v": 1, "version": env!("CARGO_PKG_VERSION") }).to_string();
            self.inside.lock().own.keep(&self.live_key(), Some(live.as_bytes()));
        }
        self.inside.lock().has_joined = true;
        self.look_for_foreign_later();
        Ok(())
    }

    async fn first_snapshot(&self, wait: Duration) -> Result<(), Failure> {
        let began = Instant::now();
        let mut tells_at = began + TELLS.0;
        loop {
            // At least one attempt; one that is still going on at the end is given up.
            let limit = (began + wait).saturating_duration_since(Instant::now()).max(LEAST);
            let why = match timeout(limit, self.gateway.snapshot()).await.unwrap_or_else(|_| Err(too_slow())) {
                Ok(snapshot) => {
                    let revision = snapshot.revision;
                    self.inside.lock().replace(&self.hostname, snapshot, Tick::now());
                    self.reached.send_modify(|reached| reached.revision = revision);
                    return Ok(());
                }
                Err(Failure::Refused(why)) => {
                    return Err(Failure::Refused(format!("cannot use the shared store: {why}")));
                }
                Err(failure) => failure.words(),
            };
            let now = Instant::now();
            if now >= began + wait {
                let why = format!("cannot reach the shared store within {} s: {why}", wait.as_secs());
                return Err(Failure::Away(why));
            }
            if now >= tells_at {
                tells_at = now + TELLS.1;
                let left = (began + wait - now).as_secs();
                output::tell(&format!("mclive: waiting for the shared store, for {left} more seconds: {why}"));
            }
            self.gateway.turn();
            sleep(AGAIN).await;
        }
    }

    /// Waits until no other agent has the name of this host. One that crashed ends with its lease.
    async fn is_alone(&self, id: &str) -> Result<(), String> {
        let (key, name) = (self.live_key(), &self.hostname);
        let until = Instant::now() + Duration::from_secs(self.ttl + 2);
        let mut twin = None;
        loop {
            // A store that is away says nothing about the other agent.
            let away = match self.gateway.get(&key).await {
                Ok(found) => match found.and_then(|held| other(text(&held.value).as_bytes(), id)) {
                    None => return Ok(()),
                    Some(since) => {
                        if twin.replace(since).is_none() {
                            output::tell(&format!(
                                "mclive: waiting for another agent with the host name {name} to leave"
                            ));
                        }
                        None
                    }
                },
                Err(failure) => Some(failure.words()),
            };
            if Instant::now() >= until {
                return Err(match (twin, away) {
                    (Some(since), _) => {
                        format!("the host name {name} is in use by another agent{since}; use --hostname NAME")
                    }
                    (None, away) => format!("cannot use the shared store: {}", away.unwrap_or_default()),
                });
            }
            sleep(AGAIN).await;
        }
    }
}

/// Why this version cannot use a group with this value of the key `layout`, a sentence without a full stop. `None`: it can.
pub(crate) fn other_layout(stored: Option<&[u8]>) -> Option<String> {
    let layout = stored.filter(|layout| *layout != LAYOUT.as_bytes())?;
    let layout = String::from_utf8_lossy(layout);
    Some(format!("the layout is {layout}, and this version of mclive requires {LAYOUT}"))
}

/// Since when another agent has the name, in words, by what is under the key that says that the host is there; `None`: it
/// is this one.
pub(super) fn other(live: &[u8], id: &str) -> Option<String> {
    let live: Value = serde_json::from_slice(live).unwrap_or_default();
    if live["id"] == id {
        return None;
    }
    let since = live["since"].as_u64().filter(|since| *since < LAST).map(Duration::from_secs);
    let words = |since| format!(" since {}", httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + since));
    Some(since.map_or_else(String::new, words))
}

fn too_slow() -> Failure {
    Failure::Away("the store has not sent all keys".into())
}

fn text(value: &Datum) -> String {
    match value {
        Datum::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}
