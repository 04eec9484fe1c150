//! Parses tokens to a syntax tree. Spec, 3.
//!
//! In: a file's text. Out: a [`FileTree`], and errors in source order: the first is the one that the original reports.
//! After a syntax error the parser continues at the next statement or definition ([`recover`]).

mod define;
mod earlier;
mod expr;
mod foreign;
mod format;
mod interpolate;
mod literal;
mod name;
mod recover;
mod stmt;
mod unexpected;

pub(crate) use foreign::foreign_word;

use crate::ast::{Expr, ExprId, ExprKind, FileTree, Item, Path, Tree};
use crate::fault::{Class, Failure, Fault, Location, Warning, Within};
use crate::lex::escape::Reading;
use crate::lex::{self, Keyword, Tok, Token};
use crate::value::Value;
use mclive_base::ident::{Interner, Name};
use mclive_base::span::{FileId, Span};

/// Maximum nesting of brackets and blocks.
const MAX_NESTING: u32 = 120;
/// The most `elif` around a statement: later walks go through each.
const MAX_ELIFS: u32 = 200;
/// Maximum height of an expression: a chain of operators is as high as it is long.
const MAX_HEIGHT: u16 = 500;
/// The maximum number of expressions and statements of a model: more would not fit into the sandbox with the resulting
/// data.
const MAX_EXPRS: usize = 3_000_000;
const MAX_STMTS: usize = 1_500_000;

type Parsed<T> = Result<T, Failure>;

/// The result of parsing a file.
#[derive(Debug)]
pub struct ParsedFile {
    /// Its content.
    pub tree: FileTree,
    /// All errors.
    pub faults: Vec<Failure>,
    /// All warnings.
    pub warnings: Vec<Warning>,
    /// The text of what could not be read.
    pub lost: Vec<Span>,
}

/// Parses a file and adds its expressions and statements to the tree.
pub fn parse(file: FileId, text: &str, reading: Reading, tree: &mut Tree, names: &mut Interner) -> ParsedFile {
    let lexed = lex::lex(file, text, names);
    let mut parser = Parser {
        file,
        text,
        tokens: lexed.tokens,
        at: 0,
        tree,
        names,
        reading,
        nesting: 0,
        n_elifs: 0,
        faults: Vec::new(),
        warnings: Vec::new(),
        lost: Vec::new(),
    };
    if lexed.is_cut {
        let fault = parser.too_long(parser.tokens.last().map_or(Span::new(file, 0, 0), |token| token.span));
        parser.faults.push(fault);
    }
    let doc = parser.doc().unwrap_or_else(|fault| {
        parser.faults.push(fault);
        Some(parser.advance().span)
    });
    let items = parser.file();
    if !parser.faults.is_empty() && parser.has_open_string() {
        parser.lost = vec![Span::new(file, 0, text.len())];
    }
    let Parser { faults, warnings, lost, .. } = parser;
    ParsedFile { tree: FileTree { file, doc, items, comments: lexed.comments }, faults, warnings, lost }
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    tree: &'a mut Tree,
    names: &'a mut Interner,
    reading: Reading,
    nesting: u32,
    /// The number of `elif` branches so far in the same statement.
    n_elifs: u32,
    faults: Vec<Failure>,
    warnings: Vec<Warning>,
    lost: Vec<Span>,
}

