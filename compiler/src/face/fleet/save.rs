//! Saves the actions on the hosts of the page as a scenario: `mclive test` plays it with the same result.

use super::{Doing, Fleet, Program};
use crate::protocol::Moment;
use mclive_base::archive::Archive;
use mclive_base::scenario::{Event, Quoted, Text, Time};
use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};

/// The section with the steps.
const NAME: &str = "main.scenario";

impl Fleet {
    /// The programs and the scenario of all actions up to this moment, as a text archive; it ends with expectations
    /// about the current state.
    ///
    /// Errors: why there is none.
    pub fn scenario(&self) -> Result<Archive, String> {
        if !self.history.is_whole() {
            return Err("the history is too long to be saved; start over to begin a new scenario".into());
        }
        let names = self.history.behind().filter_map(|(_, doing)| match doing {
            Doing::Join { host, .. } => Some(host.as_str()),
            _ => None,
        });
        let mut page = Page {
            text: "# Recorded in the playground.\n".to_owned(),
            has_several: names.collect::<BTreeSet<_>>().len() > 1,
            at: Moment::default(),
            programs: Vec::new(),
        };
        for (at, doing) in self.history.behind() {
            page.wait_until(at);
            page.write(doing, !page.programs.is_empty())?;
        }
        if page.programs.is_empty() {
            return Err("no program has been run yet".into());
        }
        page.wait_until(self.now());
        for (host, simulation, _) in self.present.hosts.iter() {
            let (paths, failed) = simulation.claims();
            for path in &paths {
                let quoted = Quoted(path);
                match simulation.text_of(path) {
                    Some(Ok(text)) => {
                        page.line(Some(host), format_args!("expect now file {quoted} holds {}", Text(&text)))
                    }
                    Some(Err(())) => page.line(Some(host), format_args!("expect now no path {quoted}")),
                    None => page.line(Some(host), format_args!("expect now path {quoted}")),
                }
            }
            for id in &failed {
                page.line(Some(host), format_args!("expect now resource {} is failed", Quoted(&id.to_string())));
            }
        }
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for (number, program) in page.programs.iter().enumerate() {
            for (path, bytes) in program.files.iter() {
                files.push((format!("{}{}", folder(number), path.trim_start_matches('/')), bytes.clone()));
            }
        }
        files.push((NAME.to_owned(), page.text.into_bytes()));
        Ok(Archive { files })
    }
}

/// Programs after the first one are in separate folders.
fn folder(number: usize) -> String {
    if number == 0 { String::new() } else { format!("program-{}/", number + 1) }
}

struct Page<'a> {
    text: String,
    /// Whether lines name their host.
    has_several: bool,
    at: Moment,
    /// The programs in order of deployment.
    programs: Vec<&'a Program>,
}

impl<'a> Page<'a> {
    /// Scenarios count in milliseconds: events in between happen at the later one.
    fn wait_until(&mut self, at: Moment) {
        let ms = at.0.saturating_sub(self.at.0).div_ceil(1_000_000);
        if ms > 0 {
            self.line(None, format_args!("wait {}", Time(ms)));
            self.at = self.at.plus_ms(ms);
        }
    }

    fn line(&mut self, host: Option<&str>, line: impl Display) {
        match host.filter(|_| self.has_several) {
            Some(host) => writeln!(self.text, "on {host} {line}"),
            None => writeln!(self.text, "{line}"),
        }
        .expect("a text can contain any line");
    }

    fn write(&mut self, doing: &'a Doing, has_program: bool) -> Result<(), String> {
        match doing {
            Doing::Join { host, prepare } => {
                self.line(None, Event::Join { host: host.clone() });
                for event in prepare.iter().flat_map(|action| action.events()) {
                    self.line(Some(host), event);
                }
                if has_program {
                    let program = self.entry();
                    self.line(Some(host), Event::Run { program, flags: Vec::new() });
                }
            }
            Doing::Leave { host } => self.line(Some(host), Event::Leave),
            Doing::Pause { host } => self.line(Some(host), Event::Pause),
            Doing::Resume { host } => self.line(Some(host), Event::Resume),
            Doing::Disconnect { host } => self.line(Some(host), Event::Disconnect),
            Doing::Reconnect { host } => self.line(Some(host), Event::Reconnect),
            Doing::Deploy(program) => {
                self.programs.push(program);
                let program = self.entry();
                match program {
                    Some(program) if has_program => self.line(None, Event::Deploy { program }),
                    program => self.line(None, Event::Run { program, flags: Vec::new() }),
                }
            }
            Doing::Act { host, action } => action.events().into_iter().for_each(|event| self.line(Some(host), event)),
            Doing::Replay { .. } => {
                return Err("this run was recorded elsewhere; use `mclive replay` to replay it".into());
            }
            Doing::Cue(..) => return Err("this is already a scenario".into()),
        }
        Ok(())
    }

    /// The entry of the last program.
    fn entry(&self) -> Option<String> {
        let number = self.programs.len().checked_sub(1)?;
        let entry = format!("{}{}", folder(number), self.programs[number].entry.trim_start_matches('/'));
        (number > 0).then_some(entry)
    }
}
