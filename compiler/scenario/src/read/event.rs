//! What happens: the verbs that make events.

use super::{Read, Words};
use crate::protocol::StopMode;
use crate::step::{Event, Flag, UnitEvent};

/// Every verb with what follows it: what help texts show.
pub(super) const FORMS: [(&str, &str); 24] = [
    ("run", "run [PROGRAM] [--noop] [--once] [--hostname NAME] ..."),
    ("deploy", "deploy PROGRAM"),
    ("wait", "wait TIME"),
    ("stop", "stop"),
    ("kill", "kill"),
    ("write", "write PATH TEXT"),
    ("append", "append PATH TEXT"),
    ("remove", "remove PATH"),
    ("rename", "rename PATH PATH"),
    ("folder", "folder PATH"),
    ("mode", "mode PATH 0644"),
    ("own", "own PATH USER [GROUP]"),
    ("link", "link PATH TARGET"),
    ("command", "command LINE [prints TEXT] [exits STATUS] [takes TIME]"),
    ("environment", "environment NAME VALUE"),
    ("hostname", "hostname NAME"),
    ("load", "load NUMBER"),
    ("unit", "unit NAME dies|enabled|disabled"),
    ("uninstall", "uninstall PACKAGE"),
    ("unmount", "unmount PATH"),
    ("post", "post URL FORM"),
    ("clock", "clock 08:30"),
    ("hint", "hint TEXT"),
    ("expect", "expect [now|always|never] CLAIM [within TIME] [for TIME]"),
];

impl Words<'_> {
    pub(super) fn event(&mut self, verb: &str) -> Read<Event> {
        Ok(match verb {
            "run" => {
                let program = self.unless_flag().unwrap_or_else(|| "main.mcl".into());
                let mut flags = Vec::new();
                while self.at < self.words.len() {
                    flags.push(self.flag()?);
                }
                Event::Run { program, flags }
            }
            "deploy" => Event::Deploy { program: self.text("a program")? },
            "stop" => Event::Stop(StopMode::Graceful),
            "kill" => Event::Kill,
            "write" => Event::Write { path: self.path()?, text: self.text("a text")? },
            "append" => Event::Append { path: self.path()?, text: self.text("a text")? },
            "remove" => Event::Remove { path: self.path()? },
            "rename" => Event::Rename { path: self.path()?, to: self.path()? },
            "folder" => Event::MakeFolder { path: self.path()? },
            "mode" => Event::Mode { path: self.path()?, mode: self.mode()? },
            "own" => Event::Own { path: self.path()?, user: self.text("a user")?, group: self.next() },
            "link" => Event::Link { path: self.path()?, to: self.text("what it leads to")? },
            "command" => {
                let (mut prints, mut status, mut takes) = (String::new(), 0, 0);
                let line = self.text("a command line")?;
                while let Some(word) = self.next() {
                    match word.as_str() {
                        "prints" => prints = self.text("what it prints")?,
                        "exits" => status = self.number("a status")?,
                        "takes" => takes = self.time("how long it takes")?,
                        other => return Err(format!("`{other}` is not known here")),
                    }
                }
                Event::Command { line, prints, status, takes }
            }
            "environment" => Event::Environment { name: self.text("a name")?, value: self.text("a value")? },
            "hostname" => Event::Hostname { name: self.text("a name")? },
            "load" => Event::Load { load: self.number("a number")? },
            "clock" => Event::Clock { seconds: self.time_of_day()? },
            "unit" => {
                let name = self.text("a unit, such as nginx.service")?;
                let what = match self.text("`dies`, `enabled` or `disabled`")?.as_str() {
                    "dies" => UnitEvent::Dies,
                    "enabled" => UnitEvent::Enabled,
                    "disabled" => UnitEvent::Disabled,
                    other => return Err(format!("`{other}` does not happen to a unit")),
                };
                Event::Unit { name, what }
            }
            "uninstall" => Event::Uninstall { package: self.text("a package")? },
            "unmount" => Event::Unmount { path: self.path()? },
            "post" => Event::Post { url: self.text("an address")?, form: self.text("a form, such as key=value")? },
            other => {
                let verbs = FORMS.iter().map(|(verb, _)| *verb);
                return Err(format!(
                    "`{other}` is no step; a line begins with one of: {}",
                    verbs.collect::<Vec<_>>().join(", ")
                ));
            }
        })
    }

    fn flag(&mut self) -> Read<Flag> {
        let name = self.text("a flag")?;
        Ok(match name.as_str() {
            "--noop" => Flag::Noop,
            "--once" => Flag::Once,
            "--hostname" => Flag::Hostname(self.text("a name")?),
            "--sema" => Flag::Sema(self.number("a number")?),
            "--max-runtime" => Flag::MaxRuntime(self.number("seconds")?),
            "--converger-timeout" => Flag::ConvergerTimeout(self.number("seconds")?),
            "--converged-exit" => Flag::ConvergedExit,
            "--no-autoedges" => Flag::NoAutoedges,
            "--no-autogroup" => Flag::NoAutogroup,
            other => return Err(format!("a scenario's `run` has no flag `{other}`")),
        })
    }
}
