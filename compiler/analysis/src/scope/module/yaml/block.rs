//! Block style: structure by indentation.

use super::cursor::Cursor;
use super::{Entries, Kind, Node, Problem};

impl Cursor<'_> {
    /// The value that begins on the next line with content, if it is indented by more than `outer` columns.
    pub(super) fn block(&mut self, outer: Option<usize>) -> Result<Node, Problem> {
        self.deeper(|cursor| {
            let (line, from) = (cursor.line(), cursor.at);
            cursor.skip_blank()?;
            let is_inside = outer.is_none_or(|outer| cursor.column() > outer);
            if !is_inside || cursor.is_document_end() {
                cursor.at = from;
                return Ok(cursor.node(line, Kind::Null));
            }
            cursor.value(outer, true)
        })
    }

    /// The value here. `outer` is the column of its parent; a mapping or list can only begin if `is_first`: at the
    /// first content of its line.
    fn value(&mut self, outer: Option<usize>, is_first: bool) -> Result<Node, Problem> {
        let column = self.column();
        let key_at = self.at;
        let is_key = self.is_key()?;
        if is_key {
            return if is_first {
                self.mapping(column)
            } else {
                Err(self
                    .problem("unexpected second `:` in a line: quote the text, or write the mapping on separate lines"))
            };
        }
        self.at = key_at;
        let properties = self.properties()?;
        if self.at > key_at && self.is_line_end() {
            let node = self.block(outer)?;
            return Ok(self.with(properties, node));
        }
        let line = self.line();
        let node = match self.peek() {
            Some('-') if self.is_indicator('-') => match is_first && self.at == key_at {
                true => self.sequence(column),
                false => Err(self.problem("unexpected list")),
            },
            Some('?') if self.is_indicator('?') => Err(self.problem("complex keys (`?`) are not supported")),
            Some('[' | '{') => self.flow(),
            Some('*') => self.alias(),
            Some('|' | '>') => self.block_scalar(outer),
            Some('"' | '\'') => self.quoted().map(|text| self.node(line, Kind::Text { text, quoted: true })),
            Some('@' | '`' | '%') => Err(self.problem("a string that begins like this must be quoted")),
            _ => self.plain(outer),
        }?;
        Ok(self.with(properties, node))
    }

    /// Whether a key of a mapping begins here. The cursor stays.
    fn is_key(&mut self) -> Result<bool, Problem> {
        let from = self.at;
        let is_key = self.key()?.is_some();
        self.at = from;
        Ok(is_key)
    }

    /// A key and its colon; `None` if there is none.
    fn key(&mut self) -> Result<Option<String>, Problem> {
        let line = self.rest().split('\n').next().unwrap_or_default();
        match self.peek() {
            Some('"' | '\'') => {
                let start = self.line();
                let text = self.quoted()?;
                self.spaces();
                let is_key = self.line() == start && self.is_indicator(':');
                self.at += usize::from(is_key);
                Ok(is_key.then_some(text))
            }
            Some('[' | '{' | '|' | '>' | '@' | '`' | '%' | '#' | '&' | '*' | '!') | None => Ok(None),
            Some('-' | '?') if self.is_indicator('-') || self.is_indicator('?') => Ok(None),
            Some(_) => {
                let comment = line.find(" #").unwrap_or(line.len());
                let is_colon = |at: &usize| line[at + 1..].is_empty() || line[at + 1..].starts_with([' ', '\t', '\r']);
                let Some(colon) = line[..comment].match_indices(':').map(|(at, _)| at).find(is_colon) else {
                    return Ok(None);
                };
                self.at += colon + 1;
                Ok(Some(line[..colon].trim_end().to_owned()))
            }
        }
    }

    /// Entries that all begin in this column.
    fn mapping(&mut self, column: usize) -> Result<Node, Problem> {
        let first = self.line();
        let mut entries = Entries::default();
        loop {
            let line = self.line();
            let Some(key) = self.key()? else {
                return Err(self.problem("expected `key: value`"));
            };
            self.spaces();
            let value = if self.is_line_end() {
                self.below_key(column)?
            } else {
                self.deeper(|cursor| cursor.value(Some(column), false))?
            };
            self.entry(&mut entries, key, value).map_err(|problem| Problem { line, ..problem })?;
            if !self.goes_on(column)? {
                return self.map(first, entries);
            }
        }
    }

    /// The value of a key without a value on its line. A list may be in the column of the key.
    fn below_key(&mut self, column: usize) -> Result<Node, Problem> {
        let from = self.at;
        self.skip_blank()?;
        let is_list = self.column() == column && self.is_indicator('-') && !self.is_document_end();
        if is_list {
            return self.deeper(|cursor| cursor.sequence(column));
        }
        self.at = from;
        self.block(Some(column))
    }

    /// Elements that all begin in this column with a dash.
    fn sequence(&mut self, column: usize) -> Result<Node, Problem> {
        let line = self.line();
        let mut items = Vec::new();
        loop {
            self.next();
            self.spaces();
            items.push(if self.is_line_end() {
                self.block(Some(column))?
            } else {
                self.deeper(|cursor| cursor.value(Some(column), true))?
            });
            let end = self.at;
            if !self.goes_on(column)? || !self.is_indicator('-') {
                self.at = end;
                return Ok(self.node(line, Kind::List(items)));
            }
        }
    }

    /// Whether the next content is in this column. Deeper content belongs to nothing.
    fn goes_on(&mut self, column: usize) -> Result<bool, Problem> {
        if self.column() > 0 && !self.is_line_end() && !self.text[..self.at].ends_with('\n') {
            return Err(self.problem("unexpected text after the value"));
        }
        let from = self.at;
        self.skip_blank()?;
        if self.is_document_end() || self.column() < column {
            self.at = from;
            return Ok(false);
        }
        if self.column() > column {
            return Err(self.problem("unexpected indentation"));
        }
        Ok(true)
    }
}
