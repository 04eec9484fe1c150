//! [`Sim`]: the driver that joins a brain to a simulated host under virtual time.

use super::host::SimHost;
use super::snapshot::Snapshot;
use super::world::World;
use crate::protocol::digest::{chain, hex, line};
use crate::protocol::{Event, Input, Machine, Moment, Output};

/// A brain and a host.
pub struct Sim<M> {
    pub machine: M,
    pub host: SimHost,
    now: Moment,
    wake: Option<Moment>,
    /// What was reported since [`Sim::take_reports`].
    reports: Vec<Event>,
    exit: Option<i32>,
    /// Every input with its moment, once [`Sim::record`] was called.
    trace: Option<Vec<(Moment, Input)>>,
    /// Of all outputs since then; see [`super::Replay::digest`].
    digest: [u8; 32],
}

impl<M: Machine> Sim<M> {
    pub fn new(machine: M, host: SimHost) -> Sim<M> {
        Sim {
            machine,
            host,
            now: Moment::default(),
            wake: None,
            reports: Vec::new(),
            exit: None,
            trace: None,
            digest: [0; 32],
        }
    }

    /// Writes down every input from now on.
    pub fn record(&mut self) {
        self.trace.get_or_insert_default();
    }

    /// What was recorded, and the digest of what the machine answered.
    pub fn take_trace(&mut self) -> (Vec<(Moment, Input)>, String) {
        (self.trace.take().unwrap_or_default(), hex(&std::mem::take(&mut self.digest)))
    }

    pub fn now(&self) -> Moment {
        self.now
    }

    /// The status it ended with.
    pub fn exit(&self) -> Option<i32> {
        self.exit
    }

    pub fn take_reports(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.reports)
    }

    /// Tells the brain something, now.
    pub fn tell(&mut self, input: Input) {
        if self.exit.is_some() {
            return;
        }
        if let Some(trace) = &mut self.trace {
            trace.push((self.now, input.clone()));
        }
        self.machine.handle(self.now, input);
        self.drain();
    }

    /// A person changes something on the host, now.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut World) -> R) -> R {
        self.host.set_now(self.now);
        self.host.change(change)
    }

    /// When something happens next.
    pub fn next_at(&self) -> Option<Moment> {
        [self.host.next_at(), self.wake].into_iter().flatten().min()
    }

    /// One thing that happens next, no later than `until`. `false`: nothing does by then.
    pub fn step(&mut self, until: Moment) -> bool {
        let Some(at) = self.next_at().filter(|&at| at <= until && self.exit.is_none()) else { return false };
        self.now = self.now.max(at);
        self.host.set_now(self.now);
        match self.host.next_input() {
            Some(input) => self.tell(input),
            None if self.wake.is_some_and(|wake| wake <= self.now) => self.tell(Input::Tick),
            None => {}
        }
        true
    }

    /// Lets the time pass. With a limit on what may happen by then: `false` says it was reached.
    pub fn advance(&mut self, until: Moment, most_steps: usize) -> bool {
        for _ in 0..most_steps {
            if !self.step(until) {
                self.skip(until);
                return true;
            }
        }
        false
    }

    /// The machine is gone without a word, and another one is there; the host stays and its clock goes on.
    pub fn replace(&mut self, machine: M) {
        self.host.replace();
        self.machine = machine;
        self.wake = None;
        self.exit = None;
        self.reports.clear();
    }

    /// Lets the time be later without doing what is due: it is late then.
    pub fn skip(&mut self, to: Moment) {
        self.now = self.now.max(to);
        self.host.set_now(self.now);
    }

    pub fn snapshot(&self) -> Snapshot {
        self.host.snapshot(self.now)
    }

    fn drain(&mut self) {
        loop {
            let output = self.machine.poll();
            if self.trace.is_some() {
                self.digest = chain(self.digest, &line(self.now, &output));
            }
            match output {
                Output::Idle { wake } => {
                    self.wake = wake;
                    return;
                }
                Output::Report(event) => self.reports.push(event),
                Output::Exit { status } => {
                    self.exit = Some(status);
                    return;
                }
                output => self.host.take(output),
            }
        }
    }
}
