//! Descriptions of keywords.

use crate::lex::TokenKind;

/// A line about a keyword, for hover and completion; `None` for other tokens.
pub(super) fn doc(kind: TokenKind) -> Option<&'static str> {
    Some(match kind {
        TokenKind::If => {
            "A choice. As a statement the `else` may be missing; as an expression both branches give a value of one type."
        }
        TokenKind::Else => {
            "The other branch of an `if`. There is no `else if`: put the second `if` between the braces."
        }
        TokenKind::For => "Repeats its statements for each element of a list: `for $index, $value in $list { … }`.",
        TokenKind::ForKv => "Repeats its statements for each entry of a map: `forkv $key, $value in $map { … }`.",
        TokenKind::In => "Is the left value in the list, or a key of the map, on the right?",
        TokenKind::And => "True when both sides are.",
        TokenKind::Or => "True when one of the sides is.",
        TokenKind::Not => "True when what follows is false.",
        TokenKind::BoolType => "The type of `true` and `false`.",
        TokenKind::StrType => "The type of texts.",
        TokenKind::IntType => "The type of whole numbers, 64 bits with a sign.",
        TokenKind::FloatType => "The type of numbers with a fraction, 64 bits.",
        TokenKind::Map => "The type of maps, `map{str: int}`; a map is written `{\"a\" => 1,}`.",
        TokenKind::Struct => "Named fields: `struct{a => 1, b => \"x\",}` of type `struct{a int; b str}`.",
        TokenKind::Func => {
            "A function: `func name($x) { … }` as a statement, `func($x) { … }` as a value. The body is one expression."
        }
        TokenKind::Class => "A group of statements with parameters, which take effect where it is included.",
        TokenKind::Include => {
            "Puts the statements of a class here; with `as name` what it defines is known as `$name.x`."
        }
        TokenKind::Import => {
            "Brings a module's functions, variables and classes: `import \"fmt\"`, then `fmt.printf(…)`."
        }
        TokenKind::As => "Gives an import or include another name; `as *` takes all its names as they are.",
        TokenKind::Variant => "Any type: only in the signatures of core functions.",
        TokenKind::Bool => "A constant of type `bool`.",
        TokenKind::Panic => "Ends the program with an error when its condition or text says so.",
        TokenKind::Collect => "Resources that other hosts exported: `collect kind $names { … }`.",
        TokenKind::Elvis => "Sets a field only when the condition is true: `field => cond ?: value,`.",
        TokenKind::Except => "The right value when the left one fails.",
        TokenKind::Rocket => "Sets what is on its left.",
        TokenKind::Arrow => "Between resources: the left one settles first. Behind a struct: its field.",
        TokenKind::Newline
        | TokenKind::OpenCurly
        | TokenKind::CloseCurly
        | TokenKind::OpenParen
        | TokenKind::CloseParen
        | TokenKind::OpenBrack
        | TokenKind::CloseBrack
        | TokenKind::Comma
        | TokenKind::Colon
        | TokenKind::Semicolon
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
        | TokenKind::Dot
        | TokenKind::Dollar
        | TokenKind::Str
        | TokenKind::Int
        | TokenKind::Float
        | TokenKind::Ident
        | TokenKind::CapIdent
        | TokenKind::End => return None,
    })
}

/// The edges of a resource's body, each with its meaning.
pub(super) const EDGES: [(&str, &str); 4] = [
    ("Before", "This resource settles before the other one."),
    ("Notify", "This resource settles before the other one, and refreshes it when it changes."),
    ("Depend", "The other resource settles before this one."),
    ("Listen", "The other resource settles before this one, and refreshes it when it changes."),
];

/// The meaning of an edge's word.
pub(super) fn edge(word: &str) -> Option<&'static str> {
    EDGES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, doc)| *doc)
}
