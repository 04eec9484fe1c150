//! Pools of hosts. If the store belongs to this host alone, it is the only voter.

use super::{Backend, Context, SubjectState, key_changed};
use crate::host::{Host, Shared};
use crate::lock::Mutex;
use crate::network::Task;
use mclive_base::protocol::Ticket;
use mclive_base::unicode::visible;
use mclive_base::vocab::schedule::{
    End, Fact, Finding, Holders, Options, Probe, Step, Watch, cast, overrules, votes_by, votes_of,
};
use mclive_base::vocab::subjects::Schedule;
use mclive_base::vocab::{Datum, HostError, KeyStore, Outcome};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

/// The limit of a vote in a shared store.
const LONGEST: Duration = Duration::from_secs(30);
/// How long the end of the agent waits for a shared store.
const LAST: Duration = Duration::from_secs(2);

/// The votes of this run, and the expiry times of votes without a holder.
#[derive(Default)]
pub(super) struct Votes {
    held: Mutex<Held>,
    /// The pools of which a warning has said that another vote counts.
    overruled: Mutex<BTreeSet<String>>,
}

#[derive(Default)]
struct Held {
    holders: Holders,
    ends: BTreeMap<String, Task>,
}

impl Backend for Schedule {
    type State = Votes;

    fn probe(at: &Context, Probe { namespace }: &Probe) -> Result<Finding, HostError> {
        let held = at.shared.subjects.schedule.held();
        if let Some(world) = &at.shared.world {
            let vote = world.vote_of(namespace);
            return Ok(Finding::Vote(vote.map(|(options, is_own)| {
                let holds = is_own && held.holders.holds(namespace, options.lease);
                (options, holds)
            })));
        }
        let mine = votes_of(at.shared, namespace).into_iter().find(|(host, _)| *host == at.shared.hostname);
        Ok(Finding::Vote(mine.map(|(_, vote)| {
            let holds = held.holders.holds(namespace, vote.options.lease);
            (vote.options, holds)
        })))
    }

    fn step(at: &Context, Step { namespace, vote, .. }: &Step) -> Result<Outcome, HostError> {
        if let Some(world) = &at.shared.world {
            let (world, shared) = (world.clone(), at.shared.myself()?);
            let (pool, options) = (namespace.clone(), vote.clone());
            let voted = async move {
                // From here on no timer withdraws it.
                let begin = || {
                    shared.subjects.schedule.cast(&pool, options.as_ref());
                    false
                };
                world.vote(&pool, options.as_ref(), begin).await
            };
            at.running.ask(&at.shared.network, LONGEST, voted)?;
            if let Some(own) = vote {
                at.shared.subjects.schedule.tell_overruled(at.shared, namespace, own);
            }
            return Ok(Outcome::Done);
        }
        let mut held = at.shared.subjects.schedule.held();
        write(at.shared, namespace, vote.as_ref())?;
        held.holders.cast(namespace, vote.as_ref().map(|options| options.lease));
        held.ends.remove(namespace);
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, Watch { namespace }: &Watch) -> Result<(), HostError> {
        host.shared.subjects.schedule.held().holders.watch(ticket.0, namespace);
        Ok(())
    }

    fn fact(shared: &Shared, fact: &Fact) -> Result<Datum, HostError> {
        Ok(shared.world.as_ref().map_or_else(|| fact.read(shared), |world| world.elected(fact)))
    }
}

impl Votes {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock()
    }

    /// Records a vote of this run, or that it withdraws.
    fn cast(&self, namespace: &str, vote: Option<&Options>) {
        let mut held = self.held();
        held.holders.cast(namespace, vote.map(|options| options.lease));
        held.ends.remove(namespace);
    }

    /// Warns, once for each pool, if it elects as another host says: its vote came first.
    fn tell_overruled(&self, shared: &Shared, namespace: &str, own: &Options) {
        let Some((host, counts)) = overrules(shared, namespace, &shared.hostname) else { return };
        if self.overruled.lock().insert(namespace.to_owned()) {
            let (pool, host) = (visible(namespace), visible(&host));
            crate::output::tell(&format!(
                "mclive: warning: the pool `{pool}` uses the options of `{host}`, which voted first ({counts}), not \
                 those of this host ({own})"
            ));
        }
    }
}

impl SubjectState for Votes {
    /// Schedules the expiry of votes of earlier runs. In a shared store they end with the leases of those runs.
    fn start(&self, shared: &Arc<Shared>) {
        if shared.world.is_some() {
            return;
        }
        let found = votes_by(&**shared, &shared.hostname).into_iter();
        let ends = {
            let mut held = self.held();
            found.filter_map(|(namespace, lease)| held.holders.found(&namespace, lease)).collect()
        };
        set(shared, ends);
    }

    fn leave(&self, shared: &Arc<Shared>, ticket: Ticket) {
        let ends = self.held().holders.leave(ticket.0);
        set(shared, ends);
    }

    /// Withdraws, at the end of the agent, the votes without a `ttl`.
    fn stop(&self, shared: &Shared) {
        let namespaces = self.held().holders.stop();
        let Some(world) = shared.world.clone() else {
            return namespaces.iter().for_each(|namespace| withdraw(shared, namespace));
        };
        let leave = async move {
            for namespace in namespaces {
                // If the store is away, the vote ends with its lease.
                let _ = world.vote(&namespace, None, || false).await;
            }
        };
        let _ = shared.network.wait(LAST, leave, |_| {});
    }
}

/// Schedules the withdrawal of votes at their expiry.
fn set(shared: &Arc<Shared>, ends: Vec<End>) {
    for end in ends {
        let (weak, namespace) = (Arc::downgrade(shared), end.namespace.clone());
        let task = shared.network.spawn(async move {
            tokio::time::sleep(Duration::from_secs(end.after_s)).await;
            let Some(shared) = weak.upgrade() else { return };
            if let Some(world) = &shared.world {
                let is_over = || !shared.subjects.schedule.held().holders.is_over(&end);
                // One that cannot be withdrawn now is withdrawn with its lease, at the latest.
                let withdrawn = world.vote(&end.namespace, None, is_over).await;
                return withdrawn.unwrap_or_else(|error| tell(&end.namespace, &error));
            }
            // Locked while the store is written, so that no vote comes in between.
            let held = shared.subjects.schedule.held();
            if held.holders.is_over(&end) {
                withdraw(&shared, &end.namespace);
            }
        });
        match task {
            Ok(task) => drop(shared.subjects.schedule.held().ends.insert(namespace, task)),
            // Without a clock it is better to withdraw too early than never.
            Err(_) if shared.world.is_none() => withdraw(shared, &namespace),
            Err(_) => {}
        }
    }
}

fn withdraw(shared: &Shared, namespace: &str) {
    if let Err(error) = write(shared, namespace, None) {
        tell(namespace, &error);
    }
}

fn tell(namespace: &str, error: &HostError) {
    crate::output::tell(&format!("mclive: warning: cannot withdraw the vote in the pool {namespace}: {error}"));
}

/// Adds the vote to the store or removes it, and updates the elected hosts.
fn write(shared: &Shared, namespace: &str, options: Option<&Options>) -> Result<(), HostError> {
    for (key, value) in cast(shared, namespace, &shared.hostname, options) {
        let tell = || key_changed(shared, KeyStore::World, &key);
        shared.state.set_key(KeyStore::World, &key, value.as_ref(), tell)?;
    }
    Ok(())
}
