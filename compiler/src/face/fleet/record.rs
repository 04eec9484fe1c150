//! The run of one host as a recording: the fleet's history is repeated on a second fleet, which records.

use super::history::Doing;
use super::other::BATCH;
use super::present::Present;
use super::{Fleet, Simulation};

impl Fleet {
    /// The run of a host up to this moment, as `mclive run --record` writes it; of a recorded run that is shown, the
    /// recording itself. `max_steps` limits the repetition, and so does `is_over`.
    ///
    /// Errors: why there is none, a sentence without a full stop.
    pub fn record(&self, host: &str, max_steps: usize, is_over: impl Fn() -> bool) -> Result<Vec<u8>, String> {
        let too_long = || "this run is too long to be recorded; start over to record a shorter one".to_owned();
        let shown = self.present.hosts.get(host).ok_or_else(|| format!("there is no host `{host}`"))?;
        if !self.history.is_whole() {
            return Err(too_long());
        }
        if shown.is_replay() {
            let given = self.history.behind().filter_map(|(_, doing)| match doing {
                Doing::Replay { host: name, trace } if name == host => Some(trace.to_vec()),
                _ => None,
            });
            return given.last().ok_or_else(too_long);
        }
        let mut again = Fleet::new(self.present.languages.clone());
        (again.history, again.present.recorded) = (self.history.again(), Some(host.to_owned()));
        let mut n_left = max_steps;
        while !again.seek(self.step(), n_left.min(BATCH)) {
            n_left = n_left.saturating_sub(BATCH);
            if n_left == 0 || is_over() {
                return Err(too_long());
            }
        }
        let trace = again.present.hosts.at_hand(host)?.take_trace().filter(|trace| !trace.inputs.is_empty());
        trace.map(|trace| trace.to_bytes()).ok_or_else(|| "no program has been run yet".to_owned())
    }
}

impl Present {
    /// Records a new host if its run is wanted.
    pub(super) fn record_if_wanted(&self, host: &str, simulation: &mut Simulation) {
        if self.recorded.as_deref() == Some(host) {
            simulation.record();
        }
    }
}
