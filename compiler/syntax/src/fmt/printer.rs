//! Common parts of printing: rows, comments, blank lines and indentation. Language spec, 13.1.

use crate::ast::{ExprId, Tree};
use crate::source::Source;
use crate::span::Span;

/// A row of the source, from 1.
pub(super) type Row = u32;

pub(super) struct Printer<'a> {
    pub(super) tree: &'a Tree,
    source: &'a Source,
    out: Vec<u8>,
    pub(super) indent: usize,
    /// The comments not yet printed, with their rows.
    pending: std::iter::Peekable<std::vec::IntoIter<(Row, Span)>>,
    /// The source row of the last printed text; `None` at the start of the file.
    last_row: Option<Row>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(tree: &'a Tree, source: &'a Source) -> Printer<'a> {
        let comments: Vec<(Row, Span)> =
            tree.comments.iter().map(|comment| (source.line_of(comment.start), *comment)).collect();
        Printer {
            tree,
            source,
            out: Vec::with_capacity(source.text.len() + source.text.len() / 8),
            indent: 0,
            pending: comments.into_iter().peekable(),
            last_row: None,
        }
    }

    pub(super) fn file(mut self) -> Vec<u8> {
        self.stmts(&self.tree.root);
        self.comments_before(Row::MAX);
        self.out
    }

    pub(super) fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// The bytes of a span, unchanged.
    pub(super) fn verbatim(&mut self, span: Span) {
        self.out.extend_from_slice(&self.source.text[span.start as usize..span.end as usize]);
    }

    pub(super) fn start_row(&self, span: Span) -> Row {
        self.source.line_of(span.start)
    }

    /// The row of the last character of a span.
    pub(super) fn end_row(&self, span: Span) -> Row {
        self.source.line_of(span.end.max(span.start + 1) - 1)
    }

    pub(super) fn expr_start(&self, id: ExprId) -> Row {
        self.start_row(self.tree.exprs[id].span)
    }

    pub(super) fn expr_end(&self, id: ExprId) -> Row {
        self.end_row(self.tree.exprs[id].span)
    }

    /// Whether an unprinted comment is in a row above this one.
    pub(super) fn comment_before(&mut self, row: Row) -> bool {
        self.pending.peek().is_some_and(|(at, _)| *at < row)
    }

    /// Begins a line with an item of this source row: prints the comments above it, a blank line if there was one, and
    /// the indentation.
    pub(super) fn begin_line(&mut self, row: Row) {
        self.comments_before(row);
        self.gap(row);
        self.tabs();
    }

    /// Begins the line of a closing bracket, which is indented less than the comments before it.
    pub(super) fn begin_closing_line(&mut self, row: Row) {
        self.comments_before(row);
        self.gap(row);
        self.indent -= 1;
        self.tabs();
        self.last_row = Some(row);
    }

    /// Ends a line that ends in this source row, with the comment that follows on that row, if it is the next one.
    pub(super) fn end_line(&mut self, row: Row) {
        if let Some((_, comment)) = self.pending.next_if(|(at, _)| *at == row) {
            self.text(" ");
            self.verbatim(comment);
        }
        self.text("\n");
        self.last_row = Some(row);
    }

    /// Ends the line of an opening bracket and begins its content.
    pub(super) fn open(&mut self, row: Row) {
        self.end_line(row);
        self.indent += 1;
    }

    /// Records a closing bracket that did not get a separate line.
    pub(super) fn closed_in(&mut self, row: Row) {
        self.last_row = Some(row);
    }

    fn comments_before(&mut self, row: Row) {
        while let Some((at, comment)) = self.pending.next_if(|(at, _)| *at < row) {
            self.gap(at);
            self.tabs();
            self.verbatim(comment);
            self.text("\n");
            self.last_row = Some(at);
        }
    }

    /// Prints a blank line if there is at least one row between the last printed text and this row.
    fn gap(&mut self, row: Row) {
        if self.last_row.is_some_and(|last| row > last + 1) {
            self.text("\n");
        }
    }

    fn tabs(&mut self) {
        self.out.resize(self.out.len() + self.indent, b'\t');
    }

    /// Elements between brackets, on one line or one per line.
    pub(super) fn elements<T>(
        &mut self,
        elements: &[T],
        layout: Layout,
        rows: impl Fn(&Self, &T) -> (Row, Row),
        mut print: impl FnMut(&mut Self, &T),
    ) {
        let Layout::Lines { open, close } = layout else {
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    self.text(", ");
                }
                print(self, element);
            }
            return;
        };
        self.open(open);
        for element in elements {
            let (start, end) = rows(self, element);
            self.begin_line(start);
            print(self, element);
            self.text(",");
            self.end_line(end);
        }
        self.begin_closing_line(close);
    }
}

/// How the elements between two brackets are laid out.
#[derive(Clone, Copy)]
pub(super) enum Layout {
    OneLine,
    /// The rows of the two brackets.
    Lines {
        open: Row,
        close: Row,
    },
}
