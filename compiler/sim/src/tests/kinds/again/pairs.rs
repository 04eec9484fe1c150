//! Pairwise combinations: sets of fields, as large as possible, until every pair of values has been tried. A set that
//! does not work is reduced to the pair that is the reason.

use std::collections::BTreeSet;

/// A field and one of its values, by index.
pub(super) type Setting = (usize, usize);
type Pair = (Setting, Setting);

/// Tries a set of settings: whether it works.
pub(super) type Try<'a> = dyn FnMut(&[Setting]) -> bool + 'a;

/// The result: settings and pairs of settings.
pub(super) struct Tally {
    pub(super) n_all: usize,
    /// Those that were part of a set that works.
    pub(super) n_working: usize,
}

/// Tries every setting alone and with each value of each other field, given the number of values of each field. The
/// seed decides which pairs are tried together.
pub(super) fn explore(n_values: &[usize], seed: u64, works: &mut Try) -> Tally {
    let mut search = Search::new(n_values, seed);
    let settings: Vec<Setting> = search.settings().collect();
    let n_all = settings.len() + search.open.len();
    search.lone.extend(settings.into_iter().filter(|setting| !works(&[*setting])));
    let n_lone = search.lone.len();
    while let Some(&first) = search.open.first() {
        let set = search.grown(first);
        if search.works(&set, works) {
            continue;
        }
        let reason = if set.len() > 2 { search.reason(&set, works) } else { Reason::Pair(first) };
        match reason {
            Reason::Pair(pair) => {
                search.open.remove(&pair);
                search.apart.insert(pair);
            }
            Reason::Setting(setting) => _ = search.lone.insert(setting),
        }
    }
    Tally { n_all, n_working: n_all - search.apart.len() - n_lone }
}

struct Search {
    n_values: Vec<usize>,
    /// Pairs that are still to be tried.
    open: BTreeSet<Pair>,
    /// Pairs that do not work.
    apart: BTreeSet<Pair>,
    /// Settings that do not work alone, or only with few others: they are tried in pairs only.
    lone: BTreeSet<Setting>,
    dice: u64,
}

/// Why a set does not work.
enum Reason {
    Pair(Pair),
    /// This setting does not get along with the rest, though with each part of it.
    Setting(Setting),
}

fn pair(one: Setting, other: Setting) -> Pair {
    (one.min(other), one.max(other))
}

impl Search {
    fn new(n_values: &[usize], seed: u64) -> Search {
        let mut search = Search {
            n_values: n_values.to_vec(),
            open: BTreeSet::new(),
            apart: BTreeSet::new(),
            lone: BTreeSet::new(),
            dice: seed,
        };
        let settings: Vec<Setting> = search.settings().collect();
        for (at, &one) in settings.iter().enumerate() {
            let others = settings[at + 1..].iter().filter(|other| other.0 != one.0);
            search.open.extend(others.map(|&other| pair(one, other)));
        }
        search
    }

    fn settings(&self) -> impl Iterator<Item = Setting> {
        self.n_values.iter().enumerate().flat_map(|(field, &n)| (0..n).map(move |value| (field, value)))
    }

    /// A number below `n`, from a linear congruential generator.
    fn roll(&mut self, n: usize) -> usize {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) as usize % n
    }

    /// A pair with a value for every other field that adds pairs to try, and no pair that is known not to work.
    fn grown(&mut self, (one, other): Pair) -> Vec<Setting> {
        let mut set = vec![one, other];
        if set.iter().any(|setting| self.lone.contains(setting)) {
            return set;
        }
        let mut fields: Vec<usize> =
            (0..self.n_values.len()).filter(|field| ![one.0, other.0].contains(field)).collect();
        for at in (1..fields.len()).rev() {
            let with = self.roll(at + 1);
            fields.swap(at, with);
        }
        for field in fields {
            let values = (0..self.n_values[field]).map(|value| (field, value));
            let fitting = values.filter(|setting| {
                !self.lone.contains(setting) && set.iter().all(|has| !self.apart.contains(&pair(*has, *setting)))
            });
            let gains = |setting: &Setting| set.iter().filter(|has| self.open.contains(&pair(**has, *setting))).count();
            let best = fitting.max_by_key(gains).filter(|setting| gains(setting) > 0);
            set.extend(best);
        }
        set
    }

    /// Tries a set; all pairs of one that works are done.
    fn works(&mut self, set: &[Setting], works: &mut Try) -> bool {
        let does = works(set);
        if does {
            for (at, &one) in set.iter().enumerate() {
                for &other in &set[at + 1..] {
                    self.open.remove(&pair(one, other));
                }
            }
        }
        does
    }

    /// The last setting of the shortest beginning that does not work is part of the reason; with it in front, so is the
    /// last one of the next such beginning.
    fn reason(&mut self, set: &[Setting], works: &mut Try) -> Reason {
        let n = self.shortest(set, works);
        let one = set[n - 1];
        let rest: Vec<Setting> = std::iter::once(one).chain(set[..n - 1].iter().copied()).collect();
        let n = self.shortest(&rest, works);
        let other = rest[n - 1];
        let are_apart = n > 1 && (n == 2 || !self.works(&[one, other], works));
        if are_apart { Reason::Pair(pair(one, other)) } else { Reason::Setting(one) }
    }

    /// The length of the shortest beginning that does not work, by bisection; the whole does not.
    fn shortest(&mut self, set: &[Setting], works: &mut Try) -> usize {
        let (mut working, mut failing) = (0, set.len());
        while failing - working > 1 {
            let middle = usize::midpoint(working, failing);
            if self.works(&set[..middle], works) { working = middle } else { failing = middle }
        }
        failing
    }
}

#[test]
fn what_does_not_work_together_is_found_and_the_rest_is_tried() {
    let bad = [((0, 1), (2, 0)), ((1, 0), (3, 2))];
    let n_values = [2, 2, 3, 3, 1];
    let mut seen = BTreeSet::new();
    let mut n_tries = 0;
    let tally = explore(&n_values, 1, &mut |set: &[Setting]| {
        n_tries += 1;
        let has = |setting: Setting| set.contains(&setting);
        let works = !bad.iter().any(|(one, other)| has(*one) && has(*other)) && !has((4, 0));
        if works {
            seen.extend(set.iter().flat_map(|one| set.iter().map(move |other| pair(*one, *other))));
        }
        works
    });
    // 11 settings and 47 pairs; the last field's value does not work, alone and in 10 pairs.
    assert_eq!((tally.n_all, tally.n_working), (58, 58 - 1 - 10 - 2));
    assert!(n_tries < 50, "{n_tries}");
    // Each setting is also its own pair.
    assert_eq!(seen.len(), tally.n_working);
}
