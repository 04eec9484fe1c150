//! Writes events as the lines they are read from.

use super::event::{Event, StopSignal, UnitEvent};
use super::flag::Flag;
use crate::shapes::host::Alteration;
use std::fmt::{self, Display, Formatter};

/// A word of a line, quoted if it would be misread without quotes.
pub struct Quoted<'a>(pub &'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\\' | '#');
        if !self.0.is_empty() && !self.0.starts_with("--") && self.0.chars().all(is_plain) {
            return f.write_str(self.0);
        }
        Text(self.0).fmt(f)
    }
}

/// A text, always quoted.
pub struct Text<'a>(pub &'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '"' | '\\' => write!(f, "\\{c}")?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

/// A duration in milliseconds, shown in its largest whole unit.
pub struct Time(pub u64);

impl Display for Time {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
        match units.iter().find(|(unit, _)| self.0 > 0 && self.0.is_multiple_of(*unit)) {
            Some((unit, name)) => write!(f, "{}{name}", self.0 / unit),
            None => write!(f, "{}ms", self.0),
        }
    }
}

impl Display for Event {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Event::Join { host } => write!(f, "host {host}"),
            Event::Leave => f.write_str("leave"),
            Event::Pause => f.write_str("pause"),
            Event::Resume => f.write_str("resume"),
            Event::Disconnect => f.write_str("disconnect"),
            Event::Reconnect => f.write_str("reconnect"),
            Event::Run { program, flags } => {
                f.write_str("run")?;
                program.iter().try_for_each(|program| write!(f, " {}", Quoted(program)))?;
                flags.iter().try_for_each(|flag| write!(f, " {flag}"))
            }
            Event::Deploy { program } => write!(f, "deploy {}", Quoted(program)),
            Event::Stop(StopSignal::Interrupt) => f.write_str("stop"),
            Event::Stop(StopSignal::Terminate) => f.write_str("terminate"),
            Event::Kill => f.write_str("kill"),
            Event::Write { path, text } => write!(f, "write {} {}", Quoted(path), Text(text)),
            Event::Replace { path, text } => write!(f, "replace {} {}", Quoted(path), Text(text)),
            Event::Append { path, text } => write!(f, "append {} {}", Quoted(path), Text(text)),
            Event::Remove { path } => write!(f, "remove {}", Quoted(path)),
            Event::Rename { path, to } => write!(f, "rename {} {}", Quoted(path), Quoted(to)),
            Event::MakeFolder { path } => write!(f, "folder {}", Quoted(path)),
            Event::Mode { path, mode } => write!(f, "mode {} {mode:04o}", Quoted(path)),
            Event::Own { path, user, group } => {
                write!(f, "own {} {}", Quoted(path), Quoted(user))?;
                group.iter().try_for_each(|group| write!(f, " {}", Quoted(group)))
            }
            Event::Link { path, to } => write!(f, "link {} {}", Quoted(path), Quoted(to)),
            Event::Command { line, prints, status, takes } => {
                write!(f, "command {} prints {}", Text(line), Text(prints))?;
                if *status != 0 {
                    write!(f, " exits {status}")?;
                }
                if *takes != 0 {
                    write!(f, " takes {}", Time(*takes))?;
                }
                Ok(())
            }
            Event::Environment { name, value } => write!(f, "environment {} {}", Quoted(name), Text(value)),
            Event::Hostname { name } => write!(f, "hostname {}", Quoted(name)),
            Event::Load { load } => write!(f, "load {load}"),
            Event::Clock { seconds } => write!(f, "clock {:02}:{:02}", seconds / 3600, seconds / 60 % 60),
            Event::Unit { name, what } => {
                let what = match what {
                    UnitEvent::Dies => "dies",
                    UnitEvent::Enabled => "enabled",
                    UnitEvent::Disabled => "disabled",
                };
                write!(f, "unit {} {what}", Quoted(name))
            }
            Event::Uninstall { package } => write!(f, "uninstall {}", Quoted(package)),
            Event::Unmount { path } => write!(f, "unmount {}", Quoted(path)),
            Event::Alter { subject, thing, how: Alteration::Set { field, value } } => {
                write!(f, "set {} {} {} {}", Quoted(subject), Quoted(thing), Quoted(field), Text(value))
            }
            Event::Alter { subject, thing, how: Alteration::Do { verb } } => {
                write!(f, "do {} {} {}", Quoted(subject), Quoted(thing), Quoted(verb))
            }
            Event::Post { url, form } => write!(f, "post {} {}", Quoted(url), Text(form)),
            Event::Given { name, value } if name.contains(' ') => {
                write!(f, "given {} is {}", Text(&format!("${name}")), Text(value))
            }
            Event::Given { name, value } => write!(f, "given ${name} is {}", Text(value)),
        }
    }
}

