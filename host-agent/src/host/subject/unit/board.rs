//! [`Board`]: the tickets of each unit, its known state, and the waiters for the end of each job.

use super::manager::{Brief, path_of};
use mclive_base::protocol::Ticket;
use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{BTreeSet, VecDeque};
use tokio::sync::oneshot;

/// Ends of jobs that were not requested yet: the thread that started a job requests its end at once.
const MOST_ENDS: usize = 1024;

/// Receives the result of a job; it is closed if the manager is lost before.
pub(super) type Ended = oneshot::Receiver<String>;

#[derive(Default)]
pub(super) struct Board {
    held: BTreeMap<Ticket, BTreeSet<String>>,
    /// The units with holders.
    units: BTreeMap<String, CachedUnit>,
    /// Units by the paths of their objects; a unit with several names has several paths.
    paths: BTreeMap<String, BTreeSet<String>>,
    /// Units that are being started by the agent: only the outcome of the start is reported.
    hushed: BTreeSet<String>,
    jobs: BTreeMap<String, oneshot::Sender<String>>,
    ends: VecDeque<(String, String)>,
    surveys: bool,
    surveys_again: bool,
    comes_back: bool,
}

/// The known state of a unit, to detect changes.
#[derive(Default)]
struct CachedUnit {
    holders: BTreeSet<Ticket>,
    /// The paths of its object: for its own name, and for the name that it is an alias of.
    paths: BTreeSet<String>,
    active: Option<String>,
    load: Option<String>,
    enabled: Option<String>,
}

impl Board {
    pub(super) fn hold(&mut self, ticket: Ticket, name: &str) {
        self.held.entry(ticket).or_default().insert(name.to_owned());
        self.units.entry(name.to_owned()).or_default().holders.insert(ticket);
        self.is_at(name, path_of(name));
    }

    /// Records the path of a held unit.
    fn is_at(&mut self, name: &str, path: String) {
        if let Some(known) = self.units.get_mut(name)
            && known.paths.insert(path.clone())
        {
            self.paths.entry(path).or_default().insert(name.to_owned());
        }
    }

