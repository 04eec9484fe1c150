//! Lines to steps.
//!
//! Every line that is wrong is told, each with its number, what is wrong with it and what stands there instead.

use crate::protocol::{Phase, ResourceId, StopMode};
use crate::shapes::scenario::Fault;
use crate::step::{
    AccountHas, Claim, Count, Event, Expectation, Flag, Has, PathKind, Step, UnitEvent, UnitIs, What, When,
};
use crate::words::{Word, words};

/// A scenario that can be played.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    /// The first comment, when it is the first thing; else empty.
    pub title: String,
    pub(crate) steps: Vec<Step>,
}

/// Every verb with what follows it: what help texts show.
const FORMS: [(&str, &str); 24] = [
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

/// The forms of a claim, for messages.
const CLAIMS: &str = "a claim is one of: [no] file|folder|link|path PATH; file PATH holds|contains|lacks TEXT; file PATH \
                      has mode 0644|owner NAME|group NAME|N lines; link PATH leads to TARGET; [no|N|at least N|at most N] steps [of \
                      KIND[NAME]]; [no] resource KIND[NAME]; resource KIND[NAME] has FIELD VALUE; resource KIND[NAME] is \
                      failed|retrying|waiting|changed|limited; [no] edge KIND[NAME] -> KIND[NAME]; [no] output TEXT; value $NAME is VALUE; value $NAME shows \"[1, 2]\"; \
                      [no] error [CODE]; [no] user|group NAME; user NAME has uid|shell|home|group VALUE; \
                      hostname NAME; unit NAME is running|stopped|failed|enabled|disabled; [no] package NAME; [no] mount PATH; [no] page URL; page URL holds|contains|lacks TEXT; key NAME is VALUE; no key NAME; command LINE ran N times; running; ended [with STATUS]";

/// Reads a scenario. Errors: every line that is none.
pub fn read(text: &str) -> Result<Scenario, Vec<Fault>> {
    let mut scenario = Scenario { title: String::new(), steps: Vec::new() };
    let mut faults = Vec::new();
    let mut hint = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        let text = line.trim();
        if let Some(title) = text.strip_prefix('#').filter(|_| scenario.title.is_empty() && scenario.steps.is_empty()) {
            scenario.title = title.trim().to_owned();
        }
        match words(line).and_then(|words| Words { words: &words, at: 0 }.line()) {
            Ok(None) => {}
            Ok(Some(Line::Hint(text))) => hint = text,
            Ok(Some(Line::Step(what))) => {
                scenario.steps.push(Step { line: number, text: text.to_owned(), what, hint: hint.clone() });
            }
            Err(why) => faults.push(Fault { line: number, text: text.to_owned(), why }),
        }
    }
    if faults.is_empty() { Ok(scenario) } else { Err(faults) }
}

/// The words of one line, and how many were taken.
struct Words<'a> {
    words: &'a [Word],
    at: usize,
}

type Read<T> = Result<T, String>;

enum Line {
    Step(What),
    /// For the steps from here to the next one.
    Hint(String),
}

