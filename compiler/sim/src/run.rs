//! [`Sim`]: the driver that connects a brain to a simulated host under virtual time.

use super::host::SimHost;
use super::snapshot::Snapshot;
use super::world::World;
use crate::protocol::digest::{Chain, hex, of_lines};
use crate::protocol::{Event, Input, Machine, Moment, Output};

/// A machine and a simulated host.
#[derive(Clone)]
pub struct Sim<M> {
    /// The machine.
    pub machine: M,
    /// The host.
    pub host: SimHost,
    now: Moment,
    wake: Option<Moment>,
    /// Reports since [`Sim::take_reports`].
    reports: Vec<Event>,
    exit: Option<i32>,
    /// Every input with its moment, since [`Sim::record`].
    trace: Option<Vec<(Moment, Input)>>,
    /// Set by [`Sim::record_with_digest`].
    chain: Option<Chain>,
    /// The digest of all outputs since then; see [`super::Replay::digest`].
    digest: [u8; 32],
}

impl<M: Machine> Sim<M> {
    /// A machine on a host.
    pub fn new(machine: M, host: SimHost) -> Sim<M> {
        Sim {
            machine,
            host,
            now: Moment::default(),
            wake: None,
            reports: Vec::new(),
            exit: None,
            trace: None,
            chain: None,
            digest: [0; 32],
        }
    }

    /// Records every input from now on.
    pub fn record(&mut self) {
        self.trace.get_or_insert_default();
    }

    /// The same, with a digest of the outputs.
    pub fn record_with_digest(&mut self) {
        self.record();
        self.chain = Some(of_lines);
    }

    /// The recorded inputs, and the digest of the machine's outputs if one was wanted.
    pub fn take_trace(&mut self) -> (Vec<(Moment, Input)>, String) {
        self.chain = None;
        (self.trace.take().unwrap_or_default(), hex(&std::mem::take(&mut self.digest)))
    }

    /// The current moment.
    pub fn now(&self) -> Moment {
        self.now
    }

    /// The exit status, if it has ended.
    pub fn exit(&self) -> Option<i32> {
        self.exit
    }

    /// Reports since the last call.
    pub fn take_reports(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.reports)
    }

    /// Feeds an input now.
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

    /// Changes the host by hand, now.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut World) -> R) -> R {
        self.host.set_now(self.now);
        self.host.change(change)
    }

    /// When the next event is due. After the end of the machine, these are votes that outlive it, and changes of the
    /// shared store that arrive.
    pub fn next_at(&self) -> Option<Moment> {
        [self.host.next_at(), self.wake].into_iter().flatten().min()
    }

    /// Performs the next event, no later than `until`. `false`: there is none.
    pub fn step(&mut self, until: Moment) -> bool {
        let Some(at) = self.next_at().filter(|&at| at <= until) else { return false };
        self.now = self.now.max(at);
        self.host.set_now(self.now);
        match self.host.next_input() {
            Some(input) => self.tell(input),
            None if self.wake.is_some_and(|wake| wake <= self.now) => self.tell(Input::Tick),
            None => {}
        }
        true
    }

    /// Lets time pass, with a limit on the number of events: `false` if it was reached.
    pub fn advance(&mut self, until: Moment, most_steps: usize) -> bool {
        for _ in 0..most_steps {
            if !self.step(until) {
                self.skip(until);
                return true;
            }
        }
        false
    }

    /// Kills the machine and starts another one; the host stays and its clock continues. A trace is that of one machine,
    /// so it starts again.
    pub fn replace(&mut self, machine: M) {
        self.host.replace();
        if let Some(trace) = &mut self.trace {
            trace.clear();
            self.digest = [0; 32];
        }
        self.machine = machine;
        self.wake = None;
        self.exit = None;
        self.reports.clear();
    }

    /// Advances the time without handling the events that become due; they are then late.
    pub fn skip(&mut self, to: Moment) {
        self.now = self.now.max(to);
        self.host.set_now(self.now);
    }

    /// The visible state of the host.
    pub fn snapshot(&self) -> Snapshot {
        self.host.snapshot(self.now)
    }

    fn drain(&mut self) {
        loop {
            let output = self.machine.poll();
            if let Some(chain) = self.chain {
                self.digest = chain(self.digest, self.now, &output);
            }
            match output {
                Output::Idle { wake } => {
                    self.wake = wake;
                    return;
                }
                Output::Report(event) => self.reports.push(event),
                Output::Exit { status } => {
                    self.exit = Some(status);
                    self.wake = None;
                    self.host.end();
                    return;
                }
                output => self.host.take(output),
            }
        }
    }
}
