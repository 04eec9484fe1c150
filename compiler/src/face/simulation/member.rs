//! A simulation among others: its next event, and what it tells and hears of the values that hosts share.

use super::{Driver, Simulation};
use crate::protocol::Moment;
use crate::sim::{Member, News};

impl Member for Simulation {
    fn next_at(&self) -> Option<Moment> {
        Simulation::next_at(self).filter(|_| self.exit().is_none())
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
        self.change(|world| news.iter().for_each(|(key, value)| world.hear_key(key, value.clone())));
    }

    fn shared(&self) -> News {
        let Driver::Host(sim) = &self.source else { return News::new() };
        let keys = sim.host.world().shared_keys();
        keys.map(|(key, value)| (key.to_owned(), Some(value.clone()))).collect()
    }

    fn mourn(&mut self, host: &str) {
        if let Driver::Host(sim) = &mut self.source {
            sim.host.mourn(host);
        }
    }

    fn welcome(&mut self, host: &str) {
        if let Driver::Host(sim) = &mut self.source {
            sim.host.welcome(host);
        }
    }
}
