//! The parameters of the call being typed, and the current one.

use super::Position;
use super::analysis::Analysis;
use super::blocks::{self, Text};
use super::manual;
use super::resolve::{self, Member};
use crate::lex::TokenKind;

/// The forms of a call, with the parameter at the cursor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureHelp {
    /// Every form.
    pub forms: Vec<Form>,
    /// The argument at the cursor, from 0.
    pub active: usize,
    /// A sentence about the called function.
    pub doc: String,
    /// The offset of the call's `(`. Units: bytes.
    pub paren: u32,
}

/// `printf(format str, args ...) str`, with the ranges of its parameters. Units: bytes of the label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// The signature.
    pub label: String,
    /// The range of each parameter in the label.
    pub params: Vec<(u32, u32)>,
}

/// Each costs a search through the visible names, and calls further out are not of interest.
const MOST_CALLS: usize = 8;

pub(super) fn at(analysis: &Analysis, at: Position) -> Option<SignatureHelp> {
    let (text, offset) = (Text::of(analysis, at), analysis.clamp(at));
    let open = blocks::open_at(&text, offset);
    // The innermost call: lists and similar may be open in it, blocks may not.
    let inside = open.iter().rev().take_while(|open| open.kind != TokenKind::OpenCurly);
    for open in inside.filter(|open| open.kind == TokenKind::OpenParen).take(MOST_CALLS) {
        if let Some(help) = call(analysis, &text, open.at, offset, at) {
            return Some(help);
        }
    }
    None
}

fn call(analysis: &Analysis, text: &Text<'_>, paren: usize, offset: u32, at: Position) -> Option<SignatureHelp> {
    let is_part = |index: &usize| {
        matches!(text.kind(*index), TokenKind::Ident | TokenKind::Dot | TokenKind::Map | TokenKind::Collect)
    };
    let first = (0..paren).rev().take_while(is_part).last()?;
    let before = first.checked_sub(1).map_or(TokenKind::Newline, |before| text.kind(before));
    let tokens = &text.tokens.tokens;
    let name = text.slice(tokens[first].start, tokens[paren - 1].end);
    let (forms, doc) = match before {
        // The parameters of a definition.
        TokenKind::Func | TokenKind::Class | TokenKind::Colon => return None,
        TokenKind::Include => {
            let visible = blocks::visible(text, offset);
            let (file, class) = resolve::class_of(analysis, at.file, name, &visible, 0)?;
            (vec![resolve::own_head(analysis, file, &class)], String::new())
        }
        TokenKind::Dollar => {
            let span = text.span(tokens[first - 1]).to(text.span(tokens[paren - 1]));
            let types = match analysis.use_at(span) {
                Some(used) => analysis.types_defined_at(used.definition),
                None => Vec::new(),
            };
            let forms = types.iter().filter_map(|ty| Some(format!("${name}{}", ty.strip_prefix("func")?)));
            (forms.collect(), String::new())
        }
        _ => match resolve::function(analysis, at, name)? {
            Member::Function(def) => (manual::signatures(def), manual::first_sentence(def.doc).to_owned()),
            Member::Own(file, known) => {
                (vec![resolve::own_head(analysis, file, &known)], super::hover::comment_above(analysis, known.span))
            }
            Member::Variable(_) => return None,
        },
    };
    let forms: Vec<Form> = forms.into_iter().map(form).collect();
    let paren_end = tokens[paren].end;
    (!forms.is_empty()).then(|| SignatureHelp { forms, active: active(text, paren, offset), doc, paren: paren_end - 1 })
}

/// The number of the call's commas before the cursor.
fn active(text: &Text<'_>, paren: usize, offset: u32) -> usize {
    let mut depth = 0usize;
    let mut commas = 0;
    for token in text.tokens.tokens[paren + 1..].iter().take_while(|token| token.end <= offset) {
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBrack | TokenKind::OpenCurly => depth += 1,
            TokenKind::CloseParen | TokenKind::CloseBrack | TokenKind::CloseCurly => depth = depth.saturating_sub(1),
            TokenKind::Comma if depth == 0 => commas += 1,
            _ => {}
        }
    }
    commas
}

/// Finds the parameters in `name(a str, b map{str: int}) str`.
pub(super) fn form(label: String) -> Form {
    let mut params: Vec<(usize, usize)> = Vec::new();
    let Some(open) = label.find('(') else { return Form { label, params: Vec::new() } };
    let (mut depth, mut start) = (0usize, open + 1);
    for (at, byte) in label.bytes().enumerate().skip(open + 1) {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' if depth == 0 => {
                params.push((start, at));
                break;
            }
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                params.push((start, at));
                start = at + 1;
            }
            _ => {}
        }
    }
    let trim = |(from, to): (usize, usize)| {
        let blanks = label[from..to].len() - label[from..to].trim_start().len();
        ((from + blanks) as u32, to as u32)
    };
    let params = params.into_iter().map(trim).filter(|(from, to)| from < to).collect();
    Form { label, params }
}
