//! The driver: wait for what happens, hand it in, carry out what is wanted. It decides nothing.
//!
//! One thread owns the brain and the host's handle. It waits without a timer unless somebody asked for a
//! moment, so an idle agent does not wake up.

use crate::embed::{Brain, Trap};
use crate::host::{Event, Host};
use crate::record::Record;
use crate::show::Show;
use mclive_compiler::protocol::{Input, Moment, Output, StopMode};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How many events are handed in with one crossing.
const BATCH: usize = 1024;
/// After so many the memory that they took is given back.
const MANY: usize = 4096;
/// After a signal that is not `^C` nobody may be there to send a second one.
const CLIMB: Duration = Duration::from_secs(15);
const SIGINT: i32 = 2;

pub(crate) struct Driver {
    pub(crate) brain: Brain,
    pub(crate) host: Host,
    pub(crate) events: Receiver<Event>,
    pub(crate) show: Arc<Show>,
    pub(crate) record: Option<Record>,
}

/// The ladder of stops (engine spec, 19).
#[derive(Default)]
struct Ladder {
    asked: usize,
    climbs_at: Option<Instant>,
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
            if let Some(record) = &mut self.record {
                record.write(now, &inputs);
            }
            let (mut wake, mut exit) = (None, None);
            let (host, show) = (&mut self.host, &self.show);
            self.brain.step(now, &inputs, |output| match output {
                Output::Report(event) => show.event(&event),
                Output::Idle { wake: at } => wake = at.map(|at| start + Duration::from_nanos(at.0)),
                Output::Exit { status } => exit = Some(status),
                other => host.carry_out(other),
            })?;
            if let Some(status) = exit {
                self.host.stop();
                self.show.flush();
                return Ok(status);
            }
            self.show.flush();
            n_inputs += inputs.len();
            inputs = self.wait(wake, &mut ladder);
            if n_inputs >= MANY && inputs.len() < BATCH / 8 {
                n_inputs = 0;
                crate::host::give_back();
            }
        }
    }

    /// What happened: at least one input.
    fn wait(&mut self, wake: Option<Instant>, ladder: &mut Ladder) -> Vec<Input> {
        let mut inputs = Vec::new();
        while inputs.is_empty() {
            let until = [wake, self.host.next_timer(), ladder.climbs_at, self.show.due()].into_iter().flatten().min();
            let event = match until {
                None => self.events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(until) => self.events.recv_timeout(until.saturating_duration_since(Instant::now())),
            };
            match event {
                Ok(event) => inputs.extend(input(event, ladder)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => inputs.push(Input::Stop(StopMode::Hard)),
            }
            let now = Instant::now();
            if self.show.due().is_some_and(|at| at <= now) {
                self.show.flush();
            }
            if self.host.next_timer().is_some_and(|at| at <= now) {
                self.host.tick();
            }
            if ladder.climbs_at.is_some_and(|at| at <= now) {
                inputs.extend(ladder.climb(true));
            }
            if wake.is_some_and(|at| at <= now) {
                inputs.push(Input::Tick);
            }
        }
        while inputs.len() < BATCH {
            let Ok(event) = self.events.try_recv() else { break };
            inputs.extend(input(event, ladder));
        }
        inputs
    }
}

fn input(event: Event, ladder: &mut Ladder) -> Option<Input> {
    match event {
        Event::Input(input) => Some(input),
        Event::Signal(signal) => ladder.climb(ladder.climbs_at.is_some() || (ladder.asked == 0 && signal != SIGINT)),
    }
}

impl Ladder {
    fn climb(&mut self, by_itself: bool) -> Option<Input> {
        let mode = [StopMode::Graceful, StopMode::Soft, StopMode::Hard].get(self.asked).copied()?;
        self.asked += 1;
        self.climbs_at = (by_itself && self.asked < 3).then(|| Instant::now() + CLIMB);
        Some(Input::Stop(mode))
    }
}
