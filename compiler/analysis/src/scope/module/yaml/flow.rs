//! Flow style: lists in brackets and mappings in braces, over any number of lines.

use super::cursor::Cursor;
use super::{Entries, Kind, Node, Problem};

impl Cursor<'_> {
    /// A list or mapping in brackets, or a scalar inside one.
    pub(super) fn flow(&mut self) -> Result<Node, Problem> {
        self.deeper(|cursor| {
            let line = cursor.line();
            let properties = cursor.properties()?;
            let node = match cursor.peek() {
                Some('[') => cursor.flow_list(line),
                Some('{') => cursor.flow_map(line),
                Some('*') => cursor.alias(),
                Some('"' | '\'') => cursor.quoted().map(|text| cursor.node(line, Kind::Text { text, quoted: true })),
                Some(',' | ']' | '}') => Ok(cursor.node(line, Kind::Null)),
                _ => cursor.flow_plain(),
            }?;
            Ok(cursor.with(properties, node))
        })
    }

    fn flow_list(&mut self, line: usize) -> Result<Node, Problem> {
        self.next();
        let mut items = Vec::new();
        loop {
            self.within(line, ']')?;
            if self.take(']') {
                return Ok(self.node(line, Kind::List(items)));
            }
            let item = self.flow()?;
            self.within(line, ']')?;
            if self.take(':') {
                self.within(line, ']')?;
                let value = self.flow()?;
                let key = self.flow_key(&item)?;
                items.push(self.map(line, Entries::from_iter([(key, value)]))?);
                self.within(line, ']')?;
            } else {
                items.push(item);
            }
            if !self.take(',') && self.peek() != Some(']') {
                return Err(self.problem("expected a comma between the elements of a list"));
            }
        }
    }

    fn flow_map(&mut self, line: usize) -> Result<Node, Problem> {
        self.next();
        let mut entries = Entries::default();
        loop {
            self.within(line, '}')?;
            if self.take('}') {
                return self.map(line, entries);
            }
            let key = self.flow()?;
            let key = self.flow_key(&key)?;
            self.within(line, '}')?;
            let value = if self.take(':') {
                self.within(line, '}')?;
                self.flow()?
            } else {
                self.node(line, Kind::Null)
            };
            self.entry(&mut entries, key, value)?;
            self.within(line, '}')?;
            if !self.take(',') && self.peek() != Some('}') {
                return Err(self.problem("expected a comma between the entries of a mapping"));
            }
        }
    }

    fn flow_key(&self, key: &Node) -> Result<String, Problem> {
        match &key.kind {
            Kind::Text { text, .. } => Ok(text.clone()),
            Kind::Null | Kind::List(_) | Kind::Map(_) => Err(self.problem("expected a string as the key")),
        }
    }

    /// Moves to the next content between brackets that were opened on this line.
    fn within(&mut self, opened: usize, close: char) -> Result<(), Problem> {
        while self.is_line_end() && self.at < self.text.len() {
            self.at += self.rest().find('\n').map_or(self.rest().len(), |newline| newline + 1);
        }
        self.spaces();
        if self.is_document_end() {
            return Err(Problem { line: opened, what: format!("missing closing `{close}`") });
        }
        Ok(())
    }

    /// A plain scalar between brackets.
    fn flow_plain(&mut self) -> Result<Node, Problem> {
        let line = self.line();
        let rest = self.rest();
        let mut length = rest.len();
        for (at, char) in rest.char_indices() {
            let behind = &rest[at + char.len_utf8()..];
            let ends = match char {
                ',' | '[' | ']' | '{' | '}' => true,
                ':' => behind.is_empty() || behind.starts_with([' ', '\t', '\n', '\r', ',', '[', ']', '{', '}']),
                '#' => rest[..at].ends_with([' ', '\t', '\n']),
                _ => false,
            };
            if ends {
                length = at;
                break;
            }
        }
        if length == 0 {
            return Err(self.problem("expected a value"));
        }
        self.at += rest[..length].trim_end().len();
        let words: Vec<&str> = rest[..length].lines().map(str::trim).filter(|words| !words.is_empty()).collect();
        Ok(self.plain_node(line, words.join(" ")))
    }
}
