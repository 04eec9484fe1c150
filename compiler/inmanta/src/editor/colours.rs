//! The classified tokens of a file. The classes that follow from the text are always present; the meaning of names is
//! added if known.

use super::models::Lookup;
use super::names::{self, Target};
use crate::lex::{Keyword, Tok};
use crate::program::Primitive;
use mclive_base::span::Span;
use mclive_ide::{Colour, ColouredToken};

pub(super) fn of(lookup: Lookup<'_>, range: Span) -> Vec<ColouredToken> {
    let Some(own) = lookup.own(range.file) else { return Vec::new() };
    let mut out = Vec::new();
    for token in &own.lexed.tokens {
        let is_here = token.span.start < range.end && token.span.end > range.start;
        if !is_here || matches!(token.tok, Tok::Eof | Tok::Illegal(_)) {
            continue;
        }
        let mark = lookup.marks.starting(range.file, token.span.start);
        let definition = mark.and_then(|mark| names::definition(lookup.model(), &mark.target));
        let defines = definition.is_some_and(|span| span.start == token.span.start && span.file == token.span.file);
        let is_core = mark.is_some() && definition.is_none_or(|span| lookup.own(span.file).is_none());
        let colour = match mark.map(|mark| &mark.target) {
            Some(target) => meaning(target),
            None => plain(&token.tok),
        };
        out.push(ColouredToken { span: token.span, colour, defines, is_core, is_unused: false });
    }
    out.extend(own.lexed.comments.iter().filter(|span| span.start < range.end && span.end > range.start).map(|span| {
        ColouredToken { span: *span, colour: Colour::Comment, defines: false, is_core: false, is_unused: false }
    }));
    out.sort_by_key(|token| token.span.start);
    out
}

fn meaning(target: &Target) -> Colour {
    match target {
        Target::Entity(_) => Colour::Class,
        Target::Attr(_) => Colour::Field,
        Target::Typedef(_) => Colour::Type,
        Target::Implementation(_) | Target::Function(_) => Colour::Function,
        Target::Namespace(_) => Colour::Module,
        Target::Variable(_) => Colour::Variable,
    }
}

fn plain(tok: &Tok) -> Colour {
    match tok {
        Tok::Keyword(Keyword::True | Keyword::False | Keyword::Null | Keyword::Undef) => Colour::Constant,
        Tok::Keyword(Keyword::Dict) => Colour::Type,
        Tok::Keyword(_) => Colour::Keyword,
        Tok::Regex | Tok::FString | Tok::RawString | Tok::String | Tok::LongString => Colour::Text,
        Tok::Id(name) if Primitive::of(name).is_some() => Colour::Type,
        Tok::Id(_) => Colour::Variable,
        Tok::Cid(_) => Colour::Class,
        Tok::Int | Tok::Float => Colour::Number,
        Tok::Path | Tok::Sign(_) => Colour::Mark,
        Tok::Arrow | Tok::Compare(_) | Tok::Add | Tok::Plus | Tok::Minus | Tok::Slash | Tok::Power => Colour::Operator,
        Tok::Illegal(_) | Tok::Eof => Colour::Mark,
    }
}
