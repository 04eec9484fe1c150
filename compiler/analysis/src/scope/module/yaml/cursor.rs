//! [`Cursor`]: the position in the text, and parts common to all styles.

use super::{Entries, Kind, Node, Problem, Yaml};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum nesting of values.
const MAX_DEPTH: usize = 100;

pub(super) struct Cursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    anchors: BTreeMap<String, Node>,
    depth: usize,
    /// The last position looked up, with its line: the next one is near.
    counted: Cell<(usize, usize)>,
}

/// An anchor and a tag before a value.
#[derive(Default)]
pub(super) struct Properties {
    anchor: Option<String>,
    /// `!!str` marks a plain scalar as a string.
    is_text: bool,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Cursor<'t> {
        Cursor { text, at: 0, anchors: BTreeMap::new(), depth: 0, counted: Cell::new((0, 1)) }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    pub(super) fn line_start(&self) -> usize {
        self.text[..self.at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The distance of the cursor from the start of its line.
    pub(super) fn column(&self) -> usize {
        self.at - self.line_start()
    }

    pub(super) fn line(&self) -> usize {
        let (from, line) = self.counted.get();
        let n_lines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
        let line = match self.text.get(from..self.at) {
            Some(passed) => line + n_lines(passed),
            None => line - n_lines(&self.text[self.at..from]),
        };
        self.counted.set((self.at, line));
        line
    }

    pub(super) fn problem(&self, what: impl Into<String>) -> Problem {
        Problem { line: self.line(), what: what.into() }
    }

    pub(super) fn node(&self, line: usize, kind: Kind) -> Node {
        Rc::new(Yaml { line, kind })
    }

    pub(super) fn spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    /// Whether it is at the end of a line's content, apart from a comment.
    pub(super) fn is_line_end(&self) -> bool {
        let rest = self.rest().trim_start_matches([' ', '\t']);
        let is_comment = rest.starts_with('#')
            && (self.at == 0 || rest.len() < self.rest().len() || self.text[..self.at].ends_with([' ', '\t', '\n']));
        rest.is_empty() || rest.starts_with(['\n', '\r']) || is_comment
    }

    /// Skips spaces, comments and empty lines.
    pub(super) fn skip_blank(&mut self) -> Result<(), Problem> {
        while self.is_line_end() && self.at < self.text.len() {
            self.at += self.rest().find('\n').map_or(self.rest().len(), |newline| newline + 1);
        }
        let from = self.at;
        self.spaces();
        let is_indent = from == self.line_start();
        if is_indent && self.text[from..self.at].contains('\t') {
            return Err(self.problem("indent with spaces, not tabs"));
        }
        Ok(())
    }

    /// Skips directives and the document start marker.
    pub(super) fn document_start(&mut self) -> Result<(), Problem> {
        loop {
            self.skip_blank()?;
            if self.column() == 0 && self.peek() == Some('%') {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.is_mark("---") {
                self.at += 3;
                return Ok(());
            } else {
                return Ok(());
            }
        }
    }

    pub(super) fn is_document_end(&self) -> bool {
        self.rest().is_empty() || self.is_mark("---") || self.is_mark("...")
    }

    fn is_mark(&self, mark: &str) -> bool {
        let behind = self.rest().strip_prefix(mark);
        behind.is_some_and(|behind| behind.is_empty() || behind.starts_with([' ', '\t', '\n', '\r']))
            && self.column() == 0
    }

    /// Whether this character is here, followed by a space or the end of the line.
    pub(super) fn is_indicator(&self, indicator: char) -> bool {
        let behind = self.rest().strip_prefix(indicator);
        behind.is_some_and(|behind| behind.is_empty() || behind.starts_with([' ', '\t', '\n', '\r']))
    }

    /// The anchor and the tag before a value.
    pub(super) fn properties(&mut self) -> Result<Properties, Problem> {
        let mut found = Properties::default();
        loop {
            match self.peek() {
                Some('&') => found.anchor = Some(self.word()),
                Some('!') => match self.word().as_str() {
                    "!str" => found.is_text = true,
                    "!int" | "!float" | "!bool" | "!null" | "!map" | "!seq" => {}
                    tag => return Err(self.problem(format!("the tag `!{tag}` is not supported"))),
                },
                _ => return Ok(found),
            }
            self.spaces();
        }
    }

    /// The word after a sign.
    fn word(&mut self) -> String {
        self.next();
        let rest = self.rest();
        let length = rest.find([' ', '\t', '\n', '\r', ',', '[', ']', '{', '}']).unwrap_or(rest.len());
        self.at += length;
        rest[..length].to_owned()
    }

    /// Applies the properties of a value.
    pub(super) fn with(&mut self, properties: Properties, node: Node) -> Node {
        let node = match &node.kind {
            Kind::Text { text, quoted: false } if properties.is_text => {
                self.node(node.line, Kind::Text { text: text.clone(), quoted: true })
            }
            Kind::Null if properties.is_text => self.node(node.line, Kind::Text { text: String::new(), quoted: true }),
            Kind::Null | Kind::Text { .. } | Kind::List(_) | Kind::Map(_) => node,
        };
        if let Some(anchor) = properties.anchor {
            self.anchors.insert(anchor, node.clone());
        }
        node
    }

    /// The value of an alias (`*name`).
    pub(super) fn alias(&mut self) -> Result<Node, Problem> {
        let name = self.word();
        self.anchors.get(&name).cloned().ok_or_else(|| self.problem(format!("unknown anchor `&{name}`")))
    }

    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Problem>) -> Result<T, Problem> {
        if self.depth == MAX_DEPTH {
            return Err(self.problem(format!("values nest deeper than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let done = read(self);
        self.depth -= 1;
        done
    }

    /// Adds an entry to a mapping.
    pub(super) fn entry(&self, entries: &mut Entries, key: String, value: Node) -> Result<(), Problem> {
        if entries.contains_key(&key) {
            return Err(self.problem(format!("duplicate key `{key}`")));
        }
        entries.insert(key, value);
        Ok(())
    }

    /// A finished mapping. Entries merged with `<<` count only where the mapping itself has no such key.
    pub(super) fn map(&self, line: usize, mut entries: Entries) -> Result<Node, Problem> {
        if let Some(merged) = entries.shift_remove("<<") {
            let sources = if let Kind::List(sources) = &merged.kind { sources.clone() } else { vec![merged] };
            for source in sources {
                let Kind::Map(more) = &source.kind else {
                    return Err(self.problem("`<<` requires an alias of a mapping, or a list of aliases"));
                };
                for (key, value) in more {
                    entries.entry(key.clone()).or_insert_with(|| value.clone());
                }
            }
        }
        Ok(self.node(line, Kind::Map(entries)))
    }
}
