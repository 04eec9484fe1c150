//! [`Heard`]: the result of a program, for the code that started it.

use mclive_base::protocol::What;

/// What is reported to a listener.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Heard {
    /// The shared store may have another deploy.
    Store,
    /// The list of operators may have changed.
    Operators,
    /// The brain has received a program.
    HandedOver,
    /// A graph is in effect.
    Graph,
    /// The program has no graph for its values.
    Failed(String),
    Converged(bool),
    /// The resources that fail, in words; empty: none does.
    Failing(String),
}

impl Heard {
    pub(super) fn of(what: &What) -> Option<Heard> {
        match what {
            What::GraphSwitched { .. } => Some(Heard::Graph),
            // Valid values resumed: a graph follows.
            What::Stream { text } if text.starts_with("the program has recovered") => None,
            What::Refused { text } | What::Stream { text } => Some(Heard::Failed(text.clone())),
            What::Converged { .. } => Some(Heard::Converged(true)),
            What::Unconverged => Some(Heard::Converged(false)),
            What::Resource { .. } | What::Steps { .. } | What::Grouped { .. } | What::Log { .. } => None,
        }
    }
}
