//! Invariants: after every input, and when everything is quiet (engine spec, 27.12).

use crate::protocol::{Moment, ResourceId};
use crate::sched::Scheduler;
use crate::sched::state::{Mode, Slot, Watching};
use std::collections::{BTreeMap, BTreeSet};

/// Invariants after every input.
pub(super) fn always(scheduler: &Scheduler, seed: u64) {
    let Scheduler { graph, edges, queue, watches, conditions, lifecycle, .. } = scheduler;
    assert!(queue.semaphores().within_size(), "seed {seed}");
    let mut stamps = BTreeSet::new();
    let mut n_running = 0;
    for &slot in graph.order() {
        let resource = graph.resource(slot);
        let ts = edges.ts(slot);
        assert!(ts == 0 || stamps.insert(ts), "seed {seed}: {resource:?} has a number twice");
        let run = queue.running(slot);
        assert!(
            run.is_none() || !conditions.is_given_up(slot) || watches.watching(slot) == Watching::Off,
            "seed {seed}: {resource:?} is given up"
        );
        let looks_again = conditions.looks_again(slot);
        assert!(conditions.has_failed(slot) || !looks_again, "seed {seed}: {resource:?} looks again");
        n_running += usize::from(queue.is_running(slot));
        let n_older = edges.awaited_before(slot).filter(|(from, _)| edges.ts(*from) <= ts).count();
        let n_awaited = edges.awaited_before(slot).filter(|(_, is_awaited)| *is_awaited).count();
        let n_stale = edges.n_stale(slot);
        if run.is_some_and(|run| !run.is_alone()) {
            assert_eq!(n_stale, 0, "seed {seed}: {resource:?} runs before what it waits for");
            assert_eq!(n_older, 0, "seed {seed}: {resource:?} runs");
        }
        let (expected, n_waited) = if edges.heeds(slot) { (n_older, 0) } else { (n_awaited, n_stale) };
        assert_eq!(n_stale, expected, "seed {seed}: {resource:?} counts wrongly");
        assert_eq!(n_awaited, n_waited, "seed {seed}: {resource:?} waits");
        assert!(!edges.asked(slot) || n_awaited >= n_older, "seed {seed}: {resource:?} does not wait");
        assert!(edges.all_awaited_wait(slot), "seed {seed}: {resource:?} is not awaited");
    }
    assert_eq!(queue.n_running(), n_running, "seed {seed}");
    let n_failed = graph.order().iter().filter(|&&slot| conditions.has_failed(slot)).count();
    assert_eq!(conditions.n_failed(), n_failed, "seed {seed}");
    if lifecycle.mode() == Mode::Running && queue.is_empty() && !queue.waits_for_room() {
        let in_vain = queue.semaphores().waited_for_in_vain();
        assert!(in_vain.is_empty(), "seed {seed}: {in_vain:?} could be had");
    }
    if lifecycle.mode() == Mode::Pausing && queue.n_running() > 0 {
        assert!(lifecycle.has_pending(), "seed {seed}");
    }
}

/// Edges by their ends, and whether each notifies.
pub(super) type EdgeSet = BTreeSet<(ResourceId, ResourceId, bool)>;

/// The edges in effect.
pub(super) fn edges(scheduler: &Scheduler) -> EdgeSet {
    let id = |slot: Slot| scheduler.graph.id(slot).clone();
    scheduler.edges.all().map(|(from, to, notify, _)| (id(from), id(to), notify)).collect()
}

/// Invariants when nothing is in flight and nothing is due. `edges_before`: the edges of the previous graph.
pub(super) fn at_rest(scheduler: &Scheduler, edges_before: &EdgeSet, seed: u64) {
    let Scheduler { graph, edges, queue, watches, conditions, lifecycle, outbox, .. } = scheduler;
    let queued: Vec<_> = queue.ready().map(|slot| graph.resource(slot)).collect();
    assert!(
        queued.is_empty() && queue.n_running() == 0,
        "seed {seed}: {:?}, {} in flight, {queued:?} queued, tickets {:?}",
        lifecycle.mode(),
        queue.n_running(),
        outbox.in_flight()
    );
    assert!(queue.semaphores().all_free(), "seed {seed}");
    for &slot in graph.order() {
        let resource = graph.resource(slot);
        let is_only_looked_at = graph.is_noop(slot) || resource.meta.hidden;
        let done = conditions.is_clean(slot) || is_only_looked_at && !edges.is_new(slot);
        let behind_failure = behind_failure(scheduler, slot);
        let fails_itself = fails(scheduler, slot);
        assert!(
            fails_itself || done || behind_failure,
            "seed {seed}: {resource:?} is stuck (started {}, events {}, stale {})",
            watches.is_started(slot),
            watches.n_events(slot),
            edges.n_stale(slot)
        );
        let is_only = edges.awaited_before(slot).count() == 1;
        for (from, _, notify, is_pending) in edges.all().filter(|(_, to, ..)| *to == slot) {
            // A new edge between two kept vertices that are up to date requires nothing.
            let known = (graph.id(from).clone(), resource.id.clone(), notify);
            let is_old = edges_before.contains(&known);
            if is_only && is_old && edges.heeds(slot) && !behind_failure && !fails_itself && !fails(scheduler, from) {
                let before = graph.resource(from);
                assert!(edges.ts(from) < edges.ts(slot), "seed {seed}: {resource:?} is older than {before:?}");
            }
            let cannot_tell = fails_itself || behind_failure || graph.is_noop(slot);
            assert!(cannot_tell || !is_pending, "seed {seed}: {resource:?} took no notice");
        }
    }
}

/// No event is lost: a changed resource was looked at afterwards, also if it was given up before, unless it waits for
/// one that was given up, cannot accept what it receives, or does not watch.
pub(super) fn nothing_lost(
    scheduler: &Scheduler,
    changed: &BTreeMap<String, Moment>,
    looked: &BTreeMap<String, Moment>,
    seed: u64,
) {
    for &slot in scheduler.graph.order() {
        let resource = scheduler.graph.resource(slot);
        let given_up = fails(scheduler, slot) && !resource.receives.is_empty() || behind_failure(scheduler, slot);
        let watches = matches!(scheduler.watches.watching(slot), Watching::On(_)) && !resource.meta.hidden;
        let Some(changed) = changed.get(&*resource.id.name).filter(|_| watches && !given_up) else {
            continue;
        };
        let looked = looked.get(&*resource.id.name);
        assert!(
            looked.is_some_and(|looked| looked >= changed),
            "seed {seed}: {resource:?} changed at {changed:?}, and was last looked at at {looked:?}"
        );
    }
}

/// Whether it was given up, or fails forever, because it cannot accept what it receives.
fn fails(scheduler: &Scheduler, slot: Slot) -> bool {
    let receives = !scheduler.graph.resource(slot).receives.is_empty();
    scheduler.conditions.has_failed(slot) || scheduler.queue.waits_for_retry(slot) && receives
}

/// Whether something it waits for has failed.
fn behind_failure(scheduler: &Scheduler, slot: Slot) -> bool {
    let mut work = vec![slot];
    let mut seen = BTreeSet::new();
    while let Some(slot) = work.pop() {
        for (from, _) in scheduler.edges.awaited_before(slot) {
            if fails(scheduler, from) {
                return true;
            }
            if seen.insert(from) {
                work.push(from);
            }
        }
    }
    false
}
