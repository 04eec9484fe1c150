//! Another program over the same events: the history is repeated with it on a second fleet.

use super::{Fleet, Program, Ran};
use mclive_base::shapes::host::Goal;

/// The steps between two questions whether to continue.
pub(super) const BATCH: usize = 500;

impl Fleet {
    /// The hosts as they would be now if another program had run, with the same actions of the user at the same moments. If
    /// it did run in this history, the programs after it are left out; otherwise it takes the place of all. `max_steps` limits
    /// the repetition, and so does `is_over`.
    ///
    /// Errors: why that is impossible, a sentence without a full stop.
    pub fn with_program<'a>(
        &self,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        entry: &str,
        max_steps: usize,
        is_over: impl Fn() -> bool,
    ) -> Result<Fleet, String> {
        let too_long = || "this run is too long to be repeated; start over to compare programs".to_owned();
        if !self.history.is_whole() {
            return Err(too_long());
        }
        let files = files.into_iter().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect();
        let program = Program { files, entry: entry.into() };
        let history = self.history.with_program(&program);
        let mut other = Fleet::new(self.present.languages.clone());
        other.history = history.ok_or("the programs of scenarios and recorded runs cannot be replaced")?;
        other.is_trial = true;
        let now = self.now();
        // Right after an action its consequences are still ahead, as on the hosts that are shown.
        let is_within = self.present.hosts.next_at().is_some_and(|at| at <= now)
            && self.history.behind().last().is_some_and(|(at, _)| at == now);
        let mut n_left = max_steps;
        while n_left > 0 && !is_over() {
            let n_steps = n_left.min(BATCH);
            let is_there = match is_within {
                true => other.run(Goal::Staged, now, n_steps) == Ran::Reached,
                false => other.advance_to(now, n_steps),
            };
            if is_there {
                return Ok(other);
            }
            n_left -= n_steps;
        }
        Err(too_long())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{MANY, deploy};
    use super::*;
    use crate::language::Mcl;
    use mclive_base::shapes::host::{HostAction, HostFile};

    fn program(text: &str) -> String {
        format!("file \"/srv/kept\" {{\n\tstate => \"exists\",\n\tcontent => \"{text}\",\n}}\n")
    }

    fn with(fleet: &Fleet, text: &str, max_steps: usize) -> Result<Fleet, String> {
        fleet.with_program([("/main.mcl", program(text).as_bytes())], "/main.mcl", max_steps, || false)
    }

    fn files(fleet: &mut Fleet) -> Vec<HostFile> {
        fleet.snapshot("web1", None).expect("the host is there").files
    }

    fn text(fleet: &mut Fleet, path: &str) -> Option<String> {
        files(fleet).into_iter().find(|file| file.path == path).map(|file| file.text)
    }

    #[test]
    fn another_program_meets_the_same_events() {
        let mut fleet = Fleet::new(vec![&Mcl]);
        deploy(&mut fleet, &program("one"), &["web1"]);
        fleet.advance(2_000, MANY);
        let write = HostAction::Write { path: "/srv/mine".into(), text: "by hand".into() };
        fleet.act_on("web1", &write).expect("it can be written");
        fleet.advance(2_000, MANY);
        deploy(&mut fleet, &program("two"), &["web1"]);
        fleet.advance(2_000, MANY);
        fleet.act_on("web1", &HostAction::Remove { path: "/srv/kept".into() }).expect("it is there");
        // Right after it: nothing is repaired yet.
        let mut at_once = with(&fleet, "two", MANY).expect("it can be repeated");
        assert_eq!(text(&mut at_once, "/srv/kept"), None);
        fleet.advance(2_000, MANY);
        // One that ran before, and one that never did.
        for name in ["one", "three"] {
            let mut other = with(&fleet, name, MANY).expect("it can be repeated");
            assert_eq!(other.now(), fleet.now());
            assert_eq!(text(&mut other, "/srv/kept").as_deref(), Some(name));
            assert_eq!(text(&mut other, "/srv/mine").as_deref(), Some("by hand"));
        }
        assert_eq!(text(&mut fleet, "/srv/kept").as_deref(), Some("two"), "what is shown stays");
        let mut same = with(&fleet, "two", MANY).expect("it can be repeated");
        assert_eq!(files(&mut same), files(&mut fleet));
        assert_eq!(same.n_snapshots().0, 0, "it needs no way back");
        assert!(with(&fleet, "one", 3).is_err(), "it is limited");
    }
}
