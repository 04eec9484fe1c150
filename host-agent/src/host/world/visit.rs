//! [`Visit`]: an operator's access to the store of a cluster, without being one of its hosts.

use super::gateway::{Cluster, Failure, Gateway, Told, Write};
use super::own::VALUES;
use super::{AGENTS, SEALED, unanswered, value};
use crate::network::Network;
use crate::sealed::Sealed;
use mclive_base::vocab::Datum;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// The limit of a whole visit: the gateway limits each request.
const LONGEST: Duration = Duration::from_secs(120);
/// Keys per answer.
const MANY: u64 = 256;
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

pub(crate) struct Visit {
    gateway: Arc<Gateway>,
    n_urls: usize,
    network: Network,
}

/// Follows what hosts share, and what agents say about themselves, each from a revision, by default from now, until it is
/// enough.
async fn listen(
    gateway: &Gateway,
    from: &mut Option<[i64; 2]>,
    tell: &(impl Fn(&str, Option<&Datum>) -> ControlFlow<()> + Send + Sync),
) -> Result<(), Failure> {
    let mut next = match *from {
        Some(next) => next,
        None => [gateway.state().await?.1 + 1; 2],
    };
    *from = Some(next);
    let mut shared = gateway.watch(next[0]).await?;
    let mut agents = gateway.watch_below(AGENTS, next[1]).await?;
    loop {
        let (of, message) = tokio::select! {
            message = shared.next() => (0, message?),
            message = agents.next() => (1, message?),
        };
        match gateway.told(&message)? {
            Told::Begun(_) => {}
            Told::Compacted => return Err(Failure::Compacted),
            Told::Changes(revision, changes) => {
                for change in changes {
                    if tell(&change.key, change.held.as_ref().map(|held| &held.value)).is_break() {
                        return Ok(());
                    }
                }
                next[of] = revision + 1;
                *from = Some(next);
            }
        }
    }
}

/// The keys below a prefix, with their values.
async fn below(gateway: &Gateway, prefix: &str) -> Result<Vec<(String, Datum)>, Failure> {
    let found = gateway.list(prefix, MANY).await?.into_iter();
    let read = |(name, bytes): (String, Vec<u8>)| {
        let key = format!("{prefix}{name}");
        let value = value::read(&key, bytes);
        (key, value)
    };
    Ok(found.map(read).collect())
}

/// What the store of a cluster holds at a revision. Without identity and revision: a part of it.
pub(crate) struct Seen {
    /// The member that answered.
    pub(crate) endpoint: String,
    /// The identity of the store.
    pub(crate) cluster: String,
    pub(crate) revision: i64,
    pub(crate) keys: BTreeMap<String, Datum>,
}

impl Visit {
    pub(crate) fn new(cluster: Cluster) -> Visit {
        let n_urls = cluster.urls.len();
        Visit { gateway: Arc::new(Gateway::new(cluster)), n_urls, network: Network::default() }
    }

    /// Reads everything. Errors: why it cannot, a sentence without a full stop.
    pub(crate) fn read(&self) -> Result<Seen, String> {
        self.ask(|gateway| async move {
            let snapshot = gateway.snapshot().await?;
            let agents = below(&gateway, AGENTS).await?;
            let keys = snapshot.keys.into_iter().map(|(key, held)| (key, held.value)).chain(agents).collect();
            let endpoint = gateway.url().to_owned();
            Ok(Seen { endpoint, cluster: snapshot.cluster, revision: snapshot.revision, keys })
        })
    }

    /// Reads the keys below a prefix only: a user may have no right to read the others. Errors: as above.
    pub(crate) fn read_below(&self, prefix: &'static str) -> Result<Seen, String> {
        self.ask(move |gateway| async move {
            let keys = below(&gateway, prefix).await?.into_iter().collect();
            Ok(Seen { endpoint: gateway.url().to_owned(), cluster: String::new(), revision: 0, keys })
        })
    }

    /// Reads the values, and those that are sealed if the user may read them. Errors: as above.
    pub(crate) fn read_values(&self) -> Result<Seen, String> {
        self.ask(|gateway| async move {
            let values = below(&gateway, VALUES).await?;
            let sealed = match below(&gateway, SEALED).await {
                Err(Failure::Refused(_)) => Vec::new(),
                sealed => sealed?,
            };
            let keys = values.into_iter().chain(sealed).collect();
            Ok(Seen { endpoint: gateway.url().to_owned(), cluster: String::new(), revision: 0, keys })
        })
    }

