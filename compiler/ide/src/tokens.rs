//! The classified tokens of a file, with what a plain highlighter cannot know: whether a name is a parameter, a core
//! function or an alias, whether it is used, and the interpolated parts of strings.

use super::analysis::Analysis;
use super::marks::{Mark, Role};
use crate::lex::{Token, TokenKind};
use crate::span::Span;
use rustc_hash::FxHashSet;

/// A span of text in one colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColouredToken {
    /// The span.
    pub span: Span,
    /// Its class.
    pub colour: Colour,
    /// Whether it defines the name.
    pub defines: bool,
    /// Whether it is part of the standard library.
    pub is_core: bool,
    /// Whether it is an unused definition.
    pub is_unused: bool,
}

/// The class of a token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Colour {
    /// A keyword.
    Keyword,
    /// A type.
    Type,
    /// A string.
    Text,
    /// A number.
    Number,
    /// A constant such as `true`.
    Constant,
    /// A comment.
    Comment,
    /// An operator.
    Operator,
    /// Punctuation.
    Mark,
    /// A variable.
    Variable,
    /// A parameter or loop variable.
    Parameter,
    /// A function.
    Function,
    /// A class.
    Class,
    /// A module or alias.
    Module,
    /// A resource kind.
    Kind,
    /// A field.
    Field,
    /// A meta parameter or edge word.
    Meta,
    /// Any other name.
    Name,
}

impl Colour {
    /// Every colour, in the order of the enum.
    pub const ALL: [Colour; 17] = [
        Colour::Keyword,
        Colour::Type,
        Colour::Text,
        Colour::Number,
        Colour::Constant,
        Colour::Comment,
        Colour::Operator,
        Colour::Mark,
        Colour::Variable,
        Colour::Parameter,
        Colour::Function,
        Colour::Class,
        Colour::Module,
        Colour::Kind,
        Colour::Field,
        Colour::Meta,
        Colour::Name,
    ];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Colour::Keyword => "keyword",
            Colour::Type => "type",
            Colour::Text => "string",
            Colour::Number => "number",
            Colour::Constant => "constant",
            Colour::Comment => "comment",
            Colour::Operator => "operator",
            Colour::Mark => "mark",
            Colour::Variable => "variable",
            Colour::Parameter => "parameter",
            Colour::Function => "function",
            Colour::Class => "class",
            Colour::Module => "module",
            Colour::Kind => "kind",
            Colour::Field => "field",
            Colour::Meta => "meta",
            Colour::Name => "name",
        }
    }
}

pub(super) fn of(analysis: &Analysis, range: Span) -> Vec<ColouredToken> {
    let parsed = analysis.parsed(range.file);
    let used: FxHashSet<Span> = analysis.linked().uses.iter().map(|used| used.definition).collect();
    let params: FxHashSet<Span> =
        parsed.marks.iter().filter(|mark| mark.role == Role::Param).map(|mark| mark.span).collect();
    let painter = Painter { analysis, used, params };
    let mut out: Vec<ColouredToken> = Vec::new();
    let in_range = |span: Span| span.end > range.start && span.start < range.end;
    for mark in parsed.marks.iter().filter(|mark| in_range(mark.span)) {
        painter.mark(mark, &mut out);
    }
    let n_marked = out.len();
    for token in parsed.tokens.tokens.iter() {
        let span = Span { file: range.file, start: token.start, end: token.end };
        if in_range(span) && span.start < span.end {
            painter.token(*token, span, n_marked, &mut out);
        }
    }
    let comments = parsed.tokens.comments.iter().filter(|span| in_range(**span));
    out.extend(comments.map(|span| plain(*span, Colour::Comment)));
    out.sort_by_cached_key(|token| token.span.in_file());
    out
}

fn plain(span: Span, colour: Colour) -> ColouredToken {
    ColouredToken { span, colour, defines: false, is_core: false, is_unused: false }
}

struct Painter<'a> {
    analysis: &'a Analysis,
    used: FxHashSet<Span>,
    params: FxHashSet<Span>,
}

