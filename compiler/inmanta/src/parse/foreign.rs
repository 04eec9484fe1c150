//! Words and signs of other languages, with what this one has instead: the help of a syntax error.

use super::Parser;
use crate::fault::{Class, Failure};
use crate::lex::{Comparison, Keyword, Tok};
use mclive_base::span::Span;

const COMMENT: &str = "comments begin with `#`";
pub(super) const BOUNDS: &str = "write the bounds of a relation as `[0:]` or `[1:2]`";
const BLOCK: &str = "a block begins with `:` and ends with `end`";
const ELIF: &str = "write another condition as `elif condition:`";
pub(super) const ENDS: &str = "each end of a relation has bounds: `A.b [0:] -- B.a [1]`";
const ARGUMENTS: &str = "the arguments of a constructor have names: `Entity(name=value)`";
const CHOICE: &str = "to choose between two values, write `condition ? value : other`";
const CONSTANT: &str = "a default must be a constant";
const LOWER: &str = "this name must begin with a lower-case letter";
const TYPEDEF: &str = "write a type as `typedef name as int matching self > 0`";

impl Parser<'_> {
    /// What to write instead of what stands here.
    pub(super) fn foreign_words(&self) -> Option<&'static str> {
        self.earlier_line()
            .or_else(|| self.foreign_sign())
            .or_else(|| self.foreign_value())
            .or_else(|| self.foreign_statement())
            .or_else(|| self.form())
            .or_else(|| self.open_choice())
    }

    /// A value after `condition ? value`, without the colon between them.
    fn open_choice(&self) -> Option<&'static str> {
        let line = &self.tokens[self.first_of_line()..self.at];
        let mark = line.iter().rposition(|token| token.tok == Tok::Sign('?'))?;
        let has_colon = line[mark..].iter().any(|token| token.tok == Tok::Sign(':'));
        (!has_colon && !self.is_attribute()).then_some(CHOICE)
    }

    /// Whether a number of another base stands here, as in `0o644`: it ends before its letter.
    fn is_based(&self) -> bool {
        let (Some(Tok::Int), Tok::Id(word)) = (self.behind(1), self.tok()) else { return false };
        let before = self.tokens[self.at - 1].span;
        let is_zero = self.text.get(before.start as usize..before.end as usize) == Some("0");
        let is_base = word.starts_with(['o', 'x', 'b']) && word.len() > 1;
        is_zero && is_base && before.end == self.span().start
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
            (Some(Tok::Id(_)), Tok::Arrow, _)
                if matches!((self.behind(2), self.behind(3)), (Some(Tok::Sign('.')), Some(Tok::Cid(_)))) =>
            {
                ENDS
            }
            // In a relation it follows a bracket.
            (last, Tok::Arrow, _) if self.is_dashes() && !matches!(last, Some(Tok::Sign(']'))) => COMMENT,
            (Some(Tok::Sign(':')), Tok::Sign('='), _) => "a variable is assigned with `=`",
            (_, Tok::Sign(':'), Tok::Sign('=')) => "a variable is assigned with `=`",
            (_, Tok::Sign('='), Tok::Compare(Comparison::Greater))
            | (Some(Tok::Sign('=')), Tok::Compare(Comparison::Greater), _) => {
                "write arguments as `name=value`, and entries of a dict as `\"key\": value`"
            }
            (Some(Tok::Compare(Comparison::Equal | Comparison::NotEqual)), Tok::Sign('='), _) => {
                "values are compared with `==` and `!=`"
            }
            (Some(Tok::Compare(Comparison::Less)), Tok::Compare(Comparison::Greater), _) => "write `!=` for inequality",
            (Some(Tok::Plus | Tok::Minus | Tok::Slash | Tok::Sign('*')), Tok::Sign('='), _)
            | (Some(Tok::Plus), Tok::Plus, _) => "a variable has one value: assign the result to another variable",
            (Some(Tok::Sign('?')), Tok::Sign('?' | ':'), _) if !self.is_attribute() => {
                "to replace null with another value, write `x == null ? other : x`"
            }
            (Some(Tok::String | Tok::LongString | Tok::FString | Tok::RawString), Tok::Sign('.'), Tok::Id(_)) => {
                "a string has no methods: pass it to a function, as in `std::upper(text)`"
            }
            (Some(Tok::String | Tok::LongString | Tok::FString | Tok::RawString), Tok::Sign('.'), _)
            | (Some(Tok::Sign('.')), Tok::String | Tok::LongString | Tok::FString | Tok::RawString, _) => {
                "texts are joined with `+`"
            }
            (Some(Tok::Keyword(Keyword::Else)), Tok::Keyword(Keyword::If), _)
            | (_, Tok::Keyword(Keyword::Else), Tok::Keyword(Keyword::If)) => ELIF,
            (Some(Tok::String | Tok::RawString), Tok::Sign('='), _) if self.is_in_dict() => {
                "a key of a dict and its value are separated by `:`"
            }
            (Some(Tok::String | Tok::RawString), Tok::Sign(',' | '}'), _)
                if self.is_in_dict() && matches!(self.behind(2), Some(Tok::Sign('{' | ','))) =>
            {
                "each key of a dict needs a value: `\"key\": value`"
            }
            (Some(Tok::Keyword(Keyword::For | Keyword::As | Keyword::Implementation)), Tok::Cid(_), _) => LOWER,
            (Some(Tok::Cid(_)), Tok::Sign('='), _) if self.is_first(self.at - 1) => LOWER,
            (Some(Tok::Cid(_)), Tok::Id(_), Tok::Sign('['))
                if self.is_first(self.at - 1) && (2..8).any(|n| *self.ahead(n) == Tok::Arrow) =>
            {
                "write a relation as `A.b [0:] -- B.a [1]`, where `b` is an end of `A`"
            }
            (_, Tok::Id(_) | Tok::Int | Tok::Float | Tok::Keyword(_), Tok::Sign(':')) if self.is_in_dict() => {
                "the keys of a dict are strings: `\"key\": value`"
            }
            (_, Tok::Sign('='), _) if self.form() == Some(TYPEDEF) => TYPEDEF,
            (_, Tok::Sign('='), _) => "`==` compares two values; `=` is for assignments and arguments",
            (Some(Tok::Sign('=')), Tok::Sign('{'), _) => "only an attribute of type `dict` has a dict as its default",
            (_, Tok::Sign('{' | '}'), _) => self.foreign_statement().unwrap_or(BLOCK),
            (_, Tok::Sign(','), _) if self.is_attribute() && self.open_bracket(self.first_of_line()).is_none() => {
                "an attribute does not end with a comma"
            }
            (Some(Tok::Id(_)), Tok::Sign(':'), Tok::Id(_))
                if self.is_first(self.at - 1) && !self.line_ends_between(self.at, self.at + 1) =>
            {
                "the type of an attribute comes first: `string name`"
            }
            (Some(Tok::Id(_)), Tok::Sign(':'), _)
                if matches!(self.open_bracket(self.first_of_line()), Some((_, '('))) =>
            {
                "write arguments as `name=value`"
            }
            (Some(Tok::Sign(']')), Tok::Minus, Tok::Id(_) | Tok::Cid(_)) => "the ends of a relation are joined by `--`",
            (Some(Tok::Sign(':')), Tok::Sign('*'), _) | (Some(Tok::Int), Tok::Sign('.'), _)
                if self.is_in_brackets() =>
            {
                BOUNDS
            }
            (Some(Tok::Sign('[')), Tok::Sign('*'), Tok::Sign(']')) => BOUNDS,
            (Some(Tok::Sign('[')), Tok::Sign(']'), _)
                if matches!((self.behind(2), self.behind(3)), (Some(Tok::Id(_)), Some(Tok::Sign('.')))) =>
            {
                BOUNDS
            }
            _ if self.is_based() => "numbers are decimal; the mode of a file is written as `644`",
            (Some(Tok::String | Tok::Int | Tok::Float), Tok::Plus | Tok::Minus | Tok::Slash | Tok::Sign('*'), _)
                if self.is_attribute() =>
            {
                CONSTANT
            }
            (_, Tok::Minus, Tok::Int | Tok::Float) => "put the sign directly before the number, as in `-5`",
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
            ) => ARGUMENTS,
            (Some(Tok::Id(_)), Tok::Sign(',' | ')'), _) if self.is_in_constructor() => ARGUMENTS,
            (Some(Tok::Path), Tok::Cid(_), _) if self.is_import() => {
                "import only the module, as in `import std`, and write its entities as `std::File`"
            }
            (_, Tok::Keyword(Keyword::Else), _) if !self.is_branch() => CHOICE,
            (Some(Tok::Sign('[')), Tok::Id(_), Tok::Sign(']')) if matches!(self.behind(2), Some(Tok::Id(_))) => {
                "write the type of a list as `string[]`"
            }
            (Some(Tok::Keyword(Keyword::Dict)), Tok::Sign('['), _) => {
                "write the type of a dict as `dict`, without the types of its entries"
            }
            (Some(Tok::Sign('=' | '[' | ',')), Tok::Id(_), _) if self.is_attribute() => CONSTANT,
            _ => return None,
        })
    }

    fn is_dashes(&self) -> bool {
        self.text.get(self.span().start as usize..).is_some_and(|rest| rest.starts_with("--"))
    }

    /// Values in capitals: `x = True` is the name of an entity without its arguments; a default is not an entity.
    fn foreign_value(&self) -> Option<&'static str> {
        let word = match (self.behind(1), self.tok()) {
            (Some(Tok::Cid(word)), _) | (_, Tok::Cid(word)) => word,
            _ => return None,
        };
        capital_value(word)
    }

    /// How the definition or loop is written that begins on this line, if the mistake is in its head.
    fn form(&self) -> Option<&'static str> {
        let first = self.first_of_line();
        let Tok::Keyword(keyword) = &self.tokens[first].tok else { return None };
        if !(1..=4).contains(&(self.at - first)) {
            return None;
        }
        Some(match keyword {
            Keyword::Typedef => TYPEDEF,
            Keyword::Index => "write an index as `index Entity(name)`",
            Keyword::Implementation => "to construct instances for an entity, write `implementation name for Entity:`",
            Keyword::Implement => "an implementation is selected with `implement Entity using name`",
            Keyword::For => "write a loop as `for item in list:`; for a list of numbers, write `std::sequence(3)`",
            _ => return None,
        })
    }

    /// What to write instead of an attribute with an entity as its type, which begins at this place.
    pub(super) fn about_reference(&self, start: Span, fault: Failure) -> Failure {
        if !matches!(self.tok(), Tok::Cid(_)) {
            return fault;
        }
        let (n, bounds) = match self.ahead(1) {
            Tok::Sign('[') => (3, "[0:]"),
            Tok::Sign('?') => (2, "[0:1]"),
            _ => (1, "[1]"),
        };
        let (Tok::Id(name), Some(class)) =
            (self.ahead(n), self.text.get(start.start as usize..self.span().end as usize))
        else {
            return fault;
        };
        fault.help(format!(
            "an attribute cannot hold instances: write a relation after the entity, `Entity.{name} {bounds} -- {class}`"
        ))
    }

    /// Words that begin a block or a statement elsewhere: the unexpected one, or the first of the line.
    fn foreign_statement(&self) -> Option<&'static str> {
        if let Tok::Id(word) = self.tok()
            && matches!(&**word, "then" | "do" | "begin")
        {
            return Some(BLOCK);
        }
        let first = self.first_of_line();
        match (&self.tokens[first].tok, self.tokens.get(first + 1).map(|token| &token.tok)) {
            (Tok::Id(_), Some(Tok::Sign('=' | '.') | Tok::Add | Tok::Path)) => None,
            (Tok::Id(word), _) => foreign_word(word),
            (Tok::Keyword(Keyword::Import), _) if *self.tok() == Tok::Sign('.') => {
                Some("the parts of a module's name are joined by `::`")
            }
            _ => None,
        }
    }

    /// Where what failed begins, if its last item begins at this token: a line that begins with a word of another language is
    /// one mistake, although its words could be read as variables.
    pub(super) fn misread(&self, start: usize, fault: Failure) -> (usize, Failure) {
        let mut first = start;
        while !self.is_first(first) && start - first < 8 {
            first -= 1;
        }
        let Tok::Id(word) = &self.tokens[first].tok else { return (start, fault) };
        let is_name = matches!(self.tokens[first + 1].tok, Tok::Sign('=' | '.') | Tok::Add | Tok::Path);
        match foreign_word(word) {
            Some(help) if first < start && self.is_first(first) && !is_name => {
                (first, if fault.help.is_empty() { fault.help(help) } else { fault })
            }
            _ => (start, fault),
        }
    }

    /// The first token of the line, of a short one.
    pub(super) fn first_of_line(&self) -> usize {
        let mut first = self.at;
        while !self.is_first(first) && self.at - first < 8 {
            first -= 1;
        }
        first
    }

    pub(super) fn is_first(&self, at: usize) -> bool {
        at == 0 || self.line_ends_between(at - 1, at)
    }

    /// Whether the line begins a branch.
    fn is_branch(&self) -> bool {
        let first = &self.tokens[self.first_of_line()].tok;
        matches!(first, Tok::Keyword(Keyword::If | Keyword::Elif | Keyword::Else))
    }

    /// Whether the line begins with a type and a name, and with spaces: prose and commands look the same.
    fn is_attribute(&self) -> bool {
        let first = self.first_of_line();
        if !self.text[..self.tokens[first].span.start as usize].ends_with([' ', '\t']) {
            return false;
        }
        let is_type = matches!(self.tokens[first].tok, Tok::Id(_) | Tok::Keyword(Keyword::Dict));
        is_type && matches!(self.tokens.get(first + 1).map(|token| &token.tok), Some(Tok::Id(_) | Tok::Sign('[' | '?')))
    }

    /// Whether the innermost bracket before this place, on this line, is that of a dict.
    fn is_in_dict(&self) -> bool {
        matches!(self.open_bracket(self.first_of_line()), Some((_, '{')))
    }

    /// Whether the innermost bracket before this place, on this line, is a square one.
    pub(super) fn is_in_brackets(&self) -> bool {
        matches!(self.open_bracket(self.first_of_line()), Some((_, '[')))
    }

    /// The innermost bracket that is open at this place, of those from a token on.
    pub(super) fn open_bracket(&self, start: usize) -> Option<(usize, char)> {
        let mut open = Vec::new();
        for at in start..self.at {
            match self.tokens[at].tok {
                Tok::Sign(bracket @ ('(' | '[' | '{')) => open.push((at, bracket)),
                Tok::Sign(')' | ']' | '}') => {
                    open.pop();
                }
                _ => {}
            }
        }
        open.pop()
    }

    /// Adds what is missing on an earlier line of what began at this token: the end of a bracket, or a colon.
    pub(super) fn explained(&self, start: usize, fault: Failure) -> Failure {
        if !fault.help.is_empty() || !matches!(fault.class, Class::Parser) {
            return fault;
        }
        if self.at <= start {
            let is_end = self.at == start && *self.tok() == Tok::Keyword(Keyword::End);
            return if is_end { fault.help("remove it: no block is open here") } else { fault };
        }
        let line = |at: usize| {
            let before = &self.text[..self.tokens[at].span.start as usize];
            before.bytes().filter(|byte| *byte == b'\n').count() + 1
        };
        if let Some((at, bracket)) = self.open_bracket(start) {
            if line(at) < line(self.at) {
                return fault.help(format!("`{bracket}` in line {} is not closed", line(at)));
            }
            return fault;
        }
        let has_colon = |tokens: &[crate::lex::Token]| tokens.iter().any(|token| token.tok == Tok::Sign(':'));
        let begins_block = matches!(
            self.tokens[start].tok,
            Tok::Keyword(Keyword::Entity | Keyword::Implementation | Keyword::If | Keyword::For)
        );
        if begins_block && self.is_first(self.at) && !has_colon(&self.tokens[start..self.at]) {
            return fault.help(format!("line {} must end with `:`", line(self.at - 1)));
        }
        if begins_block && *self.tok() == Tok::Eof {
            return fault.help(format!("the block that begins in line {} is not closed: add `end`", line(start)));
        }
        fault
    }

    fn line_ends_between(&self, left: usize, right: usize) -> bool {
        let (left, right) = (self.tokens[left].span.end as usize, self.tokens[right].span.start as usize);
        self.text.get(left..right).is_some_and(|between| between.contains('\n'))
    }
}

