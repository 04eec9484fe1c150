//! The driver: wait for what happens, hand it in, carry out what is wanted. It decides nothing.
//!
//! One thread owns the brain and the host's handle. It waits without a timer unless somebody asked for a
//! moment, so an idle agent does not wake up.

use crate::embed::contract::Shown;
use crate::embed::{Keeper, Trap};
use crate::host::{Event, Events, Host};
use crate::record::Record;
use crate::show::Show;
use mclive_base::protocol::{Event as Told, Input, Moment, Output, StopMode, What};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many events are handed in with one crossing.
const BATCH: usize = 1024;
/// The same in bytes: what crosses is there twice, on both sides of the border.
const BATCH_BYTES: usize = 16 << 20;
/// After so many the memory that they took is given back.
const MANY: usize = 4096;
/// After a signal that is not `^C` nobody may be there to send a second one.
const CLIMB: Duration = Duration::from_secs(15);
/// What is killed ends within this, or hangs where nothing can end it.
const LAST: Duration = Duration::from_secs(2);
const SIGINT: i32 = 2;

pub(crate) struct Driver {
    pub(crate) brain: Keeper,
    pub(crate) host: Host,
    pub(crate) events: Arc<Events>,
    pub(crate) show: Arc<Show>,
    /// How errors in the program are shown.
    pub(crate) shown: Shown,
    pub(crate) record: Option<Record>,
}

/// The ladder of stops (engine spec, 19).
#[derive(Default)]
struct Ladder {
    asked: usize,
    climbs_at: Option<Instant>,
    /// What has not ended by then is left behind.
    gives_up_at: Option<Instant>,
}

impl Driver {
    /// Runs until the brain says that it is over; its status.
    pub(crate) fn run(mut self, first: Input) -> Result<i32, Trap> {
        let start = Instant::now();
        let mut ladder = Ladder::default();
        let mut inputs = vec![first];
        let mut n_inputs = 0;
        loop {
            let now = Moment(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
            // It ends with what led to a trap: only so far it replays.
            if let Some(record) = self.record.as_mut().filter(|_| !self.brain.was_restarted()) {
                record.write(now, &inputs);
            }
            n_inputs += inputs.len();
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
            inputs = self.wait(wake, &mut ladder);
            if n_inputs >= MANY && inputs.len() < BATCH / 8 {
                n_inputs = 0;
                crate::host::give_back();
            }
        }
    }

    /// Of the last one the compiler knows all that there is to say.
    fn tell_failures(&mut self, failures: &[Told]) {
        let Some((last, before)) = failures.split_last() else { return };
        before.iter().for_each(|event| self.show.event(event));
        match self.brain.failure(&self.shown) {
            Some(report) => self.show.failure(last, &report),
            None => self.show.event(last),
        }
    }

    /// What happened: at least one input, stops first.
    fn wait(&mut self, wake: Option<Instant>, ladder: &mut Ladder) -> Vec<Input> {
        let mut batch = Batch::default();
        while batch.is_empty() {
            let until = [wake, self.host.next_timer(), ladder.climbs_at, ladder.gives_up_at, self.show.due()];
            let until = until.into_iter().flatten().min();
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
            if ladder.climbs_at.is_some_and(|at| at <= now) {
                batch.stops.extend(ladder.climb(true));
            }
            if ladder.gives_up_at.is_some_and(|at| at <= now) {
                ladder.gives_up_at = None;
                self.host.give_up();
            }
            if wake.is_some_and(|at| at <= now) {
                batch.inputs.push(Input::Tick);
            }
        }
        while batch.inputs.len() < BATCH && batch.n_bytes < BATCH_BYTES {
            let Some(event) = self.events.take_now() else { break };
            batch.take(event, ladder);
        }
        batch.stops.append(&mut batch.inputs);
        batch.stops
    }
}

/// It tells of errors in the program, or that there are none any more.
fn is_of_program(event: &Told) -> bool {
    matches!(event.what, What::Refused { .. } | What::Stream { .. })
}

/// What is handed in together.
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
            Event::Signal(signal) => {
                let by_itself = ladder.climbs_at.is_some() || (ladder.asked == 0 && signal != SIGINT);
                self.stops.extend(ladder.climb(by_itself));
            }
        }
    }
}

impl Ladder {
    fn climb(&mut self, by_itself: bool) -> Option<Input> {
        let mode = [StopMode::Graceful, StopMode::Soft, StopMode::Hard].get(self.asked).copied()?;
        self.asked += 1;
        self.climbs_at = (by_itself && self.asked < 3).then(|| Instant::now() + CLIMB);
        self.gives_up_at = (self.asked == 3).then(|| Instant::now() + LAST);
        Some(Input::Stop(mode))
    }
}
