//! [`Due`]: the future events of a host, and the order of simultaneous ones.

use crate::order::Order;
use crate::protocol::{Input, Moment, Ticket};
use crate::vocab::{schedule, time};

/// The place of something in the order of what is due: its moment, its rank among all of that moment, and how much was
/// due before.
pub(crate) type Turn = (Moment, u64, u64);

/// What is due at some moment.
#[derive(Clone)]
pub(super) enum Due {
    /// The inputs of the brain.
    Answer(Input),
    /// A job continues.
    Job(Ticket),
    /// A period of a clock has passed.
    Tick(Ticket, time::Watch),
    /// A followed command, by its index.
    Lines(Ticket, usize),
    /// A vote that is no longer held.
    Vote(schedule::End),
    /// This host may have begun or ceased to act on an election.
    Belief,
}

impl Due {
    /// Its rank among all that is due at this moment. Answers to one ticket keep their order, as do parts of one job.
    pub(super) fn rank(&self, order: Order, at: Moment) -> u64 {
        let (what, ticket) = match self {
            Due::Answer(input) => match input {
                Input::Fact(ticket, _)
                | Input::Probed(ticket, _)
                | Input::Applied(ticket, _)
                | Input::Fired(ticket, _)
                | Input::WatchFailed(ticket, _) => (0, ticket),
                // No answers; they would keep their order.
                Input::Deploy(_) | Input::Tick | Input::Stop(_) | Input::Secret(_) => return 0,
            },
            Due::Job(ticket) => (1, ticket),
            Due::Tick(ticket, _) => (2, ticket),
            Due::Lines(ticket, _) => (3, ticket),
            // The store comes before those that read it.
            Due::Vote(_) | Due::Belief => return 0,
        };
        order.rank(at, [what, ticket.0].into_iter())
    }
}
