//! [`RunLog`]: the commands that ran on this host, to be shown.

use crate::gather::Boxed;
use crate::vocab::CommandOutcome;

/// The maximum number of commands of which something is kept; of more, those that were started last.
const MOST_LINES: usize = 100;
/// Longer command lines are not kept. Units: bytes.
const LONGEST_LINE: usize = 8 << 10;
/// The part of an output that is kept. Units: bytes.
const LONGEST_OUTPUT: usize = 4 << 10;

/// What ran, by command line.
#[derive(Clone, Debug, Default)]
pub(super) struct RunLog {
    by_line: Boxed<String, Ran>,
    n_starts: u64,
    /// Those that are to be killed.
    killed: Vec<String>,
}

/// What is known of a command.
#[derive(Clone, Debug, Default)]
pub(super) struct Ran {
    /// How often it was started.
    pub(super) n_runs: u64,
    /// How many resources are running it.
    pub(super) n_running: usize,
    /// The end of the last run that has ended.
    pub(super) end: Option<End>,
    /// The beginning of its output.
    pub(super) printed: String,
    /// Its last start among those of all commands.
    last: u64,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Killed(String),
    /// It could not be started, for this reason.
    NotStarted(String),
}

impl RunLog {
    /// The commands, sorted by line.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &Ran)> {
        self.by_line.iter().map(|(line, ran)| (line.as_str(), &**ran))
    }

    /// What is known of a command.
    pub(super) fn get(&self, line: &str) -> Option<&Ran> {
        self.by_line.get(line).map(|ran| &**ran)
    }

    /// A command is started.
    pub(super) fn begins(&mut self, line: &str) {
        if line.len() > LONGEST_LINE {
            return;
        }
        self.n_starts += 1;
        let ran = self.by_line.entry(line.to_owned()).or_default();
        (ran.n_runs, ran.last) = (ran.n_runs + 1, self.n_starts);
        if self.by_line.len() > MOST_LINES {
            let oldest = self.by_line.iter().min_by_key(|(_, ran)| ran.last).map(|(line, _)| line.clone());
            oldest.iter().for_each(|line| drop(self.by_line.remove(line)));
        }
    }

    /// A resource runs the command from now on.
    pub(super) fn runs(&mut self, line: &str) {
        if let Some(ran) = self.by_line.get_mut(line) {
            ran.n_running += 1;
        }
    }

    /// A resource no longer runs it.
    pub(super) fn rests(&mut self, line: &str) {
        if let Some(ran) = self.by_line.get_mut(line) {
            ran.n_running = ran.n_running.saturating_sub(1);
        }
    }

    /// No resource runs any command.
    pub(super) fn all_rest(&mut self) {
        self.by_line.values_mut().for_each(|ran| ran.n_running = 0);
    }

    /// Someone kills a command. `false`: no resource is running it.
    pub(super) fn kill(&mut self, line: &str) -> bool {
        let is_running = self.get(line).is_some_and(|ran| ran.n_running > 0);
        if is_running {
            self.killed.push(line.to_owned());
        }
        is_running
    }

    /// The commands that were killed since the last call.
    pub(super) fn take_killed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.killed)
    }

    /// It could not be started.
    pub(super) fn fails(&mut self, line: &str, why: &str) {
        if let Some(ran) = self.by_line.get_mut(line) {
            (ran.end, ran.printed) = (Some(End::NotStarted(why.to_owned())), String::new());
        }
    }

    /// It has ended.
    pub(super) fn ends(&mut self, line: &str, outcome: &CommandOutcome) {
        let Some(ran) = self.by_line.get_mut(line) else { return };
        ran.end = Some(match (outcome.status, &outcome.signal) {
            (Some(status), _) => End::Exited(status),
            (None, signal) => End::Killed(signal.clone().unwrap_or_default()),
        });
        let bytes = outcome.stdout.as_deref().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST_OUTPUT)]);
        ran.printed = text.into_owned();
    }

    /// The bytes of all texts.
    pub(super) fn size(&self) -> usize {
        let end = |ran: &Ran| match &ran.end {
            Some(End::Killed(text) | End::NotStarted(text)) => text.len(),
            Some(End::Exited(_)) | None => 0,
        };
        self.all().map(|(line, ran)| line.len() + ran.printed.len() + end(ran)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(status: Option<i32>, signal: Option<&str>, stdout: &[u8]) -> CommandOutcome {
        let signal = signal.map(str::to_owned);
        CommandOutcome { status, signal, output: None, stdout: Some(stdout.to_vec()), stderr: None }
    }

    #[test]
    fn of_many_commands_the_last_ones_are_kept() {
        let mut log = RunLog::default();
        log.begins("often");
        for number in 0..3 * MOST_LINES {
            log.begins(&format!("once {number:03}"));
            log.begins("often");
        }
        assert_eq!(log.all().count(), MOST_LINES);
        assert_eq!(log.get("often").map(|ran| ran.n_runs), Some(1 + 3 * MOST_LINES as u64));
        assert!(log.get("once 299").is_some() && log.get("once 000").is_none());
        log.begins(&"x".repeat(LONGEST_LINE + 1));
        assert_eq!(log.all().count(), MOST_LINES);
    }

    #[test]
    fn the_last_end_is_kept_with_the_beginning_of_its_output() {
        let mut log = RunLog::default();
        log.begins("tool");
        assert!(log.get("tool").is_some_and(|ran| ran.end.is_none()));
        log.ends("tool", &outcome(Some(3), None, &[b'x'; 2 * LONGEST_OUTPUT]));
        let ran = log.get("tool").expect("it ran");
        assert!(matches!(ran.end, Some(End::Exited(3))), "{ran:?}");
        assert_eq!(ran.printed.len(), LONGEST_OUTPUT);
        assert_eq!(log.size(), "tool".len() + LONGEST_OUTPUT);
        log.ends("tool", &outcome(None, Some("SIGKILL"), b""));
        assert!(
            log.get("tool").is_some_and(|ran| matches!(&ran.end, Some(End::Killed(signal)) if signal == "SIGKILL"))
        );
        log.fails("tool", "not found");
        assert!(
            log.get("tool").is_some_and(|ran| matches!(&ran.end, Some(End::NotStarted(why)) if why == "not found"))
        );
        log.ends("another", &outcome(Some(0), None, b""));
        assert!(log.get("another").is_none());
    }
}
