//! [`Tickets`]: each instance of the brain numbers its tickets from the start, but the host never sees a number twice.

use mclive_base::protocol::{Input, Output, Ticket};

#[derive(Default)]
pub(super) struct Tickets {
    /// The offset of the running instance's tickets.
    base: u64,
    /// The highest number that the host has seen.
    highest: u64,
}

impl Tickets {
    /// Moves the tickets of the next instance above all earlier ones.
    pub(super) fn renew(&mut self) {
        self.base = self.highest;
    }

    /// Whether it belongs to an earlier instance.
    pub(super) fn is_stale(&self, ticket: Ticket) -> bool {
        ticket.0 <= self.base
    }

    /// The host's ticket for one of the running instance.
    pub(super) fn of_host(&self, ticket: Ticket) -> Ticket {
        Ticket(ticket.0 + self.base)
    }

    /// A request as the host gets it.
    pub(super) fn outward(&mut self, output: Output) -> Output {
        let mut renew = |ticket: Ticket| {
            let ticket = Ticket(ticket.0 + self.base);
            self.highest = self.highest.max(ticket.0);
            ticket
        };
        match output {
            Output::Subscribe(ticket, spec) => Output::Subscribe(renew(ticket), spec),
            Output::Unsubscribe(ticket) => Output::Unsubscribe(renew(ticket)),
            Output::Probe(ticket, id, probes) => Output::Probe(renew(ticket), id, probes),
            Output::Apply(ticket, id, steps) => Output::Apply(renew(ticket), id, steps),
            Output::Cancel(ticket, mode) => Output::Cancel(renew(ticket), mode),
            Output::Watch(ticket, spec) => Output::Watch(renew(ticket), spec),
            Output::Unwatch(ticket) => Output::Unwatch(renew(ticket)),
            Output::Report(_) | Output::Idle { .. } | Output::Exit { .. } => output,
        }
    }

    /// An answer as the running instance gets it; `None` if it belongs to an earlier one.
    pub(super) fn inward(&self, input: Input) -> Option<Input> {
        let own = |ticket: Ticket| ticket.0.checked_sub(self.base).filter(|own| *own > 0).map(Ticket);
        Some(match input {
            Input::Fact(ticket, told) => Input::Fact(own(ticket)?, told),
            Input::Probed(ticket, findings) => Input::Probed(own(ticket)?, findings),
            Input::Applied(ticket, outcomes) => Input::Applied(own(ticket)?, outcomes),
            Input::Fired(ticket, what) => Input::Fired(own(ticket)?, what),
            Input::WatchFailed(ticket, error) => Input::WatchFailed(own(ticket)?, error),
            Input::Deploy(_) | Input::Tick | Input::Stop(_) | Input::Secret(_) => input,
        })
    }
}

/// The ticket of a finished job.
pub(super) fn ticket_of_answer(input: &Input) -> Option<Ticket> {
    match input {
        Input::Probed(ticket, _) | Input::Applied(ticket, _) => Some(*ticket),
        Input::Deploy(_)
        | Input::Fact(..)
        | Input::Fired(..)
        | Input::WatchFailed(..)
        | Input::Tick
        | Input::Stop(_)
        | Input::Secret(_) => None,
    }
}

/// The ticket of a new job.
pub(super) fn ticket_of_request(output: &Output) -> Option<Ticket> {
    match output {
        Output::Probe(ticket, ..) | Output::Apply(ticket, ..) => Some(*ticket),
        Output::Subscribe(..)
        | Output::Unsubscribe(_)
        | Output::Cancel(..)
        | Output::Watch(..)
        | Output::Unwatch(_)
        | Output::Report(_)
        | Output::Idle { .. }
        | Output::Exit { .. } => None,
    }
}
