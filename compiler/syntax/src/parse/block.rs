//! Files and blocks: statements, each ended by a newline, with recovery at their ends.

use super::expr::{at_brace, id};
use super::input::{Expected, Fail, Input, Res, Why, tok};
use super::mistakes;
use super::recover::{self, Within};
use super::stmt::stmt;
use crate::ast::{Block, StmtId, StmtKind};
use crate::lex::TokenKind;

/// `program = prog`
pub(super) fn file(i: Input<'_>) -> Block {
    let start = i.span();
    let (i, stmts) = prog(i, Within::File);
    Block { stmts, span: start.at_start().to(i.span()) }
}

/// `"{" prog "}"`
pub(super) fn block(i: Input<'_>) -> Res<'_, Block> {
    let i = at_brace(i);
    let start = i.span();
    let (i, _) = tok(TokenKind::OpenCurly)(i)?;
    let (i, stmts) = i.session.nested(i, |i| Ok(prog(i, Within::Braces)))?;
    let (i, _) = tok(TokenKind::CloseCurly)(i)?;
    Ok((i, Block { stmts, span: i.span_from(start) }))
}

/// `prog = { stmt NL | NL }`
///
/// Never fails: a broken statement is reported, and becomes an error node.
fn prog(mut i: Input<'_>, within: Within) -> (Input<'_>, Vec<StmtId>) {
    let mut stmts = Vec::new();
    loop {
        match i.kind() {
            TokenKind::End => return (i, stmts),
            TokenKind::CloseCurly if within == Within::Braces => return (i, stmts),
            TokenKind::Newline => i = i.bump().0,
            TokenKind::Divide if mistakes::begins_comment(i) => i = mistakes::comment(i, i.index()),
            _ if i.session.is_exhausted() => return (i.at(i.session.tokens.tokens.len() - 1), stmts),
            _ => {
                let (after, id) = complete_stmt(i, within);
                stmts.append(&mut i.session.take_before());
                stmts.push(id);
                i = after;
            }
        }
    }
}

/// `stmt NL`, or recovery.
fn complete_stmt(i: Input<'_>, within: Within) -> (Input<'_>, StmtId) {
    match stmt(i) {
        Ok((after, id)) if after.kind() == TokenKind::Newline => (after.bump().0, id),
        Ok((after, id)) => {
            let (next, is_sound) = skip_to_end_of_line(after, i.kind() == TokenKind::Dollar, within);
            (next, if is_sound { id } else { salvage(i, after.index()) })
        }
        Err(error) => broken_stmt(i, error, within),
    }
}

/// The statement itself is sound; reports and skips only the rest of its line. The second part says whether the mistake
/// leaves the statement as it is.
fn skip_to_end_of_line(after: Input<'_>, is_bind: bool, within: Within) -> (Input<'_>, bool) {
    let at = after.index();
    after.session.expect(at, Expected::Token(TokenKind::Newline));
    let fail = Fail { at, why: Why::Unexpected };
    let (end, begins_before) = after.session.reach(fail);
    if end == at
        && !begins_before
        && let Some(next) = mistakes::after_statement(after)
    {
        return (next, true);
    }
    after.session.refuse(fail);
    // More of the value of a bind may follow.
    (recover::statement_end(after, end, within), !begins_before && !is_bind)
}

fn broken_stmt(i: Input<'_>, error: nom::Err<Fail>, within: Within) -> (Input<'_>, StmtId) {
    let fail = fail_of(error, i);
    let (end, _) = i.session.reach(fail);
    i.session.refuse(fail);
    (recover::statement_end(i, end, within), salvage(i, fail.at))
}

fn fail_of(error: nom::Err<Fail>, i: Input<'_>) -> Fail {
    match error {
        nom::Err::Error(fail) | nom::Err::Failure(fail) => fail,
        nom::Err::Incomplete(_) => Fail { at: i.index(), why: Why::Unexpected },
    }
}

/// The node of a broken statement. A bind keeps its name, so that its uses cause no errors.
fn salvage(i: Input<'_>, error_at: usize) -> StmtId {
    let span = i.at(error_at).span_from(i.span());
    let is_use = match i.kind_ahead(2) {
        TokenKind::Dot | TokenKind::Arrow => true,
        TokenKind::OpenBrack => i.kind_ahead(3) != TokenKind::CloseBrack,
        _ => false,
    };
    let is_bind = i.kind() == TokenKind::Dollar && error_at >= i.index() + 2 && !is_use;
    if is_bind && let Ok((after, name)) = id(i.bump().0) {
        let value = i.session.error_expr(span);
        let name_span = after.span_from(i.span());
        return i.session.stmt(StmtKind::Bind { name, name_span, ty: None, value }, span);
    }
    i.session.stmt(StmtKind::Error, span)
}
