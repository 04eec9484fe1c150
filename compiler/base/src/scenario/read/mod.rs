//! Reads lines as steps.
//!
//! Every invalid line is reported with its number, the problem, and what was found instead.

mod claim;
mod event;

use crate::protocol::ResourceId;
use crate::scenario::event::Event;
use crate::scenario::step::{Step, What};
use crate::scenario::time::milliseconds;
use crate::scenario::words::{Word, words};
use crate::shapes::scenario::Fault;
pub use event::FORMS;

/// A scenario that can be played.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    /// The comment that begins the file; may be empty.
    pub title: String,
    /// Why only a real host can play it; otherwise empty.
    pub real: String,
    /// Seed of all randomness on its hosts, and of the order of simultaneous events. 0: the usual order.
    pub seed: u64,
    /// The steps in order.
    pub steps: Vec<Step>,
}

impl Scenario {
    /// The host that exists before the first event; `None` if the scenario begins with its own hosts.
    pub fn first_host(&self) -> Option<&'static str> {
        let makes_its_own = matches!(self.steps.first(), Some(Step { what: What::Do(Event::Join { .. }), .. }));
        (!makes_its_own).then_some(FIRST_HOST)
    }

    /// Whether it mentions hosts other than [`FIRST_HOST`].
    pub fn has_hosts(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.what, What::Do(Event::Join { .. })))
    }
}

/// The host of a scenario that names none.
pub const FIRST_HOST: &str = "host1";

/// Reads a scenario. Errors: every line that is not a step.
pub fn read(text: &str) -> Result<Scenario, Vec<Fault>> {
    let mut scenario = Scenario { title: String::new(), real: String::new(), seed: 0, steps: Vec::new() };
    let mut faults = Vec::new();
    let mut hint = String::new();
    let mut hosts = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let text = line.trim();
        if let Some(title) = text.strip_prefix('#').filter(|_| scenario.title.is_empty() && scenario.steps.is_empty()) {
            scenario.title = title.trim().to_owned();
        }
        match words(line).and_then(|words| Words { words: &words, at: 0 }.line()) {
            Ok(None) => {}
            Ok(Some(Line::Hint(text))) => hint = text,
            Ok(Some(Line::Real(why))) => scenario.real = why,
            Ok(Some(Line::Seed(seed))) => scenario.seed = seed,
            Ok(Some(Line::Step { host, what })) => {
                match &what {
                    What::Do(Event::Join { host }) => hosts.push(host.clone()),
                    _ if scenario.steps.is_empty() => hosts.push(FIRST_HOST.to_owned()),
                    _ => {}
                }
                match host.as_ref().filter(|host| !hosts.contains(host)) {
                    Some(host) => {
                        let why = format!("cannot find host {host}; add a line `host {host}` above this one");
                        faults.push(Fault { line: number, text: text.to_owned(), why });
                    }
                    None => {
                        let (text, hint) = (text.to_owned(), hint.clone());
                        scenario.steps.push(Step { line: number, text, host, what, hint });
                    }
                }
            }
            Err(why) => faults.push(Fault { line: number, text: text.to_owned(), why }),
        }
    }
    if faults.is_empty() { Ok(scenario) } else { Err(faults) }
}

/// The words of one line, and how many were consumed.
struct Words<'a> {
    words: &'a [Word],
    at: usize,
}

type Read<T> = Result<T, String>;

enum Line {
    Step {
        host: Option<String>,
        what: What,
    },
    /// Applies to all steps up to the next hint.
    Hint(String),
    /// Only a real host can play the scenario.
    Real(String),
    /// Applies to the whole scenario; the last one counts.
    Seed(u64),
}

