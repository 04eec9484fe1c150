//! [`Sinks`]: receivers of elements, and how much of their input is left. Spec, 10.4.

use crate::eval::flow::SinkKind;
use crate::eval::unit::Origin;
use crate::program::AttrId;
use crate::value::InstId;

struct Sink {
    kind: SinkKind,
    /// The number of incomplete parts.
    parts: u32,
    origin: Origin,
    inverse: Option<(InstId, AttrId)>,
}

#[derive(Default)]
pub(in crate::eval) struct Sinks(Vec<Sink>);

impl Sinks {
    /// A sink without input.
    pub(in crate::eval) fn add(&mut self, kind: SinkKind, origin: Origin, inverse: Option<(InstId, AttrId)>) -> u32 {
        self.0.push(Sink { kind, parts: 0, origin, inverse });
        self.0.len() as u32 - 1
    }

    pub(in crate::eval) fn kind(&self, sink: u32) -> &SinkKind {
        &self.0[sink as usize].kind
    }

    /// The cause of its assignments, and the end for the implicit inverse (spec, 8.8).
    pub(in crate::eval) fn origin(&self, sink: u32) -> (Origin, Option<(InstId, AttrId)>) {
        let Sink { origin, inverse, .. } = &self.0[sink as usize];
        (*origin, *inverse)
    }

    /// A further part of the input begins.
    pub(in crate::eval) fn begin_part(&mut self, sink: u32) {
        self.0[sink as usize].parts += 1;
    }

    /// A part is complete. Returns whether no other part is left.
    pub(in crate::eval) fn end_part(&mut self, sink: u32) -> bool {
        let parts = &mut self.0[sink as usize].parts;
        *parts = parts.saturating_sub(1);
        *parts == 0
    }

    /// The approximate number of bytes held.
    pub(in crate::eval) fn bytes(&self) -> u64 {
        64 * self.0.len() as u64
    }
}
