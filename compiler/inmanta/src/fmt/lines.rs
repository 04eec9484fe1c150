//! Lines: the tokens that begin one, their depth, and the text before them.

use super::{brackets, comment, spacing, token};
use crate::ast::{Definition, FileTree, Item, Tree};
use crate::lex::{Keyword, Lexed, Tok, Token};
use mclive_base::span::Span;
use std::collections::BTreeSet;
use std::ops::Range;

/// The growing output, and its sources.
pub(super) struct Page<'a> {
    text: &'a str,
    pub(super) tokens: &'a [Token],
    blanks: Vec<bool>,
    out: String,
}

/// Formats a file.
pub(super) fn lay_out(text: &str, lexed: &Lexed, tree: &Tree, file: &FileTree) -> String {
    let n_tokens = lexed.tokens.len() - 1;
    let tokens = &lexed.tokens[..n_tokens];
    let mut page = Page { text, tokens, blanks: spacing::blanks(tokens, file), out: String::new() };
    let starts = starts(tree, file);
    let begins = |at: usize| {
        starts.contains(&tokens[at].span.start) || matches!(tokens[at].tok, Tok::Keyword(word) if closes(word))
    };
    let mut comments = lexed.comments.as_slice();
    let (mut at, mut depth) = (0, 0);
    // The end of the last written text, in the old text; `None` at the start of a block.
    let mut written: Option<u32> = None;
    while at < n_tokens {
        let end = (at + 1..n_tokens).find(|next| begins(*next)).unwrap_or(n_tokens);
        let (first, last) = (tokens[at].span.start, tokens[end - 1].span.end);
        let head = match tokens[at].tok {
            Tok::Keyword(word) => Some(word),
            _ => None,
        };
        let ahead = page.until(&mut comments, first);
        let body = depth;
        if head.is_some_and(closes) {
            depth = usize::saturating_sub(depth, 1);
        }
        let inside = page.until(&mut comments, last);
        let (nodes, hoisted) = brackets::nodes(&page, at..end, inside);
        // Comments before the end of a block belong to its statements.
        for comment in ahead {
            page.separate(written, comment.start, false);
            page.comment_line(*comment, body);
            written = Some(comment.end);
        }
        let stands_alone =
            matches!(head, Some(Keyword::Entity | Keyword::Implementation)) && ahead.is_empty() && depth == 0;
        if !head.is_some_and(closes) {
            page.separate(written, first, stands_alone);
        }
        hoisted.iter().for_each(|comment| page.comment_line(*comment, depth));
        page.line(depth);
        brackets::write(&mut page, &nodes, depth, true);
        if let Some(comment) = page.behind(&mut comments, end - 1) {
            page.comment_behind(comment);
        }
        written = Some(last);
        let opens = matches!(tokens[end - 1].tok, Tok::Sign(':')) && head.is_some_and(opens);
        if opens {
            depth += 1;
            written = None;
        }
        at = end;
    }
    for comment in comments {
        page.separate(written, comment.start, false);
        page.comment_line(*comment, depth);
        written = Some(comment.end);
    }
    if !page.out.is_empty() {
        page.out.push('\n');
    }
    page.out
}

/// The offsets at which lines begin, except the words that close blocks.
fn starts(tree: &Tree, file: &FileTree) -> BTreeSet<u32> {
    let mut starts: BTreeSet<u32> = tree.stmts.values().map(|stmt| stmt.span.start).collect();
    starts.extend(file.doc.map(|doc| doc.start));
    for item in &file.items {
        let Item::Define(definition) = item else { continue };
        let (span, doc) = match definition {
            Definition::Import(def) => (def.span, None),
            Definition::Entity(def) => {
                starts.extend(def.attributes.iter().map(|attribute| attribute.span.start));
                (def.span, def.doc)
            }
            Definition::Implementation(def) => (def.span, def.doc),
            Definition::Implement(def) => (def.span, def.doc),
            Definition::Relation(def) => (def.span, def.doc),
            Definition::Typedef(def) => (def.span, def.doc),
            Definition::Index(def) => (def.span, None),
        };
        starts.insert(span.start);
        starts.extend(doc.map(|doc| doc.start));
    }
    starts
}

fn closes(word: Keyword) -> bool {
    matches!(word, Keyword::End | Keyword::Else | Keyword::Elif)
}

fn opens(word: Keyword) -> bool {
    matches!(
        word,
        Keyword::Entity | Keyword::Implementation | Keyword::For | Keyword::If | Keyword::Else | Keyword::Elif
    )
}

impl<'a> Page<'a> {
    /// The comments up to an offset.
    fn until(&self, comments: &mut &'a [Span], offset: u32) -> &'a [Span] {
        let (before, rest) = comments.split_at(comments.iter().take_while(|comment| comment.start < offset).count());
        *comments = rest;
        before
    }

    /// The comment after a token, on the line where it ends.
    pub(super) fn behind(&self, comments: &mut &[Span], token: usize) -> Option<Span> {
        let comment = *comments.first()?;
        let end = self.tokens[token].span.end;
        let is_behind = comment.start >= end && !self.text[end as usize..comment.start as usize].contains('\n');
        let is_last = self.tokens.get(token + 1).is_none_or(|next| comment.start < next.span.start);
        (is_behind && is_last).then(|| {
            *comments = &comments[1..];
            comment
        })
    }

    /// Writes a blank line, if the old text has one or one is required.
    fn separate(&mut self, written: Option<u32>, next: u32, is_due: bool) {
        let Some(written) = written.filter(|_| !self.out.is_empty()) else { return };
        let between = &self.text[written as usize..next as usize];
        // Comments between the two were written before.
        let n_ends = between.rsplit('#').next().unwrap_or_default().matches('\n').count();
        if is_due || n_ends > 1 {
            self.out.push('\n');
        }
    }

    /// Begins a line.
    pub(super) fn line(&mut self, depth: usize) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n("    ", depth));
    }

    pub(super) fn token(&mut self, at: usize, begins_line: bool) {
        if !begins_line && self.blanks[at] {
            self.out.push(' ');
        }
        self.out += &token(self.text, &self.tokens[at]);
    }

    pub(super) fn comment_line(&mut self, span: Span, depth: usize) {
        self.line(depth);
        self.out += comment(self.text, span);
    }

    pub(super) fn comment_behind(&mut self, span: Span) {
        self.out += "  ";
        self.out += comment(self.text, span);
    }

    /// The length of the last line in characters.
    pub(super) fn column(&self) -> usize {
        self.out.rsplit('\n').next().unwrap_or_default().chars().count()
    }

    /// The width of tokens on one line in characters, up to the first line break inside them.
    pub(super) fn width(&self, tokens: Range<usize>, begins_line: bool) -> usize {
        let mut width = 0;
        for at in tokens.clone() {
            width += usize::from(self.blanks[at] && !(begins_line && at == tokens.start));
            let text = token(self.text, &self.tokens[at]);
            match text.split_once('\n') {
                Some((first, _)) => return width + first.chars().count(),
                None => width += text.chars().count(),
            }
        }
        width
    }
}
