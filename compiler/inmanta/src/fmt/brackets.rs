//! Brackets: their content on one line, or one element per line.

use super::lines::Page;
use crate::lex::{Keyword, Tok};
use mclive_base::span::Span;
use std::ops::Range;

/// A part of a line. Numbers are indices of the file's tokens.
pub(super) enum Node {
    Token(usize),
    Group(Group),
}

/// Brackets with their content.
pub(super) struct Group {
    open: usize,
    close: usize,
    elements: Vec<Element>,
    /// Comments before the closing bracket.
    last: Vec<Span>,
    must_break: bool,
}

/// The tokens between two commas, or between the keywords of a comprehension.
#[derive(Default)]
struct Element {
    nodes: Vec<Node>,
    comma: Option<usize>,
    before: Vec<Span>,
    behind: Option<Span>,
}

/// The nodes of a line, and the comments outside its brackets.
pub(super) fn nodes(page: &Page<'_>, tokens: Range<usize>, comments: &[Span]) -> (Vec<Node>, Vec<Span>) {
    let mut at = tokens.start;
    let mut outside = Vec::new();
    let mut nodes = Vec::new();
    let mut rest = comments;
    while at < tokens.end {
        let (node, next) = node(page, at, tokens.end, &mut rest, &mut outside);
        nodes.push(node);
        at = next;
    }
    outside.extend(rest);
    (nodes, outside)
}

fn is_open(tok: &Tok) -> bool {
    matches!(tok, Tok::Sign('(' | '[' | '{'))
}

/// One node with the index after it. Comments before it are `strays`.
fn node(page: &Page<'_>, at: usize, end: usize, comments: &mut &[Span], strays: &mut Vec<Span>) -> (Node, usize) {
    take(comments, page.tokens[at].span.start, strays);
    if !is_open(&page.tokens[at].tok) {
        return (Node::Token(at), at + 1);
    }
    let mut group = Group { open: at, close: end - 1, elements: Vec::new(), last: Vec::new(), must_break: false };
    let mut element = Element::default();
    let mut at = at + 1;
    while at < end {
        let token = &page.tokens[at];
        match token.tok {
            Tok::Sign(')' | ']' | '}') => {
                group.close = at;
                break;
            }
            Tok::Sign(',') => {
                take(comments, token.span.start, &mut element.before);
                element.comma = Some(at);
                element.behind = page.behind(comments, at);
                group.elements.push(std::mem::take(&mut element));
                at += 1;
            }
            Tok::Keyword(Keyword::For | Keyword::If) if !element.nodes.is_empty() => {
                element.behind = page.behind(comments, at - 1);
                group.elements.push(std::mem::take(&mut element));
                let (node, next) = node(page, at, end, comments, &mut element.before);
                element.nodes.push(node);
                at = next;
            }
            _ => {
                let (node, next) = node(page, at, end, comments, &mut element.before);
                element.nodes.push(node);
                at = next;
            }
        }
    }
    if !element.nodes.is_empty() {
        element.behind = page.behind(comments, group.close - 1);
        group.elements.push(element);
    } else {
        group.last.append(&mut element.before);
    }
    take(comments, page.tokens[group.close].span.start, &mut group.last);
    let has_comments = |element: &Element| !element.before.is_empty() || element.behind.is_some();
    let ends_with_comma = group.elements.last().is_some_and(|element| element.comma.is_some());
    group.must_break = ends_with_comma
        || !group.last.is_empty()
        || group.elements.iter().any(|element| has_comments(element) || element.nodes.iter().any(Node::must_break));
    let next = group.close + 1;
    (Node::Group(group), next)
}

/// Moves the comments before an offset.
fn take(comments: &mut &[Span], before: u32, to: &mut Vec<Span>) {
    let n_before = comments.iter().take_while(|comment| comment.start < before).count();
    to.extend(&comments[..n_before]);
    *comments = &comments[n_before..];
}

impl Node {
    fn must_break(&self) -> bool {
        match self {
            Node::Token(_) => false,
            Node::Group(group) => group.must_break,
        }
    }

    fn tokens(&self) -> Range<usize> {
        match self {
            Node::Token(at) => *at..*at + 1,
            Node::Group(group) => group.open..group.close + 1,
        }
    }
}

/// Appends the nodes of a line.
pub(super) fn write(page: &mut Page<'_>, nodes: &[Node], indent: usize, mut begins_line: bool) {
    for (nr, node) in nodes.iter().enumerate() {
        match node {
            Node::Token(at) => page.token(*at, begins_line),
            Node::Group(group) if group.fits(page, &nodes[nr + 1..], begins_line) => {
                for at in group.open..=group.close {
                    page.token(at, begins_line && at == group.open);
                }
            }
            Node::Group(group) => group.write(page, indent, begins_line),
        }
        begins_line = false;
    }
}

impl Group {
    /// Whether all of it fits, with the text that must follow on the line.
    fn fits(&self, page: &Page<'_>, rest: &[Node], begins_line: bool) -> bool {
        if self.must_break {
            return false;
        }
        if self.elements.is_empty() {
            return true;
        }
        let mut end = self.close + 1;
        for node in rest {
            end = node.tokens().end;
            if let Node::Group(group) = node {
                end = group.open + 1;
                break;
            }
        }
        page.column() + page.width(self.open..end, begins_line) <= super::WIDTH
    }

    fn write(&self, page: &mut Page<'_>, indent: usize, begins_line: bool) {
        page.token(self.open, begins_line);
        for element in &self.elements {
            element.before.iter().for_each(|comment| page.comment_line(*comment, indent + 1));
            page.line(indent + 1);
            write(page, &element.nodes, indent + 1, true);
            if let Some(comma) = element.comma {
                page.token(comma, element.nodes.is_empty());
            }
            if let Some(comment) = element.behind {
                page.comment_behind(comment);
            }
        }
        self.last.iter().for_each(|comment| page.comment_line(*comment, indent + 1));
        page.line(indent);
        page.token(self.close, true);
    }
}
