//! [`Replay`]: a driver without a host: it replays the inputs of a trace, and collects the machine's outputs. The same
//! trace yields the same outputs, byte for byte, on every machine.

use crate::protocol::digest::{Chain, hex, of_lines};
use crate::protocol::trace::Trace;
use crate::protocol::{Event, Input, Machine, Moment, Output};
use std::sync::Arc;

/// A trace being replayed.
#[derive(Clone)]
pub struct Replay<M> {
    /// The machine.
    pub machine: M,
    /// Copies share it.
    inputs: Arc<[(Moment, Input)]>,
    n_done: usize,
    now: Moment,
    /// Reports since [`Replay::take_reports`].
    reports: Vec<Event>,
    exit: Option<i32>,
    /// Set by [`Replay::with_digest`].
    chain: Option<Chain>,
    digest: [u8; 32],
}

impl<M: Machine> Replay<M> {
    /// Starts a replay.
    pub fn new(machine: M, trace: Trace) -> Replay<M> {
        Replay {
            machine,
            inputs: trace.inputs.into(),
            n_done: 0,
            now: Moment::default(),
            reports: Vec::new(),
            exit: None,
            chain: None,
            digest: [0; 32],
        }
    }

    /// With a digest of the outputs.
    pub fn with_digest(mut self) -> Replay<M> {
        self.chain = Some(of_lines);
        self
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

    /// The moment of the next input.
    pub fn next_at(&self) -> Option<Moment> {
        self.inputs.get(self.n_done).map(|(at, _)| *at)
    }

    /// Inputs so far, and in total.
    pub fn progress(&self) -> (usize, usize) {
        (self.n_done, self.inputs.len())
    }

    /// Feeds the next input and returns the machine's outputs, the last of which is `Idle` or `Exit`. `None`: the trace
    /// has ended.
    pub fn step(&mut self) -> Option<Vec<Output>> {
        let (at, input) = self.inputs.get(self.n_done)?.clone();
        self.n_done += 1;
        self.now = self.now.max(at);
        self.machine.handle(at, input);
        let mut outputs = Vec::new();
        loop {
            let output = self.machine.poll();
            if let Some(chain) = self.chain {
                self.digest = chain(self.digest, self.now, &output);
            }
            match &output {
                Output::Report(event) => self.reports.push(event.clone()),
                Output::Exit { status } => self.exit = Some(*status),
                _ => {}
            }
            let is_last = matches!(output, Output::Idle { .. } | Output::Exit { .. });
            outputs.push(output);
            if is_last {
                return Some(outputs);
            }
        }
    }

    /// Advances the time without an input.
    pub fn skip(&mut self, to: Moment) {
        self.now = self.now.max(to);
    }

    /// Feeds all inputs up to this moment, but at most `most_steps`. `false`: there are more.
    pub fn advance(&mut self, until: Moment, most_steps: usize) -> bool {
        for _ in 0..most_steps {
            if self.next_at().is_none_or(|at| at > until) {
                self.now = self.now.max(until);
                return true;
            }
            self.step();
        }
        false
    }

    /// The digest of all outputs so far, if one was wanted ([`Replay::with_digest`]): equal wherever the same trace was
    /// replayed to the same point.
    pub fn digest(&self) -> String {
        hex(&self.digest)
    }
}