impl Words<'_> {
    fn line(mut self) -> Read<Option<Line>> {
        let Some(verb) = self.words.first() else { return Ok(None) };
        let mut verb = verb.text.clone();
        self.at = 1;
        let mut host = None;
        if verb == "on" {
            host = Some(self.host()?);
            verb = self.text("the step for that host")?;
            if ["on", "host", "wait", "hint", "real", "seed"].contains(&&*verb) {
                return Err(format!("`{verb}` does not apply to a single host; remove `on`"));
            }
        }
        let line = match verb.as_str() {
            "expect" => self.expectation().map(|expectation| Line::Step { host, what: What::Expect(expectation) }),
            "wait" => {
                let ms = self.time("a time, such as 500ms, 10s, 5m or 1h");
                ms.map(|ms| Line::Step { host, what: What::Wait(ms) })
            }
            "hint" => self.text("text").map(Line::Hint),
            "real" => self.text("the reason").map(Line::Real),
            "seed" => self.number("a number").map(Line::Seed),
            _ => self.event(&verb).map(|event| Line::Step { host, what: What::Do(event) }),
        };
        let line = line.map_err(|why| match FORMS.iter().find(|(known, _)| *known == verb) {
            Some((_, form)) if verb != "expect" => format!("{why}; usage: `{form}`"),
            _ => why,
        })?;
        match self.words.get(self.at) {
            Some(word) => Err(format!("unexpected `{}`", word.text)),
            None => Ok(Some(line)),
        }
    }

    /// `kind[name]`.
    fn resource(&mut self) -> Read<ResourceId> {
        let text = self.text("a resource")?;
        let (kind, name) = text.strip_suffix(']').and_then(|text| text.split_once('[')).ok_or_else(|| {
            format!("expected a resource such as `file[/etc/motd]`, in quotes if it contains spaces, found `{text}`")
        })?;
        Ok(ResourceId::new(kind.to_lowercase(), name))
    }

    fn host(&mut self) -> Read<String> {
        let name = self.text("a host's name, such as web1")?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        match name.len() {
            1..=64 if name.chars().all(is_plain) => Ok(name),
            _ => Err(format!("invalid host name `{name}`: use up to 64 letters, digits, `-`, `.` and `_`")),
        }
    }

    fn path(&mut self) -> Read<String> {
        let path = self.text("a path")?;
        if path.starts_with('/') { Ok(path) } else { Err(format!("expected an absolute path, found `{path}`")) }
    }

    fn mode(&mut self) -> Read<u32> {
        let text = self.text("a mode")?;
        let mode = u32::from_str_radix(&text, 8).ok().filter(|mode| *mode <= 0o7777);
        mode.ok_or_else(|| format!("expected an octal mode such as 0644, found `{text}`"))
    }

    /// Milliseconds.
    fn time(&mut self, what: &str) -> Read<u64> {
        let text = self.text(what)?;
        // What lies further ahead cannot be counted in nanoseconds.
        milliseconds(&text)
            .filter(|time| *time <= 100 * 365 * 86_400_000)
            .ok_or_else(|| format!("expected a time such as 500ms, 10s, 5m or 1h, found `{text}`"))
    }

    /// Seconds since midnight.
    fn time_of_day(&mut self) -> Read<u64> {
        let text = self.text("a time of day")?;
        let parts = text.split_once(':').and_then(|(hour, minute)| Some((hour.parse().ok()?, minute.parse().ok()?)));
        let time = parts.filter(|&(hour, minute): &(u64, u64)| hour < 24 && minute < 60);
        let seconds = time.map(|(hour, minute)| hour * 3600 + minute * 60);
        seconds.ok_or_else(|| format!("expected a time of day such as 08:30, found `{text}`"))
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Read<T> {
        let text = self.text(what)?;
        text.parse().map_err(|_| format!("expected {what}, found `{text}`"))
    }

    fn text(&mut self, what: &str) -> Read<String> {
        self.next().ok_or_else(|| format!("expected {what}"))
    }

    /// The text after a word that was peeked at.
    fn after(&mut self, what: &str) -> Read<String> {
        self.at += 1;
        self.text(what)
    }

    fn word(&mut self, word: &str) -> Read<()> {
        if self.takes(word) { Ok(()) } else { Err(format!("expected `{word}`")) }
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

    /// The next word, unless it is quoted.
    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).filter(|word| !word.quoted).map(|word| word.text.as_str())
    }
}
