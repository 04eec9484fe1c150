//! The model for Graphviz: a box per instance, an arrow per member of a relation.

use super::{Member, Model, Names};
use crate::model::names::quoted;
use crate::value::Value;
use std::fmt::Write;

/// The graph in DOT. Of a relation with an inverse, the side defined first is drawn. Each of several models has a frame.
pub fn dot(models: &[Model<'_>]) -> String {
    let mut out = String::from("digraph model {\n  node [shape=box];\n");
    let mut edges = String::new();
    for (nr, model) in models.iter().enumerate() {
        if models.len() > 1 {
            let _ = writeln!(out, "  subgraph cluster_{nr} {{\n  label={};", quoted(model.main()));
        }
        // The first one has the names that it would have alone.
        let prefix = if nr == 0 { String::new() } else { format!("p{nr}_") };
        draw(*model, &prefix, &mut out, &mut edges);
        if models.len() > 1 {
            out.push_str("  }\n");
        }
    }
    out + &edges + "}\n"
}

fn draw(model: Model<'_>, prefix: &str, out: &mut String, edges: &mut String) {
    let (view, compilation) = (model.view(), model.compilation);
    let names = Names::new(view);
    for instance in model.instances() {
        let mut label = names.of(instance).to_owned();
        for (name, attr, member) in view.members(instance) {
            match member {
                Member::Attribute(value) => {
                    let _ = write!(label, "\n{name} = {}", names.value(&value));
                }
                Member::End { values, .. } => {
                    let inverse = compilation.program.end(attr).and_then(|end| end.inverse);
                    if inverse.is_some_and(|inverse| inverse < attr) {
                        continue;
                    }
                    for value in model.members(values) {
                        if let Value::Instance(other) = value
                            && !view.is_builtin(other)
                        {
                            let name = quoted(name);
                            let _ = writeln!(edges, "  {prefix}{instance:?} -> {prefix}{other:?} [label={name}];");
                        }
                    }
                }
                Member::Unset => {}
            }
        }
        let _ = writeln!(out, "  {prefix}{instance:?} [label={}];", quoted(&label));
    }
}
