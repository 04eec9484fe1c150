//! A simulation among others: its next event, and the shared values that it sends and receives.

use super::{Driver, Simulation};
use crate::protocol::Moment;
use crate::sim::{Member, News};
use std::collections::BTreeMap;

impl Member for Simulation {
    fn next_at(&self) -> Option<Moment> {
        // Of a host whose agent has ended, votes remain; a trace ends with its agent.
        Simulation::next_at(self).filter(|_| !self.is_replay() || self.exit().is_none())
    }

    fn skip(&mut self, to: Moment) {
        self.source.skip(to);
    }

    fn step(&mut self, until: Moment) -> bool {
        let happened = self.source.step(until);
        self.listen();
        happened
    }

    fn take_news(&mut self) -> News {
        match &mut self.source {
            Driver::Host(sim) => sim.host.take_news(),
            Driver::Trace(_) => News::new(),
        }
    }

    fn hear(&mut self, news: &News) {
        self.change(|world| world.hear(news));
    }

    fn disconnect(&mut self, since: Moment) {
        self.change(|world| world.disconnect(since));
    }

    fn reconnect(&mut self, missed: &News) {
        self.change(|world| world.reconnect(missed));
    }

    fn known_as(&self) -> Option<String> {
        match &self.source {
            Driver::Host(sim) => sim.host.world().known_as.clone(),
            Driver::Trace(_) => None,
        }
    }

    fn released(&self) -> BTreeMap<String, Moment> {
        match &self.source {
            Driver::Host(sim) => sim.host.released(),
            Driver::Trace(_) => BTreeMap::new(),
        }
    }
}
