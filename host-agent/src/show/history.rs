//! [`History`]: the causes of the last actions on each resource, and their description.
//!
//! It consists of the same lines of JSON that `run --json` prints, so a log file and a running agent give the same
//! answers. Contents of files are left out: a history is not a backup.

use super::json;
use super::lines::visible;
use mclive_base::excerpt::{LONGEST_TOLD, excerpt};
use mclive_base::protocol::{Event, What};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, VecDeque};
use std::iter;
use std::sync::Arc;

/// The last steps of each resource, and its state.
#[derive(Default)]
pub(crate) struct History {
    of: HashMap<Box<str>, Remembered>,
    /// The leader of each grouped resource, which is applied with it.
    leaders: HashMap<Arc<str>, Arc<str>>,
    /// The same by leader.
    groups: HashMap<Arc<str>, Vec<Arc<str>>>,
    recent: Recent,
}

#[derive(Default)]
struct Remembered {
    steps: Option<Told>,
    /// The result of its last check, or its progress before the first one has ended.
    stands: Option<Told>,
    /// `stands` is not the end of a check.
    is_open: bool,
}

/// The content of a line about a resource.
enum Tells {
    Steps,
    /// The end of a check.
    End,
    /// What it waits for.
    Wait,
    /// The start of a check. The result of the previous one is more useful, if there was one.
    Begin,
    Removal,
}

impl Tells {
    /// Parses the words of [`json::line`].
    fn of(kind: &str, phase: &str, text: &str) -> Option<Tells> {
        Some(match (kind, phase) {
            ("steps", _) => Tells::Steps,
            ("resource", "in state" | "changed" | "would change" | "retrying" | "failed" | "unknown") => Tells::End,
            ("resource", "limited") => Tells::Wait,
            ("resource", "waiting") if !text.is_empty() => Tells::Wait,
            ("resource", "checking") => Tells::Begin,
            ("resource", "removed") => Tells::Removal,
            _ => return None,
        })
    }
}

/// A line without the redundant parts. Ten thousand resources have the same cause in common: such texts are shared.
struct Told {
    at_ns: u64,
    because: Arc<str>,
    rest: Arc<str>,
}

/// The most recent texts.
#[derive(Default)]
struct Recent(VecDeque<Arc<str>>);

impl Recent {
    const MOST: usize = 4;

    fn share(&mut self, text: String) -> Arc<str> {
        if let Some(known) = self.0.iter().find(|known| ***known == *text) {
            return known.clone();
        }
        let text: Arc<str> = text.into();
        self.0.truncate(Recent::MOST - 1);
        self.0.push_front(text.clone());
        text
    }
}

impl History {
    pub(crate) fn take(&mut self, event: &Event) {
        match &event.what {
            What::Steps { .. } | What::Resource { .. } | What::Grouped { .. } => self.take_value(json::line(event)),
            What::Refused { .. }
            | What::Stream { .. }
            | What::GraphSwitched { .. }
            | What::Converged { .. }
            | What::Unconverged
            | What::Log { .. } => {}
        }
    }

    /// Adds a line of a log; other texts are ignored.
    pub(crate) fn take_line(&mut self, line: &str) {
        if let Ok(line) = serde_json::from_str(line) {
            self.take_value(line);
        }
    }

    fn take_value(&mut self, mut line: Value) {
        let Some(resource) = line["resource"].as_str().map(str::to_owned) else { return };
        let word = |key: &str| line[key].as_str().unwrap_or_default();
        if word("type") == "grouped" {
            return self.group(resource.into(), &line["members"]);
        }
        let Some(tells) = Tells::of(word("type"), word("phase"), word("text")) else { return };
        self.put(&resource, &tells, &mut line);
    }

    fn group(&mut self, leader: Arc<str>, members: &Value) {
        for member in self.groups.remove(&leader).into_iter().flatten() {
            if self.leaders.get(&member) == Some(&leader) {
                self.leaders.remove(&member);
            }
        }
        let members = members.as_array().into_iter().flatten().filter_map(Value::as_str);
        let members: Vec<Arc<str>> = members.map(Arc::from).collect();
        if !members.is_empty() {
            self.leaders.extend(members.iter().map(|member| (member.clone(), leader.clone())));
            self.groups.insert(leader, members);
        }
    }