impl Painter<'_> {
    fn mark(&self, mark: &Mark, out: &mut Vec<ColouredToken>) {
        let own = |colour| ColouredToken {
            defines: true,
            is_unused: !self.used.contains(&mark.span) && self.analysis.diags().is_empty(),
            ..plain(mark.span, colour)
        };
        let token = match &mark.role {
            Role::Bind => own(Colour::Variable),
            Role::Param => ColouredToken { is_unused: false, ..own(Colour::Parameter) },
            Role::FuncDef => own(Colour::Function),
            Role::ClassDef => own(Colour::Class),
            Role::Var { .. } | Role::CallVar => return self.dotted(mark, Colour::Variable, out),
            Role::Call => return self.dotted(mark, Colour::Function, out),
            Role::Class => return self.dotted(mark, Colour::Class, out),
            Role::Kind | Role::HalfKind { .. } => ColouredToken { is_core: true, ..plain(mark.span, Colour::Kind) },
            Role::Field { .. } | Role::SentField { .. } => plain(mark.span, Colour::Field),
            Role::StructField | Role::FieldAccess => plain(mark.span, Colour::Name),
            Role::EdgeWord | Role::Meta => plain(mark.span, Colour::Meta),
            Role::Import => plain(mark.span, Colour::Text),
            Role::Alias => ColouredToken { defines: true, ..plain(mark.span, Colour::Module) },
            Role::Type => plain(mark.span, Colour::Type),
            Role::Operator => plain(mark.span, Colour::Operator),
        };
        out.push(token);
    }

    /// A use: its alias, if it has one, and the name after it.
    fn dotted(&self, mark: &Mark, colour: Colour, out: &mut Vec<ColouredToken>) {
        let definition = self.analysis.use_at(mark.span).map(|used| used.definition);
        let colour =
            if definition.is_some_and(|span| self.params.contains(&span)) { Colour::Parameter } else { colour };
        let text = self.analysis.text(mark.span);
        let is_core = definition.is_none();
        let Some(dot) = text.rfind('.').filter(|_| self.analysis.alias_at(mark.span).is_some()) else {
            return out.push(ColouredToken { is_core, ..plain(mark.span, colour) });
        };
        let dot = mark.span.start + dot as u32;
        out.push(plain(Span { end: dot, ..mark.span }, Colour::Module));
        out.push(ColouredToken { is_core, ..plain(Span { start: dot + 1, ..mark.span }, colour) });
    }

    /// A token outside any mark.
    fn token(&self, token: Token, span: Span, n_marked: usize, out: &mut Vec<ColouredToken>) {
        let marked = &out[..n_marked];
        let next = marked.partition_point(|mark| mark.span.end <= span.start);
        let is_covered = marked.get(next).is_some_and(|mark| mark.span.start < span.end);
        if is_covered && token.kind != TokenKind::Str {
            return;
        }
        if token.kind == TokenKind::Str {
            // The text around interpolations.
            let mut from = span.start;
            let mut pieces = Vec::new();
            for mark in marked[next..].iter().take_while(|mark| mark.span.start < span.end) {
                pieces.push(Span { start: from, end: mark.span.start, ..span });
                from = mark.span.end;
            }
            pieces.push(Span { start: from, ..span });
            out.extend(
                pieces.into_iter().filter(|piece| piece.start < piece.end).map(|piece| plain(piece, Colour::Text)),
            );
            return;
        }
        out.extend(lexical(token.kind).map(|colour| plain(span, colour)));
    }
}

/// The class of a token by its kind alone.
fn lexical(kind: TokenKind) -> Option<Colour> {
    Some(match kind {
        TokenKind::Newline | TokenKind::End => return None,
        TokenKind::BoolType
        | TokenKind::StrType
        | TokenKind::IntType
        | TokenKind::FloatType
        | TokenKind::Map
        | TokenKind::Struct
        | TokenKind::Variant => Colour::Type,
        TokenKind::Bool => Colour::Constant,
        TokenKind::Int | TokenKind::Float => Colour::Number,
        TokenKind::Str => Colour::Text,
        TokenKind::Ident => Colour::Name,
        TokenKind::CapIdent => Colour::Kind,
        TokenKind::Dollar => Colour::Variable,
        kind if kind.is_reserved_word() => Colour::Keyword,
        TokenKind::Elvis
        | TokenKind::Except
        | TokenKind::Rocket
        | TokenKind::Equals
        | TokenKind::Plus
        | TokenKind::Minus
        | TokenKind::Multiply
        | TokenKind::Divide
        | TokenKind::Eq
        | TokenKind::Neq
        | TokenKind::Lt
        | TokenKind::Gt
        | TokenKind::Lte
        | TokenKind::Gte
        | TokenKind::Arrow => Colour::Operator,
        _ => Colour::Mark,
    })
}

/// The class of the name at a position.
#[cfg(test)]
pub(super) fn colour_at(analysis: &Analysis, at: super::Position) -> Option<ColouredToken> {
    let whole = Span { file: at.file, start: 0, end: u32::MAX };
    of(analysis, whole).into_iter().find(|token| token.span.start <= at.offset && at.offset < token.span.end)
}
