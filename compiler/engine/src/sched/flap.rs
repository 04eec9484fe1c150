//! Flapping: something undoes what a resource does, repeatedly. This is reported once, with the cause, and the
//! resource is checked less often (`pace`) until it is quiet. A single event is never delayed, and a resource that others
//! depend on is checked at once when one of them becomes due. A resource whose own change triggers its next one, because the
//! program reads what it writes or its command changes what it watches, is treated the same way.

use super::Scheduler;
use super::state::{Found, LONGEST_REST, Lineage, Pace, QUIET, Run, SeenFile, Slot, Timer, Why};
use crate::protocol::{Cause, Moment, Phase, ResourceId};
use crate::vocab::{FileKind, Finding, Watch, file};

/// The maximum number of rivals that are named.
const MOST_NAMED: usize = 3;

/// What a resource inherits when it replaces another one of the same name because the program reads its own output.
pub(super) struct Follows {
    lineage: Lineage,
    /// Its pace, if its own change led to this one.
    pace: Option<Box<Pace>>,
}

impl Scheduler {
    /// Counts a finished check that was triggered by an event of the resource's own watch.
    pub(super) fn charge(&mut self, slot: Slot, run: &Run, found: Found) {
        if run.has_command() {
            self.pacing.ran(slot, self.clock.now());
        }
        // A resource with a rate limit or a poll interval has its own pace.
        let is_limited = self.graph.resource(slot).meta.limit.is_finite();
        if !run.by_event() || is_limited || self.watches.is_periodic(slot) {
            return;
        }
        let now = self.clock.now();
        let seen = run.findings().iter().filter_map(seen_file);
        let begins = self.pacing.looked(slot, now, found, seen);
        if run.is_echo()
            && found == Found::Wrong
            && let Some(pace) = self.pacing.pace_mut(slot)
        {
            pace.add_echo();
        }
        if begins {
            self.wait_for_quiet(slot, now.plus_ms(QUIET));
            self.tell_flapping(slot, run);
        }
    }

    /// What a replacement of this resource is a consequence of, if that is something the program itself has just
    /// changed.
    pub(super) fn follows(&mut self, slot: Slot, why: Option<&Why>) -> Option<Follows> {
        let now = self.clock.now();
        let causes = Why::list(why);
        let lineage = causes.iter().find_map(|cause| match cause {
            Cause::Fact { name } => self.pacing.lineage(now, name).cloned(),
            _ => None,
        })?;
        let is_fed_back = lineage.contains(self.graph.id(slot));
        let pace = is_fed_back.then(|| {
            let mut pace = self.pacing.take(slot);
            self.clock.cancel(pace.take_quiet_timer());
            pace
        });
        Some(Follows { lineage, pace })
    }

    /// Gives a replacement the pace of the resource before it.
    pub(super) fn follow(&mut self, slot: Slot, Follows { lineage, pace }: Follows) {
        self.pacing.follows(slot, self.clock.now(), lineage);
        if let Some(mut pace) = pace {
            pace.set_fed_back();
            let quiet_at = pace.is_restless().then(|| pace.quiet_at());
            self.pacing.put(slot, pace);
            self.watches.saw(slot);
            if let Some(at) = quiet_at {
                self.wait_for_quiet(slot, at);
            }
        }
    }

    /// Called when another resource waits for this one: ends its pause.
    pub(super) fn hurry(&mut self, slot: Slot) {
        self.pacing.set_hurried(slot, true);
        self.clock.cancel(self.queue.end_rest(slot));
    }

    /// The time to be quiet has passed, unless it was extended in the meantime.
    pub(super) fn quiet_due(&mut self, slot: Slot) {
        let Some(pace) = self.pacing.pace(slot) else { return };
        let (at, n_wrong) = (pace.quiet_at(), pace.n_wrong());
        if at > self.clock.now() {
            self.wait_for_quiet(slot, at);
            return;
        }
        self.clock.cancel(self.pacing.forget(slot));
        self.report_log(format!("{} is stable again after {}", self.graph.id(slot), repairs(n_wrong)));
    }

