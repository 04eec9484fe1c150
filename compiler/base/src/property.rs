//! The properties that a resource has beside the fields of its kind: meta parameters and edges.
//! Language spec, 12.6.

use crate::types::Type;

/// An edge that is written inside of a resource: `Before => Kind["name"]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeProperty {
    Before,
    Notify,
    Depend,
    Listen,
}

/// A meta parameter by its place in the language's table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MetaProperty {
    Noop,
    Retry,
    RetryReset,
    Delay,
    Timeout,
    Poll,
    Limit,
    Burst,
    Reset,
    Sema,
    Rewatch,
    Realize,
    Dollar,
    Hidden,
    Export,
    Reverse,
    AutoEdge,
    AutoGroup,
}

impl MetaProperty {
    /// All, in the order of the language's table; `Meta => struct{…}` has the same.
    pub const ALL: [MetaProperty; 18] = [
        MetaProperty::Noop,
        MetaProperty::Retry,
        MetaProperty::RetryReset,
        MetaProperty::Delay,
        MetaProperty::Timeout,
        MetaProperty::Poll,
        MetaProperty::Limit,
        MetaProperty::Burst,
        MetaProperty::Reset,
        MetaProperty::Sema,
        MetaProperty::Rewatch,
        MetaProperty::Realize,
        MetaProperty::Dollar,
        MetaProperty::Hidden,
        MetaProperty::Export,
        MetaProperty::Reverse,
        MetaProperty::AutoEdge,
        MetaProperty::AutoGroup,
    ];

    /// As written after `Meta:`.
    pub fn name(self) -> &'static str {
        match self {
            MetaProperty::Noop => "noop",
            MetaProperty::Retry => "retry",
            MetaProperty::RetryReset => "retryreset",
            MetaProperty::Delay => "delay",
            MetaProperty::Timeout => "timeout",
            MetaProperty::Poll => "poll",
            MetaProperty::Limit => "limit",
            MetaProperty::Burst => "burst",
            MetaProperty::Reset => "reset",
            MetaProperty::Sema => "sema",
            MetaProperty::Rewatch => "rewatch",
            MetaProperty::Realize => "realize",
            MetaProperty::Dollar => "dollar",
            MetaProperty::Hidden => "hidden",
            MetaProperty::Export => "export",
            MetaProperty::Reverse => "reverse",
            MetaProperty::AutoEdge => "autoedge",
            MetaProperty::AutoGroup => "autogroup",
        }
    }

    pub fn named(name: &str) -> Option<MetaProperty> {
        MetaProperty::ALL.into_iter().find(|property| property.name() == name)
    }

    pub fn ty(self) -> Type {
        match self {
            MetaProperty::Noop
            | MetaProperty::RetryReset
            | MetaProperty::Reset
            | MetaProperty::Rewatch
            | MetaProperty::Realize
            | MetaProperty::Dollar
            | MetaProperty::Hidden
            | MetaProperty::Reverse
            | MetaProperty::AutoEdge
            | MetaProperty::AutoGroup => Type::Bool,
            MetaProperty::Retry
            | MetaProperty::Delay
            | MetaProperty::Timeout
            | MetaProperty::Poll
            | MetaProperty::Burst => Type::Int,
            MetaProperty::Limit => Type::Float,
            MetaProperty::Sema | MetaProperty::Export => Type::list(Type::Str),
        }
    }

    /// The type of `Meta => struct{…}`: exactly these, in this order.
    pub fn struct_type() -> Type {
        Type::structure(MetaProperty::ALL.map(|property| (property.name().into(), property.ty())))
    }

    /// One line for docs and hover.
    pub fn doc(self) -> &'static str {
        match self {
            MetaProperty::Noop => "Only look: nothing is changed.",
            MetaProperty::Retry => "How often to try again after an error; -1: for ever.",
            MetaProperty::RetryReset => "A success gives the retries back.",
            MetaProperty::Delay => "Milliseconds between two tries.",
            MetaProperty::Timeout => "Milliseconds that one check may take; 0: no limit.",
            MetaProperty::Poll => "Look every so many seconds instead of watching; 0: watch, negative: look once.",
            MetaProperty::Limit => "Events per second that lead to a check at most.",
            MetaProperty::Burst => "How many events may come at once with a limit; not 0 then.",
            MetaProperty::Reset => "A new graph gives the retries back.",
            MetaProperty::Sema => "Semaphores held while it is checked: `name`, or `name:count`.",
            MetaProperty::Rewatch => "A new graph starts a failed resource again, even if nothing changed about it.",
            MetaProperty::Realize => "Reserved: has no effect.",
            MetaProperty::Dollar => "The name may begin with a dollar sign.",
            MetaProperty::Hidden => "It is in the graph, but never applied.",
            MetaProperty::Export => "Publish it to these hosts; `*`: to all.",
            MetaProperty::Reverse => "Undo it when it leaves the program, where the kind can.",
            MetaProperty::AutoEdge => "Take part in automatic edges.",
            MetaProperty::AutoGroup => "Take part in automatic grouping.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_struct_has_every_parameter_in_order() {
        let text = MetaProperty::struct_type().to_string();
        assert!(text.starts_with("struct{noop bool; retry int; retryreset bool; delay int; "), "{text}");
        assert!(text.ends_with("export []str; reverse bool; autoedge bool; autogroup bool}"), "{text}");
    }
}
