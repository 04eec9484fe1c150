//! One call as a program on a simulated host, without a brain: facts go in, a value comes out.

use crate::compile::{Setup, compile};
use crate::protocol::{Input, Moment, Output, Ticket};
use crate::react::{FactId, FactRequest, Outcome, React, StmtKind};
use crate::source::MemoryWorld;
use crate::{SimHost, World};
use std::sync::Arc;

/// The result of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seen {
    /// A value, in value notation.
    Value(&'static str),
    /// No value yet.
    Waiting,
    /// An error with this message, which `<|>` catches.
    Catchable(&'static str),
    /// An error with this message, which ends the program.
    Fatal(&'static str),
}

pub(super) struct Running {
    react: React,
    host: SimHost,
    now: Moment,
    outcome: Outcome,
}

impl Running {
    /// The call as the value of a field, on a prepared host.
    pub(super) fn on(before: &[fn(&mut World)], path: &str, call: &str) -> Running {
        let import = path.rsplit_once('.').map_or(String::new(), |(module, _)| format!("import \"{module}\"\n"));
        let os = if call.contains("os.readfile") && !import.contains("\"os\"") { "import \"os\"\n" } else { "" };
        let files = MemoryWorld::single(&format!("{import}{os}value \"v\" {{\n\tany => {call},\n}}\n"));
        let compilation = compile(&files, "/main.mcl", Setup { hostname: "host1" });
        let diags = compilation.diags;
        let program = compilation.program.unwrap_or_else(|| panic!("{call}: {:?}", diags.first_error()));
        let mut host = SimHost::new("host1");
        before.iter().for_each(|change| host.change(change));
        let react = React::new(program.ir, Arc::new(files));
        Running { react, host, now: Moment::default(), outcome: Outcome::Waiting }
    }

    /// A change of the host, now.
    pub(super) fn change(&mut self, change: fn(&mut World)) {
        self.host.set_now(self.now);
        self.host.change(change);
    }

    /// The result of the call after some time.
    pub(super) fn after(&mut self, ms: u64) -> String {
        let until = self.now.plus_ms(ms);
        loop {
            self.settle();
            let next = [self.host.next_at(), self.react.wake().map(Moment)].into_iter().flatten().min();
            match next.filter(|at| *at <= until) {
                Some(at) => self.now = self.now.max(at),
                None => break,
            }
        }
        self.now = until;
        self.host.set_now(until);
        match &self.outcome {
            Outcome::Waiting | Outcome::Underway => "waiting".into(),
            Outcome::Failed(failures) => format!("error: {}", failures[0].message),
            Outcome::Complete { .. } => match self.react.table().stmts().next().map(|stmt| stmt.what) {
                Some(StmtKind::Resource { items, .. }) => items[0].0.to_string(),
                _ => "nothing".into(),
            },
        }
    }

    /// Everything that happens at this moment.
    fn settle(&mut self) {
        self.host.set_now(self.now);
        loop {
            self.outcome = self.react.run(self.now.0);
            let requests = self.react.take_requests();
            for request in &requests {
                self.host.take(match request {
                    FactRequest::Subscribe(id, spec) => Output::Subscribe(Ticket(id.0), spec.clone()),
                    FactRequest::Unsubscribe(id) => Output::Unsubscribe(Ticket(id.0)),
                });
            }
            let mut told = false;
            while let Some(input) = self.host.next_input() {
                let Input::Fact(ticket, value) = input else { continue };
                self.react.fact(FactId(ticket.0), value);
                told = true;
            }
            if requests.is_empty() && !told {
                return;
            }
        }
    }
}
