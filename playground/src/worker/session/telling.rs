//! How much of the simulation is reported to the page.

use super::blocks::Blocks;
use super::{Session, declined, drawing};
use crate::worker::protocol::{Answer, Parts, Simulated};
use mclive_base::protocol::Moment;
use mclive_base::shapes::host::Position;
use mclive_compiler::face::fleet::Ran;

/// How much of a host's state the page gets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// Everything: it has none of it, or something else.
    All,
    News,
}

impl Session {
    /// Everything about the moment that the simulation went to, or else only how far it is: the states in between are of no
    /// interest, and a graph is large.
    pub(super) fn arrived(&mut self, is_there: bool) -> Answer {
        if is_there {
            return self.simulated(Told::All, Ran::Reached);
        }
        self.is_behind = true;
        let ms = |moment: Moment| moment.0 / 1_000_000;
        let (now_ms, until_ms) = (ms(self.fleet.now()), self.fleet.repeats_until().map(ms));
        let position = Position { is_on_the_way: true, ..self.fleet.position() };
        Answer::OnTheWay { now_ms, until_ms, position }
    }

    /// The current state of the host, with the resource graph if the page has another one.
    pub(super) fn simulated(&mut self, told: Told, ran: Ran) -> Answer {
        let cards = self.fleet.cards();
        // The host may be gone, or may not exist yet.
        if self.fleet.host(&self.host).is_none()
            && let Some(first) = cards.first()
        {
            self.host.clone_from(&first.host);
            return self.simulated(Told::All, ran);
        }
        let all = told == Told::All || self.is_behind;
        let Some(mut snapshot) = self.fleet.snapshot(&self.host, (!all).then_some(self.logged)) else {
            return declined("no simulated host exists at this moment".into());
        };
        (self.logged, self.is_behind) = (self.fleet.step(), false);
        let now = Parts::of(&mut snapshot, cards);
        // The page gets the complete state of a new host.
        let parts = if all { now.clone() } else { now.news(&self.told) };
        self.told = now;
        let graph = self.fleet.host(&self.host).filter(|_| all || snapshot.generation != self.shown);
        let running = || self.analysis.as_ref().filter(|analysed| analysed.files == self.deployed);
        let resources = graph.map(|host| host.resource_graph()).map(|graph| {
            let running = running().filter(|_| drawing::is_listed(&graph));
            let blocks = running.map(|analysed| Blocks::of(analysed.opened.services())).unwrap_or_default();
            drawing::resources(graph, &blocks, &mut self.resources)
        });
        self.shown = snapshot.generation;
        let (is_on_the_way, is_in_vain) = (ran == Ran::NotYet, ran == Ran::InVain);
        let position = Position { is_on_the_way, is_in_vain, ..self.fleet.position() };
        Answer::Simulated(Box::new(Simulated {
            snapshot,
            parts,
            resources,
            program: Vec::new(),
            host: self.host.clone(),
            position,
            is_log_whole: all,
            is_earlier_program: !self.runs_last(),
        }))
    }
}
