//! The program's files: where they come from ([`ProgramFiles`]) and the ones that were read ([`Sources`]).

use crate::index::{Id, IndexVec};
use crate::span::{FileId, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Id for FileId {
    fn from_index(index: usize) -> Self {
        FileId(u32::try_from(index).expect("fewer than 2^32 files"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where program files come from. Paths are absolute in the program's own tree, whose root is `/`.
///
/// The compiler never reads a disk: its caller collects the files first, or implements this trait.
pub trait ProgramFiles {
    /// The bytes of a file, or `None` when there is no such file. A directory is not a file.
    fn read(&self, path: &str) -> Option<Arc<[u8]>>;
    /// Whether this is a directory. The path has no trailing slash (except for `/` itself).
    fn is_dir(&self, path: &str) -> bool;
    /// The path of every file below the directory (which ends with a slash), sorted.
    fn list(&self, dir: &str) -> Vec<String>;
    /// Called for an import with a URL whose module is missing from this directory; the caller may fetch it and compile
    /// again.
    fn wants_module(&self, _dir: &str, _url: &str) {}
    /// Called for a directory (which ends with a slash) that a module needs with everything below it.
    fn wants_data(&self, _dir: &str) {}
}

/// Program files held in memory, by absolute path.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct MemoryWorld {
    files: BTreeMap<String, Arc<[u8]>>,
}

impl MemoryWorld {
    /// A world without files.
    pub const EMPTY: &'static MemoryWorld = &MemoryWorld { files: BTreeMap::new() };

    /// A world of one file, `/main.mcl`.
    pub fn single(text: &str) -> MemoryWorld {
        let mut world = MemoryWorld::default();
        world.insert("/main.mcl", text.as_bytes());
        world
    }

    /// A world of these files.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> MemoryWorld {
        let mut world = MemoryWorld::default();
        for (path, bytes) in files {
            world.insert(path, bytes);
        }
        world
    }

    /// Adds or replaces a file. A path without a leading slash is taken from the root.
    pub fn insert(&mut self, path: &str, bytes: impl Into<Arc<[u8]>>) {
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        self.files.insert(path, bytes.into());
    }

    /// Every file, by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Arc<[u8]>)> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), bytes))
    }
}

impl ProgramFiles for MemoryWorld {
    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        self.files.get(path).cloned()
    }

    fn is_dir(&self, path: &str) -> bool {
        let dir = if path == "/" { "/".to_owned() } else { format!("{path}/") };
        self.files.range(dir.clone()..).next().is_some_and(|(file, _)| file.starts_with(&dir))
    }

    fn list(&self, dir: &str) -> Vec<String> {
        let below = self.files.range(dir.to_owned()..).map(|(file, _)| file);
        below.take_while(|file| file.starts_with(dir)).cloned().collect()
    }
}

/// One source file that was read, with its line starts.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path that messages show, such as `/main.mcl`.
    pub path: String,
    /// The whole content.
    pub text: Arc<[u8]>,
    line_starts: Vec<u32>,
    /// Known columns inside long lines, so that each lookup need not count from the start of the line.
    anchors: Vec<Anchor>,
}

/// An offset in a line and its column, from 0.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    offset: u32,
    col: u32,
}

/// The distance of anchors in bytes.
const STRIDE: usize = 1024;

/// A position as people count it: both from 1, the column in code points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LineCol {
    /// The line.
    pub line: u32,
    /// The column.
    pub col: u32,
}

impl Source {
    /// Finds the line starts of a file.
    pub fn new(path: impl Into<String>, text: impl Into<Arc<[u8]>>) -> Source {
        let text: Arc<[u8]> = text.into();
        let newlines = || memchr::memchr_iter(b'\n', &text);
        // Counted first: a growing list would reserve more than a short line has text.
        let mut line_starts = Vec::with_capacity(newlines().count() + 1);
        line_starts.push(0);
        line_starts.extend(newlines().map(|at| at as u32 + 1));
        let anchors = anchors(&text, &line_starts);
        Source { path: path.into(), text, line_starts, anchors }
    }

    /// The line of a byte offset, from 1. Cost: a binary search.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|start| *start <= offset) as u32
    }

    /// The place of a byte offset. Cost: binary searches.
    pub fn line_col(&self, offset: u32) -> LineCol {
        let line = self.line_starts.partition_point(|start| *start <= offset) - 1;
        let offset = offset.min(self.text.len() as u32);
        let start = Anchor { offset: self.line_starts[line], col: 0 };
        let before = self.anchors.partition_point(|anchor| anchor.offset <= offset);
        let near = before.checked_sub(1).map(|last| self.anchors[last]);
        let from = near.filter(|anchor| anchor.offset > start.offset).unwrap_or(start);
        let col = from.col + n_characters(&self.text[from.offset as usize..offset as usize]);
        LineCol { line: line as u32 + 1, col: col + 1 }
    }

    /// The text of a line (from 1), without its newline; empty after the last line.
    pub fn line(&self, line: u32) -> &[u8] {
        let Some(start) = self.line_starts.get(line as usize - 1) else { return &[] };
        let end = self.line_starts.get(line as usize).map_or(self.text.len(), |next| *next as usize - 1);
        &self.text[*start as usize..end]
    }

    /// The number of lines.
    pub fn n_lines(&self) -> u32 {
        self.line_starts.len() as u32
    }
}

