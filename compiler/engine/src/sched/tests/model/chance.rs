//! Random graphs, and random results of their checks.

use super::super::{Bench, Draft, kinds};
use crate::sim::{Command, Scripted};

/// A small portable random number generator (xorshift).
pub(in super::super) struct Chance(u64);

impl Chance {
    pub(in super::super) fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(in super::super) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(in super::super) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

pub(in super::super) const NAMES: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];

/// Some of the names, with edges from earlier to later ones.
pub(super) fn draft(chance: &mut Chance) -> Draft {
    let names: Vec<&str> = NAMES.iter().copied().filter(|_| !chance.one_in(4)).collect();
    let mut draft = Draft::default();
    for name in &names {
        draft.add(if chance.one_in(8) { &kinds::PLAIN } else { &kinds::SCRIPTED }, name);
    }
    let mut edges = String::new();
    for (index, to) in names.iter().enumerate() {
        for from in &names[..index] {
            if chance.one_in(4) {
                edges.push_str(&format!("{from}{}{to} ", if chance.one_in(2) { '>' } else { '!' }));
            }
        }
    }
    draft = draft.edges(&edges);
    for name in &names {
        draft = resource(chance, draft, name);
    }
    // Only resources that are checked send.
    for (index, to) in names.iter().enumerate().skip(1) {
        let from = names[chance.below(index as u64) as usize];
        let meta = &draft.get(from).meta;
        let has_edge = edges.contains(&format!("{from}>{to}")) || edges.contains(&format!("{from}!{to}"));
        if chance.one_in(6) && !has_edge && !meta.hidden && !meta.noop {
            draft = draft.send(from, to);
        }
    }
    draft
}

fn resource(chance: &mut Chance, mut draft: Draft, name: &str) -> Draft {
    if chance.one_in(3) {
        draft = draft.text(name, ["x", "y"][chance.below(2) as usize]);
    }
    let (kind, number) = (chance.below(13), chance.below(3));
    draft = draft.meta(name, |meta| match kind {
        0 => meta.sema = vec!["s".into()],
        1 => meta.sema = vec!["s".into(), "t:2".into()],
        2 => (meta.limit, meta.burst) = (2.0, 1),
        3 => meta.poll = number as i32 - 1,
        4 => meta.noop = true,
        5 => meta.hidden = true,
        6 => meta.rewatch = true,
        7 => meta.timeout = 150,
        8 => meta.reverse = true,
        9 => meta.export = vec!["*".into()],
        10 => meta.retryreset = true,
        _ => {}
    });
    let retry = chance.below(3) as i16 - 1;
    let delay = chance.below(3) * 50;
    // Unlimited retries without a delay would never come to rest.
    draft.meta(name, |meta| (meta.retry, meta.delay) = if retry < 0 { (retry, 50) } else { (retry, delay) })
}

/// The results of the next checks: good, repaired or (if allowed) failed, quick or slow, and the values sent. In the
/// end all are good.
pub(super) fn script(bench: &mut Bench, chance: &mut Chance, fails: bool) {
    for name in NAMES {
        let run = |chance: &mut Chance| Scripted {
            status: match chance.below(6) {
                0 if fails => 2,
                1 | 2 => 1,
                _ => 0,
            },
            stdout: format!("{name}{}", chance.below(3)),
            duration_ms: chance.below(4) * 60,
            ..Scripted::default()
        };
        let mut runs: Vec<Scripted> = (0..4).map(|_| run(chance)).collect();
        if !fails {
            runs.push(Scripted::default());
        }
        bench.sim.change(|world| world.set_command(Command { line: name.into(), runs }));
    }
}
