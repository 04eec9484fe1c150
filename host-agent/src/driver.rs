//! The driver: waits for events, passes them to the brain, and carries out its outputs. It decides nothing.
//!
//! One thread owns the brain and the host's handle. It waits without a timer unless the brain asked for one, so an idle
//! agent does not wake up.

use crate::embed::{Keeper, Trap};
use crate::host::{Event, Events, Host};
use crate::origin::Origins;
use crate::record::Record;
use crate::show::Show;
use mclive_base::protocol::{Event as Told, Input, Moment, Output, StopMode, What};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The maximum number of events per crossing.
const BATCH: usize = 1024;
/// The same in bytes: data that crosses exists on both sides of the border.
const BATCH_BYTES: usize = 16 << 20;
/// After this many events their memory is given back.
const MANY: usize = 4096;
/// After the first stop request: how long to wait for running work, and then for each further rung.
const CLIMB: Duration = Duration::from_secs(15);
/// How long to wait for killed processes; one that still runs cannot be ended.
const LAST: Duration = Duration::from_secs(2);
const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;
/// Waits shorter than this are not announced.
const WORDLESS: Duration = Duration::from_millis(500);

pub(crate) struct Driver {
    pub(crate) brain: Keeper,
    pub(crate) host: Host,
    pub(crate) events: Arc<Events>,
    pub(crate) show: Arc<Show>,
    /// The places of the program that runs.
    pub(crate) origins: Arc<Origins>,
    /// Errors in the program are shown in colour.
    pub(crate) colour: bool,
    pub(crate) record: Option<Record>,
    /// The beginning of its time.
    pub(crate) start: Instant,
}

/// The ladder of stops (engine spec, 19).
#[derive(Default)]
struct Ladder {
    asked: usize,
    /// The last stop signal.
    signal: i32,
    climbs_at: Option<Instant>,
    /// When to announce the work that still runs.
    tells_at: Option<Instant>,
    /// When to stop waiting for the work that still runs.
    gives_up_at: Option<Instant>,
}