    fn put(&mut self, resource: &str, tells: &Tells, line: &mut Value) {
        let known = self.of.get(resource);
        match tells {
            Tells::Removal => {
                self.of.remove(resource);
                return;
            }
            Tells::Begin if known.is_some_and(|entry| entry.stands.is_some() && !entry.is_open) => return,
            Tells::Begin | Tells::Steps | Tells::End | Tells::Wait => {}
        }
        for step in line["steps"].as_array_mut().into_iter().flatten() {
            if let Some(step) = step.as_object_mut() {
                step.remove("diff");
            }
        }
        let Some(line) = line.as_object_mut() else { return };
        let at_ns = line.remove("at_ns").and_then(|at| at.as_u64()).unwrap_or_default();
        let because = line.remove("because").map(|because| because.to_string()).unwrap_or_default();
        line.retain(|key, _| key != "type" && key != "resource");
        line.values_mut().for_each(shorten);
        let rest = Value::Object(std::mem::take(line)).to_string();
        let told = Told { at_ns, because: self.recent.share(because), rest: self.recent.share(rest) };
        if !self.of.contains_key(resource) {
            self.of.insert(resource.into(), Remembered::default());
        }
        let Some(entry) = self.of.get_mut(resource) else { return };
        match tells {
            Tells::Steps => entry.steps = Some(told),
            Tells::End | Tells::Wait | Tells::Begin => {
                entry.stands = Some(told);
                entry.is_open = !matches!(tells, Tells::End);
            }
            Tells::Removal => {}
        }
    }

    /// The last lines of a resource: its steps, and its state. For a grouped one they are its leader's, after a line
    /// that says so.
    pub(crate) fn of(&self, resource: &str) -> Vec<String> {
        let Some(leader) = self.leaders.get(resource) else { return self.own(resource) };
        let grouped = json!({"type": "grouped", "resource": &**leader, "members": [resource]});
        iter::once(grouped.to_string()).chain(self.own(leader)).collect()
    }

    fn own(&self, resource: &str) -> Vec<String> {
        let Some(entry) = self.of.get(resource) else { return Vec::new() };
        let line = |kind: &str, told: &Told| {
            let mut line: Map<String, Value> = serde_json::from_str(&told.rest).unwrap_or_default();
            line.insert("type".into(), kind.into());
            line.insert("resource".into(), resource.into());
            line.insert("at_ns".into(), told.at_ns.into());
            if let Ok(because) = serde_json::from_str(&told.because) {
                line.insert("because".into(), because);
            }
            Value::Object(line).to_string()
        };
        let steps = entry.steps.as_ref().map(|told| line("steps", told));
        steps.into_iter().chain(entry.stands.as_ref().map(|told| line("resource", told))).collect()
    }

    /// The resources with similar names, in case of a typo.
    pub(crate) fn near(&self, resource: &str) -> Vec<&str> {
        let part = resource.trim_end_matches(']').rsplit(['[', '/']).next().unwrap_or(resource);
        let mut near: Vec<&str> = self
            .of
            .keys()
            .map(|id| &**id)
            .chain(self.leaders.keys().map(|id| &**id))
            .filter(|id| id.contains(part))
            .collect();
        near.sort_unstable();
        near.truncate(5);
        near
    }
}

/// A log of another version may hold longer texts.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > LONGEST_TOLD => *text = excerpt(std::mem::take(text), LONGEST_TOLD),
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The lines of a resource in words, each on one line, whatever its names and texts contain.
pub(crate) fn told(resource: &str, lines: &[String]) -> String {
    let lines: Vec<Value> = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let find = |kind: &str| lines.iter().rev().find(|line| line["type"] == kind);
    let mut text = String::new();
    let leader = find("grouped").and_then(|line| line["resource"].as_str());
    if let Some(leader) = leader {
        let (resource, leader) = (visible(resource), visible(leader));
        text.push_str(&format!("{resource} is grouped: it is applied as part of {leader}.\n"));
    }
    let resource = visible(leader.unwrap_or(resource));
    if let Some(ended) = find("resource") {
        let phase = match ended["phase"].as_str().unwrap_or_default() {
            "in state" => "up to date",
            phase => phase,
        };
        text.push_str(&format!("{resource}: {phase}, {}", at(ended)));
        if let Some(why) = ended["text"].as_str().filter(|text| !text.is_empty()) {
            text.push_str(&format!("\n  {}", visible(why)));
        }
        text.push('\n');
        text.push_str(&chain(ended));
    }
    for line in find("origin").and_then(|line| line["lines"].as_array()).into_iter().flatten() {
        text.push_str(&format!("  {}\n", visible(line.as_str().unwrap_or_default())));
    }
    match find("steps") {
        None if !has_ended(find("resource")) => {}
        None => text.push_str("  no changes were needed\n"),
        Some(steps) => {
            let same = find("resource").is_some_and(|ended| ended["because"] == steps["because"]);
            text.push_str(&format!("last steps, {}:\n", at(steps)));
            if !same {
                text.push_str(&chain(steps));
            }
            for step in steps["steps"].as_array().into_iter().flatten() {
                text.push_str(&format!("  {}\n", visible(step["summary"].as_str().unwrap_or_default())));
            }
        }
    }
    text
}

