//! Descriptions of keywords.

use crate::lex::TokenKind;

/// A line about a keyword, for hover and completion; `None` for other tokens.
pub(super) fn doc(kind: TokenKind) -> Option<&'static str> {
    Some(match kind {
        TokenKind::If => {
            "A conditional. As a statement, `else` is optional; as an expression, both branches are required and must \
             have the same type."
        }
        TokenKind::Else => "The other branch of an `if`. There is no `else if`: nest the second `if` in the braces.",
        TokenKind::For => "Repeats its statements for each element of a list: `for $index, $value in $list { … }`.",
        TokenKind::ForKv => "Repeats its statements for each entry of a map: `forkv $key, $value in $map { … }`.",
        TokenKind::In => "True if the left value is an element of the list, or a key of the map, on the right.",
        TokenKind::And => "True if both sides are true.",
        TokenKind::Or => "True if at least one side is true.",
        TokenKind::Not => "True if the operand is false.",
        TokenKind::BoolType => "The type of `true` and `false`.",
        TokenKind::StrType => "The type of strings.",
        TokenKind::IntType => "The type of integers: 64 bits, signed.",
        TokenKind::FloatType => "The type of floating-point numbers: 64 bits.",
        TokenKind::Map => "The type of maps, `map{str: int}`; a map is written `{\"a\" => 1,}`.",
        TokenKind::Struct => "Named fields: `struct{a => 1, b => \"x\",}` of type `struct{a int; b str}`.",
        TokenKind::Func => {
            "A function: `func name($x) { … }` as a statement, `func($x) { … }` as a value. The body is one expression."
        }
        TokenKind::Class => "A group of statements with parameters. They take effect where the class is included.",
        TokenKind::Include => {
            "Inserts the statements of a class. With `as name`, its variables are available as `$name.x`."
        }
        TokenKind::Import => {
            "Imports the functions, variables and classes of a module: `import \"fmt\"`, then `fmt.printf(…)`."
        }
        TokenKind::As => "Renames an import or include. `import … as *` imports all names without a prefix.",
        TokenKind::Variant => "Any type: only in the signatures of core functions.",
        TokenKind::Bool => "A constant of type `bool`.",
        TokenKind::Panic => "Stops the program with an error if its condition is true or its text is not empty.",
        TokenKind::Collect => "Collects resources that other hosts exported: `collect kind $names { … }`.",
        TokenKind::Elvis => "Sets a field only if the condition is true: `field => cond ?: value,`.",
        TokenKind::Except => "Returns the right value if the left one fails.",
        TokenKind::Rocket => "Sets the field on its left.",
        TokenKind::Arrow => "Between resources: the left one is applied first. After a struct: access to a field.",
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
    ("Before", "This resource is applied before the other one."),
    ("Notify", "This resource is applied before the other one, and notifies it of changes."),
    ("Depend", "The other resource is applied before this one."),
    ("Listen", "The other resource is applied before this one, and notifies it of changes."),
];

/// The meaning of an edge's word.
pub(super) fn edge(word: &str) -> Option<&'static str> {
    EDGES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, doc)| *doc)
}