impl Driver {
    /// Runs until the brain exits. Returns its status.
    pub(crate) fn run(mut self, first: Input) -> Result<i32, Trap> {
        let start = self.start;
        let mut ladder = Ladder::default();
        let mut inputs = vec![first];
        let mut n_inputs = 0;
        loop {
            let now = Moment(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
            // The record ends with the inputs before a trap: only those replay.
            if let Some(record) = self.record.as_mut().filter(|_| !self.brain.was_restarted()) {
                record.write(now, &inputs);
            }
            n_inputs += inputs.len();
            if inputs.iter().any(|input| matches!(input, Input::Deploy(_))) {
                self.show.hands_over();
            }
            let (mut wake, mut exit) = (None, None);
            let (host, show) = (&mut self.host, &self.show);
            let mut failures = Vec::new();
            self.brain.step(now, inputs, |output| match output {
                Output::Report(event) if is_of_program(&event) => failures.push(event),
                Output::Report(event) => show.event(&event),
                Output::Idle { wake: at } => wake = at.map(|at| start + Duration::from_nanos(at.0)),
                Output::Exit { status } => exit = Some(status),
                other => host.carry_out(other),
            })?;
            self.tell_failures(&failures);
            if let Some(status) = exit {
                self.host.stop();
                self.show.flush();
                return Ok(status);
            }
            self.show.flush();
            inputs = self.wait(start, wake, &mut ladder);
            if n_inputs >= MANY && inputs.len() < BATCH / 8 {
                n_inputs = 0;
                crate::host::give_back();
            }
        }
    }

    /// The compiler itself can describe the last failure completely.
    fn tell_failures(&mut self, failures: &[Told]) {
        let Some((last, before)) = failures.split_last() else { return };
        before.iter().for_each(|event| self.show.event(event));
        match self.brain.failure(&self.origins.shown(self.colour)) {
            Some(report) => self.show.failure(last, &report),
            None => self.show.event(last),
        }
    }

    /// Waits for events: at least one input, stops first. If the time that the brain asked for has come, that input is the last.
    fn wait(&mut self, start: Instant, wake: Option<Instant>, ladder: &mut Ladder) -> Vec<Input> {
        let mut batch = Batch::default();
        let mut is_due = false;
        while batch.is_empty() && !is_due {
            let of_ladder = [ladder.tells_at, ladder.climbs_at, ladder.gives_up_at];
            let until = of_ladder.into_iter().chain([wake, self.host.next_timer(), self.show.due()]);
            let until = until.flatten().min();
            if let Some(event) = self.events.take(until) {
                batch.take(event, ladder);
            }
            let now = Instant::now();
            if self.show.due().is_some_and(|at| at <= now) {
                self.show.flush();
            }
            if self.host.next_timer().is_some_and(|at| at <= now) {
                self.host.tick();
            }
            if ladder.tells_at.is_some_and(|at| at <= now) {
                ladder.tells_at = None;
                self.tell(start, ladder.words(now));
            }
            if ladder.climbs_at.is_some_and(|at| at <= now) {
                batch.stops.extend(ladder.climb());
            }
            if ladder.gives_up_at.is_some_and(|at| at <= now) {
                ladder.gives_up_at = None;
                self.host.give_up();
            }
            is_due = wake.is_some_and(|at| at <= now);
        }
        while batch.inputs.len() < BATCH && batch.n_bytes < BATCH_BYTES {
            let Some(event) = self.events.take_now() else { break };
            batch.take(event, ladder);
        }
        // Last, since a program that is at work continues with it.
        batch.inputs.extend(is_due.then_some(Input::Tick));
        batch.stops.append(&mut batch.inputs);
        batch.stops
    }

    fn tell(&self, start: Instant, text: String) {
        let at = Moment(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
        self.show.event(&Told { at, what: What::Log { text }, because: Vec::new() });
        self.show.flush();
    }
}

/// Whether it reports errors in the program, or that there are none any more.
fn is_of_program(event: &Told) -> bool {
    matches!(event.what, What::Refused { .. } | What::Stream { .. })
}

/// The inputs of one crossing.
#[derive(Default)]
struct Batch {
    stops: Vec<Input>,
    inputs: Vec<Input>,
    n_bytes: usize,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.stops.is_empty() && self.inputs.is_empty()
    }

    fn take(&mut self, event: Event, ladder: &mut Ladder) {
        match event {
            Event::Input(input, n_bytes) => {
                self.inputs.push(input);
                self.n_bytes += n_bytes;
            }
            // A terminal that closes sends it several times: by the kernel, and by the shell.
            Event::Signal(SIGHUP) if ladder.asked > 0 => {}
            Event::Signal(signal) => {
                ladder.signal = signal;
                self.stops.extend(ladder.climb());
            }
        }
    }
}

impl Ladder {
    /// Goes one rung up, and schedules the next: there may be no second signal.
    fn climb(&mut self) -> Option<Input> {
        let mode = [StopMode::Graceful, StopMode::Soft, StopMode::Hard].get(self.asked).copied()?;
        self.asked += 1;
        let now = Instant::now();
        self.climbs_at = (self.asked < 3).then(|| now + CLIMB);
        self.tells_at = (self.asked < 3).then(|| now + WORDLESS);
        self.gives_up_at = (self.asked == 3).then(|| now + LAST);
        Some(Input::Stop(mode))
    }

    /// Describes the work that still runs, and when it will be stopped.
    fn words(&self, now: Instant) -> String {
        let left = self.climbs_at.map_or(Duration::ZERO, |at| at.saturating_duration_since(now)).as_secs_f64().ceil();
        let again = if self.signal == SIGINT { "press ^C again" } else { "send another signal" };
        match self.asked {
            1 => format!("still running: stopping commands in {left} s; {again} to stop them now"),
            _ => format!("still running: killing commands in {left} s; {again} to kill them now"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rung_leads_to_the_next_one_by_itself_and_says_so() {
        let mut ladder = Ladder::default();
        let now = Instant::now();
        for (mode, words) in
            [(StopMode::Graceful, "stopping commands in 15 s"), (StopMode::Soft, "killing commands in 15 s")]
        {
            assert!(matches!(ladder.climb(), Some(Input::Stop(of)) if of == mode));
            assert!(ladder.climbs_at >= Some(now + CLIMB) && ladder.tells_at < ladder.climbs_at);
            let said = ladder.words(ladder.climbs_at.unwrap() - CLIMB);
            assert!(said.contains(words), "{said}");
        }
        assert!(matches!(ladder.climb(), Some(Input::Stop(StopMode::Hard))));
        assert!(ladder.climbs_at.is_none() && ladder.tells_at.is_none() && ladder.gives_up_at.is_some());
        assert!(ladder.climb().is_none());
    }

    #[test]
    fn further_hangups_climb_no_rung() {
        let (mut ladder, mut batch) = (Ladder::default(), Batch::default());
        for (signal, n_stops) in [(SIGHUP, 1), (SIGHUP, 1), (SIGINT, 2), (SIGHUP, 2)] {
            batch.take(Event::Signal(signal), &mut ladder);
            assert_eq!(batch.stops.len(), n_stops);
        }
    }
}
