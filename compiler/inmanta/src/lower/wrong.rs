//! [`Wrong`]: why a resource cannot be expressed in our kinds. The error points to the value that is wrong, where the model
//! gives it, and otherwise to the resource.

use super::place;
use crate::export::Resource as Exported;
use crate::fault::{Class, Failure, Fault};
use crate::model::View;
use mclive_base::value::Value as Host;
use mclive_engine::rgraph::{self, Resource};

/// Why a resource cannot be expressed.
pub(super) struct Wrong {
    /// The attribute to blame; `None`: the resource as a whole.
    attribute: Option<&'static str>,
    reason: String,
}

impl Wrong {
    /// An attribute is wrong.
    pub(super) fn of(attribute: &'static str, reason: impl Into<String>) -> Wrong {
        Wrong { attribute: Some(attribute), reason: reason.into() }
    }

    /// No attribute is to blame.
    pub(super) fn whole(reason: impl Into<String>) -> Wrong {
        Wrong { attribute: None, reason: reason.into() }
    }

    /// A field of the kind does not take its value.
    pub(super) fn in_field(exported: &Exported, field: &'static str, reason: String) -> Wrong {
        Wrong::of(attribute(exported, field), reason)
    }

    /// The kind refuses the resource with these fields.
    pub(super) fn not_valid(
        exported: &Exported,
        resource: &Resource,
        fields: &[(&'static str, Host)],
        reason: &str,
    ) -> Wrong {
        let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
        let is_name = || rgraph::is_name_wrong(resource, reason).then_some(exported.registration.id_attribute);
        let blamed = rgraph::culprit(resource, reason, &names).map(|at| attribute(exported, fields[at].0));
        Wrong { attribute: blamed.or_else(is_name), reason: format!("`{}` is not valid: {reason}", resource.id) }
    }

    /// The error, with its places.
    pub(super) fn fault(self, view: View<'_>, exported: &Exported) -> Failure {
        let (fault, id) = (Fault::new(Class::Lowering, self.reason), exported.id());
        let whole = place(view, exported);
        let Some(value) = self.attribute.and_then(|name| view.value_place(exported.instance, name)) else {
            return fault.also(whole, format!("this is `{id}`"));
        };
        let fault = fault.also(value, format!("this value of `{id}`"));
        // It may be a default, or set by its own statement.
        if whole.file == value.file && whole.start <= value.start && value.end <= whole.end {
            return fault;
        }
        fault.also(whole, "the resource is constructed here")
    }
}

/// The attribute that a field of a kind comes from.
fn attribute(exported: &Exported, field: &'static str) -> &'static str {
    match field {
        "source" if exported.field("src").is_some() => "src",
        "state" if exported.field("state").is_none() => "purged",
        "startup" => "onboot",
        "allowduplicateuid" => "allow_duplicate_uid",
        "cmd" | "args" => "command",
        "env" => "environment",
        "ifcmd" | "ifshell" => "onlyif",
        "nifcmd" | "nifshell" => "unless",
        same => same,
    }
}
