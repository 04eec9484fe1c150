//! [`Replay`]: a driver that is no host: it hands in what a trace holds, and collects what the
//! machine answers. The same trace gives the same outputs, byte for byte, wherever it is replayed.

use crate::protocol::digest::{chain, hex, line};
use crate::protocol::trace::Trace;
use crate::protocol::{Event, Input, Machine, Moment, Output};

/// A trace under way.
pub struct Replay<M> {
    pub machine: M,
    inputs: std::vec::IntoIter<(Moment, Input)>,
    now: Moment,
    /// What was reported since [`Replay::take_reports`].
    reports: Vec<Event>,
    exit: Option<i32>,
    digest: [u8; 32],
    n_inputs: usize,
}

impl<M: Machine> Replay<M> {
    pub fn new(machine: M, trace: Trace) -> Replay<M> {
        let n_inputs = trace.inputs.len();
        Replay {
            machine,
            inputs: trace.inputs.into_iter(),
            now: Moment::default(),
            reports: Vec::new(),
            exit: None,
            digest: [0; 32],
            n_inputs,
        }
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

    /// When the next input came.
    pub fn next_at(&self) -> Option<Moment> {
        self.inputs.as_slice().first().map(|(at, _)| *at)
    }

    /// Inputs so far, and in all.
    pub fn progress(&self) -> (usize, usize) {
        (self.n_inputs - self.inputs.len(), self.n_inputs)
    }

    /// Hands in the next input, and gives all that the machine answers, the last of it `Idle` or
    /// `Exit`. `None`: the trace is over.
    pub fn step(&mut self) -> Option<Vec<Output>> {
        let (at, input) = self.inputs.next()?;
        self.now = self.now.max(at);
        self.machine.handle(at, input);
        let mut outputs = Vec::new();
        loop {
            let output = self.machine.poll();
            self.digest = chain(self.digest, &line(self.now, &output));
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

    /// Lets the time be later without handing in anything.
    pub fn skip(&mut self, to: Moment) {
        self.now = self.now.max(to);
    }

    /// All inputs up to this moment, but no more than so many. `false`: there are more.
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

    /// Of all outputs so far: equal wherever the same trace was replayed so far.
    pub fn digest(&self) -> String {
        hex(&self.digest)
    }
}
