//! List functions that take a function: one body per element (functions spec, 7.8).

use super::React;
use super::attach::READY;
use super::state::VertexState;
use crate::corelib::{FnError, IterShape};
use crate::fgraph::VertexId;
use crate::fgraph::build::Builder;
use crate::fgraph::env::Code;
use crate::fgraph::op::Op;
use crate::span::Span;
use crate::value::Value;

/// The parts of the bodies of one such function.
struct Bodies<'a, 'b> {
    builder: &'a mut Builder<'b>,
    code: &'a Code,
    span: Span,
}

impl Bodies<'_, '_> {
    fn element(&mut self, list: VertexId, index: usize, label: &'static str) -> VertexId {
        let element = self.builder.add(Op::Element { index, label }, self.span, &[list]);
        // A body that does not read it must not lose it.
        self.builder.graph.hold(element);
        self.builder.holds.push(element);
        element
    }

    fn apply(&mut self, args: &[VertexId]) -> VertexId {
        self.builder.apply(self.code, args, self.span)
    }
}

impl React {
    /// Rebuilds the bodies when the function or the number of elements changed.
    pub(super) fn iterate(&mut self, id: VertexId, values: &[Value]) -> VertexState {
        let vertex = self.graph.at(id);
        let Op::Iter { shape, .. } = &vertex.op else { return READY };
        let (shape, span, floor) = (*shape, vertex.span, vertex.level);
        let inputs: Vec<VertexId> = vertex.inputs.iter().map(|input| input.from).collect();
        let Some((func, lists)) = values.split_last() else { return READY };
        // `reduce` with an initial value has it as the first list.
        let seeded = shape == IterShape::Reduce && lists.len() == 2;
        let lists = if seeded { &lists[1..] } else { lists };
        let lengths = lists.iter().map(|list| list.as_list().map_or(0, |list| list.len()));
        let n_elements = lengths.min().unwrap_or(0);
        if self.is_seen(id, &Value::list([func.clone(), Value::Int(n_elements as i64)])) {
            return READY;
        }
        let Some(code) = func.as_func().and_then(|func| func.code.downcast_ref::<Code>()) else {
            return self.fail(id, FnError::fatal("the called value is not a function"));
        };
        let reduces_nothing = shape == IterShape::Reduce && n_elements == 0 && !seeded;
        if reduces_nothing {
            // The next list starts from scratch.
            self.slots[id.0 as usize].seen = None;
            return self.fail(id, FnError::fatal("cannot reduce an empty list without an initial value"));
        }
        let ir = self.ir.clone();
        let mut builder = Builder::new(&ir, &mut self.graph, floor);
        let mut bodies = Bodies { builder: &mut builder, code, span };
        let output = match shape {
            IterShape::Map | IterShape::Zip => {
                let n_lists = inputs.len() - 1;
                let label = if shape == IterShape::Map { "mapInputElem" } else { "zipInputElem" };
                let mut results = Vec::with_capacity(n_elements);
                let mut args = Vec::with_capacity(n_lists);
                for index in 0..n_elements {
                    args.clear();
                    args.extend(inputs[..n_lists].iter().map(|list| bodies.element(*list, index, label)));
                    results.push(bodies.apply(&args));
                }
                let label = if shape == IterShape::Map { "mapOutputList" } else { "zipOutputList" };
                builder.add(Op::Collect { label }, span, &results)
            }
            IterShape::Filter => {
                let mut pairs = Vec::with_capacity(2 * n_elements);
                for index in 0..n_elements {
                    let element = bodies.element(inputs[0], index, "filterInputElem");
                    pairs.extend([element, bodies.apply(&[element])]);
                }
                builder.add(Op::Sift, span, &pairs)
            }
            IterShape::Reduce => {
                let list = inputs[inputs.len() - 2];
                let mut elements = 0..n_elements;
                let mut total = match seeded {
                    true => inputs[0],
                    false => bodies.element(list, elements.next().unwrap_or(0), "reduceInputElem"),
                };
                for index in elements {
                    let element = bodies.element(list, index, "reduceInputElem");
                    total = bodies.apply(&[total, element]);
                }
                total
            }
        };
        let holds = builder.holds;
        self.replace(id, Some(output), holds);
        READY
    }
}
