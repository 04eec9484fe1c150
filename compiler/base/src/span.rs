//! Positions in source files.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A source file of one compilation; an index into [`crate::source::Sources`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A half-open byte range in one file: UTF-8 offsets, `start <= end`. Ordered by file, start and end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// A span of a file from byte offsets.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; both must be in one file.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span at this one's start.
    pub fn at_start(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// The empty span at this one's end.
    pub fn at_end(self) -> Span {
        Span { start: self.end, ..self }
    }

    /// A key that sorts spans of one file. Sorts by a cached number share their code, whatever they sort.
    pub fn in_file(self) -> u64 {
        (u64::from(self.start) << 32) | u64::from(self.end)
    }

    /// The same, but of several spans with the same start, the longest comes first.
    pub fn outermost_first(self) -> u64 {
        (u64::from(self.start) << 32) | u64::from(u32::MAX - self.end)
    }
}

/// By two comparisons instead of the derived three: many maps and sorts are by span.
impl Ord for Span {
    fn cmp(&self, other: &Span) -> Ordering {
        self.file.cmp(&other.file).then(self.in_file().cmp(&other.in_file()))
    }
}

impl PartialOrd for Span {
    fn partial_cmp(&self, other: &Span) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_ordered_by_file_start_and_end() {
        let span = |(file, start, end)| Span { file: FileId(file), start, end };
        let places = [(0, 0, 0), (0, 0, u32::MAX), (0, 1, 1), (0, u32::MAX, u32::MAX), (1, 0, 0), (1, 7, 9)];
        for one in places {
            for other in places {
                assert_eq!(span(one).cmp(&span(other)), one.cmp(&other), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn an_outer_span_comes_before_those_that_start_with_it() {
        let mut spans = [(4, 5), (0, 2), (0, 9), (4, 8)].map(|(start, end)| Span::new(FileId(0), start, end));
        spans.sort_by_cached_key(|span| span.outermost_first());
        assert_eq!(spans.map(|span| (span.start, span.end)), [(0, 9), (0, 2), (4, 8), (4, 5)]);
    }
}
