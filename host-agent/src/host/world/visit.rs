//! [`Visit`]: an operator's access to the store of a cluster, without being one of its hosts.

use super::gateway::{Failure, Gateway, Write};
use crate::network::{Network, NoAnswer};
use mclive_base::vocab::Datum;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The limit of a whole visit: the gateway limits each request.
const LONGEST: Duration = Duration::from_secs(120);

pub(crate) struct Visit {
    gateway: Arc<Gateway>,
    n_urls: usize,
    network: Network,
}

/// What the store of a cluster holds at a revision.
pub(crate) struct Seen {
    /// The member that answered.
    pub(crate) endpoint: String,
    /// The identity of the store.
    pub(crate) cluster: String,
    pub(crate) revision: i64,
    pub(crate) keys: BTreeMap<String, Datum>,
}

impl Visit {
    /// `urls`: the members of the store; `name`: the cluster's.
    pub(crate) fn new(urls: Vec<String>, name: &str) -> Visit {
        let n_urls = urls.len();
        Visit { gateway: Arc::new(Gateway::new(urls, name)), n_urls, network: Network::default() }
    }

    /// Reads everything. Errors: why it cannot, a sentence without a full stop.
    pub(crate) fn read(&self) -> Result<Seen, String> {
        self.ask(|gateway| async move {
            let snapshot = gateway.snapshot().await?;
            let keys = snapshot.keys.into_iter().map(|(key, held)| (key, held.value)).collect();
            let endpoint = gateway.url().to_owned();
            Ok(Seen { endpoint, cluster: snapshot.cluster, revision: snapshot.revision, keys })
        })
    }

    /// Sets a key, or removes it. Errors: why it cannot, a sentence without a full stop.
    pub(crate) fn set(&self, key: &str, value: Option<&str>) -> Result<(), String> {
        let (key, value) = (key.to_owned(), value.map(|value| value.as_bytes().to_vec()));
        self.ask(move |gateway| {
            let write = match &value {
                Some(value) => Write::Put(key.clone(), value.clone(), 0),
                None => Write::Delete(key.clone()),
            };
            async move { gateway.commit(&[], &[write], &[], None).await.map(drop) }
        })
    }

    /// Asks one member after the other. What is asked may be repeated.
    pub(super) fn ask<T: Send + 'static, F: Future<Output = Result<T, Failure>> + Send>(
        &self,
        question: impl Fn(Arc<Gateway>) -> F + Send + 'static,
    ) -> Result<T, String> {
        let (gateway, n_urls) = (self.gateway.clone(), self.n_urls);
        let asked = async move {
            let mut why = String::new();
            for _ in 0..n_urls {
                match question(gateway.clone()).await {
                    Ok(answer) => return Ok(answer),
                    Err(Failure::Refused(why)) => return Err(format!("cannot use the shared store: {why}")),
                    Err(failure) => why = failure.words(),
                }
                gateway.turn();
            }
            Err(format!("cannot reach the shared store: {why}"))
        };
        self.network.wait(LONGEST, asked, |_| {}).unwrap_or_else(|none| match none {
            NoAnswer::Unavailable(error) => Err(format!("cannot start the network thread: {error}")),
            NoAnswer::TimedOut | NoAnswer::Ended => Err("the shared store did not answer".into()),
        })
    }
}
