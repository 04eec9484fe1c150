//! The course: chapters of lessons as the page loads them. The site's build makes it from `playground/lessons/`.

use crate::worker::protocol::ProgramFile;
use mclive_base::shapes::host::HostAction;
use serde::{Deserialize, Serialize};

/// The whole course.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Course {
    /// The chapters in order.
    pub chapters: Vec<Chapter>,
}

/// A chapter of the course.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Chapter {
    /// The title.
    pub title: String,
    /// An introduction of one or two sentences.
    pub about: String,
    /// The lessons in order.
    pub lessons: Vec<Lesson>,
}

/// One lesson.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Lesson {
    /// The name in addresses and in the browser's storage: `first-steps/a-file`.
    pub name: String,
    /// The title.
    pub title: String,
    /// Markdown, without the task.
    pub text: String,
    /// The task, in Markdown.
    pub task: String,
    /// The program to start from.
    pub start: String,
    /// A program that solves the task.
    pub solution: String,
    /// The scenario that checks the solution.
    pub check: String,
    /// The hints of the check, in order.
    pub hints: Vec<Hint>,
    /// Files next to the program.
    pub files: Vec<ProgramFile>,
    /// The state of the simulated host before the program runs.
    pub host: Vec<HostAction>,
    /// The entries of the reference about what the lesson uses.
    pub see: Vec<Described>,
}

/// A hint covers the steps of the check from its line to the next hint: one part of the check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hint {
    /// Line of the check, from 1.
    pub line: u32,
    /// The text.
    pub text: String,
}

/// A link to an entry of the reference.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Described {
    /// The title.
    pub title: String,
    /// The anchor of the entry.
    pub anchor: String,
}

impl Course {
    /// All lessons in order.
    pub fn lessons(&self) -> impl Iterator<Item = &Lesson> {
        self.chapters.iter().flat_map(|chapter| &chapter.lessons)
    }

    /// The index of a lesson in the course, from 0.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.lessons().position(|lesson| lesson.name == name)
    }

    /// The lesson of this name.
    pub fn find(&self, name: &str) -> Option<&Lesson> {
        self.lessons().find(|lesson| lesson.name == name)
    }

    /// The chapter of a lesson with its number, and the lesson's number in it; both from 1.
    pub fn chapter_of(&self, name: &str) -> Option<(usize, &Chapter, usize)> {
        (1..).zip(&self.chapters).find_map(|(number, chapter)| {
            let at = chapter.lessons.iter().position(|lesson| lesson.name == name)?;
            Some((number, chapter, at + 1))
        })
    }
}

impl Lesson {
    /// The hints about the task, without those for programs with errors.
    pub fn help(&self) -> impl Iterator<Item = &str> {
        self.hints.iter().map(|hint| hint.text.as_str()).filter(|text| !text.starts_with("The program has an error"))
    }

    /// The number of parts of the check that passed before it failed at a line.
    pub fn parts_before(&self, failed_at: u32) -> usize {
        self.hints.iter().filter(|hint| hint.line <= failed_at).count().saturating_sub(1)
    }
}
