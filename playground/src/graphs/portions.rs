//! Which parts of a large drawing are updated before the next frame. Updating all of them at once would block the page, so a
//! drawing is divided into tiles of a few boxes each, and the changed tiles are updated in portions.

/// The number of boxes of a tile: a bit for each fits into a word.
pub const TILE: usize = 32;

/// A change up to the first limit is drawn at once; otherwise, the second one is the limit before each frame. Units: the cost
/// of updating a box without texts.
const AT_ONCE: usize = 600;
const PER_FRAME: usize = 300;

/// How urgent a tile is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Urgency {
    /// It responds to the user: something in it is selected.
    Now,
    /// It is in sight.
    Seen,
    /// It is out of sight.
    Unseen,
}

/// A tile that is out of date.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Stale {
    /// How urgent it is.
    pub urgency: Urgency,
    /// The number of tiles whose turn comes first.
    pub turn: usize,
    /// Its number.
    pub tile: usize,
    /// What it costs to update it.
    pub cost: usize,
}

/// The tiles to update now; the others wait for the next frame. `is_spent`: the portion of the frame is used up.
pub fn portion(mut stale: Vec<Stale>, is_spent: bool) -> Vec<usize> {
    stale.sort_unstable();
    let all: usize = stale.iter().map(|one| one.cost).sum();
    let most = match (is_spent, all <= AT_ONCE) {
        (true, _) => 0,
        (false, true) => AT_ONCE,
        (false, false) => PER_FRAME,
    };
    let mut spent = 0;
    let fits = |one: &&Stale| {
        // A portion is never empty, however much a tile costs.
        let is_first = spent == 0 && most > 0;
        spent += one.cost;
        one.urgency == Urgency::Now || is_first || spent <= most
    };
    stale.iter().take_while(fits).map(|one| one.tile).collect()
}

/// For each tile of a drawing with this number of boxes, the bits of the listed boxes.
pub fn bits(n_boxes: usize, listed: &[u32]) -> Vec<u32> {
    let mut bits = vec![0; n_boxes.div_ceil(TILE)];
    for at in listed.iter().map(|at| *at as usize).filter(|at| *at < n_boxes) {
        bits[at / TILE] |= 1 << (at % TILE);
    }
    bits
}

/// Whether the bit of a tile's box is set.
pub fn has(bits: u32, at: usize) -> bool {
    bits & (1 << (at % TILE)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stale(n: usize, cost: usize) -> Vec<Stale> {
        (0..n).map(|tile| Stale { urgency: Urgency::Seen, turn: tile, tile, cost }).collect()
    }

    #[test]
    fn a_small_change_is_drawn_at_once_and_a_large_one_in_portions() {
        assert_eq!(portion(stale(18, 32), false).len(), 18);
        let first = portion(stale(91, 32), false);
        assert_eq!(first, (0..PER_FRAME / 32).collect::<Vec<_>>());
        assert_eq!(portion(stale(3, 2_000), false), [0], "one that costs too much is drawn alone");
        assert!(portion(Vec::new(), false).is_empty());
    }

    #[test]
    fn selected_parts_are_drawn_immediately_and_those_out_of_sight_last() {
        let mut all = stale(91, 32);
        all[70].urgency = Urgency::Now;
        for one in &mut all[..60] {
            one.urgency = Urgency::Unseen;
        }
        let first = portion(all.clone(), false);
        assert_eq!(first[..3], [70, 60, 61]);
        assert_eq!(portion(all, true), [70]);
    }

    #[test]
    fn every_tile_gets_its_turn() {
        let mut left = stale(91, 32);
        let mut n_frames = 0;
        while !left.is_empty() {
            let drawn = portion(left.clone(), false);
            left.retain(|one| !drawn.contains(&one.tile));
            n_frames += 1;
        }
        assert!((4..=12).contains(&n_frames), "{n_frames}");
    }

    #[test]
    fn each_box_has_its_bit() {
        let listed = bits(70, &[0, 31, 32, 69, 70, 200]);
        assert_eq!(listed, [(1 << 31) | 1, 1, 1 << 5]);
        assert!(has(listed[2], 69) && !has(listed[2], 68));
        assert!(bits(0, &[0]).is_empty());
    }
}
