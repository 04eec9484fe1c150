//! The limits of what the browser stores: a list of earlier programs, and one of versions of programs, each of this size.

/// The maximum number of programs of a list, latest first.
const MOST: usize = 12;
/// The maximum number of bytes of all of them.
const LARGEST: usize = 512 << 10;

/// Drops the last of a list of programs until the others are few and small enough to be stored. One that is too large by
/// itself is left out, and takes no room from the others.
pub fn bound<T>(all: &mut Vec<T>, size: impl Fn(&T) -> usize) {
    all.retain(|one| size(one) <= LARGEST);
    all.truncate(MOST);
    let mut room = LARGEST;
    let fits = |one: &T| {
        let left = room.checked_sub(size(one));
        room = left.unwrap_or(0);
        left.is_some()
    };
    let n_kept = all.iter().map(fits).take_while(|fits| *fits).count();
    all.truncate(n_kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(sizes: &[usize]) -> Vec<usize> {
        let mut all = sizes.to_vec();
        bound(&mut all, |size| *size);
        all
    }

    #[test]
    fn the_latest_ones_are_stored() {
        assert_eq!(bounded(&[1; 20]), [1; MOST]);
        assert_eq!(bounded(&[LARGEST - 1, 1, 1]), [LARGEST - 1, 1]);
        assert_eq!(bounded(&[1, LARGEST, 1]), [1], "none after a gap");
    }

    #[test]
    fn one_that_is_too_large_leaves_the_others_alone() {
        assert_eq!(bounded(&[LARGEST + 1, 1, 2]), [1, 2]);
    }
}