/// Whether the check has ended.
fn has_ended(line: Option<&Value>) -> bool {
    !line.is_some_and(|line| line["phase"] == "waiting" || line["phase"] == "limited" || line["phase"] == "checking")
}

fn at(line: &Value) -> String {
    format!("{:.3} s after the start", line["at_ns"].as_u64().unwrap_or_default() as f64 / 1e9)
}

/// The causes, one per line, the outermost last.
fn chain(line: &Value) -> String {
    let causes = line["because"].as_array().map(|causes| &causes[..]).unwrap_or_default();
    let words = causes.iter().rev().filter_map(Value::as_str).map(cause);
    words.map(|words| format!("  because {}\n", visible(&words))).collect()
}

/// `vertex os.readfile`, from `json::cause_words`, as part of a sentence.
fn cause(words: &str) -> String {
    let (kind, rest) = words.split_once(' ').unwrap_or((words, ""));
    match kind {
        "deployed" => "the program was deployed".into(),
        "started" => "its watch was set up".into(),
        "fact" => format!("{rest} changed"),
        "changed" => format!("{rest} changed"),
        "timer" => rest.to_string(),
        "poked" => format!("{} succeeded", rest.trim_start_matches("by ")),
        "notified" => format!("{} notified it", rest.trim_start_matches("by ")),
        "received" => format!("it received {rest}"),
        "vertex" => format!("the value of `{rest}` changed"),
        _ => words.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_tells_why() {
        let log = r#"
{"type":"resource","resource":"file[/t/a]","phase":"checking","text":"","at_ns":1000000000,"because":["deployed"]}
not a line
{"type":"steps","resource":"file[/t/a]","decision":"drifted","steps":[{"summary":"write /t/a","diff":"secret"}],"at_ns":2500000000,"because":["fact the content of /t/in","vertex os.readfile"]}
{"type":"resource","resource":"file[/t/a]","phase":"changed","text":"","at_ns":2600000000,"because":["fact the content of /t/in","vertex os.readfile"]}
"#;
        let mut history = History::default();
        log.lines().for_each(|line| history.take_line(line));
        let lines = history.of("file[/t/a]");
        assert!(!lines.concat().contains("secret"));
        let ended =
            r#""because":["fact the content of /t/in","vertex os.readfile"],"phase":"changed","resource":"file[/t/a]""#;
        assert!(lines[1].contains(ended), "{}", lines[1]);
        let expect = "file[/t/a]: changed, 2.600 s after the start
  because the value of `os.readfile` changed
  because the content of /t/in changed
last steps, 2.500 s after the start:
  write /t/a
";
        assert_eq!(told("file[/t/a]", &lines), expect);
        assert!(history.of("file[/t/b]").is_empty());
        assert_eq!(history.near("file[a]"), ["file[/t/a]"]);
        history.take_line(r#"{"type":"resource","resource":"exec[q]","phase":"waiting","text":"waiting for a semaphore","at_ns":7000000,"because":["deployed"]}"#);
        let expect = "exec[q]: waiting, 0.007 s after the start
  waiting for a semaphore
  because the program was deployed
";
        assert_eq!(told("exec[q]", &history.of("exec[q]")), expect);
        history.take_line(r#"{"type":"resource","resource":"file[a\nb]","phase":"waiting","text":"no\nway\n","at_ns":0,"because":["fact the content of /c\rd"]}"#);
        let expect = r"file[a\nb]: waiting, 0.000 s after the start
  no\nway
  because the content of /c\rd changed
";
        assert_eq!(told("file[a\nb]", &history.of("file[a\nb]")), expect);
    }
}
