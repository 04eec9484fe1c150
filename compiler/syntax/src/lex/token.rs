//! Token kinds, with their names in dumps and messages. Language spec, section 1.

/// One token: its kind and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset after its last byte.
    pub end: u32,
}

macro_rules! token_kinds {
    ($($variant:ident $name:literal $shown:literal)*) => {
        /// The kind of a token.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum TokenKind {
            $(#[doc = $shown] $variant,)*
        }

        impl TokenKind {
            /// Every kind, in the order of the enum.
            pub const ALL: &[TokenKind] = &[$(TokenKind::$variant,)*];

            /// The name in the language's own error messages and in dumps.
            pub fn name(self) -> &'static str {
                match self {
                    $(TokenKind::$variant => $name,)*
                }
            }

            /// The token in messages: its spelling in backticks, or a description.
            pub fn shown(self) -> &'static str {
                match self {
                    $(TokenKind::$variant => $shown,)*
                }
            }
        }
    };
}

token_kinds! {
    Newline "NEWLINE" "the end of the line"
    OpenCurly "OPEN_CURLY" "`{`"
    CloseCurly "CLOSE_CURLY" "`}`"
    OpenParen "OPEN_PAREN" "`(`"
    CloseParen "CLOSE_PAREN" "`)`"
    OpenBrack "OPEN_BRACK" "`[`"
    CloseBrack "CLOSE_BRACK" "`]`"
    If "IF" "`if`"
    Else "ELSE" "`else`"
    Elvis "ELVIS" "`?:`"
    Except "EXCEPT" "`<|>`"
    Rocket "ROCKET" "`=>`"
    Comma "COMMA" "`,`"
    Colon "COLON" "`:`"
    Semicolon "SEMICOLON" "`;`"
    Equals "EQUALS" "`=`"
    Plus "PLUS" "`+`"
    Minus "MINUS" "`-`"
    Multiply "MULTIPLY" "`*`"
    Divide "DIVIDE" "`/`"
    Eq "EQ" "`==`"
    Neq "NEQ" "`!=`"
    Lt "LT" "`<`"
    Gt "GT" "`>`"
    Lte "LTE" "`<=`"
    Gte "GTE" "`>=`"
    And "AND" "`and`"
    Or "OR" "`or`"
    Not "NOT" "`not`"
    In "IN" "`in`"
    For "FOR" "`for`"
    ForKv "FORKV" "`forkv`"
    Arrow "ARROW" "`->`"
    Dot "DOT" "`.`"
    Dollar "DOLLAR" "`$`"
    BoolType "BOOL_IDENTIFIER" "`bool`"
    StrType "STR_IDENTIFIER" "`str`"
    IntType "INT_IDENTIFIER" "`int`"
    FloatType "FLOAT_IDENTIFIER" "`float`"
    Map "MAP_IDENTIFIER" "`map`"
    Struct "STRUCT_IDENTIFIER" "`struct`"
    Func "FUNC_IDENTIFIER" "`func`"
    Class "CLASS_IDENTIFIER" "`class`"
    Include "INCLUDE_IDENTIFIER" "`include`"
    Import "IMPORT_IDENTIFIER" "`import`"
    As "AS_IDENTIFIER" "`as`"
    Variant "VARIANT_IDENTIFIER" "`variant`"
    Bool "BOOL" "a bool"
    Panic "PANIC_IDENTIFIER" "`panic`"
    Collect "COLLECT_IDENTIFIER" "`collect`"
    Str "STRING" "a string"
    Int "INTEGER" "a number"
    Float "FLOAT" "a number"
    Ident "IDENTIFIER" "a name"
    CapIdent "CAPITALIZED_IDENTIFIER" "a capitalized name"
    End "$end" "the end of the file"
}

impl TokenKind {
    /// The keyword of a lower-case word, or [`TokenKind::Ident`].
    pub fn of_word(word: &[u8]) -> TokenKind {
        match word {
            b"if" => TokenKind::If,
            b"else" => TokenKind::Else,
            b"and" => TokenKind::And,
            b"or" => TokenKind::Or,
            b"not" => TokenKind::Not,
            b"in" => TokenKind::In,
            b"for" => TokenKind::For,
            b"forkv" => TokenKind::ForKv,
            b"bool" => TokenKind::BoolType,
            b"str" => TokenKind::StrType,
            b"int" => TokenKind::IntType,
            b"float" => TokenKind::FloatType,
            b"map" => TokenKind::Map,
            b"struct" => TokenKind::Struct,
            b"func" => TokenKind::Func,
            b"class" => TokenKind::Class,
            b"include" => TokenKind::Include,
            b"import" => TokenKind::Import,
            b"as" => TokenKind::As,
            b"variant" => TokenKind::Variant,
            b"true" | b"false" => TokenKind::Bool,
            b"panic" => TokenKind::Panic,
            b"collect" => TokenKind::Collect,
            _ => TokenKind::Ident,
        }
    }

    /// Whether it is a reserved lower-case word.
    pub fn is_reserved_word(self) -> bool {
        match self {
            TokenKind::If
            | TokenKind::Else
            | TokenKind::And
            | TokenKind::Or
            | TokenKind::Not
            | TokenKind::In
            | TokenKind::For
            | TokenKind::ForKv
            | TokenKind::BoolType
            | TokenKind::StrType
            | TokenKind::IntType
            | TokenKind::FloatType
            | TokenKind::Map
            | TokenKind::Struct
            | TokenKind::Func
            | TokenKind::Class
            | TokenKind::Include
            | TokenKind::Import
            | TokenKind::As
            | TokenKind::Variant
            | TokenKind::Bool
            | TokenKind::Panic
            | TokenKind::Collect => true,
            TokenKind::Newline
            | TokenKind::OpenCurly
            | TokenKind::CloseCurly
            | TokenKind::OpenParen
            | TokenKind::CloseParen
            | TokenKind::OpenBrack
            | TokenKind::CloseBrack
            | TokenKind::Elvis
            | TokenKind::Except
            | TokenKind::Rocket
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
            | TokenKind::Arrow
            | TokenKind::Dot
            | TokenKind::Dollar
            | TokenKind::Str
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Ident
            | TokenKind::CapIdent
            | TokenKind::End => false,
        }
    }
}