fn anchors(text: &[u8], line_starts: &[u32]) -> Vec<Anchor> {
    let mut anchors = Vec::new();
    let ends = line_starts[1..].iter().map(|next| *next as usize - 1).chain([text.len()]);
    for (start, end) in line_starts.iter().map(|start| *start as usize).zip(ends) {
        let (mut at, mut col) = (start, 0);
        while end - at > STRIDE {
            let next = character_start(text, at + STRIDE);
            col += n_characters(&text[at..next]);
            at = next;
            anchors.push(Anchor { offset: at as u32, col });
        }
    }
    anchors
}

/// The first character boundary at or after this offset.
pub(crate) fn character_start(text: &[u8], from: usize) -> usize {
    let rest = &text[from..text.len().min(from + 3)];
    from + rest.iter().take_while(|byte| **byte & 0xc0 == 0x80).count()
}

/// Counts characters; a byte that is not part of valid UTF-8 counts as one.
fn n_characters(text: &[u8]) -> u32 {
    text.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum::<usize>() as u32
}

/// The files of one compilation, in the order in which they were read; the first is the entry.
#[derive(Clone, Default, Debug)]
pub struct Sources {
    files: IndexVec<FileId, Source>,
    is_renamed: bool,
}

impl Sources {
    /// Adds a file.
    pub fn add(&mut self, source: Source) -> FileId {
        self.files.push(source)
    }

    /// The file with this id.
    pub fn get(&self, file: FileId) -> &Source {
        &self.files[file]
    }

    /// Replaces the paths of the program's own tree by those that a user wrote.
    pub fn rename(&mut self, path: &dyn Fn(&str) -> String) {
        self.files.values_mut().for_each(|source| source.path = path(&source.path));
        self.is_renamed = true;
    }

    /// The path of a file in a short text: without the slash that paths of the program's own tree begin with.
    pub fn short_path(&self, file: FileId) -> &str {
        let path = self.files[file].path.as_str();
        if self.is_renamed { path } else { path.trim_start_matches('/') }
    }

    /// All files with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        self.files.iter()
    }

    /// The bytes that a span covers.
    pub fn slice(&self, span: Span) -> &[u8] {
        &self.files[span.file].text[span.start as usize..span.end as usize]
    }

    /// `FILE @ r1:c1-r2:c2`: a position in the format of the golden cases.
    pub fn byline(&self, span: Span) -> String {
        let source = &self.files[span.file];
        let (from, to) = (source.line_col(span.start), source.line_col(span.end));
        format!("{} @ {}:{}-{}:{}", source.path, from.line, from.col, to.line, to.col)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_code_points() {
        let source = Source::new("/main.mcl", "aé\nb\n".as_bytes());
        assert_eq!(source.line_col(3), LineCol { line: 1, col: 3 });
        assert_eq!(source.line_col(4), LineCol { line: 2, col: 1 });
        assert_eq!(source.line(2), b"b");
    }

    #[test]
    fn columns_of_a_long_line_are_those_of_a_short_one() {
        let text = [&b"x\n"[..], "aé\u{1f600}".repeat(2_000).as_bytes(), &[0x80; 5_000], b"\nend"].concat();
        let source = Source::new("/main.mcl", text.as_slice());
        for offset in (0..text.len()).step_by(7).chain(text.len() - 12..=text.len() + 1) {
            let end = offset.min(text.len());
            let start = text[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let col = n_characters(&text[start..end]) + 1;
            assert_eq!(source.line_col(offset as u32).col, col, "at {offset}");
        }
    }

    #[test]
    fn a_short_path_is_that_of_the_user_once_it_is_known() {
        let mut sources = Sources::default();
        let file = sources.add(Source::new("/main.mcl", &b"a"[..]));
        assert_eq!(sources.short_path(file), "main.mcl");
        sources.rename(&|path| format!("/srv{path}"));
        assert_eq!(sources.short_path(file), "/srv/main.mcl");
    }

    #[test]
    fn a_directory_is_what_a_file_is_below() {
        let mut world = MemoryWorld::default();
        world.insert("mod/a.mcl", *b"");
        assert!(world.is_dir("/mod") && world.is_dir("/") && !world.is_dir("/mo"));
        assert_eq!(world.list("/mod/"), ["/mod/a.mcl"]);
    }
}
