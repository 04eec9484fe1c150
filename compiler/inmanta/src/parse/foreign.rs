//! Words and signs of other languages, with what this one has instead: the help of a syntax error.

use super::Parser;
use crate::lex::{Comparison, Keyword, Tok};

const COMMENT: &str = "comments begin with `#`";
const BLOCK: &str = "a block begins with `:` and ends with `end`";

impl Parser<'_> {
    /// What to write instead of what stands here.
    pub(super) fn foreign_words(&self) -> Option<&'static str> {
        self.foreign_sign().or_else(|| self.foreign_value()).or_else(|| self.foreign_statement())
    }

    /// The token `n` before the next one.
    fn behind(&self, n: usize) -> Option<&Tok> {
        Some(&self.tokens[self.at.checked_sub(n)?].tok)
    }

    fn foreign_sign(&self) -> Option<&'static str> {
        let last = self.behind(1);
        Some(match (last, self.tok(), self.ahead(1)) {
            (_, Tok::Slash, Tok::Slash | Tok::Sign('*')) | (Some(Tok::Slash), Tok::Slash | Tok::Sign('*'), _) => {
                COMMENT
            }
            (_, Tok::Slash, Tok::Power) | (Some(Tok::Slash), Tok::Power, _) => COMMENT,
            (Some(Tok::Sign(':')), Tok::Sign('='), _) => "a variable is assigned with `=`",
            (_, Tok::Sign(':'), Tok::Sign('=')) => "a variable is assigned with `=`",
            (_, Tok::Sign('='), Tok::Compare(Comparison::Greater))
            | (Some(Tok::Sign('=')), Tok::Compare(Comparison::Greater), _) => {
                "arguments are written `name=value`, entries of a dict `\"key\": value`"
            }
            (Some(Tok::Compare(Comparison::Equal | Comparison::NotEqual)), Tok::Sign('='), _) => {
                "values are compared with `==` and `!=`"
            }
            (Some(Tok::Compare(Comparison::Less)), Tok::Compare(Comparison::Greater), _) => {
                "inequality is written `!=`"
            }
            (Some(Tok::Plus | Tok::Minus | Tok::Slash | Tok::Sign('*')), Tok::Sign('='), _)
            | (Some(Tok::Plus), Tok::Plus, _) => "a variable has one value: assign the result to another variable",
            (_, Tok::Sign('='), _) => "`==` compares two values; `=` is for assignments and arguments",
            (_, Tok::Sign('{' | '}'), _) => BLOCK,
            (_, Tok::Minus, Tok::Id(_) | Tok::Sign('(')) => {
                "a sign is only allowed in a number: subtract from 0 instead, as in `0 - x`"
            }
            (Some(Tok::Sign(')' | ']')), Tok::Sign('.'), _) => {
                "only names have attributes: assign the value to a variable first"
            }
            (Some(Tok::Keyword(Keyword::Is)), Tok::Keyword(Keyword::Not), Tok::Keyword(Keyword::Defined)) => {
                "write `not x is defined`"
            }
            (Some(Tok::Keyword(Keyword::Is)), _, _) => {
                "`is` is only used in `is defined`: values are compared with `==`"
            }
            (
                Some(Tok::Sign('(' | ',')),
                Tok::String | Tok::LongString | Tok::FString | Tok::RawString | Tok::Int | Tok::Float,
                _,
            ) => "the arguments of a constructor have names: `Entity(name=value)`",
            _ => return None,
        })
    }

    /// Values in capitals: `x = True` is the name of an entity without its arguments.
    fn foreign_value(&self) -> Option<&'static str> {
        let Some(Tok::Cid(word)) = self.behind(1) else { return None };
        Some(match &**word {
            "True" | "TRUE" => "the boolean is written `true`",
            "False" | "FALSE" => "the boolean is written `false`",
            "None" | "Null" | "NULL" | "Nil" | "Undefined" => "no value is written `null`",
            _ => return None,
        })
    }

    /// Words that begin a block or a statement elsewhere: the unexpected one, or the first of the line.
    fn foreign_statement(&self) -> Option<&'static str> {
        if let Tok::Id(word) = self.tok()
            && matches!(&**word, "then" | "do" | "begin")
        {
            return Some(BLOCK);
        }
        let is_first = |at: usize| at == 0 || self.line_ends_between(at - 1, at);
        let mut first = self.at;
        // A statement of this kind is short.
        while !is_first(first) && self.at - first < 8 {
            first -= 1;
        }
        match (&self.tokens[first].tok, self.tokens.get(first + 1).map(|token| &token.tok)) {
            (Tok::Id(_), Some(Tok::Sign('=' | '.') | Tok::Add | Tok::Path)) => None,
            (Tok::Id(word), _) => foreign_word(word),
            (Tok::Keyword(Keyword::Import), _) if *self.tok() == Tok::Sign('.') => {
                Some("the parts of a module's name are joined by `::`")
            }
            _ => None,
        }
    }

    fn line_ends_between(&self, left: usize, right: usize) -> bool {
        let (left, right) = (self.tokens[left].span.end as usize, self.tokens[right].span.start as usize);
        self.text.get(left..right).is_some_and(|between| between.contains('\n'))
    }
}

/// What this language has instead of a word that begins a statement elsewhere.
pub(crate) fn foreign_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "class" | "struct" | "interface" | "define" | "record" | "object" => {
            "an entity is defined with `entity Name:` and `end`"
        }
        "let" | "var" | "const" | "val" | "local" | "my" | "set" | "final" => {
            "a variable is assigned without a keyword: `name = value`"
        }
        "def" | "function" | "func" | "fn" | "sub" | "proc" | "fun" => {
            "functions are written in the Python files of a module; what follows from an entity is an `implementation`"
        }
        "while" | "foreach" | "loop" | "until" | "repeat" => "a loop is written `for item in list:` and `end`",
        "elsif" | "elseif" => "another condition is written `elif condition:`",
        "endif" | "endfor" | "fi" | "done" | "esac" | "endwhile" => "a block ends with `end`",
        "switch" | "case" | "match" | "unless" => "a choice is written `if`, `elif` and `else`",
        "from" | "include" | "require" | "use" | "using" | "package" => "a module is imported with `import name`",
        "new" => "an instance is constructed without a keyword: `Entity(name=value)`",
        "return" | "yield" | "break" | "continue" | "pass" => {
            "statements have no order, so nothing can be returned or skipped: use a condition"
        }
        "try" | "catch" | "except" | "raise" | "throw" => "errors cannot be caught: check the values with a condition",
        "lambda" => "use a comprehension: `[value for item in list if condition]`",
        "private" | "public" | "protected" | "static" | "abstract" => "definitions have no modifiers",
        _ => return None,
    })
}
