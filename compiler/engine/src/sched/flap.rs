//! Flapping: somebody undoes what a resource does, again and again. It is told once, with who and what, and
//! slowed (`pace`), until it is quiet. A single event never waits, and whoever waits for a resource that rests
//! is not kept waiting: then it looks at once.

use super::cause::Why;
use super::pace::{Found, LONGEST_REST, Pace, QUIET, SeenFile};
use super::timers::Timer;
use super::vertex::Run;
use super::{Busy, Scheduler, Slot};
use crate::protocol::{Cause, Moment, Phase, ResourceId};
use crate::vocab::{FileKind, Finding, Watch, file};

/// So many rivals are named.
const MOST_NAMED: usize = 3;

impl Scheduler {
    /// A look ended that an event of its own watch had led to.
    pub(super) fn charge(&mut self, slot: Slot, run: &Run, found: Found) {
        let now = self.now;
        let vertex = self.vertex_mut(slot);
        // Who says how often it may be looked at, or looks by the clock, knows how often.
        if !run.by_event || vertex.resource.meta.limit.is_finite() || vertex.is_periodic {
            return;
        }
        let pace = vertex.pace.get_or_insert_default();
        let begins = pace.looked(now, found);
        pace.saw(run.findings.iter().filter_map(seen_file));
        if pace.is_fought_over(now) {
            self.restless.insert(slot);
        }
        if begins {
            self.wait_for_quiet(slot, now.plus_ms(QUIET));
            self.tell_flapping(slot, run);
        }
    }

    /// It may not be looked at before this moment.
    pub(super) fn rests_until(&self, slot: Slot) -> Option<Moment> {
        let vertex = self.vertex(slot);
        let until = vertex.pace.as_ref()?.rests_until()?;
        (until > self.now && !vertex.is_hurried).then_some(until)
    }

    pub(super) fn rest(&mut self, slot: Slot, until: Moment) {
        let key = self.timers.arm(until, Timer::Rest(slot));
        self.vertex_mut(slot).busy = Busy::Resting(key);
    }

    /// Another one waits for it.
    pub(super) fn hurry(&mut self, slot: Slot) {
        let vertex = self.vertex_mut(slot);
        vertex.is_hurried = true;
        if let Busy::Resting(key) = vertex.busy {
            vertex.busy = Busy::Idle;
            self.timers.cancel(key);
        }
    }

    /// Perhaps it is quiet by now.
    pub(super) fn quiet_due(&mut self, slot: Slot) {
        let now = self.now;
        let Some(pace) = &mut self.vertex_mut(slot).pace else { return };
        let at = pace.quiet_at();
        if at > now {
            self.wait_for_quiet(slot, at);
            return;
        }
        let n_wrong = pace.n_wrong;
        self.forget_pace(slot);
        let id = self.resource(slot).id.clone();
        self.report_log(format!("{id} is quiet again, after {}", repairs(n_wrong)));
    }

    fn wait_for_quiet(&mut self, slot: Slot, at: Moment) {
        let key = self.timers.arm(at, Timer::Quiet(slot));
        if let Some(pace) = &mut self.vertex_mut(slot).pace {
            pace.quiet = Some(key);
        }
    }

    pub(super) fn forget_pace(&mut self, slot: Slot) {
        if let Some(key) = self.vertex_mut(slot).pace.take().and_then(|pace| pace.quiet) {
            self.timers.cancel(key);
        }
        self.restless.remove(&slot);
    }

    fn tell_flapping(&mut self, slot: Slot, run: &Run) {
        let rivals = self.rivals(slot);
        for &rival in &rivals {
            if let Some(pace) = &mut self.vertex_mut(rival).pace {
                pace.is_told = true;
            }
        }
        let id = self.resource(slot).id.clone();
        let names: Vec<ResourceId> = rivals.iter().map(|&rival| self.resource(rival).id.clone()).collect();
        let Some(pace) = &self.vertex(slot).pace else { return };
        if !pace.is_told {
            let text = told(&id, pace, &names, Why::list(run.why.as_ref()).first(), self.now);
            self.report_phase(slot, Phase::Limited, || text);
        }
    }

    /// Others that are restless as well, over the same path or the same file.
    fn rivals(&mut self, slot: Slot) -> Vec<Slot> {
        let now = self.now;
        let slots = &self.slots;
        self.restless.retain(|slot| {
            let pace = slots[*slot].as_ref().and_then(|vertex| vertex.pace.as_ref());
            pace.is_some_and(|pace| pace.is_fought_over(now))
        });
        let Some(mine) = &self.vertex(slot).pace else { return Vec::new() };
        let watches = self.watches(slot);
        let fights = |other: &Slot| {
            let same_file = self.vertex(*other).pace.as_ref().is_some_and(|pace| pace.saw_a_file_of(mine));
            same_file || overlap(&watches, &self.watches(*other))
        };
        self.restless.iter().copied().filter(|other| *other != slot && fights(other)).collect()
    }

    fn watches(&self, slot: Slot) -> Vec<Watch> {
        let resource = self.resource(slot);
        resource.kind.watches(&resource.want())
    }
}

fn seen_file(finding: &Finding) -> Option<SeenFile> {
    match finding {
        Finding::File(file::Finding::Stat(Some(stat))) if stat.kind == FileKind::File => {
            Some((stat.device, stat.inode, stat.mtime_ns))
        }
        _ => None,
    }
}

/// Does one watch what the other one does?
fn overlap(mine: &[Watch], others: &[Watch]) -> bool {
    mine.iter().any(|watch| others.iter().any(|other| watch.overlaps(other)))
}

fn repairs(n: u64) -> String {
    if n == 1 { "1 repair".to_string() } else { format!("{n} repairs") }
}

/// What people are told: how often, by whom, what happened last, and what follows.
fn told(id: &ResourceId, pace: &Pace, rivals: &[ResourceId], cause: Option<&Cause>, now: Moment) -> String {
    let seconds = now.0.saturating_sub(pace.since.0) as f64 / 1e9;
    let what = if pace.n_wrong == 0 {
        format!("looked at {} times in {seconds:.1} s, and up to date each time", pace.n_looks)
    } else {
        format!("{} in {seconds:.1} s", repairs(pace.n_wrong))
    };
    let who = match rivals {
        _ if pace.n_wrong == 0 => String::new(),
        [] => ": something outside this program keeps changing it".to_string(),
        rivals => {
            let mut names: Vec<String> = rivals.iter().take(MOST_NAMED).map(|rival| format!("`{rival}`")).collect();
            if rivals.len() > MOST_NAMED {
                names.push(format!("{} more", rivals.len() - MOST_NAMED));
            }
            let last = names.pop().unwrap_or_default();
            let first: String = names.iter().map(|name| format!(", {name}")).collect();
            format!(": `{id}`{first} and {last} change the same place, and undo each other")
        }
    };
    let event = match cause {
        Some(Cause::Fired { path }) => format!("; last event: {path}"),
        _ => String::new(),
    };
    let step = if pace.step.is_empty() { String::new() } else { format!("; last change: {}", pace.step) };
    let rest = if pace.n_wrong == 0 {
        "less often".to_string()
    } else {
        format!("every {:.1} s at most", LONGEST_REST as f64 / 1e3)
    };
    format!("{what}{who}{event}{step}; looking {rest} until it is quiet")
}
