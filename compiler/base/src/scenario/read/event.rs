//! Events: the verbs of a scenario.

use super::{Read, Words};
use crate::scenario::event::{Event, StopSignal, UnitEvent};
use crate::scenario::flag::Flag;
use crate::shapes::host::Alteration;

/// Every verb with its arguments, for help texts.
pub const FORMS: [(&str, &str); 38] = [
    ("host", "host NAME"),
    ("on", "on HOST STEP"),
    ("run", "run [PROGRAM] [--noop] [--once] [--hostname NAME] ..."),
    ("deploy", "deploy PROGRAM"),
    ("given", "given $NAME is VALUE"),
    ("wait", "wait TIME"),
    ("stop", "stop"),
    ("terminate", "terminate"),
    ("kill", "kill"),
    ("pause", "pause"),
    ("resume", "resume"),
    ("disconnect", "disconnect"),
    ("reconnect", "reconnect"),
    ("leave", "leave"),
    ("write", "write PATH TEXT"),
    ("replace", "replace PATH TEXT"),
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
    ("set", "set SUBJECT THING FIELD VALUE"),
    ("do", "do SUBJECT THING VERB"),
    ("post", "post URL FORM"),
    ("clock", "clock 08:30"),
    ("hint", "hint TEXT"),
    ("real", "real REASON"),
    ("seed", "seed NUMBER"),
    ("expect", "expect [now|always|never] CLAIM [within TIME] [for TIME]"),
];

impl Words<'_> {
    pub(super) fn event(&mut self, verb: &str) -> Read<Event> {
        Ok(match verb {
            "run" => {
                let program = self.unless_flag();
                let mut flags = Vec::new();
                while self.at < self.words.len() {
                    flags.push(self.flag()?);
                }
                Event::Run { program, flags }
            }
            "deploy" => Event::Deploy { program: self.text("a program")? },
            "host" => Event::Join { host: self.host()? },
            "pause" => Event::Pause,
            "resume" => Event::Resume,
            "disconnect" => Event::Disconnect,
            "reconnect" => Event::Reconnect,
            "leave" => Event::Leave,
            "stop" => Event::Stop(StopSignal::Interrupt),
            "terminate" => Event::Stop(StopSignal::Terminate),
            "kill" => Event::Kill,
            "write" => Event::Write { path: self.path()?, text: self.text("text")? },
            "replace" => Event::Replace { path: self.path()?, text: self.text("text")? },
            "append" => Event::Append { path: self.path()?, text: self.text("text")? },
            "remove" => Event::Remove { path: self.path()? },
            "rename" => Event::Rename { path: self.path()?, to: self.path()? },
            "folder" => Event::MakeFolder { path: self.path()? },
            "mode" => Event::Mode { path: self.path()?, mode: self.mode()? },
            "own" => Event::Own { path: self.path()?, user: self.text("a user")?, group: self.next() },
            "link" => Event::Link { path: self.path()?, to: self.text("the target of the link")? },
            "command" => {
                let (mut prints, mut status, mut takes) = (String::new(), 0, 0);
                let line = self.text("a command line")?;
                while let Some(word) = self.next() {
                    match word.as_str() {
                        "prints" => prints = self.text("what it prints")?,
                        "exits" => status = self.number("a status")?,
                        "takes" => takes = self.time("how long it takes")?,
                        other => return Err(format!("expected `prints`, `exits` or `takes`, found `{other}`")),
                    }
                }
                Event::Command { line, prints, status, takes }
            }
            "environment" => Event::Environment { name: self.text("a name")?, value: self.text("a value")? },
            "hostname" => Event::Hostname { name: self.text("a name")? },
            "load" => match self.number::<f64>("a load average")? {
                load if load.is_finite() && load >= 0.0 => Event::Load { load },
                load => return Err(format!("expected a load average such as 0.75, found `{load}`")),
            },
            "clock" => Event::Clock { seconds: self.time_of_day()? },
            "unit" => {
                let name = self.text("a unit, such as nginx.service")?;
                let what = match self.text("`dies`, `enabled` or `disabled`")?.as_str() {
                    "dies" => UnitEvent::Dies,
                    "enabled" => UnitEvent::Enabled,
                    "disabled" => UnitEvent::Disabled,
                    other => return Err(format!("a unit has no event `{other}`")),
                };
                Event::Unit { name, what }
            }
            "uninstall" => Event::Uninstall { package: self.text("a package")? },
            "unmount" => Event::Unmount { path: self.path()? },
            "set" => {
                let (subject, thing) = (self.text("a subject, such as Account")?, self.text("a thing, such as alice")?);
                let (field, value) = (self.text("a field")?, self.text("a value")?);
                Event::Alter { subject, thing, how: Alteration::Set { field, value } }
            }
            "do" => {
                let (subject, thing) =
                    (self.text("a subject, such as Unit")?, self.text("a thing, such as nginx.service")?);
                Event::Alter { subject, thing, how: Alteration::Do { verb: self.text("a verb, such as stop")? } }
            }
            "post" => Event::Post { url: self.text("an address")?, form: self.text("a form, such as key=value")? },
            "given" => {
                let name = self.text("a variable, such as $name, a function or a class")?;
                let name = name.trim_start_matches('$').to_owned();
                if !self.takes("is") {
                    return Err("expected `is` and a value after the name".into());
                }
                Event::Given { name, value: self.text("a value")? }
            }
            other => {
                let verbs = FORMS.iter().map(|(verb, _)| *verb);
                return Err(format!(
                    "unknown step `{other}`; a line begins with one of: {}",
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
            "--no-watch" => Flag::NoWatch,
            "--converger-status-file" => Flag::ConvergerStatusFile(self.path()?),
            other => return Err(format!("`run` in a scenario has no option `{other}`")),
        })
    }
}
