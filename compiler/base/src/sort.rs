//! Sorts that share their code.
//!
//! The sort of the standard library is compiled again for each type and each comparison: five kilobytes of code each
//! time in a module for the browser. Here only positions are sorted, always by the same code, and then each item is
//! moved to its place. These functions are for everything except what runs for each event, and texts and numbers, whose
//! own `sort` exists once for all of them.
//!
//! All of these sorts are stable: equal items keep their order.

use std::cmp::Ordering;

/// Sorts items by their own order.
pub fn items<T: Ord>(items: &mut [T]) {
    by(items, T::cmp);
}

/// Sorts items by a key, which is made for each comparison.
pub fn by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    by(items, |one, other| key(one).cmp(&key(other)));
}

/// Sorts items by a comparison.
pub fn by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let swaps = swaps(items.len(), &|one, other| compare(&items[one], &items[other]));
    swaps.into_iter().enumerate().for_each(|(at, with)| items.swap(at, with));
}

/// For each position, in turn, that of the item to swap with; after the last swap the items are in order.
fn swaps(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut swaps: Vec<usize> = (0..len).collect();
    swaps.sort_by(|one, other| compare(*one, *other));
    for at in 0..len {
        // An item from a position before this one has been swapped away, perhaps several times.
        let mut with = swaps[at];
        while with < at {
            with = swaps[with];
        }
        swaps[at] = with;
    }
    swaps
}

#[cfg(test)]
mod tests {
    use super::{by, by_key, items};

    /// Sorts numbers by their last digit in base 4.
    fn is_as_in_the_standard_library(numbers: &[u32]) {
        let (mut ours, mut theirs) = (numbers.to_vec(), numbers.to_vec());
        by_key(&mut ours, |number| number % 4);
        theirs.sort_by_key(|number| number % 4);
        assert_eq!(ours, theirs, "{numbers:?}");
    }

    #[test]
    fn every_short_list_is_sorted_as_in_the_standard_library() {
        for len in 0..=6 {
            for code in 0..4_u32.pow(len) {
                // Equal digits differ in where they stood.
                let numbers: Vec<u32> = (0..len).map(|at| 4 * at + code / 4_u32.pow(at) % 4).collect();
                is_as_in_the_standard_library(&numbers);
            }
        }
    }

    #[test]
    fn long_lists_too() {
        is_as_in_the_standard_library(&(0..1000).map(|at| at * 7919 % 1009).collect::<Vec<_>>());
        is_as_in_the_standard_library(&(0..1000).rev().collect::<Vec<_>>());
        is_as_in_the_standard_library(&(0..1000).map(|at| (at + 1) % 1000).collect::<Vec<_>>());
    }

    #[test]
    fn items_are_moved_whole() {
        let mut texts = ["c", "a", "b", "d"].map(str::to_owned);
        items(&mut texts);
        assert_eq!(texts, ["a", "b", "c", "d"]);
        by(&mut texts, |one, other| other.cmp(one));
        assert_eq!(texts, ["d", "c", "b", "a"]);
    }
}
