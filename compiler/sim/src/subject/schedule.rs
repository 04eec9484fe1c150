//! Pools of hosts, in the shared store.

use super::{Answer, Context, Play, Simulated, SubjectState, done, no_such, texts};
use crate::protocol::Ticket;
use crate::vocab::schedule::{self, Fact, Finding, Holders, Probe, Step, Watch};
use crate::vocab::subjects::Schedule;
use crate::vocab::{Datum, HostError};
use crate::vocab::{Outcome, schedule::Options};
use crate::{SimHost, World};
use mclive_base::shapes::host::{Alteration, Thing};

impl SubjectState for Holders {
    fn of_new_host(_: &str) -> Holders {
        Holders::default()
    }

    fn forget(&mut self) {
        *self = Holders::default();
    }
}

/// Withdraws the vote of the host by hand.
const WITHDRAW: &str = "withdraw the vote";

impl Simulated for Schedule {
    type State = Holders;
}

impl Play for Schedule {
    const TITLE: &'static str = "Pools of hosts";

    /// The pools that this host knows, with the votes of all hosts.
    fn holds(world: &World) -> Vec<Thing> {
        world.pools().into_iter().map(|namespace| pool(world, &namespace)).collect()
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        match how {
            Alteration::Do { verb } if verb == WITHDRAW && can_withdraw(world, thing) => {
                world.vote(thing, None);
                Ok(())
            }
            Alteration::Do { .. } | Alteration::Set { .. } => Err(no_such(thing, how)),
        }
    }

    fn probe(at: &mut Context, Probe { namespace }: &Probe) -> Answer<Finding> {
        let mine = at.world.own_vote(namespace);
        let holds = |options: &Options| at.world.subjects.schedule.holds(namespace, options.lease);
        let mine = mine.map(|options| {
            let holds = holds(&options);
            (options, holds)
        });
        Answer::Now(Ok(Finding::Vote(mine)))
    }

    fn step(at: &mut Context, Step { namespace, vote, .. }: &Step) -> Answer<Outcome> {
        at.world.subjects.schedule.cast(namespace, vote.as_ref().map(|options| options.lease));
        at.world.vote(namespace, vote.as_ref());
        done(Ok(()))
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.world.subjects.schedule.watch(ticket.0, &watch.namespace);
        Ok(())
    }

    fn leave(host: &mut SimHost, ticket: Ticket, _: &Watch) {
        for end in host.world.subjects.schedule.leave(ticket.0) {
            host.vote_ends(end);
        }
        // While the host is cut off, a vote that nothing holds any more is no longer relied on.
        host.tell_beliefs();
    }

    fn fact(world: &mut World, _: u64, fact: &Fact) -> Result<Datum, HostError> {
        Ok(texts(world.elected(&fact.namespace).iter()))
    }
}

/// A pool as this host sees it.
fn pool(world: &World, namespace: &str) -> Thing {
    let elected = match world.elected(namespace) {
        none if none.is_empty() => "no host".to_owned(),
        elected => elected.join(", "),
    };
    let mut thing = Thing::new(namespace).fixed("elected", elected);
    for (host, vote) in schedule::votes_of(world, namespace) {
        thing = thing.fixed(&format!("vote of {host}"), vote.options.to_string());
    }
    if let Some(waiting) = world.waiting_vote(namespace) {
        thing = thing.fixed("waiting vote", waiting);
    }
    if can_withdraw(world, namespace) { thing.verbs(&[WITHDRAW]) } else { thing }
}

/// Whether the store has a vote of this host, and can be reached.
fn can_withdraw(world: &World, namespace: &str) -> bool {
    !world.session.is_cut() && world.own_vote(namespace).is_some()
}
