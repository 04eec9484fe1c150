//! The course: chapters of lessons as the page loads them. The site's build makes it of `playground/lessons/`.

use crate::worker::protocol::ProgramFile;
use mclive_base::shapes::host::HostAction;
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Course {
    pub chapters: Vec<Chapter>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Chapter {
    pub title: String,
    /// One or two sentences.
    pub about: String,
    pub lessons: Vec<Lesson>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Lesson {
    /// As addresses and the memory of the browser name it: `first-steps/a-file`.
    pub name: String,
    pub title: String,
    /// Markdown, without the task.
    pub text: String,
    /// Markdown.
    pub task: String,
    /// The program to start from.
    pub start: String,
    pub solution: String,
    /// The scenario that says whether the task is done.
    pub check: String,
    /// What the check says to whoever fails, in its order.
    pub hints: Vec<Hint>,
    /// Files beside the program.
    pub files: Vec<ProgramFile>,
    /// What the simulated host is like before the program runs.
    pub host: Vec<HostAction>,
    /// Where the reference describes what the lesson uses.
    pub see: Vec<Described>,
}

/// A hint holds for the steps of the check from its line up to that of the next one: a part of the check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hint {
    /// From 1.
    pub line: u32,
    pub text: String,
}

/// An entry of the reference.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Described {
    pub title: String,
    pub anchor: String,
}

impl Course {
    /// All lessons in their order.
    pub fn lessons(&self) -> impl Iterator<Item = &Lesson> {
        self.chapters.iter().flat_map(|chapter| &chapter.lessons)
    }

    /// The place of a lesson in the course, from 0.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.lessons().position(|lesson| lesson.name == name)
    }

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
    /// The hints that help with the task: not what every check says of a program with errors.
    pub fn help(&self) -> impl Iterator<Item = &str> {
        self.hints.iter().map(|hint| hint.text.as_str()).filter(|text| !text.starts_with("The program has an error"))
    }

    /// How many parts of the check went well before it failed at a line.
    pub fn parts_before(&self, failed_at: u32) -> usize {
        self.hints.iter().filter(|hint| hint.line <= failed_at).count().saturating_sub(1)
    }
}
