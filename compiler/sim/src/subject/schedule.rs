//! Pools of hosts, in the shared store.

use super::{Answer, Context, Play, Simulated, SubjectState, done, texts};
use crate::protocol::Ticket;
use crate::vocab::schedule::{Fact, Finding, Holders, Probe, Step, Watch};
use crate::vocab::subjects::Schedule;
use crate::vocab::{Datum, HostError};
use crate::vocab::{Outcome, schedule::Options};
use crate::{SimHost, World};

impl SubjectState for Holders {
    fn of_new_host(_: &str) -> Holders {
        Holders::default()
    }

    fn forget(&mut self) {
        *self = Holders::default();
    }
}

impl Simulated for Schedule {
    type State = Holders;
}

impl Play for Schedule {
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
