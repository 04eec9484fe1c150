//! [`States`]: what the subjects keep while the agent runs, one field each. The fields of a state are private to the
//! module of its subject; other code can only query all states together.

use super::Backend;
use crate::host::{Settings, Shared};
use mclive_base::each_subject;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::subjects;
use std::sync::Arc;

/// What a subject keeps while the agent runs. One that keeps nothing has the state `()`.
pub(super) trait SubjectState: Default {
    /// Adopts the settings of the run.
    fn set_up(&mut self, _settings: &Settings) {}

    /// The run begins. It is not called for a plan.
    fn start(&self, _shared: &Arc<Shared>) {}

    /// The run ends.
    fn stop(&self, _shared: &Shared) {}

    /// Whether everything that was left has ended.
    fn is_over(&self) -> bool {
        true
    }

    /// Nothing follows.
    fn finish(&self) {}

    /// The watch or fact of a ticket is cancelled: drops everything that is kept for it.
    fn leave(&self, _shared: &Arc<Shared>, _ticket: Ticket) {}

    /// There was an event for a ticket: updates what it watches.
    fn follow(&self, _shared: &Shared, _ticket: Ticket) {}

    /// Whether there is no value yet to be read for the fact of a ticket.
    fn waits(&self, _shared: &Shared, _ticket: Ticket) -> bool {
        false
    }

    /// A watched file has changed. `true`: this has been dealt with, and is not an event for the ticket.
    fn file_changed(&self, _ticket: Ticket, _path: &str) -> bool {
        false
    }
}

impl SubjectState for () {}

macro_rules! states {
    ($($Name:ident: $module:ident,)*) => {
        /// The state of each subject.
        #[derive(Default)]
        pub(in crate::host) struct States {
            $(pub(super) $module: <subjects::$Name as Backend>::State,)*
        }

        impl States {
            /// The states at the beginning of a run.
            pub(in crate::host) fn of(settings: &Settings) -> States {
                let mut states = States::default();
                $(SubjectState::set_up(&mut states.$module, settings);)*
                states
            }

            /// The run begins. It is not called for a plan.
            pub(in crate::host) fn start(&self, shared: &Arc<Shared>) {
                $(SubjectState::start(&self.$module, shared);)*
            }

            /// The run ends.
            pub(in crate::host) fn stop(&self, shared: &Shared) {
                $(SubjectState::stop(&self.$module, shared);)*
            }

            /// Whether everything that was left has ended.
            pub(in crate::host) fn is_over(&self) -> bool {
                [$(SubjectState::is_over(&self.$module),)*].into_iter().all(|is_over| is_over)
            }

            /// Nothing follows.
            pub(in crate::host) fn finish(&self) {
                $(SubjectState::finish(&self.$module);)*
            }

            /// The watch or fact of a ticket is cancelled.
            pub(in crate::host) fn leave(&self, shared: &Arc<Shared>, ticket: Ticket) {
                $(SubjectState::leave(&self.$module, shared, ticket);)*
            }

            /// There was an event for a ticket.
            pub(in crate::host) fn follow(&self, shared: &Shared, ticket: Ticket) {
                $(SubjectState::follow(&self.$module, shared, ticket);)*
            }

            /// Whether the fact of a ticket has no value yet that could be read.
            pub(in crate::host) fn waits(&self, shared: &Shared, ticket: Ticket) -> bool {
                [$(SubjectState::waits(&self.$module, shared, ticket),)*].contains(&true)
            }

            /// Called when a watched file has changed. `true`: the ticket ignores the change.
            pub(in crate::host) fn file_changed(&self, ticket: Ticket, path: &str) -> bool {
                [$(SubjectState::file_changed(&self.$module, ticket, path),)*].contains(&true)
            }
        }
    };
}
each_subject!(states);