    /// Sets a value, or removes it; one with its name that is sealed goes. Errors: why it cannot, a sentence without a full
    /// stop.
    pub(crate) fn set(&self, key: &str, value: Option<&str>) -> Result<(), String> {
        let (key, value) = (key.to_owned(), value.map(|value| value.as_bytes().to_vec()));
        let sealed = key.strip_prefix(VALUES).map(|name| format!("{SEALED}{name}"));
        self.ask(move |gateway| {
            let mut writes = vec![match &value {
                Some(value) => Write::Put(key.clone(), value.clone(), 0),
                None => Write::Delete(key.clone()),
            }];
            let sealed = sealed.clone();
            async move {
                if let Some(sealed) = sealed {
                    let exists = match gateway.get(&sealed).await {
                        // Users may have no right to look there.
                        Err(Failure::Refused(_)) => false,
                        held => held?.is_some(),
                    };
                    writes.extend(exists.then_some(Write::Delete(sealed)));
                }
                gateway.commit(&[], &writes, &[], None).await.map(drop)
            }
        })
    }

    /// Sets a value that is sealed, by the name that programs use; one in the clear goes. Errors: as above.
    pub(crate) fn set_sealed(&self, name: &str, sealed: &Sealed) -> Result<(), String> {
        let (place, plain, stored) = (format!("{SEALED}{name}"), format!("{VALUES}{name}"), sealed.bytes());
        self.ask(move |gateway| {
            let writes = [Write::Put(place.clone(), stored.clone(), 0), Write::Delete(plain.clone())];
            async move { gateway.commit(&[], &writes, &[], None).await.map(drop) }
        })
    }

    /// Passes on each change from now on, a key with its value or without one, until `tell` says that it is enough. Errors:
    /// why it cannot continue.
    pub(crate) fn follow(
        &self,
        tell: impl Fn(&str, Option<&Datum>) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Result<(), String> {
        let (gateway, n_urls) = (self.gateway.clone(), self.n_urls);
        let followed = async move {
            let (mut from, mut n_failed) = (None, 0);
            loop {
                let before = from;
                let Err(failure) = listen(&gateway, &mut from, &tell).await else { return Ok(()) };
                n_failed = if from == before { n_failed + 1 } else { 1 };
                let is_final = !matches!(failure, Failure::Away(_)) || n_failed >= n_urls.max(2);
                if is_final {
                    return Err(format!("cannot follow the shared store: {}", failure.words()));
                }
                gateway.turn();
            }
        };
        self.network.wait(FOR_EVER, followed, |_| {}).unwrap_or_else(|_| Err("cannot follow the shared store".into()))
    }

    /// Sends a request to one member after the other until one answers. It must be safe to send it more than once.
    pub(super) fn ask<T: Send + 'static, F: Future<Output = Result<T, Failure>> + Send>(
        &self,
        question: impl Fn(Arc<Gateway>) -> F + Send + 'static,
    ) -> Result<T, String> {
        self.ask_within(LONGEST, question)
    }

    /// Like [`Visit::ask`], with another time limit for all members together.
    pub(super) fn ask_within<T: Send + 'static, F: Future<Output = Result<T, Failure>> + Send>(
        &self,
        limit: Duration,
        question: impl Fn(Arc<Gateway>) -> F + Send + 'static,
    ) -> Result<T, String> {
        let (gateway, n_urls) = (self.gateway.clone(), self.n_urls);
        let asked = async move {
            let mut why = String::new();
            for _ in 0..n_urls {
                match question(gateway.clone()).await {
                    Ok(answer) => return Ok(answer),
                    Err(Failure::Wrong(why)) => return Err(why),
                    Err(Failure::Refused(why) | Failure::Full(why)) => {
                        return Err(format!("cannot use the shared store: {why}"));
                    }
                    Err(failure) => why = failure.words(),
                }
                gateway.turn();
            }
            Err(format!("cannot reach the shared store: {why}"))
        };
        self.network.wait(limit, asked, |_| {}).unwrap_or_else(|none| Err(unanswered(none)))
    }
}
