//! The model as a graph for display: a vertex per instance, an edge per member of a relation.

use super::{Member, Model, Names};
use crate::value::{InstId, Value};
use mclive_base::shapes::{FunctionEdge, FunctionGraph, FunctionVertex, Place, VERSION};
use std::collections::BTreeMap;

/// Of a relation with an inverse, the side defined first is drawn.
pub fn picture(models: &[Model<'_>]) -> FunctionGraph {
    let mut graph = FunctionGraph { version: VERSION, vertices: Vec::new(), edges: Vec::new() };
    models.iter().for_each(|model| draw(*model, &mut graph));
    graph
}

fn draw(model: Model<'_>, graph: &mut FunctionGraph) {
    let (view, compilation) = (model.view(), model.compilation);
    let names = Names::new(view);
    let own: Vec<InstId> = model.instances().collect();
    let numbers: BTreeMap<InstId, u32> = own.iter().copied().zip(graph.vertices.len() as u32..).collect();
    let mut edges: BTreeMap<(u32, u32), Vec<String>> = BTreeMap::new();
    for (instance, from) in &numbers {
        for (name, attr, member) in view.members(*instance) {
            let Member::End { values, .. } = member else { continue };
            let inverse = compilation.program.end(attr).and_then(|end| end.inverse);
            if inverse.is_some_and(|inverse| inverse < attr) {
                continue;
            }
            for value in values {
                if let Value::Instance(other) = value
                    && let Some(to) = numbers.get(&other)
                {
                    edges.entry((*from, *to)).or_default().push(name.to_owned());
                }
            }
        }
    }
    let vertex = |instance: &InstId| {
        let construct = view.store().instances[*instance].constructs[0];
        FunctionVertex {
            label: names.of(*instance).to_owned(),
            ty: Some(view.entity_name(*instance).to_owned()),
            place: Some(Place::of(&compilation.sources, compilation.program.tree.exprs[construct].span)),
        }
    };
    graph.vertices.extend(own.iter().map(vertex));
    let edge = |((from, to), names): ((u32, u32), Vec<String>)| FunctionEdge { from, to, label: names.join(", ") };
    graph.edges.extend(edges.into_iter().map(edge));
}
