//! Properties that a resource has in addition to the fields of its kind: meta parameters and edges. Language spec,
//! 12.6.

use crate::types::Type;

/// An edge written inside a resource: `Before => Kind["name"]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeProperty {
    /// This resource comes before the other one.
    Before,
    /// Like `Before`, and changes notify the other one.
    Notify,
    /// This resource comes after the other one.
    Depend,
    /// Like `Depend`, and changes of the other one notify this one.
    Listen,
}

/// A meta parameter. Variants are in the order of the language's table; `doc` describes each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MetaProperty {
    /// Report changes without applying them.
    Noop,
    /// Maximum number of retries after an error.
    Retry,
    /// A success resets the retry count.
    RetryReset,
    /// Delay before a retry. Units: milliseconds.
    Delay,
    /// Time limit of one check. Units: milliseconds.
    Timeout,
    /// Check periodically instead of watching. Units: seconds.
    Poll,
    /// Maximum number of checks per second that events cause.
    Limit,
    /// Number of events that may come at once, with `limit`.
    Burst,
    /// A new graph resets the retry count.
    Reset,
    /// Semaphores to hold during a check.
    Sema,
    /// Restart a failed resource with a new graph.
    Rewatch,
    /// Reserved; has no effect.
    Realize,
    /// Allow the name to begin with a dollar sign.
    Dollar,
    /// Keep the resource in the graph without applying it.
    Hidden,
    /// Hosts to publish the resource to.
    Export,
    /// Undo the resource when it is removed from the program.
    Reverse,
    /// Allow automatic edges from and to the resource.
    AutoEdge,
    /// Allow automatic grouping of the resource.
    AutoGroup,
}

impl MetaProperty {
    /// All meta parameters in the order of the language's table; `Meta => struct{…}` uses the same order.
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

    /// The name as written after `Meta:`.
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

    /// The meta parameter of this name.
    pub fn named(name: &str) -> Option<MetaProperty> {
        MetaProperty::ALL.into_iter().find(|property| property.name() == name)
    }

    /// The type of its value.
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

    /// The type of `Meta => struct{…}`: exactly these fields, in this order.
    pub fn struct_type() -> Type {
        Type::structure(MetaProperty::ALL.map(|property| (property.name().into(), property.ty())))
    }

    /// One line for docs and hover.
    pub fn doc(self) -> &'static str {
        match self {
            MetaProperty::Noop => "Report changes without applying them.",
            MetaProperty::Retry => "Maximum number of retries after an error; -1 means no limit.",
            MetaProperty::RetryReset => "Reset the retry count after a success.",
            MetaProperty::Delay => "Delay before a retry, in milliseconds.",
            MetaProperty::Timeout => "Time limit of one check, in milliseconds; 0 means none.",
            MetaProperty::Poll => {
                "Polling interval in seconds. 0 watches for changes instead; a negative number checks only once."
            }
            MetaProperty::Limit => "Maximum number of checks per second that are triggered by events.",
            MetaProperty::Burst => "With `limit`, the number of events allowed in a burst; must not be 0.",
            MetaProperty::Reset => "Reset the retry count with every new graph.",
            MetaProperty::Sema => "Semaphores to acquire during a check: `name` or `name:count`.",
            MetaProperty::Rewatch => "Restart a failed resource with a new graph, even if the resource is unchanged.",
            MetaProperty::Realize => "Reserved; has no effect.",
            MetaProperty::Dollar => "Allow the name to begin with a dollar sign.",
            MetaProperty::Hidden => "Keep the resource in the graph, but do not apply it.",
            MetaProperty::Export => "Export the resource to these hosts; `*` exports it to all.",
            MetaProperty::Reverse => {
                "Undo the resource when it is removed from the program, if its kind supports that."
            }
            MetaProperty::AutoEdge => "Allow automatic edges from and to the resource.",
            MetaProperty::AutoGroup => "Allow automatic grouping of the resource.",
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
