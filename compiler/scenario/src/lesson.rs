//! Lessons: a text, a program to start from, and a scenario that says whether the task is done.
//!
//! A lesson is a text archive below `playground/lessons/CHAPTER/`, in the order of its name:
//!
//! | section | is |
//! |---|---|
//! | `lesson.md` | `# TITLE`, a screen of text, and the task as its last paragraph, which begins with `**Task.**` |
//! | `main.mcl` | what the learner starts from; it does not do the task yet |
//! | `check.scenario` | passes when the task is done, by what happens and not by what is written; `hint` lines help who fails |
//! | `good/NAME.mcl` | programs that do the task, quite different ones; the first is shown as the solution |
//! | `miss/NAME.mcl` | programs that nearly do it; each begins with `# hint: WORDS`, which the hint that it gets contains |
//! | others | files beside the program |

use crate::program::Program;
use crate::shapes::host::HostAction;
use crate::shapes::scenario::Tested;
use crate::step::{Event, What};
use mclive_base::archive::Archive;

/// One lesson.
pub struct Lesson {
    pub title: String,
    /// Markdown, without the title.
    pub text: String,
    pub start: String,
    pub check: String,
    pub good: Vec<String>,
    /// The words of the hint, and the program.
    pub misses: Vec<(String, String)>,
    /// Files beside the program, as `/files/a`.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Lesson {
    /// Reads an archive. Errors: what it lacks.
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

    /// What the host is like before the program runs, as far as a player could make it so.
    pub fn host(&self) -> Vec<HostAction> {
        let steps = crate::read(&self.check).map(|scenario| scenario.steps).unwrap_or_default();
        let events = steps.into_iter().map_while(|step| match step.what {
            What::Do(Event::Run { .. }) => None,
            What::Do(event) => Some(Some(event)),
            What::Wait(_) | What::Expect(_) => Some(None),
        });
        events.flatten().filter_map(prepared).collect()
    }

    /// What the check says to whoever fails, in its order, each with the line of the first step that it is for.
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

    /// Looks whether a program does the task.
    pub fn test(&self, program: &str) -> Tested {
        let mut files = self.files.clone();
        files.push(("/main.mcl".into(), program.as_bytes().to_vec()));
        super::test("lesson", &Program::mcl(files), &self.check)
    }
}

/// An event before the first run, as what somebody does to a host.
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
        // These are nothing that a host is like before anything has run.
        Event::Join { .. }
        | Event::Leave
        | Event::Pause
        | Event::Resume
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
        | Event::Post { .. } => return None,
    })
}