    fn wait_for_quiet(&mut self, slot: Slot, at: Moment) {
        let key = self.clock.arm(at, Timer::Quiet(slot));
        if let Some(pace) = self.pacing.pace_mut(slot) {
            pace.set_quiet_timer(key);
        }
    }

    fn tell_flapping(&mut self, slot: Slot, run: &Run) {
        let rivals = self.rivals(slot);
        for &rival in &rivals {
            if let Some(pace) = self.pacing.pace_mut(rival) {
                pace.set_told();
            }
        }
        let names: Vec<&ResourceId> = rivals.iter().map(|&rival| self.graph.id(rival)).collect();
        let Some(pace) = self.pacing.pace(slot) else { return };
        if !pace.is_told() {
            let why = Why::list(run.why());
            let text = told(self.graph.id(slot), pace, &names, why.first(), self.clock.now());
            self.report_phase(slot, Phase::Limited, text);
        }
    }

    /// Other restless resources that concern the same path or the same file.
    fn rivals(&mut self, slot: Slot) -> Vec<Slot> {
        let others = self.pacing.other_restless(slot, self.clock.now());
        let Some(mine) = self.pacing.pace(slot) else { return Vec::new() };
        let watches = self.wanted_watches(slot);
        let fights = |other: &Slot| {
            let same_file = self.pacing.pace(*other).is_some_and(|pace| pace.saw_a_file_of(mine));
            same_file || overlap(&watches, &self.wanted_watches(*other))
        };
        others.into_iter().filter(fights).collect()
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

/// Whether both watch the same things.
fn overlap(mine: &[Watch], others: &[Watch]) -> bool {
    mine.iter().any(|watch| others.iter().any(|other| watch.overlaps(other)))
}

fn repairs(n: u64) -> String {
    if n == 1 { "1 repair".to_string() } else { format!("{n} repairs") }
}

/// The message: how often, by what, the last event and change, and what follows.
fn told(id: &ResourceId, pace: &Pace, rivals: &[&ResourceId], cause: Option<&Cause>, now: Moment) -> String {
    let seconds = now.0.saturating_sub(pace.since().0) as f64 / 1e9;
    let what = if pace.n_wrong() == 0 {
        format!("checked {} times in {seconds:.1} s, up to date each time", pace.n_looks())
    } else {
        format!("{} in {seconds:.1} s", repairs(pace.n_wrong()))
    };
    let who = match rivals {
        _ if pace.n_wrong() == 0 => String::new(),
        [] if pace.is_fed_back() => {
            ": each change triggers the next one, because the program reads what this resource writes".to_string()
        }
        [] if pace.is_echo() => {
            ": each run triggers the next one, because its command changes what this resource watches".to_string()
        }
        [] => ": something outside this program keeps changing it".to_string(),
        rivals => {
            let mut names: Vec<String> = rivals.iter().take(MOST_NAMED).map(|rival| format!("`{rival}`")).collect();
            if rivals.len() > MOST_NAMED {
                names.push(format!("{} more", rivals.len() - MOST_NAMED));
            }
            let last = names.pop().unwrap_or_default();
            let first: String = names.iter().map(|name| format!(", {name}")).collect();
            format!(": `{id}`{first} and {last} change the same object and undo each other")
        }
    };
    let event = match cause {
        Some(Cause::Fired { path }) => format!("; last event: {path}"),
        Some(Cause::Fact { name }) => format!("; last event: {name}"),
        _ => String::new(),
    };
    let step = if pace.step().is_empty() { String::new() } else { format!("; last change: {}", pace.step()) };
    let rest = if pace.n_wrong() == 0 {
        "less often".to_string()
    } else {
        format!("at most every {:.1} s", LONGEST_REST as f64 / 1e3)
    };
    format!("{what}{who}{event}{step}; checking {rest} until it is stable")
}
