//! [`Regions`]: nested or disjoint ranges of texts, and lookup by position.

use mclive_base::span::Span;

/// Ranges of files with data. Any two are nested or disjoint.
#[derive(Debug)]
pub(super) struct Regions<T> {
    /// Sorted by start, an outer one before those inside it.
    list: Vec<Region<T>>,
}

#[derive(Debug)]
struct Region<T> {
    span: Span,
    /// The index of the enclosing region.
    outer: Option<usize>,
    own: T,
}

impl<T> Default for Regions<T> {
    fn default() -> Regions<T> {
        Regions { list: Vec::new() }
    }
}

impl<T> Regions<T> {
    pub(super) fn of(parts: Vec<(Span, T)>) -> Regions<T> {
        let mut list: Vec<Region<T>> = parts.into_iter().map(|(span, own)| Region { span, outer: None, own }).collect();
        list.sort_by_key(|region| (region.span.file, region.span.start, std::cmp::Reverse(region.span.end)));
        let mut open: Vec<usize> = Vec::new();
        for nr in 0..list.len() {
            let span = list[nr].span;
            while open.last().is_some_and(|last| !holds(list[*last].span, span)) {
                open.pop();
            }
            list[nr].outer = open.last().copied();
            open.push(nr);
        }
        Regions { list }
    }

    /// The data of the regions around a place, innermost first.
    pub(super) fn around(&self, at: Span) -> impl Iterator<Item = &T> {
        let behind = self.list.partition_point(|region| (region.span.file, region.span.start) <= (at.file, at.start));
        let mut next = behind.checked_sub(1);
        std::iter::from_fn(move || {
            loop {
                let region = &self.list[next?];
                next = region.outer;
                if holds(region.span, at) {
                    return Some(&region.own);
                }
            }
        })
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::span::FileId;

    #[test]
    fn the_innermost_is_first() {
        let span = |start, end| Span::new(FileId(0), start, end);
        let regions = Regions::of(vec![(span(5, 9), 'b'), (span(0, 20), 'a'), (span(6, 7), 'c'), (span(12, 15), 'd')]);
        let around = |start, end| regions.around(span(start, end)).collect::<String>();
        assert_eq!(around(6, 7), "cba");
        assert_eq!(around(8, 9), "ba");
        assert_eq!(around(10, 11), "a");
        assert_eq!(around(13, 14), "da");
        assert_eq!(around(19, 22), "");
        assert_eq!(Regions::of(Vec::<(Span, ())>::new()).around(span(0, 1)).count(), 0);
    }
}