    pub(super) fn leave(&mut self, ticket: Ticket) {
        for name in self.held.remove(&ticket).unwrap_or_default() {
            let Entry::Occupied(mut unit) = self.units.entry(name.clone()) else { continue };
            unit.get_mut().holders.remove(&ticket);
            if !unit.get().holders.is_empty() {
                continue;
            }
            for path in unit.remove().paths {
                let Entry::Occupied(mut names) = self.paths.entry(path) else { continue };
                names.get_mut().remove(&name);
                if names.get().is_empty() {
                    names.remove();
                }
            }
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.units.keys().cloned().collect()
    }

    /// Records the state of a unit, unless one is known already.
    pub(super) fn learn(&mut self, ticket: Ticket, name: &str, brief: &Brief) {
        if !self.held.get(&ticket).is_some_and(|held| held.contains(name)) {
            return;
        }
        self.is_at(name, brief.path.clone());
        let Some(known) = self.units.get_mut(name) else { return };
        known.active.get_or_insert_with(|| brief.active.clone());
        known.load.get_or_insert_with(|| brief.load.clone());
        known.enabled.get_or_insert_with(|| brief.enabled.clone());
    }

    /// The tickets affected by a change of the unit at a path to the state `active`. A resting unit that is down has
    /// not changed.
    pub(super) fn moved(
        &mut self,
        path: &str,
        active: Option<&str>,
        rests: impl Fn(&str) -> bool,
    ) -> Vec<(Ticket, String)> {
        let mut changed = BTreeSet::new();
        for name in self.paths.get(path).into_iter().flatten() {
            let Some(known) = self.units.get_mut(name) else { continue };
            if active.is_none_or(|active| known.active.as_deref() != Some(active)) {
                known.active = active.map(str::to_owned);
                if !self.hushed.contains(name) && !rests(name) {
                    changed.insert(name.clone());
                }
            }
        }
        self.concerned(&changed)
    }

    /// The held units whose object has this path.
    pub(super) fn names_at(&self, path: &str) -> Vec<String> {
        self.paths.get(path).into_iter().flatten().cloned().collect()
    }

    /// Whether a unit was active at the last report.
    pub(super) fn is_active(&self, name: &str) -> bool {
        self.units.get(name).is_some_and(|known| known.active.as_deref() == Some("active"))
    }

    /// Suppresses reports about a unit until its start has ended.
    pub(super) fn hush(&mut self, name: &str) {
        self.hushed.insert(name.to_owned());
    }

    /// Whether the agent is starting it.
    pub(super) fn is_hushed(&self, name: &str) -> bool {
        self.hushed.contains(name)
    }

    pub(super) fn unhush(&mut self, name: &str) {
        self.hushed.remove(name);
    }

    /// Records the state of a unit, so that a later signal with the same state is not a change.
    pub(super) fn arrived(&mut self, name: &str, active: &str) {
        if let Some(known) = self.units.get_mut(name) {
            known.active = Some(active.to_owned());
        }
    }

    /// The tickets that hold a unit.
    pub(super) fn holders(&self, name: &str) -> Vec<(Ticket, String)> {
        self.concerned(&BTreeSet::from([name.to_owned()]))
    }

    /// The tickets affected by the differences to a list of units.
    pub(super) fn compare(&mut self, names: &[String], briefs: &[Brief]) -> Vec<(Ticket, String)> {
        let mut changed = BTreeSet::new();
        for (name, brief) in names.iter().zip(briefs) {
            let Some(known) = self.units.get_mut(name) else { continue };
            let before = [&known.active, &known.load, &known.enabled].map(Option::as_deref);
            let now = [&brief.active, &brief.load, &brief.enabled].map(|word| Some(word.as_str()));
            if before != now {
                [known.active, known.load, known.enabled] = now.map(|word| word.map(str::to_owned));
                changed.insert(name.clone());
            }
            self.is_at(name, brief.path.clone());
        }
        self.concerned(&changed)
    }

    /// Each ticket once, with the first of its units.
    fn concerned(&self, changed: &BTreeSet<String>) -> Vec<(Ticket, String)> {
        let mut tickets = BTreeMap::new();
        for name in changed {
            for ticket in self.units.get(name).into_iter().flat_map(|known| &known.holders) {
                tickets.entry(*ticket).or_insert_with(|| name.clone());
            }
        }
        tickets.into_iter().collect()
    }

    pub(super) fn everybody(&self) -> Vec<(Ticket, String)> {
        let of = |(ticket, held): (&Ticket, &BTreeSet<String>)| held.first().map(|name| (*ticket, name.clone()));
        self.held.iter().filter_map(of).collect()
    }

    pub(super) fn job_ended(&mut self, path: &str, result: String) {
        match self.jobs.remove(path) {
            // The waiter may be gone.
            Some(waits) => drop(waits.send(result)),
            None => {
                if self.ends.len() == MOST_ENDS {
                    self.ends.pop_front();
                }
                self.ends.push_back((path.to_owned(), result));
            }
        }
    }

    /// A receiver of a job's end, which may have come already: the signal can be read before the answer with the job's
    /// path.
    pub(super) fn job_end(&mut self, path: &str) -> Ended {
        let (send, ended) = oneshot::channel();
        match self.ends.iter().position(|(of, _)| of == path) {
            Some(at) => {
                let (_, result) = self.ends.remove(at).expect("it was found");
                let _ = send.send(result);
            }
            None => drop(self.jobs.insert(path.to_owned(), send)),
        }
        ended
    }

    /// Drops all waiters, since the ends of jobs will not be reported.
    pub(super) fn lose_jobs(&mut self) {
        self.jobs.clear();
        self.ends.clear();
    }

    /// `false`: a survey is in progress, and will run once more.
    pub(super) fn begin_survey(&mut self) -> bool {
        self.surveys_again = self.surveys;
        !std::mem::replace(&mut self.surveys, true)
    }

    /// Whether another survey is due.
    pub(super) fn goes_on(&mut self) -> bool {
        self.surveys = std::mem::take(&mut self.surveys_again);
        self.surveys
    }

    /// `false`: a reconnection is in progress.
    pub(super) fn begin_coming_back(&mut self) -> bool {
        !std::mem::replace(&mut self.comes_back, true)
    }

    pub(super) fn came_back(&mut self) {
        self.comes_back = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(active: &str, enabled: &str) -> Brief {
        Brief { path: path_of("a.service"), load: "loaded".into(), active: active.into(), enabled: enabled.into() }
    }

    fn never(_: &str) -> bool {
        false
    }

    fn tickets(concerned: &[(Ticket, String)]) -> Vec<u64> {
        concerned.iter().map(|(ticket, _)| ticket.0).collect()
    }

    fn board() -> Board {
        let mut board = Board::default();
        board.hold(Ticket(1), "a.service");
        board.hold(Ticket(2), "a.service");
        board.hold(Ticket(2), "b.timer");
        board.learn(Ticket(1), "a.service", &brief("active", "enabled"));
        board
    }

    #[test]
    fn the_same_again_is_no_news() {
        let (mut board, path) = (board(), path_of("a.service"));
        assert!(board.moved(&path, Some("active"), never).is_empty());
        assert_eq!(tickets(&board.moved(&path, Some("failed"), never)), [1, 2]);
        assert!(board.moved(&path, Some("failed"), never).is_empty());
        assert_eq!(tickets(&board.moved(&path, None, never)), [1, 2], "what is not said may be anything");
        assert!(board.moved(&path_of("other.service"), Some("failed"), never).is_empty());
        board.leave(Ticket(1));
        assert_eq!(tickets(&board.moved(&path, Some("active"), never)), [2]);
    }

    #[test]
    fn what_a_start_goes_through_is_told_by_nobody_else() {
        let (mut board, path) = (board(), path_of("a.service"));
        board.hush("a.service");
        for active in ["activating", "active", "failed"] {
            assert!(board.moved(&path, Some(active), never).is_empty());
        }
        board.arrived("a.service", "failed");
        board.unhush("a.service");
        assert!(board.moved(&path, Some("failed"), never).is_empty(), "it may be told late");
        assert_eq!(tickets(&board.moved(&path, Some("active"), never)), [1, 2]);
        assert_eq!(tickets(&board.holders("a.service")), [1, 2]);
    }

    #[test]
    fn that_one_that_rests_is_down_is_no_news() {
        let (mut board, path) = (board(), path_of("a.service"));
        assert!(board.moved(&path, Some("failed"), |name| name == "a.service").is_empty());
        assert!(!board.is_active("a.service"));
        assert_eq!(board.names_at(&path), ["a.service"]);
        assert_eq!(tickets(&board.moved(&path, Some("active"), never)), [1, 2]);
        assert!(board.is_active("a.service"));
    }

    #[test]
    fn a_survey_tells_whose_file_changed() {
        let (mut board, names) = (board(), ["a.service".to_owned()]);
        assert!(board.compare(&names, &[brief("active", "enabled")]).is_empty());
        assert_eq!(tickets(&board.compare(&names, &[brief("active", "disabled")])), [1, 2]);
        assert!(board.begin_survey() && !board.begin_survey());
        assert!(board.goes_on() && !board.goes_on() && board.begin_survey());
    }

    #[test]
    fn another_name_of_a_unit_is_heard_by_the_path_of_the_one() {
        let mut board = board();
        let other = Brief { path: path_of("real.service"), ..brief("active", "alias") };
        board.learn(Ticket(1), "a.service", &other);
        assert_eq!(tickets(&board.moved(&path_of("real.service"), Some("failed"), never)), [1, 2]);
    }

    #[test]
    fn the_end_of_a_job_may_come_before_its_answer() {
        let mut board = board();
        board.job_ended("/job/1", "done".into());
        assert_eq!(board.job_end("/job/1").blocking_recv().unwrap(), "done");
        let later = board.job_end("/job/2");
        board.job_ended("/job/2", "failed".into());
        assert_eq!(later.blocking_recv().unwrap(), "failed");
        let lost = board.job_end("/job/3");
        board.lose_jobs();
        assert!(lost.blocking_recv().is_err());
    }
}
