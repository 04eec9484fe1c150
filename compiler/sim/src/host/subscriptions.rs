//! Facts that functions read: who subscribed to which, and when they are told.

use super::super::facts::{self, Occasion};
use super::super::job::Lines;
use super::super::watches::Depth;
use super::{Due, SimHost, Subscription};
use crate::protocol::{Input, Moment, Ticket};
use crate::vocab::{CommandSpec, Datum, FactSpec};

impl SimHost {
    pub(super) fn subscribe(&mut self, ticket: Ticket, spec: FactSpec) {
        let occasion = facts::occasion(&spec);
        self.facts.insert(ticket, Subscription { spec, last: None, lines: None });
        match occasion {
            Occasion::Sampled | Occasion::World => {}
            Occasion::Every(period_ms) => self.next_tick(ticket, period_ms),
            Occasion::Path(path) => self.watches.add_path(ticket, &path, Depth::Itself),
            Occasion::Lines(command) => {
                self.start_lines(ticket, &command);
                return;
            }
        }
        self.tell_fact(ticket);
    }

    pub(super) fn start_lines(&mut self, ticket: Ticket, command: &str) {
        let spec = CommandSpec {
            argv: vec!["/bin/sh".into(), "-c".into(), command.into()],
            env: self.world.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            cwd: String::new(),
            user: String::new(),
            group: String::new(),
            signal: "SIGTERM".into(),
        };
        match self.start_process(&spec) {
            Ok(process) => {
                if let Some(subscription) = self.facts.get_mut(&ticket) {
                    subscription.lines = Some(Lines { process, n_read: 0 });
                }
                self.soon(Due::FactCommand(ticket));
            }
            Err(error) => self.soon(Due::Answer(Input::Fact(ticket, Err(error)))),
        }
    }

    pub(super) fn fact_command(&mut self, ticket: Ticket) {
        let Some(mut subscription) = self.facts.remove(&ticket) else { return };
        if let Some(lines) = &mut subscription.lines {
            let state = lines.process.go_on(&mut self.world.tree, &mut self.world.web);
            let (news, wake) = lines.news(&state);
            for line in news {
                self.soon(Due::Answer(Input::Fact(ticket, Ok(Datum::text(line)))));
            }
            if let Some(wake) = wake {
                self.at(self.now.plus_ms(wake), Due::FactCommand(ticket));
            }
        }
        self.facts.insert(ticket, subscription);
        self.tell();
    }

    /// Full periods count from the epoch, as a clock's seconds do.
    pub(super) fn next_tick(&mut self, ticket: Ticket, period_ms: u64) {
        let period_ns = period_ms.saturating_mul(1_000_000);
        let since_epoch = self.world.epoch_ns as u64 + self.now.0;
        let wait = period_ns - since_epoch % period_ns;
        self.at(Moment(self.now.0 + wait), Due::FactTick(ticket));
    }

    pub(super) fn fact_tick(&mut self, ticket: Ticket) {
        let Some(subscription) = self.facts.get(&ticket) else { return };
        let spec = subscription.spec.clone();
        if let Occasion::Every(period_ms) = facts::occasion(&spec) {
            self.next_tick(ticket, period_ms);
        }
        let value = facts::read(&mut self.world, self.now.0, &spec);
        self.at(self.now, Due::Answer(Input::Fact(ticket, value)));
    }

    pub(super) fn tell_facts(&mut self, concerns: impl Fn(&Occasion) -> bool) {
        let concerned = self.facts.iter().filter(|(_, subscription)| concerns(&facts::occasion(&subscription.spec)));
        for ticket in concerned.map(|(ticket, _)| *ticket).collect::<Vec<_>>() {
            self.tell_fact(ticket);
        }
    }

    /// Sends a fact unless it is as it was.
    pub(super) fn tell_fact(&mut self, ticket: Ticket) {
        let Some(subscription) = self.facts.get(&ticket) else { return };
        let spec = subscription.spec.clone();
        let value = facts::read(&mut self.world, self.now.0, &spec);
        if let Some(subscription) = self.facts.get_mut(&ticket)
            && subscription.last.as_ref() != Some(&value)
        {
            subscription.last = Some(value.clone());
            self.soon(Due::Answer(Input::Fact(ticket, value)));
        }
    }
}