impl Words<'_> {
    fn line(mut self) -> Read<Option<Line>> {
        let Some(verb) = self.words.first() else { return Ok(None) };
        let verb = verb.text.clone();
        self.at = 1;
        let line = match verb.as_str() {
            "expect" => self.expectation().map(|expectation| Line::Step(What::Expect(expectation))),
            "wait" => self.time("a time, such as 500ms, 10s, 5m or 1h").map(|ms| Line::Step(What::Wait(ms))),
            "hint" => self.text("a text").map(Line::Hint),
            _ => self.event(&verb).map(|event| Line::Step(What::Do(event))),
        };
        let line = line.map_err(|why| match FORMS.iter().find(|(known, _)| *known == verb) {
            Some((_, form)) if verb != "expect" => format!("{why}; the form is `{form}`"),
            _ => why,
        })?;
        match self.words.get(self.at) {
            Some(word) => Err(format!("`{}` is too much here", word.text)),
            None => Ok(Some(line)),
        }
    }

    fn event(&mut self, verb: &str) -> Read<Event> {
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

    fn expectation(&mut self) -> Read<Expectation> {
        let mut when = match self.peek() {
            Some("now") => When::Now,
            Some("always") => When::Always,
            Some("never") => When::Never,
            _ => When::Quiet,
        };
        self.at += usize::from(when != When::Quiet);
        let claim = self.claim()?;
        let mut lasts = None;
        while let Some(word) = self.next() {
            match (word.as_str(), when) {
                ("within", When::Quiet) => when = When::Within(self.time("a time")?),
                ("for", When::Quiet | When::Now | When::Within(_)) => lasts = Some(self.time("a time")?),
                (other @ ("within" | "for"), _) => {
                    return Err(format!("`{other}` does not go with `now`, `always` or `never`, or stands here twice"));
                }
                (other, _) => return Err(format!("`{other}` is not known here; {CLAIMS}")),
            }
        }
        Ok(Expectation { claim, when, lasts })
    }

    fn claim(&mut self) -> Read<Claim> {
        if let Some(count) = self.count_of_steps()? {
            let of = if self.takes("of") { Some(self.resource()?) } else { None };
            return Ok(Claim::Steps { count, of });
        }
        let is_there = !self.takes("no");
        let word = self.text(CLAIMS)?;
        let path_kind = match word.as_str() {
            "file" => Some(PathKind::File),
            "folder" => Some(PathKind::Folder),
            "link" => Some(PathKind::Link),
            "path" => Some(PathKind::Anything),
            _ => None,
        };
        if let Some(kind) = path_kind {
            let path = self.path()?;
            return Ok(match self.has()? {
                Some(has) if is_there => Claim::File { path, has },
                Some(_) => return Err("`no` cannot be said of what a file has; use `lacks`, or say what it has".into()),
                None => Claim::Path { path, kind, is_there },
            });
        }
        let positive = |claim| if is_there { Ok(claim) } else { Err(format!("`no` does not go with `{word}`")) };
        match word.as_str() {
            "resource" => {
                let id = self.resource()?;
                if self.takes("has") {
                    return positive(Claim::Field { id, field: self.text("a field")?, value: self.text("a value")? });
                }
                if self.takes("is") {
                    return positive(Claim::Phase { id, phase: self.phase()? });
                }
                Ok(Claim::Resource { id, is_there })
            }
            "edge" => {
                let from = self.resource()?;
                self.word("->")?;
                Ok(Claim::Edge { from, to: self.resource()?, is_there })
            }
            "output" => Ok(Claim::Output { text: self.text("a text")?, is_there }),
            "value" => {
                let name = self.text("a variable")?;
                let shows = self.takes("shows");
                if !shows {
                    self.word("is")?;
                }
                let word = self.words.get(self.at).cloned().ok_or("a value is missing")?;
                self.at += 1;
                let value = if word.quoted && !shows { format!("{:?}", word.text) } else { word.text };
                positive(Claim::Value { name: name.trim_start_matches('$').to_owned(), value })
            }
            "error" => {
                let code = match self.peek() {
                    Some("within" | "for") | None => String::new(),
                    Some(_) => self.text("a code")?,
                };
                Ok(Claim::Error { code, is_there })
            }
            "user" => {
                let name = self.text("a name")?;
                if self.takes("has") {
                    return positive(Claim::Account { name, has: self.account_has()? });
                }
                Ok(Claim::User { name, is_there })
            }
            "page" => {
                let url = self.text("an address")?;
                match self.has()? {
                    Some(has @ (Has::Content(_) | Has::Part(_) | Has::NoPart(_))) => positive(Claim::Page { url, has }),
                    Some(_) => Err("a page can only be said to hold, contain or lack a text".into()),
                    None => Ok(Claim::Answer { url, is_there }),
                }
            }
            "key" => {
                let key = self.text("a key")?;
                if !is_there {
                    return Ok(Claim::Key { key, value: None });
                }
                self.word("is")?;
                Ok(Claim::Key { key, value: Some(self.text("a value")?) })
            }
            "unit" => {
                let name = self.text("a unit, such as nginx.service")?;
                self.word("is")?;
                let is = match self.text("`running`, `stopped`, `failed`, `enabled` or `disabled`")?.as_str() {
                    "running" => UnitIs::Running,
                    "stopped" => UnitIs::Stopped,
                    "failed" => UnitIs::Failed,
                    "enabled" => UnitIs::Enabled,
                    "disabled" => UnitIs::Disabled,
                    other => return Err(format!("a unit is not `{other}`")),
                };
                positive(Claim::Unit { name, is })
            }
            "package" => Ok(Claim::Package { name: self.text("a package")?, is_there }),
            "mount" => Ok(Claim::Mount { path: self.path()?, is_there }),
            "group" => Ok(Claim::Group { name: self.text("a name")?, is_there }),
            "hostname" => positive(Claim::Hostname { name: self.text("a name")? }),
            "command" => {
                let line = self.text("a command line")?;
                self.word("ran")?;
                let count = self.count()?.ok_or("how often it ran is missing, such as `2 times`")?;
                if !self.takes("times") {
                    self.word("time")?;
                }
                positive(Claim::Ran { line, count })
            }
            "running" => positive(Claim::Running),
            "ended" => {
                let status = if self.takes("with") { Some(self.number("a status")?) } else { None };
                positive(Claim::Ended { status })
            }
            other => Err(format!("`{other}` is no claim; {CLAIMS}")),
        }
    }

    /// What a file is said to have, if anything is said.
    fn has(&mut self) -> Read<Option<Has>> {
        Ok(Some(match self.peek() {
            Some("holds") => Has::Content(self.after("a text")?),
            Some("contains") => Has::Part(self.after("a text")?),
            Some("lacks") => Has::NoPart(self.after("a text")?),
            Some("leads") => {
                self.at += 1;
                self.word("to")?;
                Has::Target(self.text("what it leads to")?)
            }
            Some("has") => {
                self.at += 1;
                match self.peek() {
                    Some("mode") => {
                        self.at += 1;
                        Has::Mode(self.mode()?)
                    }
                    Some("owner") => Has::Owner(self.after("a user")?),
                    Some("group") => Has::Group(self.after("a group")?),
                    _ => {
                        let count =
                            self.count()?.ok_or("what it has is missing: `mode`, `owner`, `group` or `N lines`")?;
                        if !self.takes("lines") {
                            self.word("line")?;
                        }
                        Has::Lines(count)
                    }
                }
            }
            _ => return Ok(None),
        }))
    }

    fn account_has(&mut self) -> Read<AccountHas> {
        Ok(match self.text("`uid`, `shell`, `home` or `group`")?.as_str() {
            "uid" => AccountHas::Id(self.number("a number")?),
            "shell" => AccountHas::Shell(self.text("a shell")?),
            "home" => AccountHas::Home(self.text("a folder")?),
            "group" => AccountHas::Group(self.text("a group")?),
            other => return Err(format!("`{other}` is not known of a user; there are uid, shell, home and group")),
        })
    }

    /// A count, when the word `steps` comes behind it; else nothing is taken.
    fn count_of_steps(&mut self) -> Read<Option<Count>> {
        let before = self.at;
        if let Ok(Some(count)) = self.count()
            && (self.takes("steps") || self.takes("step"))
        {
            return Ok(Some(count));
        }
        self.at = before;
        Ok(None)
    }

    /// `no`, `2`, `at least 2`, `at most 2`.
    fn count(&mut self) -> Read<Option<Count>> {
        Ok(Some(match self.peek() {
            Some("no") => {
                self.at += 1;
                Count { least: 0, most: 0 }
            }
            Some("at") => {
                self.at += 1;
                match self.text("`least` or `most`")?.as_str() {
                    "least" => Count { least: self.number("a number")?, most: usize::MAX },
                    "most" => Count { least: 0, most: self.number("a number")? },
                    other => return Err(format!("`at {other}` is not known; there are `at least` and `at most`")),
                }
            }
            Some(word) => match word.parse() {
                Ok(n) => {
                    self.at += 1;
                    Count { least: n, most: n }
                }
                Err(_) => return Ok(None),
            },
            None => return Ok(None),
        }))
    }

    fn phase(&mut self) -> Read<Phase> {
        Ok(match self.text("a phase")?.as_str() {
            "waiting" => Phase::Waiting,
            "changed" => Phase::Changed,
            "retrying" => Phase::Retrying,
            "limited" => Phase::Limited,
            "failed" => Phase::Failed,
            other => {
                return Err(format!("`{other}` is no phase; there are waiting, changed, retrying, limited and failed"));
            }
        })
    }

    /// `kind[name]`.
    fn resource(&mut self) -> Read<ResourceId> {
        let text = self.text("a resource")?;
        let (kind, name) = text.strip_suffix(']').and_then(|text| text.split_once('[')).ok_or_else(|| {
            format!(
                "`{text}` is no resource; one is named like `file[/etc/motd]`, in quotes when there are blanks in it"
            )
        })?;
        Ok(ResourceId::new(kind.to_lowercase(), name))
    }

    fn path(&mut self) -> Read<String> {
        let path = self.text("a path")?;
        if path.starts_with('/') { Ok(path) } else { Err(format!("`{path}` is no absolute path")) }
    }

    fn mode(&mut self) -> Read<u32> {
        let text = self.text("a mode")?;
        let mode = u32::from_str_radix(&text, 8).ok().filter(|mode| *mode <= 0o7777);
        mode.ok_or_else(|| format!("`{text}` is no mode; one is octal, such as 0644"))
    }

    /// Milliseconds.
    fn time(&mut self, what: &str) -> Read<u64> {
        let text = self.text(what)?;
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => 0,
        };
        let time = digits.parse::<u64>().ok().filter(|_| unit > 0).and_then(|n| n.checked_mul(unit));
        // What lies further ahead cannot be counted in nanoseconds.
        time.filter(|time| *time <= 100 * 365 * 86_400_000).ok_or_else(|| {
            format!("`{text}` is no time; one is a whole number with a unit, such as 500ms, 10s, 5m or 1h")
        })
    }

    /// Seconds since midnight.
    fn time_of_day(&mut self) -> Read<u64> {
        let text = self.text("a time of the day")?;
        let parts = text.split_once(':').and_then(|(hour, minute)| Some((hour.parse().ok()?, minute.parse().ok()?)));
        let time = parts.filter(|&(hour, minute): &(u64, u64)| hour < 24 && minute < 60);
        let seconds = time.map(|(hour, minute)| hour * 3600 + minute * 60);
        seconds.ok_or_else(|| format!("`{text}` is not a time of the day, such as 08:30"))
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Read<T> {
        let text = self.text(what)?;
        text.parse().map_err(|_| format!("`{text}` is not {what}"))
    }

    fn text(&mut self, what: &str) -> Read<String> {
        self.next().ok_or_else(|| format!("{what} is missing"))
    }

    /// The text behind a word that was looked at.
    fn after(&mut self, what: &str) -> Read<String> {
        self.at += 1;
        self.text(what)
    }

    fn word(&mut self, word: &str) -> Read<()> {
        if self.takes(word) { Ok(()) } else { Err(format!("`{word}` is missing")) }
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_here = self.peek() == Some(word);
        self.at += usize::from(is_here);
        is_here
    }

    fn unless_flag(&mut self) -> Option<String> {
        if self.peek().is_some_and(|word| word.starts_with("--")) { None } else { self.next() }
    }

    fn next(&mut self) -> Option<String> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word.text.clone())
    }

    /// The next word, unless it is a text.
    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).filter(|word| !word.quoted).map(|word| word.text.as_str())
    }
}