impl Parser<'_> {
    fn file(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        let mut starts: Vec<usize> = Vec::new();
        while *self.tok() != Tok::Eof {
            let start = self.at;
            match self.item() {
                Ok(item) => {
                    items.push(item);
                    starts.push(start);
                }
                Err(fault) => {
                    let (start, fault) = self.misread(start, fault);
                    let n_kept = starts.partition_point(|at| *at < start);
                    items.truncate(n_kept);
                    starts.truncate(n_kept);
                    self.after_item(start, fault);
                }
            }
        }
        items
    }

    fn tok(&self) -> &Tok {
        &self.tokens[self.at].tok
    }

    /// The token `n` after the next one.
    fn ahead(&self, n: usize) -> &Tok {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].tok
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// From a start to the last consumed token.
    fn since(&self, start: Span) -> Span {
        let last = self.tokens[self.at.saturating_sub(1)].span;
        if last.end < start.end { start } else { start.to(last) }
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].clone();
        if token.tok != Tok::Eof {
            self.at += 1;
        }
        token
    }

    fn eat_sign(&mut self, sign: char) -> bool {
        let eats = *self.tok() == Tok::Sign(sign);
        self.at += usize::from(eats);
        eats
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let eats = *self.tok() == Tok::Keyword(keyword);
        self.at += usize::from(eats);
        eats
    }

    fn expect_sign(&mut self, sign: char) -> Parsed<Span> {
        let span = self.span();
        if self.eat_sign(sign) { Ok(span) } else { Err(self.unexpected()) }
    }

    fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<Span> {
        let span = self.span();
        if self.eat_keyword(keyword) { Ok(span) } else { Err(self.unexpected()) }
    }

    /// A lower-case word.
    fn expect_id(&mut self) -> Parsed<(Name, Span)> {
        match self.tok() {
            Tok::Id(name) => {
                let name = name.clone();
                Ok((name, self.advance().span))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn no_dash(&self, name: &str, span: Span) -> Parsed<()> {
        if !name.contains('-') {
            return Ok(());
        }
        let message = format!("The use of '-' in identifiers is not allowed. please rename {name}.");
        Err(Fault::new(Class::Hyphen, message).within(Within::Text(name.to_owned())).at(Location::Column(span)))
    }

    /// `a::b::c`, all in lower case.
    fn namespace_path(&mut self) -> Parsed<Path> {
        let start = self.span();
        let mut words = vec![self.expect_id()?.0];
        while *self.tok() == Tok::Path {
            self.at += 1;
            words.push(self.expect_id()?.0);
        }
        Ok(self.path(words, start))
    }

    fn path(&mut self, mut words: Vec<Name>, start: Span) -> Path {
        let name = words.pop().unwrap_or_else(|| self.names.intern(""));
        let namespace = if words.is_empty() { None } else { Some(self.names.intern(&words.join("::"))) };
        Path { namespace, name, span: self.since(start) }
    }

    /// An optional documentation string. Its escapes are read as those of any other string.
    fn doc(&mut self) -> Parsed<Option<Span>> {
        if *self.tok() != Tok::LongString {
            return Ok(None);
        }
        let span = self.span();
        self.decode(span, 3, 3, "multi-line string")?;
        self.at += 1;
        Ok(Some(span))
    }

    /// Guards entering a nested construct.
    fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return Err(self.too_deep(self.span()));
        }
        self.nesting += 1;
        let result = inside(self);
        self.nesting -= 1;
        result
    }

    fn too_deep(&self, span: Span) -> Failure {
        Fault::new(Class::Limit, "the model is nested too deeply here").at(Location::Column(span))
    }

    fn too_long(&self, span: Span) -> Failure {
        Fault::new(Class::Limit, "the model is too long")
            .at(Location::Column(span))
            .help("replace repetition with a loop over a list")
    }

    /// Adds an expression; its height is one more than that of its highest part.
    fn expr(&mut self, kind: ExprKind, span: Span, at: Span, is_precise: bool) -> Parsed<ExprId> {
        self.constant_expr(kind, None, span, at, is_precise)
    }

    fn constant_expr(
        &mut self,
        kind: ExprKind,
        constant: Option<Value>,
        span: Span,
        at: Span,
        is_precise: bool,
    ) -> Parsed<ExprId> {
        let mut height = 0;
        kind.for_each_child(|child| height = height.max(self.tree.exprs[child].height));
        if self.tree.exprs.len() >= MAX_EXPRS {
            return Err(self.too_long(span));
        }
        if height >= MAX_HEIGHT {
            return Err(self.too_deep(span));
        }
        Ok(self.tree.exprs.push(Expr { kind, span, at, is_precise, constant, height: height + 1 }))
    }
}
