//! The model as text: one paragraph per instance with its content.

use super::{Member, Names, View};
use crate::compile::Compilation;
use std::fmt::Write;

/// Every instance, with attributes, ends and implementations.
pub fn text(compilation: &Compilation) -> String {
    let view = View { compilation };
    let names = Names::new(view);
    let mut out = String::new();
    for instance in view.instances() {
        if view.is_builtin(instance) {
            continue;
        }
        let _ = writeln!(out, "{}  at {}", names.of(instance), view.places(instance).join(", "));
        for (name, _, member) in view.members(instance) {
            match member {
                Member::Attribute(value) => {
                    let _ = writeln!(out, "  {name} = {}", names.value(&value));
                }
                Member::End { values, .. } => {
                    for value in values {
                        let _ = writeln!(out, "  {name} -> {}", names.value(&value));
                    }
                }
                Member::Unset => {
                    let _ = writeln!(out, "  {name} is not set");
                }
            }
        }
        for implementation in &view.store().instances[instance].implementations {
            let _ = writeln!(out, "  by {}", compilation.program.implementations[*implementation].full_name);
        }
    }
    out
}
