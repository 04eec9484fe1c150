//! The course that the page loads with its first lesson, made from the archives in `playground/lessons/`.

use mclive_compiler::corelib::docs;
use mclive_compiler::kinds;
use mclive_playground::course::{Chapter, Course, Described, Hint, Lesson};
use mclive_playground::worker::protocol::ProgramFile;
use mclive_scenario::lesson;
use std::path::{Path, PathBuf};

/// Reads the whole folder. Errors: the file, and what is wrong with it.
pub(crate) fn course(folder: &Path) -> Result<Course, String> {
    let mut course = Course::default();
    for folder in listed(folder)?.into_iter().filter(|path| path.is_dir()) {
        let page = String::from_utf8_lossy(&read(&folder.join("chapter.md"))?).into_owned();
        let (title, about) = page.split_once('\n').unwrap_or((&page, ""));
        let mut chapter = Chapter {
            title: title.trim_start_matches("# ").to_owned(),
            about: about.split_whitespace().collect::<Vec<_>>().join(" "),
            lessons: Vec::new(),
        };
        for file in listed(&folder)?.into_iter().filter(|file| file.extension().is_some_and(|end| end == "txtar")) {
            let name = format!("{}/{}", without_number(&folder), without_number(&file));
            let read = lesson::Lesson::read(&read(&file)?);
            chapter.lessons.push(made(name, read.map_err(|why| format!("{}: {why}", file.display()))?));
        }
        course.chapters.push(chapter);
    }
    Ok(course)
}

fn made(name: String, lesson: lesson::Lesson) -> Lesson {
    let (text, task) = lesson.text.rsplit_once("\n\n").unwrap_or((&lesson.text, ""));
    let hints = lesson.hints().into_iter().map(|(line, text)| Hint { line, text });
    let file = |(path, content): &(String, Vec<u8>)| ProgramFile::new(path.as_str(), content.as_slice());
    let solution = lesson.good.first().cloned().unwrap_or_default();
    Lesson {
        name,
        title: lesson.title.clone(),
        text: text.to_owned(),
        task: task.trim_start_matches("**Task.**").trim().to_owned(),
        start: lesson.start.clone(),
        see: described(&solution),
        hints: hints.collect(),
        files: lesson.files.iter().map(file).collect(),
        host: lesson.host(),
        check: lesson.check.clone(),
        solution,
    }
}

/// The entries of the reference for what a program uses.
fn described(program: &str) -> Vec<Described> {
    let mut found: Vec<Described> = Vec::new();
    let mut add = |title: &str, anchor: String| {
        if found.iter().all(|entry| entry.anchor != anchor) {
            found.push(Described { title: title.to_owned(), anchor });
        }
    };
    for line in program.lines() {
        let word = line.split([' ', '\t']).find(|word| !word.is_empty()).unwrap_or_default();
        if kinds::lookup(word).is_some() {
            add(word, format!("kind:{word}"));
        }
        if let Some(name) = word.strip_prefix("Meta:") {
            add(word, format!("meta:{name}"));
        }
    }
    for entry in docs::entries().filter(|entry| !entry.module.is_empty()) {
        // In a program a module has the last part of its path as name.
        let name = entry.name.rsplit('/').next().unwrap_or_default();
        if program.contains(&format!("{name}(")) {
            add(name, entry.name.replace(' ', "."));
        }
    }
    found.truncate(6);
    found
}

/// The name of a file or folder without its number, which may change: `01-a-file.txtar` is `a-file`.
fn without_number(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    stem.split_once('-').map_or(stem.clone(), |(_, name)| name.to_owned())
}

fn listed(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let fails = |error| format!("cannot read {}: {error}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(fails)?;
    let mut paths =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(fails)?;
    paths.sort();
    Ok(paths)
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_playground::prose::{Block, Span, blocks};

    fn ours() -> Course {
        course(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../playground/lessons")).expect("the lessons")
    }

    /// The texts of a page, without its code.
    fn texts(markdown: &str) -> Vec<String> {
        let lines = blocks(markdown).into_iter().flat_map(|block| match block {
            Block::Heading(line) | Block::Paragraph(line) => vec![line],
            Block::Code(..) => vec![],
            Block::List { items, .. } => items,
            Block::Table(rows) => rows.into_iter().flatten().collect(),
        });
        let text = |span: Span| match span {
            Span::Text(text) | Span::Strong(text) | Span::Emphasis(text) => Some(text),
            Span::Code(_) => None,
        };
        lines.flatten().filter_map(text).collect()
    }

    #[test]
    fn every_lesson_is_whole() {
        let course = ours();
        assert!(course.lessons().count() >= 70 && course.chapters.iter().all(|chapter| !chapter.about.is_empty()));
        let mut names: Vec<&str> = course.lessons().map(|lesson| lesson.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), course.lessons().count(), "two lessons have one name");
        for lesson in course.lessons() {
            let name = &lesson.name;
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || b"-/".contains(&byte)), "{name}: an address");
            assert!(!lesson.text.is_empty() && !lesson.task.is_empty() && !lesson.solution.is_empty(), "{name}");
            assert!(lesson.help().next().is_some(), "{name}: no hint");
            assert!(lesson.hints.is_sorted_by_key(|hint| hint.line), "{name}: hints out of order");
            for text in [&lesson.text, &lesson.task].into_iter().flat_map(|text| texts(text)) {
                assert!(!text.contains("**") && !text.contains('`'), "{name}: a mark that is not read: {text}");
            }
        }
    }

    #[test]
    fn every_lesson_says_where_the_reference_describes_it() {
        let page = crate::reference::make().content;
        for lesson in ours().lessons() {
            for entry in &lesson.see {
                assert!(page.contains(&format!(" id=\"{}\"", entry.anchor)), "{}: {}", lesson.name, entry.anchor);
            }
        }
        assert!(ours().lessons().filter(|lesson| lesson.see.is_empty()).count() < 5);
    }

    #[test]
    fn what_a_check_begins_with_is_what_the_host_of_the_page_is_like() {
        let course = ours();
        let host = |name: &str| course.find(name).expect("this lesson").host.clone();
        assert_eq!(host("first-steps/what-you-leave-out").len(), 2);
        assert!(format!("{:?}", host("engine/retry")).contains("Command"));
    }
}
