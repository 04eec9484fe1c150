//! What remains in the store of a host that is gone permanently: its values, and votes and exports without a lease.

use super::gateway::{Failure, If, MOST_KEYS, Write};
use super::visit::Visit;
use super::{Seen, ballot, own, statement};
use std::collections::BTreeSet;

/// What a host has in the store.
#[derive(PartialEq, Eq, Debug, Default)]
pub(crate) struct Belongings {
    /// Sorted.
    pub(crate) keys: Vec<String>,
    /// Whether the agent of the host is running.
    pub(crate) is_live: bool,
    /// The pools in which it votes.
    pools: BTreeSet<String>,
}

impl Belongings {
    pub(crate) fn of(seen: &Seen, host: &str) -> Belongings {
        let mut belongings = Belongings::default();
        for key in seen.keys.keys() {
            let vote = key.strip_prefix(own::POOLS).and_then(|rest| rest.strip_suffix(host)?.strip_suffix("/vote/"));
            if *key == own::live(host) {
                belongings.is_live = true;
            } else if let Some(pool) = vote {
                belongings.pools.insert(format!("{}{pool}/", own::POOLS));
                belongings.keys.push(key.clone());
            } else if own::owner(key) == Some(host)
                || statement::stated(key).is_some_and(|of| own::owner(of) == Some(host))
                || ballot::voted(key).and_then(ballot::voter) == Some(host)
                || *key == own::state(host)
            {
                belongings.keys.push(key.clone());
            }
        }
        belongings
    }
}

impl Visit {
    /// Removes what a host has in the store, unless its agent is running by then. Errors: why it cannot, a sentence without
    /// a full stop.
    pub(crate) fn remove(&self, host: &str, belongings: &Belongings) -> Result<(), String> {
        let live = own::live(host);
        for keys in belongings.keys.chunks(MOST_KEYS) {
            let (keys, live, host) = (keys.to_vec(), live.clone(), host.to_owned());
            self.ask(move |gateway| {
                let writes: Vec<Write> = keys.iter().cloned().map(Write::Delete).collect();
                let conditions = [If::Is(live.clone(), 0)];
                let started = format!("the agent of {host} has been started; stop it first");
                async move {
                    let done = gateway.commit(&conditions, &writes, &[], None).await?;
                    if done.held { Ok(()) } else { Err(Failure::Wrong(started)) }
                }
            })?;
        }
        // The other voters of a pool elect again by themselves; without voters, no host is elected any more.
        for pool in belongings.pools.clone() {
            self.ask(move |gateway| {
                let (condition, write) = (If::Nothing(format!("{pool}vote/")), Write::Delete(format!("{pool}chosen")));
                async move { gateway.commit(&[condition], &[write], &[], None).await.map(drop) }
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::vocab::Datum;

    #[test]
    fn a_host_has_what_ends_in_its_name_or_comes_from_it() {
        let own = [
            "agent/web1/state",
            "exported/*/web1/file//etc/x",
            "exported/db1/web1/user/bob",
            "host/web1/signed/exported/*/web1/file//etc/x/sig",
            "host/web1/signed/pool/c/vote/web1/sig",
            "host/web1/signed/strings/place/web1/sig",
            "pool/a/b/vote/web1",
            "pool/c/vote/web1",
            "strings/a/b/web1",
            "strings/place/web1",
        ];
        let others = [
            "deploy/head",
            "exported/web1/db1/file//etc/x",
            "host/web11/signed/exported/*/web11/file//etc/x/sig",
            "host/web11/signed/pool/c/vote/web11/sig",
            "agent/web11/state",
            "pool/a/b/chosen",
            "pool/a/b/vote/web11",
            "pool/web1/vote/db1",
            "strings/place/db1",
            "strings/place/xweb1",
            "strings/web1",
        ];
        let keys = own.iter().chain(&others).map(|key| ((*key).to_owned(), Datum::text(""))).collect();
        let mut seen = Seen { endpoint: String::new(), cluster: String::new(), revision: 1, keys };
        let pools = ["pool/a/b/", "pool/c/"].map(String::from).into();
        let keys: Vec<String> = own.map(String::from).into();
        let belongings = Belongings { keys, is_live: false, pools };
        assert_eq!(Belongings::of(&seen, "web1"), belongings);
        seen.keys.insert("agent/web1/live".into(), Datum::text(""));
        assert_eq!(Belongings::of(&seen, "web1"), Belongings { is_live: true, ..belongings });
    }
}