impl Display for Flag {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Flag::Noop => f.write_str("--noop"),
            Flag::Once => f.write_str("--once"),
            Flag::Hostname(name) => write!(f, "--hostname {}", Quoted(name)),
            Flag::Sema(most) => write!(f, "--sema {most}"),
            Flag::MaxRuntime(seconds) => write!(f, "--max-runtime {seconds}"),
            Flag::ConvergerTimeout(seconds) => write!(f, "--converger-timeout {seconds}"),
            Flag::ConvergedExit => f.write_str("--converged-exit"),
            Flag::NoAutoedges => f.write_str("--no-autoedges"),
            Flag::NoAutogroup => f.write_str("--no-autogroup"),
            Flag::NoWatch => f.write_str("--no-watch"),
            Flag::ConvergerStatusFile(path) => write!(f, "--converger-status-file {}", Quoted(path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{What, read};

    #[test]
    fn every_event_is_read_as_it_is_shown() {
        let lines = r##"
            host web1
            on web1 run
            run other.mcl --noop --once --hostname "a b" --sema 2 --max-runtime 3 --converger-timeout 4
            run --converged-exit --no-autoedges --no-autogroup --no-watch --converger-status-file /status
            deploy "my program.mcl"
            stop
            terminate
            kill
            pause
            resume
            disconnect
            reconnect
            leave
            write /a "two words\n\t\"quoted\" \\ # no comment"
            replace "/a b" ""
            append /a x
            remove "/with#sign"
            rename /a /b
            folder /c
            mode /a 4755
            own /a alice
            own /a alice staff
            link /a ../b
            command "fetch --all" prints "it\n" exits 3 takes 90s
            environment HOME "/root"
            hostname web2
            load 0.75
            clock 08:05
            unit nginx.service dies
            uninstall nginx
            unmount /mnt
            set Account alice shell "/bin/sh"
            do Unit nginx.service stop
            post http://192.0.2.10/x "key=value"
        "##;
        let steps = read(lines).expect("every line is a step").steps;
        let shown: String = steps
            .iter()
            .map(|step| match &step.what {
                What::Do(event) => format!("{event}\n"),
                What::Wait(_) | What::Expect(_) => panic!("{step:?}"),
            })
            .collect();
        let again = read(&shown).expect("every line is a step again").steps;
        assert_eq!(steps.len(), 34);
        for (step, again) in steps.iter().zip(&again) {
            assert_eq!(step.what, again.what);
        }
    }

    #[test]
    fn a_host_is_made_before_something_happens_on_it() {
        let why = |text: &str| read(text).expect_err("it has a fault")[0].why.clone();
        assert!(why("run\non web1 kill").contains("add a line `host web1`"));
        assert!(why("host web1\non host1 run").contains("cannot find host host1"));
        assert!(why("host web1\non web1 wait 1s").contains("single host"));
        assert!(why("host web/1").contains("letters, digits"));
        assert!(why("on").contains("a host's name"));
        let steps = read("run\nhost web1\non host1 kill\non web1 expect file /a").expect("both are there").steps;
        assert_eq!((steps[2].host.as_deref(), steps[3].host.as_deref()), (Some("host1"), Some("web1")));
    }
}
