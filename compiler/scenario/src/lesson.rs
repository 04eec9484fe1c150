//! Lessons: a text, a program to start from, and a scenario that checks the solution.
//!
//! A lesson is a text archive below `playground/lessons/CHAPTER/`, in the order of its name:
//!
//! | section | content |
//! |---|---|
//! | `lesson.md` | `# TITLE`, a screen of text, and the task as its last paragraph, which begins with `**Task.**` |
//! | `main.mcl` | the learner's starting point; it does not solve the task yet |
//! | `check.scenario` | passes if the task is solved, judged by behaviour in more than one world and not by the text; `hint` lines explain failures |
//! | `good/NAME.mcl` | programs that solve the task in different ways; the first is shown as the solution |
//! | `miss/NAME.mcl` | programs that nearly solve it; each begins with `# hint: WORDS`, which its hint must contain |
//! | others | files next to the program |

use crate::program::Program;
use crate::shapes::host::HostAction;
use crate::shapes::scenario::Tested;
use crate::step::{Event, What};
use mclive_base::archive::Archive;

/// One lesson.
pub struct Lesson {
    /// The title.
    pub title: String,
    /// Markdown, without the title.
    pub text: String,
    /// The program to start from.
    pub start: String,
    /// The scenario that checks the solution.
    pub check: String,
    /// Solutions.
    pub good: Vec<String>,
    /// The expected words of the hint, and the program.
    pub misses: Vec<(String, String)>,
    /// Files next to the program, as `/files/a`.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Lesson {
    /// Reads an archive. Errors: what is missing.
    pub fn read(bytes: &[u8]) -> Result<Lesson, String> {
        let (mut good, mut misses, mut files) = (Vec::new(), Vec::new(), Vec::new());
        let (mut page, mut start, mut check) = (None, None, None);
        for (name, content) in Archive::parse(bytes).files {
            let text = || String::from_utf8(content.clone()).map_err(|_| format!("`{name}` is not UTF-8"));
            match name.split_once('/') {
                None if name == "lesson.md" => page = Some(text()?),
                None if name == "main.mcl" => start = Some(text()?),
                None if name == "check.scenario" => check = Some(text()?),
                Some(("good", _)) => good.push(text()?),
                Some(("miss", _)) => {
                    let text = text()?;
                    let hint = text.lines().next().and_then(|line| line.strip_prefix("# hint: "));
                    let hint = hint.ok_or_else(|| format!("`{name}` does not begin with `# hint: WORDS`"))?;
                    misses.push((hint.to_owned(), text));
                }
                _ => files.push((format!("/{name}"), content)),
            }
        }
        let page = page.ok_or("missing lesson.md")?;
        let (title, text) = page.split_once('\n').unwrap_or((&page, ""));
        let title = title.strip_prefix("# ").ok_or("lesson.md does not begin with `# TITLE`")?;
        Ok(Lesson {
            title: title.trim().to_owned(),
            text: text.trim().to_owned(),
            start: start.ok_or("missing main.mcl")?,
            check: check.ok_or("missing check.scenario")?,
            good,
            misses,
            files,
        })
    }

    /// The state of the host before the program runs, as far as a player could set it up.
    pub fn host(&self) -> Vec<HostAction> {
        let steps = crate::read(&self.check).map(|scenario| scenario.steps).unwrap_or_default();
        let events = steps.into_iter().map_while(|step| match step.what {
            What::Do(Event::Run { .. }) => None,
            What::Do(event) => Some(Some(event)),
            What::Wait(_) | What::Expect(_) => Some(None),
        });
        events.flatten().filter_map(prepared).collect()
    }

    /// The hints of the check, in order, each with the line of its first step.
    pub fn hints(&self) -> Vec<(u32, String)> {
        let steps = crate::read(&self.check).map(|scenario| scenario.steps).unwrap_or_default();
        let mut hints: Vec<(u32, String)> = Vec::new();
        for step in steps.into_iter().filter(|step| !step.hint.is_empty()) {
            if hints.last().is_none_or(|(_, last)| *last != step.hint) {
                hints.push((step.line, step.hint));
            }
        }
        hints
    }

    /// Tests whether a program solves the task.
    pub fn test(&self, program: &str) -> Tested {
        let mut files = self.files.clone();
        files.push(("/main.mcl".into(), program.as_bytes().to_vec()));
        super::test("lesson", &Program::mcl(files), &self.check)
    }
}

/// An event before the first run, as an action on a host.
fn prepared(event: Event) -> Option<HostAction> {
    Some(match event {
        Event::Write { path, text } | Event::Replace { path, text } | Event::Append { path, text } => {
            HostAction::Write { path, text }
        }
        Event::Remove { path } => HostAction::Remove { path },
        Event::MakeFolder { path } => HostAction::MakeDir { path },
        Event::Mode { path, mode } => HostAction::SetMode { path, mode },
        Event::Link { path, to } => HostAction::Link { path, to },
        Event::Command { line, prints, status, takes } => HostAction::Command { line, prints, status, takes_ms: takes },
        Event::Environment { name, value } => HostAction::Environment { name, value },
        Event::Hostname { name } => HostAction::Rename { hostname: name },
        Event::Alter { subject, thing, how } => HostAction::Alter { subject, thing, how },
        Event::Load { load } => HostAction::Load { percent: (load * 100.0) as u32 },
        // These have no meaning before the first run.
        Event::Join { .. }
        | Event::Leave
        | Event::Pause
        | Event::Resume
        | Event::Disconnect
        | Event::Reconnect
        | Event::Run { .. }
        | Event::Deploy { .. }
        | Event::Stop(_)
        | Event::Kill
        | Event::Rename { .. }
        | Event::Own { .. }
        | Event::Clock { .. }
        | Event::Unit { .. }
        | Event::Uninstall { .. }
        | Event::Unmount { .. }
        | Event::Post { .. }
        | Event::Given { .. } => return None,
    })
}