/// What this language has instead of a value in capitals.
pub(super) fn capital_value(word: &str) -> Option<&'static str> {
    Some(match word {
        "True" | "TRUE" => "write the boolean as `true`",
        "False" | "FALSE" => "write the boolean as `false`",
        "None" | "Null" | "NULL" | "Nil" | "Undefined" => "write the null value as `null`",
        _ => return None,
    })
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
            "functions are written in the Python files of a module; write what an entity constructs in an \
            `implementation`"
        }
        "while" | "foreach" | "loop" | "until" | "repeat" => "write a loop as `for item in list:` and `end`",
        "elsif" | "elseif" => ELIF,
        "endif" | "endfor" | "fi" | "done" | "esac" | "endwhile" => "a block ends with `end`",
        "switch" | "case" | "match" | "unless" => "write a choice with `if`, `elif` and `else`",
        "from" | "include" | "require" | "use" | "using" | "package" => "import a module with `import name`",
        "new" => "an instance is constructed without a keyword: `Entity(name=value)`",
        "return" | "yield" | "break" | "continue" | "pass" => {
            "statements have no order, so nothing can be returned or skipped: use a condition"
        }
        "try" | "catch" | "except" | "raise" | "throw" => "errors cannot be caught: check the values with a condition",
        "lambda" => "use a comprehension: `[value for item in list if condition]`",
        "relation" | "association" => "a relation is written without a keyword: `A.b [0:] -- B.a [1]`",
        "private" | "public" | "protected" | "static" | "abstract" => "definitions have no modifiers",
        _ => return None,
    })
}
