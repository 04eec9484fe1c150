//! A lesson as a picture: its text, its task, and the hints that are shown.

use crate::course::Lesson;
use crate::graphs::board::{Board, Part};
use crate::graphs::pages;
use crate::prose::blocks;

pub(super) fn board(lesson: &Lesson, n_hints: usize) -> Board {
    let mut parts = pages::parts(&blocks(&lesson.text));
    parts.push(Part::Heading("Task".to_owned()));
    parts.extend(pages::parts(&blocks(&lesson.task)));
    if n_hints > 0 {
        parts.push(Part::Heading("Hints".to_owned()));
        parts.extend(lesson.help().take(n_hints).flat_map(|hint| pages::parts(&blocks(hint))));
    }
    Board { title: lesson.title.clone(), parts }
}
