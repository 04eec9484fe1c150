//! Driven by chance: random graphs, events, failures, switches, slow and fast checks, interrupts.
//! After every input the invariants of engine spec 27.12 hold; once the world is quiet, nothing is
//! left undone.

use super::{Bench, Draft};
use crate::protocol::{Options, StopMode};
use crate::sched::{Busy, Mode, Scheduler};
use crate::sim::{Command, Scripted};
use std::collections::BTreeSet;

/// A small generator, the same everywhere (xorshift).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

const NAMES: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];

fn draft(chance: &mut Chance) -> Draft {
    let names: Vec<&str> = NAMES.iter().copied().filter(|_| !chance.one_in(4)).collect();
    let mut draft = Draft::new(&names.join(" "));
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
        if chance.one_in(3) {
            draft = draft.text(name, ["x", "y"][chance.below(2) as usize]);
        }
        let (kind, number) = (chance.below(10), chance.below(3));
        draft = draft.meta(name, |meta| match kind {
            0 => meta.sema = vec!["s".into()],
            1 => meta.sema = vec!["s".into(), "t:2".into()],
            2 => (meta.limit, meta.burst) = (2.0, 1),
            3 => meta.poll = number as i32 - 1,
            4 => meta.noop = true,
            5 => meta.hidden = true,
            6 => meta.rewatch = true,
            7 => meta.timeout = 150,
            _ => {}
        });
        let retry = chance.below(3) as i16 - 1;
        let delay = chance.below(3) * 50;
        // Retrying for ever without a pause would never come to rest.
        draft =
            draft.meta(name, |meta| (meta.retry, meta.delay) = if retry < 0 { (retry, 50) } else { (retry, delay) });
    }
    draft
}

fn script(bench: &mut Bench, chance: &mut Chance, fails: bool) {
    for name in NAMES {
        let run = |chance: &mut Chance| Scripted {
            status: match chance.below(6) {
                0 if fails => 2,
                1 | 2 => 1,
                _ => 0,
            },
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

/// What must hold after every input.
fn invariants(scheduler: &Scheduler, seed: u64) {
    assert!(scheduler.semaphores.within_size(), "seed {seed}");
    let mut stamps = BTreeSet::new();
    let mut n_running = 0;
    for &slot in &scheduler.order {
        let vertex = scheduler.vertex(slot);
        assert!(vertex.ts == 0 || stamps.insert(vertex.ts), "seed {seed}: {:?} has a number twice", vertex.resource);
        let is_check = matches!(vertex.busy, Busy::Running(_));
        n_running += usize::from(vertex.is_running());
        if is_check {
            assert_eq!(vertex.n_stale, 0, "seed {seed}: {:?} runs before what it waits for", vertex.resource);
        }
        let n_stale = vertex
            .edges_in
            .iter()
            .filter(|&&edge| scheduler.vertex(scheduler.edges[edge].from).ts <= vertex.ts)
            .count();
        assert_eq!(vertex.n_stale, n_stale, "seed {seed}: {:?} counts wrongly", vertex.resource);
    }
    assert_eq!(scheduler.n_running, n_running, "seed {seed}");
    if scheduler.mode == Mode::Pausing && scheduler.n_running > 0 {
        assert!(scheduler.pending.is_some(), "seed {seed}");
    }
}

/// What must hold when nothing is in flight and nothing is due.
fn at_rest(scheduler: &Scheduler, seed: u64) {
    assert!(scheduler.ready.is_empty() && scheduler.n_running == 0, "seed {seed}");
    assert!(scheduler.semaphores.all_free(), "seed {seed}");
    for &slot in &scheduler.order {
        let vertex = scheduler.vertex(slot);
        let done = vertex.clean || (vertex.noop || vertex.resource.meta.hidden) && vertex.ts > 0;
        let behind_failure = behind_failure(scheduler, slot);
        assert!(
            vertex.failed.is_some() || done || behind_failure,
            "seed {seed}: {:?} is stuck (started {}, events {}, stale {})",
            vertex.resource,
            vertex.started,
            vertex.n_events,
            vertex.n_stale
        );
        for &edge in &vertex.edges_in {
            let edge = &scheduler.edges[edge];
            let from = scheduler.vertex(edge.from);
            let is_only = vertex.edges_in.len() == 1;
            if is_only && !behind_failure && vertex.failed.is_none() && from.failed.is_none() {
                assert!(from.ts < vertex.ts, "seed {seed}: {:?} is older than {:?}", vertex.resource, from.resource);
            }
            let cannot_tell = vertex.failed.is_some() || behind_failure || vertex.noop;
            assert!(cannot_tell || !edge.refresh, "seed {seed}: {:?} took no notice", vertex.resource);
        }
    }
}

fn behind_failure(scheduler: &Scheduler, slot: crate::sched::Slot) -> bool {
    let mut work = vec![slot];
    let mut seen = BTreeSet::new();
    while let Some(slot) = work.pop() {
        for &edge in &scheduler.vertex(slot).edges_in {
            let from = scheduler.edges[edge].from;
            if scheduler.vertex(from).failed.is_some() {
                return true;
            }
            if seen.insert(from) {
                work.push(from);
            }
        }
    }
    false
}

fn run(seed: u64) -> usize {
    let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let parallel = chance.below(4) as u32;
    let mut bench = Bench::new(Options { parallel, ..Options::default() });
    script(&mut bench, &mut chance, true);
    bench.switch(&draft(&mut chance));
    let mut n_steps = 0;
    for _ in 0..30 {
        match chance.below(8) {
            0 => bench.switch(&draft(&mut chance)),
            1 => script(&mut bench, &mut chance, true),
            2..=5 => {
                let name = NAMES[chance.below(8) as usize];
                bench.event(name);
            }
            _ => {}
        }
        let until = bench.sim.now().plus_ms(chance.below(300));
        while bench.sim.step(until) {
            n_steps += 1;
            invariants(&bench.sim.machine.0, seed);
        }
        bench.pass(0);
    }
    if chance.one_in(4) {
        let ladder = [StopMode::Graceful, StopMode::Soft, StopMode::Hard];
        for mode in ladder.into_iter().take(1 + chance.below(3) as usize) {
            bench.stop(mode);
            invariants(&bench.sim.machine.0, seed);
        }
        bench.pass(60_000);
        assert_eq!(bench.sim.exit(), Some(0), "seed {seed}: it ends");
        return n_steps;
    }
    // The world is quiet and good: what is not given up comes to rest.
    script(&mut bench, &mut chance, false);
    let quiet = draft(&mut chance);
    let names: Vec<String> = quiet.resources.iter().map(|resource| resource.id.name.to_string()).collect();
    let quiet = names.iter().fold(quiet, |draft, name| draft.meta(name, |meta| meta.poll = meta.poll.min(0)));
    bench.switch(&quiet);
    bench.pass(120_000);
    invariants(&bench.sim.machine.0, seed);
    at_rest(&bench.sim.machine.0, seed);
    n_steps
}

#[test]
fn nothing_is_lost_stuck_or_out_of_order() {
    let n_steps: usize = (1..=600).map(run).sum();
    assert!(n_steps > 40_000, "{n_steps}");
}
