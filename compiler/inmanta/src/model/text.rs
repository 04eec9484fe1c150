//! The model as text: one paragraph per instance with its content.

use super::{Member, Model, Names};
use std::fmt::Write;

/// Every instance, with attributes, ends and implementations. Several models have headings.
pub fn text(models: &[Model<'_>]) -> String {
    let mut out = String::new();
    for (nr, model) in models.iter().enumerate() {
        if models.len() > 1 {
            let (gap, what) = if nr == 0 { ("", "Model") } else { ("\n", "Partial export") };
            let _ = writeln!(out, "{gap}{what}: {}", model.main());
        }
        write(&mut out, *model);
    }
    out
}

fn write(out: &mut String, model: Model<'_>) {
    let view = model.view();
    let names = Names::new(view);
    for instance in model.instances() {
        let _ = writeln!(out, "{}  at {}", names.of(instance), view.places(instance).join(", "));
        for (name, _, member) in view.members(instance) {
            match member {
                Member::Attribute(value) => {
                    let _ = writeln!(out, "  {name} = {}", names.value(&value));
                }
                Member::End { values, .. } => {
                    for value in model.members(values) {
                        let _ = writeln!(out, "  {name} -> {}", names.value(&value));
                    }
                }
                Member::Unset => {
                    let _ = writeln!(out, "  {name} is not set");
                }
            }
        }
        for implementation in &view.store().instances[instance].implementations {
            let implementation = &model.compilation.program.implementations[*implementation];
            let _ = writeln!(out, "  by {}", implementation.full_name);
        }
    }
}
