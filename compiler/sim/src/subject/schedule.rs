//! Pools of hosts, in the shared store.

use super::{Answer, Place, Play, done};
use crate::protocol::Ticket;
use crate::vocab::schedule::{Fact, Finding, Probe, Step, Watch, cast, votes_of};
use crate::vocab::subjects::Schedule;
use crate::vocab::{Datum, HostError};
use crate::vocab::{KeyStore, Outcome, schedule::Options};
use crate::{SimHost, World};

impl Play for Schedule {
    fn probe(at: &mut Place, Probe { namespace }: &Probe) -> Answer<Finding> {
        let mine = votes_of(at.world, namespace).into_iter().find(|(host, _)| host == at.world.agent());
        let holds = |options: &Options| at.world.votes.holds(namespace, options.lease);
        Answer::Now(Ok(Finding::Vote(mine.map(|(_, vote)| (vote.options.clone(), holds(&vote.options))))))
    }

    fn step(at: &mut Place, Step { namespace, vote, .. }: &Step) -> Answer<Outcome> {
        at.world.votes.cast(namespace, vote.as_ref().map(|options| options.lease));
        at.world.vote(namespace, vote.as_ref());
        done(Ok(()))
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.world.votes.watch(ticket.0, &watch.namespace);
        Ok(())
    }

    fn leave(host: &mut SimHost, ticket: Ticket, _: &Watch) {
        for end in host.world.votes.leave(ticket.0) {
            host.vote_ends(end);
        }
    }

    fn fact(world: &mut World, _: u64, fact: &Fact) -> Result<Datum, HostError> {
        Ok(fact.read(world))
    }
}

impl World {
    /// Votes in a pool, or withdraws this host's vote.
    pub(crate) fn vote(&mut self, namespace: &str, options: Option<&Options>) {
        for (key, value) in cast(self, namespace, self.agent(), options) {
            self.set_key(KeyStore::World, &key, value);
        }
    }
}
