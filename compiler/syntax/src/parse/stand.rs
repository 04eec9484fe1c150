//! What is allowed at a place, in the language's words: the help of an unexpected token whose intention is unknown.

use super::input::ExpectedSet;
use crate::lex::TokenKind;

/// The form of what is expected.
pub(super) fn help(expected: ExpectedSet) -> Option<&'static str> {
    let words = expected.words();
    let has = |kind| expected.has(kind);
    Some(match () {
        () if words.contains(&"a statement") => {
            "a statement begins with `$name =`, the kind of a resource, `if`, `for`, `func`, `class`, `include` or \
             `import`"
        }
        () if words.contains(&"a field, an edge, a meta parameter") => {
            "a resource holds fields, `name => value,`, edges, `Depend => Kind[\"name\"],`, and meta parameters, \
             `Meta:noop => true,`"
        }
        () if expected.has_type() && has(TokenKind::CloseParen) => "write a parameter as `$name` or `$name type`",
        () if expected.has_type() => {
            "the types are `bool`, `str`, `int`, `float`, `[]T`, `map{K: V}`, `struct{…}` and `func(…) T`"
        }
        () if expected.has_expression() => {
            "a value is a string in double quotes, a number, a variable, a call, a list `[…]`, a map `{…}`, a struct, \
             a function or `if … { … } else { … }`"
        }
        () if has(TokenKind::Elvis) => "a field ends with a comma: `name => value,`",
        () if has(TokenKind::Rocket) && has(TokenKind::Colon) => {
            "write `Depend => Kind[\"name\"],` or `Meta:noop => true,`"
        }
        () if has(TokenKind::Rocket) => "a name and its value are separated by `=>`",
        () if has(TokenKind::Newline) => {
            "a statement ends at the end of its line; values are combined with `+`, `-`, `*`, `/`, `==`, `!=`, `<`, `>`, `and`, \
             `or` or `in`"
        }
        () if has(TokenKind::Comma) && has(TokenKind::CloseParen) => {
            "separate the arguments with commas, and add the `)`"
        }
        () if has(TokenKind::Comma) && !has(TokenKind::CloseBrack) && !has(TokenKind::CloseCurly) => {
            "add a comma: the last item ends with one, too"
        }
        () if has(TokenKind::Comma) => "separate the values with commas, and close the bracket",
        () if has(TokenKind::CloseParen) => "add the missing `)`",
        () if has(TokenKind::CloseBrack) => "add the missing `]`",
        () if has(TokenKind::CloseCurly) => "add the missing `}`",
        () if has(TokenKind::OpenCurly) => "write the body in braces: `{ … }`",
        () if has(TokenKind::Equals) => "define a variable with `$name = …`",
        () if has(TokenKind::OpenBrack) => "refer to a resource as `Kind[\"name\"]`",
        () if has(TokenKind::Arrow) => "write an edge as `Kind[\"a\"] -> Kind[\"b\"]`",
        () if has(TokenKind::In) => "write a loop as `for $index, $value in $list { … }`",
        () if has(TokenKind::Ident) => {
            "a name begins with a lower case letter, and consists of letters, digits and `_`"
        }
        () if has(TokenKind::CapIdent) => "refer to a resource as `Kind[\"name\"]`",
        () if has(TokenKind::Dollar) => "write a variable as `$name`",
        () if has(TokenKind::OpenParen) => "write a call as `name(…)`",
        () => return None,
    })
}
