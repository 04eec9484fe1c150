//! What must hold: after every input, and when all is quiet (engine spec, 27.12).

use crate::protocol::{Moment, ResourceId};
use crate::sched::vertex::{EdgeIx, RunEdge, Vertex};
use crate::sched::{Busy, Mode, Scheduler, Slot, Watching};
use std::collections::{BTreeMap, BTreeSet};

/// What must hold after every input.
pub(super) fn always(scheduler: &Scheduler, seed: u64) {
    assert!(scheduler.semaphores.within_size(), "seed {seed}");
    let mut stamps = BTreeSet::new();
    let mut n_running = 0;
    for &slot in &scheduler.order {
        let vertex = scheduler.vertex(slot);
        assert!(vertex.ts == 0 || stamps.insert(vertex.ts), "seed {seed}: {:?} has a number twice", vertex.resource);
        let (is_check, is_alone) = match &vertex.busy {
            Busy::Running(run) => (true, run.is_alone),
            _ => (false, false),
        };
        let is_over = vertex.failed.is_some() && !vertex.looks_again;
        assert!(
            !(is_over && is_check) || vertex.watching == Watching::Off,
            "seed {seed}: {:?} is given up",
            vertex.resource
        );
        assert!(vertex.failed.is_some() || !vertex.looks_again, "seed {seed}: {:?} looks again", vertex.resource);
        n_running += usize::from(vertex.is_running());
        let is_older = |edge: &&EdgeIx| scheduler.vertex(scheduler.edges[**edge].from).ts <= vertex.ts;
        if is_check && !is_alone {
            assert_eq!(vertex.n_stale, 0, "seed {seed}: {:?} runs before what it waits for", vertex.resource);
            assert!(!vertex.edges_in.iter().any(|edge| is_older(&edge)), "seed {seed}: {:?} runs", vertex.resource);
        }
        let n_awaited = vertex.edges_in.iter().filter(|&&edge| scheduler.edges[edge].awaited).count();
        let n_older = vertex.edges_in.iter().filter(is_older).count();
        let (n_stale, n_waited) = if vertex.heeds { (n_older, 0) } else { (n_awaited, vertex.n_stale) };
        assert_eq!(vertex.n_stale, n_stale, "seed {seed}: {:?} counts wrongly", vertex.resource);
        assert_eq!(n_awaited, n_waited, "seed {seed}: {:?} waits", vertex.resource);
        if vertex.asked {
            assert!(n_awaited >= n_older, "seed {seed}: {:?} does not wait", vertex.resource);
        }
        for &edge in &vertex.edges_awaited {
            assert!(scheduler.edges[edge].awaited, "seed {seed}: {:?} is not awaited", vertex.resource);
        }
    }
    assert_eq!(scheduler.n_running, n_running, "seed {seed}");
    let n_failed = scheduler.order.iter().filter(|&&slot| scheduler.vertex(slot).failed.is_some()).count();
    assert_eq!(scheduler.n_failed, n_failed, "seed {seed}");
    if scheduler.mode == Mode::Running && scheduler.ready.is_empty() && scheduler.waiting_for_room.is_empty() {
        let in_vain = scheduler.semaphores.waited_for_in_vain();
        assert!(in_vain.is_empty(), "seed {seed}: {in_vain:?} could be had");
    }
    if scheduler.mode == Mode::Pausing && scheduler.n_running > 0 {
        assert!(scheduler.pending.is_some(), "seed {seed}");
    }
}

/// An edge by its ends, and whether it notifies.
pub(super) type Known = BTreeSet<(ResourceId, ResourceId, bool)>;

/// The edges in force.
pub(super) fn edges(scheduler: &Scheduler) -> Known {
    scheduler.edges.values().map(|edge| known(scheduler, edge)).collect()
}

fn known(scheduler: &Scheduler, edge: &RunEdge) -> (ResourceId, ResourceId, bool) {
    let id = |slot: Slot| scheduler.resource(slot).id.clone();
    (id(edge.from), id(edge.to), edge.notify)
}

/// What must hold when nothing is in flight and nothing is due. `edges_before`: those of the last graph but one.
pub(super) fn at_rest(scheduler: &Scheduler, edges_before: &Known, seed: u64) {
    let queued: Vec<_> = scheduler.ready.iter().map(|&slot| scheduler.resource(slot)).collect();
    assert!(
        queued.is_empty() && scheduler.n_running == 0,
        "seed {seed}: {:?}, {} in flight, {queued:?} queued, tickets {:?}",
        scheduler.mode,
        scheduler.n_running,
        scheduler.in_flight
    );
    assert!(scheduler.semaphores.all_free(), "seed {seed}");
    for &slot in &scheduler.order {
        let vertex = scheduler.vertex(slot);
        let done = vertex.clean || (vertex.noop || vertex.resource.meta.hidden) && vertex.ts > 0;
        let behind_failure = behind_failure(scheduler, slot);
        assert!(
            fails(vertex) || done || behind_failure,
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
            // Where two that were kept are right, an edge that came between them calls for nothing.
            let is_old = edges_before.contains(&known(scheduler, edge));
            if is_only && is_old && vertex.heeds && !behind_failure && !fails(vertex) && !fails(from) {
                assert!(from.ts < vertex.ts, "seed {seed}: {:?} is older than {:?}", vertex.resource, from.resource);
            }
            let cannot_tell = fails(vertex) || behind_failure || vertex.noop;
            assert!(cannot_tell || !edge.refresh, "seed {seed}: {:?} took no notice", vertex.resource);
        }
    }
}

/// No event is lost: what changed was looked at afterwards, also when it was given up before, unless it waits for
/// what was given up, cannot take what it receives, or does not watch.
pub(super) fn nothing_lost(
    scheduler: &Scheduler,
    changed: &BTreeMap<String, Moment>,
    looked: &BTreeMap<String, Moment>,
    seed: u64,
) {
    for &slot in &scheduler.order {
        let vertex = scheduler.vertex(slot);
        let given_up = fails(vertex) && !vertex.resource.receives.is_empty() || behind_failure(scheduler, slot);
        let watches = matches!(vertex.watching, Watching::On(_)) && !vertex.resource.meta.hidden;
        let Some(changed) = changed.get(&*vertex.resource.id.name).filter(|_| watches && !given_up) else {
            continue;
        };
        let looked = looked.get(&*vertex.resource.id.name);
        assert!(
            looked.is_some_and(|looked| looked >= changed),
            "seed {seed}: {:?} changed at {changed:?}, and was last looked at at {looked:?}",
            vertex.resource
        );
    }
}

/// Was it given up, or does it fail for ever, because what it receives is nothing that it can take?
fn fails(vertex: &Vertex) -> bool {
    vertex.failed.is_some() || matches!(vertex.busy, Busy::RetryWait(_)) && !vertex.resource.receives.is_empty()
}

/// Does something that it waits for stand as failed?
fn behind_failure(scheduler: &Scheduler, slot: Slot) -> bool {
    let mut work = vec![slot];
    let mut seen = BTreeSet::new();
    while let Some(slot) = work.pop() {
        for &edge in &scheduler.vertex(slot).edges_in {
            let from = scheduler.edges[edge].from;
            if fails(scheduler.vertex(from)) {
                return true;
            }
            if seen.insert(from) {
                work.push(from);
            }
        }
    }
    false
}
