//! Guesses the intention at an unexpected token. Language spec, 3.2 and 3.5.

use super::beside;
use super::foreign::{is_end_word, is_import_word, type_of};
use super::input::ExpectedSet;
use super::nearby::{
    begins_with, collected, has_parameters, is_called, is_closed, is_first, is_option, is_variable_of_the_environment,
    is_within_if, word_at, word_of_braces,
};
use super::session::Session;
use super::unfinished;
use super::unforeseen::snake;
use crate::ident::capitalized;
use crate::lex::{Token, TokenKind};

/// The likely intention.
pub(super) fn hint(session: &Session<'_>, at: usize, expected: ExpectedSet) -> Option<String> {
    let tokens = &session.tokens.tokens;
    let token = tokens[at];
    let before = at.checked_sub(1).map_or(TokenKind::Newline, |before| tokens[before].kind);
    let touches = |left: Token| left.end == token.start;
    let next = tokens.get(at + 1).map_or(TokenKind::End, |next| next.kind);
    let word_before = |n: usize| at.checked_sub(n).map_or("", |at| session.text(tokens[at]));
    if let Some(help) = beside::help(session, at, expected) {
        return Some(help);
    }
    let hint = match token.kind {
        TokenKind::Int | TokenKind::Float
            if session.text(token).starts_with('-') && expected.has(TokenKind::Newline) =>
        {
            format!("a `-` directly before a digit makes a negative number: write `- {}`", &session.text(token)[1..])
        }
        TokenKind::CapIdent if at > 0 && touches(tokens[at - 1]) && before == TokenKind::Ident => {
            let (first, rest) = (session.text(tokens[at - 1]), session.text(token).to_ascii_lowercase());
            let sigil = if word_before(2) == "$" { "$" } else { "" };
            format!("names cannot contain capital letters: write `{sigil}{first}_{rest}`")
        }
        // The first letter of `NOOP` is its own token.
        TokenKind::CapIdent
            if before == TokenKind::CapIdent
                && touches(tokens[at - 1])
                && expected.has(TokenKind::OpenBrack)
                && is_first(session, at - 1) =>
        {
            let kind = word_at(session, at - 1).0.to_ascii_lowercase();
            format!(
                "declare a resource as `{kind} \"name\" {{ … }}`, and refer to it as `{}[\"name\"]`",
                capitalized(&kind)
            )
        }
        TokenKind::Minus
            if touches(tokens[at - 1]) && before == TokenKind::Ident && expected.has(TokenKind::Equals) =>
        {
            "names cannot contain hyphens: write `_`".into()
        }
        TokenKind::Ident if expected.has(TokenKind::OpenCurly) && session.text(token) == "inherits" => {
            "MCL has no inheritance: write `include base` in the class".into()
        }
        TokenKind::Ident if matches!(session.text(token), "then" | "do" | "begin") => {
            "write a block in braces: `{ … }`".into()
        }
        TokenKind::Newline if before == TokenKind::Ident && is_end_word(session.text(tokens[at - 1])) => {
            "write a block in braces: `{ … }`".into()
        }
        TokenKind::Ident if before == TokenKind::Import => format!("write `import \"{}\"`", session.text(token)),
        TokenKind::Import => "modules are imported as a whole: write `import \"fmt\"`, then `fmt.printf(…)`".into(),
        TokenKind::Str if before == TokenKind::CapIdent && expected.has(TokenKind::OpenBrack) => {
            let kind = word_before(1).to_ascii_lowercase();
            format!("a resource is declared in lower case: `{kind} {} {{ … }}`", session.text(token))
        }
        TokenKind::Str if expected.has(TokenKind::Ident) && expected.has(TokenKind::CloseCurly) => {
            "the fields of a struct have no quotes: `struct{a => 1}`; write a map as `{\"a\" => 1}`".into()
        }
        TokenKind::Str if before == TokenKind::Str && touches(tokens[at - 1]) => {
            "a string has one quote on each side, and may span several lines".into()
        }
        TokenKind::Str if before == TokenKind::Include && session.has_class(session.text(token).trim_matches('"')) => {
            format!("a class has no quotes: write `include {}`", session.text(token).trim_matches('"'))
        }
        TokenKind::Str if before == TokenKind::Include => {
            format!("`include` takes a class; to read a file, write `import {}`", session.text(token))
        }
        TokenKind::Str
            if before == TokenKind::Str && expected.has(TokenKind::CloseParen) && expected.has(TokenKind::Comma) =>
        {
            "arguments are separated by commas; strings are joined with `+`".into()
        }
        TokenKind::Str if matches!(before, TokenKind::Str | TokenKind::Dot) => "strings are joined with `+`".into(),
        TokenKind::OpenParen if before == TokenKind::For => LOOP.into(),
        TokenKind::Equals if expected.has(TokenKind::Comma) && begins_with(session, at, TokenKind::For) => LOOP.into(),
        TokenKind::For if expected.has_expression() => {
            "to transform a list, write `iter.map($list, func($x) { … })`, after `import \"iter\"`".into()
        }
        TokenKind::If if expected.has(TokenKind::Newline) => {
            "write a conditional as `if $condition { … } else { … }`, with both values in braces".into()
        }
        TokenKind::Dot if before == TokenKind::Int && next == TokenKind::Dot => {
            "for a list of numbers, write `iter.range(1, 6)`, after `import \"iter\"`".into()
        }
        TokenKind::Dot if next == TokenKind::Int && expected.has_expression() => {
            format!("a float begins with a digit: write `0.{}`", session.text(tokens[at + 1]))
        }
        TokenKind::Dot
            if next == TokenKind::Ident
                && expected.has(TokenKind::Newline)
                && matches!(before, TokenKind::CloseCurly | TokenKind::CloseBrack | TokenKind::CloseParen) =>
        {
            let part = session.text(tokens[at + 1]);
            format!(
                "define a variable for the value: write `$name->{part}` for a field of a struct, or `$name[\"{part}\"]` for a value of a map"
            )
        }
        TokenKind::Dot if before == TokenKind::CapIdent && word_before(1) == "Meta" => {
            "write a meta parameter as `Meta:noop => true,`".into()
        }
        TokenKind::Lt if next == TokenKind::Lt && expected.has_expression() => {
            "a string may span several lines: `\"…\"`".into()
        }
        // After an `if` that is a statement.
        TokenKind::Comma | TokenKind::CloseParen | TokenKind::CloseBrack
            if expected.has(TokenKind::Else) && expected.has(TokenKind::Newline) =>
        {
            format!("the statement ends with its `}}`: remove the `{}`", session.text(token))
        }
        TokenKind::Comma | TokenKind::CloseParen | TokenKind::CloseBrack | TokenKind::CloseCurly
            if expected.has(TokenKind::Else) && !expected.has(TokenKind::Newline) =>
        {
            "an `if` expression needs a value in both cases: add `else { … }`".into()
        }
        TokenKind::Comma if expected.has(TokenKind::OpenCurly) && next == TokenKind::OpenCurly => {
            "remove the comma".into()
        }
        TokenKind::Comma if expected.has(TokenKind::OpenCurly) && before == TokenKind::Str => {
            let what = if begins_with(session, at, TokenKind::If) { "values" } else { "names" };
            format!("write several {what} as a list: `[{}, …]`", word_before(1))
        }
        TokenKind::Comma if expected.has(TokenKind::Equals) => "define each variable in a separate statement".into(),
        TokenKind::Comma
            if expected.has(TokenKind::Rocket)
                && before == TokenKind::Ident
                && (is_first(session, at - 1) || word_before(2) == "{") =>
        {
            format!("write the value: `{} => …,`", word_before(1))
        }
        TokenKind::Comma if expected.has(TokenKind::Rocket) => {
            "write a list as `[…]`; a map has keys: `{\"a\" => 1}`".into()
        }
        TokenKind::Comma if expected.has(TokenKind::CloseParen) => {
            "write several values as a list, `[1, 2]`, or a struct, `struct{a => 1, b => 2}`".into()
        }
        TokenKind::OpenBrack if before == TokenKind::Map => "write the type of a map as `map{str: int}`".into(),
        TokenKind::Rocket | TokenKind::Gt if expected.has(TokenKind::Arrow) => "write an edge as `->`".into(),
        TokenKind::Rocket
            if before == TokenKind::Ident
                && expected.has_expression()
                && begins_with(session, at, TokenKind::Ident)
                && is_first(session, at - 1) =>
        {
            let name = word_before(1);
            format!(
                "a field belongs in a resource: `kind \"name\" {{ {name} => …, }}`; write a variable as `${name} = …`"
            )
        }
        TokenKind::Rocket if before == TokenKind::CloseParen && expected.has(TokenKind::Newline) => {
            "write a function as `func($x) { … }`".into()
        }
        TokenKind::OpenParen if before == TokenKind::CapIdent => "write the name in brackets: `[\"name\"]`".into(),
        TokenKind::Colon if expected.has(TokenKind::CloseParen) && expected.has_type() => {
            "the type follows the name without a colon: `$x int`".into()
        }
        TokenKind::Semicolon
            if expected.words() == ["`}`"] && matches!(next, TokenKind::CloseCurly | TokenKind::Newline) =>
        {
            "remove the `;`".into()
        }
        TokenKind::Equals if expected.has(TokenKind::CloseCurly) => {
            "the body of a function is a single expression: define variables outside of it".into()
        }
        TokenKind::Str | TokenKind::Int | TokenKind::Float | TokenKind::Bool | TokenKind::OpenBrack
            if before == TokenKind::Newline && expected.words() == ["`}`"] =>
        {
            "a function and each branch of an `if` have a single expression: remove one, or join them with `+`".into()
        }
        TokenKind::Rocket if expected.has(TokenKind::CloseParen) => "write a function as `func($x) { … }`".into(),
        TokenKind::Rocket if expected.has(TokenKind::Equals) => "a variable is defined with `=`".into(),
        TokenKind::Multiply if before == TokenKind::Multiply => {
            "for a power, write `math.pow($a, $b)`, after `import \"math\"`".into()
        }
        TokenKind::Minus if expected.has_expression() && is_option(session, at) => {
            "this looks like a shell command: to run one, write `exec \"name\" { cmd => \"…\", }`".into()
        }
        TokenKind::Minus if expected.has_expression() => "there is no unary minus: write `0 - …`".into(),
        TokenKind::CloseCurly if expected.words().contains(&"a statement") => {
            "unmatched `}`: remove it, or add the missing `{`".into()
        }
        kind if kind.is_reserved_word() && expected.has(TokenKind::Ident) => {
            let rename = if before == TokenKind::Dollar { ": choose another name" } else { "" };
            format!("`{}` is a reserved word{rename}", session.text(token))
        }
        TokenKind::CapIdent if before == TokenKind::Dollar && is_variable_of_the_environment(session, at) => {
            let (name, _) = word_at(session, at);
            format!("read an environment variable with `sys.getenv(\"{name}\")`, after `import \"sys\"`")
        }
        TokenKind::CapIdent if expected.has_expression() && is_variable_of_the_environment(session, at) => {
            let (name, _) = word_at(session, at);
            format!("write `\"{name}\"` for a string, or `${}` for a variable", name.to_ascii_lowercase())
        }
        TokenKind::CapIdent if expected.has_expression() && is_called(session, at) => {
            format!("names cannot contain capital letters: write `{}(…)`", snake(&word_at(session, at).0))
        }
        TokenKind::CapIdent if expected.has(TokenKind::Ident) => {
            format!("names begin with a lower case letter: `{}`", session.text(token).to_ascii_lowercase())
        }
        TokenKind::Ident if expected.has(TokenKind::Dollar) && expected.has(TokenKind::CloseParen) => {
            format!("parameters begin with `$`: `${}`", session.text(token))
        }
        TokenKind::Ident if names_a_type(session, at, expected) => match type_of(session.text(token)) {
            Some(ty) => format!("write the type as `{ty}`"),
            None => {
                "the types are `bool`, `str`, `int`, `float`, `[]T`, `map{K: V}`, `struct{…}` and `func(…) T`".into()
            }
        },
        TokenKind::Dollar if before == TokenKind::As && next == TokenKind::Ident => {
            format!("the name after `as` has no `$`: write `{}`", session.text(tokens[at + 1]))
        }
        TokenKind::Str if before == TokenKind::Panic => format!("write `panic({})`", session.text(token)),
        TokenKind::Colon
            if before == TokenKind::CloseParen
                && expected.has(TokenKind::OpenCurly)
                && !begins_with(session, at, TokenKind::Class)
                && has_parameters(session, at) =>
        {
            "the return type follows the parameters without a colon: `func($x) str { … }`".into()
        }
        TokenKind::Arrow if before == TokenKind::CloseParen && expected.has(TokenKind::OpenCurly) => {
            "the return type follows the parameters without an arrow: `func($x) str { … }`".into()
        }
        TokenKind::Equals if expected.has(TokenKind::OpenCurly) && begins_with(session, at, TokenKind::Func) => {
            "the body of a function is written in braces: `func f($x) { … }`".into()
        }
        TokenKind::Equals if expected.has(TokenKind::CloseParen) && has_parameters(session, at) => {
            "parameters have no default values: remove the default, and write the value in each call or `include`"
                .into()
        }
        TokenKind::Newline if expected.has(TokenKind::OpenCurly) && begins_with(session, at, TokenKind::Class) => {
            "a class needs a body: `{`, its statements, and `}` on a separate line".into()
        }
        TokenKind::Newline if before == TokenKind::Str && is_import_word(word_before(2)) => {
            format!("write `import {}`", word_before(1))
        }
        TokenKind::Newline
            if expected.has(TokenKind::OpenCurly)
                && before == TokenKind::CloseCurly
                && word_of_braces(session, at).is_some_and(|(word, _)| session.has_class(word)) =>
        {
            let word = word_of_braces(session, at).map_or("", |(word, _)| word);
            format!("include the class: `include {word}`")
        }
        TokenKind::Newline
            if expected.has(TokenKind::OpenCurly) && before == TokenKind::CloseCurly && word_before(2) == "{" =>
        {
            format!("a resource needs a name before its body: `{} \"name\" {{}}`", word_before(3))
        }
        TokenKind::Newline
            if expected.has(TokenKind::OpenCurly)
                && before == TokenKind::CloseCurly
                && collected(session, at).is_some() =>
        {
            let kind = collected(session, at).unwrap_or_default();
            format!("write the name of the resources to collect: `collect {kind} \"name\" {{ … }}`")
        }
        TokenKind::Newline if expected.has(TokenKind::OpenCurly) && before == TokenKind::Str => {
            "a resource needs a body, even if it is empty: `{}`".into()
        }
        TokenKind::Comma if expected.has(TokenKind::Newline) && before == TokenKind::CloseCurly => {
            "statements are separated by newlines: remove the comma".into()
        }
        TokenKind::Arrow if expected.has(TokenKind::Newline) && before == TokenKind::CloseCurly => {
            unfinished::edge_between(session, at)
        }
        TokenKind::OpenCurly if before == TokenKind::Func && expected.has(TokenKind::OpenParen) => {
            "a function needs parentheses, even without parameters: `func() { … }`".into()
        }
        TokenKind::OpenCurly if expected.has(TokenKind::Comma) && begins_with(session, at, TokenKind::For) => {
            "a loop needs two variables: `for $index, $value in $list { … }`".into()
        }
        TokenKind::OpenCurly if expected.has(TokenKind::Comma) && begins_with(session, at, TokenKind::ForKv) => {
            "a loop needs two variables: `forkv $key, $value in $map { … }`".into()
        }
        TokenKind::OpenCurly if before == TokenKind::Class => "a class needs a name: `class name { … }`".into(),
        TokenKind::OpenCurly if before == TokenKind::Func && expected.has(TokenKind::Ident) => {
            "a function needs a name: `func name($x) { … }`".into()
        }
        TokenKind::OpenCurly if before == TokenKind::Include => {
            "write the name of a class, as in `include base`".into()
        }
        TokenKind::In if before == TokenKind::For => "write a loop as `for $index, $value in $list { … }`".into(),
        TokenKind::In if before == TokenKind::ForKv => {
            "write a loop over a map as `forkv $key, $value in $map { … }`".into()
        }
        TokenKind::OpenCurly if before == TokenKind::For => {
            "write a loop as `for $index, $value in $list { … }`".into()
        }
        TokenKind::OpenCurly if before == TokenKind::ForKv => {
            "write a loop over a map as `forkv $key, $value in $map { … }`".into()
        }
        TokenKind::Equals if expected.has(TokenKind::OpenCurly) => "compare with `==`".into(),
        TokenKind::Equals if before == TokenKind::Equals => "a variable is defined with one `=`".into(),
        TokenKind::Else if unfinished::follows_if(session, at) => {
            "write `else` on the line of the `}` before it".into()
        }
        TokenKind::Else if is_first(session, at) && is_within_if(session, at) => {
            "the `if` before it is not closed: write `} else {`".into()
        }
        TokenKind::Else => "an `else` belongs to an `if`: `if $condition { … } else { … }`".into(),
        TokenKind::If if before == TokenKind::Else => "nest the second `if`: `else { if … { … } }`".into(),
        TokenKind::CloseCurly if expected.has(TokenKind::Newline) && is_closed(&tokens[..at]) => {
            "unmatched `}`: remove it, or add the missing `{`".into()
        }
        TokenKind::CloseCurly if expected.has(TokenKind::Newline) => {
            "every statement ends with a newline: write the `}` on a separate line".into()
        }
        TokenKind::CloseParen | TokenKind::CloseBrack | TokenKind::CloseCurly if before == TokenKind::Comma => {
            unfinished::before_close(session, at)
        }
        TokenKind::CloseParen if expected.has(TokenKind::CloseBrack) && !expected.has(TokenKind::CloseParen) => {
            "close the list with `]`".into()
        }
        TokenKind::CloseBrack if expected.has(TokenKind::CloseParen) && !expected.has(TokenKind::CloseBrack) => {
            "close the arguments with `)`".into()
        }
        TokenKind::Newline
            if expected.has(TokenKind::Comma)
                && !expected.has(TokenKind::CloseParen)
                && !expected.has(TokenKind::CloseBrack)
                && begins_with(session, at, TokenKind::CapIdent) =>
        {
            "every item of a resource ends with a comma, including the last one".into()
        }
        TokenKind::Newline
            if expected.has(TokenKind::Comma)
                && ![TokenKind::CloseParen, TokenKind::CloseBrack, TokenKind::CloseCurly]
                    .into_iter()
                    .any(|close| expected.has(close) && !session.closes_later(at, close)) =>
        {
            "with one element per line, every element ends with a comma, including the last one".into()
        }
        TokenKind::Newline if next == TokenKind::Else && expected.has(TokenKind::Else) => {
            "write `else` on this line, after the `}`".into()
        }
        TokenKind::Newline if before == TokenKind::Arrow && expected.has(TokenKind::Ident) => {
            "write the name of a field after `->`, as in `$value->name`".into()
        }
        TokenKind::CloseParen if expected.has(TokenKind::Newline) => {
            "unmatched `)`: remove it, or add the missing `(`".into()
        }
        TokenKind::CloseBrack if expected.has(TokenKind::Newline) => {
            "unmatched `]`: remove it, or add the missing `[`".into()
        }
        TokenKind::Newline if before == TokenKind::Comma => unfinished::after_comma(session, at),
        TokenKind::Newline if expected.has_expression() && before == TokenKind::OpenBrack => {
            "write the value and the `]` on the same line".into()
        }
        TokenKind::Newline if expected.has_expression() => {
            format!("write the value after `{}` on the same line", word_before(1))
        }
        TokenKind::Newline if expected.has(TokenKind::Else) => {
            "an `if` expression needs a value in both cases: add `else { … }`".into()
        }
        TokenKind::OpenParen if before == TokenKind::CloseParen || before == TokenKind::CloseBrack => {
            "only a name or a function literal can be called: define `$f = …` and call `$f(…)`".into()
        }
        TokenKind::Eq
        | TokenKind::Neq
        | TokenKind::Lt
        | TokenKind::Gt
        | TokenKind::Lte
        | TokenKind::Gte
        | TokenKind::In
            if expected == ExpectedSet::default() =>
        {
            "comparisons cannot be chained: combine two of them with `and`".into()
        }
        _ => return None,
    };
    Some(hint)
}

/// The help for a loop that counts.
const LOOP: &str = "a loop iterates over a list: `for $index, $value in iter.range(10) { … }`, after `import \"iter\"`";

/// Whether the word is where only a type can be, in a bind or inside another type.
fn names_a_type(session: &Session<'_>, at: usize, expected: ExpectedSet) -> bool {
    let after_bound_name = at >= 2
        && session.tokens.tokens[at - 1].kind == TokenKind::Ident
        && session.tokens.tokens[at - 2].kind == TokenKind::Dollar
        && expected.has(TokenKind::Equals);
    after_bound_name || expected.has_type()
}
