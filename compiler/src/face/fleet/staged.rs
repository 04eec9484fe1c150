//! A scenario on the hosts of the page: performs its steps at their moments, and shows the results of its expectations.
//!
//! It was already played and judged ([`Cue`]): here it is repeated, so that every moment of it can be inspected.

use super::present::Present;
use super::{Doing, Fleet, Program};
use crate::engine_language::Language;
use mclive_base::layout;
use mclive_base::scenario::{Event, FIRST_HOST};
use mclive_base::shapes::host::{LogLine, Tone};
use mclive_base::shapes::scenario::{Cue, CueWhat};
use mclive_scenario::Givens;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Fleet {
    /// A fleet with a scenario ahead. [`Fleet::run`] plays it.
    pub fn stage<'a>(
        languages: Vec<&'static dyn Language>,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        cues: Vec<Cue>,
    ) -> Fleet {
        let mut fleet = Fleet::new(languages);
        let files = files.into_iter().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect();
        let program = Program { files, entry: "".into() };
        let has_hosts = matches!(cues.first(), Some(Cue { what: CueWhat::Happens(Event::Join { .. }), .. }));
        if !has_hosts {
            let host = FIRST_HOST.to_owned();
            fleet.history.plan([(fleet.now(), Doing::Join { host, prepare: Rc::new([]) })]);
        }
        let mut changing = Changing { program, givens: Givens::default(), changed: BTreeMap::new() };
        let cues = cues.into_iter().map(|cue| (cue.at, Doing::Cue(changing.started_by(&cue), Rc::new(cue))));
        fleet.history.plan(cues);
        fleet
    }
}

impl Present {
    /// Performs a step of a scenario. Errors: why it is impossible.
    pub(super) fn follow(&mut self, program: &Program, cue: &Cue) -> Result<(), String> {
        let now = self.now();
        if let CueWhat::Happens(Event::Join { host }) = &cue.what {
            self.join(host, &[])?;
            self.say(host, LogLine { tone: Tone::Player, ..LogLine::at(now, cue.text.clone()) });
            return Ok(());
        }
        let hosts = match &cue.host {
            Some(host) => vec![host.clone()],
            None => self.hosts.names().cloned().collect(),
        };
        let (tone, text) = match &cue.what {
            CueWhat::Happens(_) => (Tone::Player, cue.text.clone()),
            CueWhat::Held => (Tone::Good, format!("line {}: {}", cue.line, cue.text)),
            CueWhat::Broke { why, hint } => {
                let hint = if hint.is_empty() { String::new() } else { format!(" Hint: {hint}") };
                (Tone::Bad, format!("line {}: {} failed: {why}.{hint}", cue.line, cue.text))
            }
            CueWhat::Ends => (Tone::Info, cue.text.clone()),
        };
        for host in &hosts {
            self.say(host, LogLine { tone, ..LogLine::at(now, text.clone()) });
            if let CueWhat::Happens(event) = &cue.what {
                self.happen(program, host, event)?;
            }
        }
        Ok(())
    }

    fn happen(&mut self, program: &Program, host: &str, event: &Event) -> Result<(), String> {
        match event {
            Event::Leave => {
                self.held.remove(host);
                return self.hosts.leave(host);
            }
            Event::Pause => return self.hosts.pause(host),
            Event::Resume => self.hosts.resume(host)?,
            Event::Disconnect => return self.hosts.disconnect(host),
            Event::Reconnect => {
                self.hosts.reconnect(host)?;
                if let Some(Program { files, entry }) = self.held.remove(host) {
                    let files = files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
                    self.hosts.at_hand(host)?.deploy(files, &entry);
                }
            }
            Event::Run { program: main, flags } => {
                self.held.remove(host);
                let entry = entry(program, main.as_deref());
                self.program = Some(Program { entry: entry.as_str().into(), ..program.clone() });
                self.pay_for(program);
                let files = program.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
                self.hosts.at_hand(host)?.start(files, &entry, flags);
            }
            Event::Deploy { program: main } => {
                let entry = entry(program, Some(main));
                let program = Program { entry: entry.as_str().into(), ..program.clone() };
                self.program = Some(program.clone());
                self.pay_for(&program);
                if self.hosts.is_disconnected(host) {
                    self.held.insert(host.to_owned(), program);
                    return Ok(());
                }
                let files = program.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
                self.hosts.at_hand(host)?.deploy(files, &entry);
            }
            Event::Stop(_) => self.hosts.at_hand(host)?.stop(),
            Event::Kill => self.hosts.at_hand(host)?.kill(),
            event => self.hosts.at_hand(host)?.happen(event)?,
        }
        self.listen(host);
        Ok(())
    }
}

/// A program whose variables get other values in the course of a scenario.
struct Changing {
    program: Program,
    givens: Givens,
    /// The program with the present values, by its main file: steps share it.
    changed: BTreeMap<String, Program>,
}

impl Changing {
    /// The program that a step starts, with the values that its variables have by then.
    fn started_by(&mut self, cue: &Cue) -> Program {
        let main = match &cue.what {
            CueWhat::Happens(Event::Given { name, value }) => {
                self.givens.insert(name, value.clone());
                self.changed.clear();
                None
            }
            CueWhat::Happens(Event::Run { program, .. }) => Some(program.as_deref()),
            CueWhat::Happens(Event::Deploy { program }) => Some(Some(program.as_str())),
            _ => None,
        };
        let Changing { program, givens, changed } = self;
        let Some(main) = main.filter(|_| !givens.is_empty()) else { return program.clone() };
        let entry = entry(program, main);
        let made = || match givens.applied(&program.files, &entry) {
            Ok(files) => Program { files: files.into(), ..program.clone() },
            // A step that is impossible has failed when the scenario was played.
            Err(_) => program.clone(),
        };
        if !changed.contains_key(&entry) {
            let program = made();
            changed.insert(entry.clone(), program);
        }
        changed[&entry].clone()
    }
}

/// The main file of a program.
fn entry(program: &Program, named: Option<&str>) -> String {
    let is_there = |main: &&str| program.files.iter().any(|(path, _)| path.strip_prefix('/') == Some(main));
    let main = named.or_else(|| layout::ALL.iter().map(|layout| layout.main).find(is_there));
    format!("/{}", main.unwrap_or(layout::MCL.main))
}
