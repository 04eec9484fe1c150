//! The model for Graphviz: a box per instance, an arrow per member of a relation.

use super::{Member, Names, View};
use crate::compile::Compilation;
use crate::model::names::quoted;
use crate::value::Value;
use std::fmt::Write;

/// The graph in DOT. Of a relation with an inverse, the side defined first is drawn.
pub fn dot(compilation: &Compilation) -> String {
    let view = View { compilation };
    let names = Names::new(view);
    let mut out = String::from("digraph model {\n  node [shape=box];\n");
    let mut edges = String::new();
    for instance in view.instances() {
        if view.is_builtin(instance) {
            continue;
        }
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
                    for value in values {
                        if let Value::Instance(other) = value
                            && !view.is_builtin(other)
                        {
                            let _ = writeln!(edges, "  {instance:?} -> {other:?} [label={}];", quoted(name));
                        }
                    }
                }
                Member::Unset => {}
            }
        }
        let _ = writeln!(out, "  {instance:?} [label={}];", quoted(&label));
    }
    out + &edges + "}\n"
}
