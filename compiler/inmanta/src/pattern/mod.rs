//! Regular expressions in Python's dialect (spec, 6.1): patterns of typedefs match at the beginning of a text.
//!
//! A pattern is parsed into [`Node`]s and compiled to a small program for a backtracking machine with an explicit
//! stack: groups, backreferences and lookaround are part of the dialect. The number of steps of a match is limited.

mod machine;
mod parse;
mod program;
mod set;

pub use machine::TooManySteps;
pub use parse::BadPattern;

use program::Bytecode;

/// A regular expression.
#[derive(Debug)]
pub struct Pattern {
    source: String,
    program: Bytecode,
}

impl Pattern {
    /// Compiles a pattern.
    pub fn new(source: &str) -> Result<Pattern, BadPattern> {
        let parsed = parse::parse(source)?;
        Ok(Pattern { source: source.to_owned(), program: program::compile(&parsed)? })
    }

    /// The text between the slashes.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether it matches at the start of the text, and the number of steps.
    pub fn matches_start(&self, text: &str) -> (Result<bool, TooManySteps>, u64) {
        let text: Vec<char> = text.chars().collect();
        let (matches, steps) = machine::run(&self.program, &text);
        (matches, steps.saturating_add(text.len() as u64))
    }
}

/// A pattern's syntax tree.
#[derive(Clone, Debug)]
enum Node {
    Empty,
    Char {
        char: char,
        folds: bool,
    },
    /// `.`
    Any {
        newlines: bool,
    },
    Set {
        set: Box<set::Set>,
        folds: bool,
    },
    LineStart {
        each_line: bool,
    },
    LineEnd {
        each_line: bool,
    },
    TextStart,
    TextEnd,
    WordEdge {
        negated: bool,
    },
    Group {
        number: Option<usize>,
        node: Box<Node>,
    },
    Reference {
        group: usize,
        folds: bool,
    },
    Look {
        ahead: bool,
        negated: bool,
        node: Box<Node>,
    },
    /// `(?(1)yes|no)`
    IfGroup {
        group: usize,
        yes: Box<Node>,
        no: Box<Node>,
    },
    Either(Vec<Node>),
    Sequence(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
        mode: Mode,
    },
}

/// The greediness of a repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Greedy,
    Lazy,
    /// Never backtracks.
    Possessive,
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::new(pattern).expect(pattern).matches_start(text).0.expect("few steps")
    }

    fn reason(pattern: &str) -> String {
        Pattern::new(pattern).expect_err(pattern).to_string()
    }

    #[test]
    fn matches_at_the_beginning() {
        assert!(matches("[a-z]+", "abc1") && !matches("[a-z]+$", "abc1") && matches("[a-z]+$", "abc\n"));
        assert!(matches(r"a\/b$", "a/b") && matches(r"^(.*\S.*)$", " x ") && !matches(r"^(.*\S.*)$", "  "));
        assert!(
            matches(r"^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$", "a.b-c")
                && matches(r"[^]a-]", "b")
                && !matches("[^]a-]", "-")
        );
        assert!(matches("(a|ab)(c|bcd)(d*)$", "abcd") && matches("x{2,3}?$", "xxx") && !matches("x{4}", "xxx"));
        assert!(matches("(?i)ABC", "abc") && matches(r"\w+\d\s", "ä1 ") && matches("(?P<a>x)(?P=a)", "xx"));
        assert!(
            matches(r"(a)\1$", "aa")
                && matches("a(?=b)", "ab")
                && !matches("a(?!b)", "ab")
                && matches("ab(?<=b)c", "abc")
        );
        assert!(
            matches("(a*)*$", "aaa") && matches("(?:a?)*?b", "aab") && !matches("a*+a", "aaa") && matches("{x", "{x")
        );
        assert!(matches("(x)?(?(1)y|z)", "xy") && matches("(x)?(?(1)y|z)", "z") && matches("(?(1)y|z)(x)", "zx"));
    }

    #[test]
    fn negated_classes_and_letters_without_case_are_those_of_python() {
        for (pattern, text) in [("(?i)[^a]", "A"), ("(?i)[^b-d]", "C"), ("(?i)[^k]", "\u{212a}"), (r"(?i)\W", "a")] {
            assert!(!matches(pattern, text), "{pattern} in {text}");
        }
        for (pattern, text) in
            [("(?i)[^a]", "B"), ("(?i)[B-D]", "c"), ("(?i)s", "ſ"), ("(?i)[ſ]", "S"), (r"(?i)[^\W]", "a")]
        {
            assert!(matches(pattern, text), "{pattern} in {text}");
        }
        assert!(!matches("(?i)[a-z]", "ß") && !matches(r"\B", "") && matches(r"\B", "-"));
    }

    #[test]
    fn flags_and_comments_may_follow_flags_and_comments() {
        assert!(matches("(?i)(?s)a.$", "A\n") && matches("(?#any case)(?i)a", "A") && matches("(?x) (?i) a", "A"));
    }

    /// Another iteration starts only after one that consumed something.
    #[test]
    fn an_empty_round_ends_a_repetition() {
        assert!(matches(r"(?>(?:a?|\s\D)+)[^\w]", "\n_x") && matches(r"(?:a?|\s\D)++[^\w]", "\n_x"));
        assert!(matches("(?:a?|b)*c", "bc") && !matches("(?:a?|b)*+c", "bc"));
    }

    #[test]
    fn tells_what_is_malformed_as_the_original_does() {
        assert_eq!(reason("[a-"), "unterminated character set at position 0");
        assert_eq!(reason(")"), "unbalanced parenthesis at position 0");
        assert_eq!(reason("(a"), "missing ), unterminated subpattern at position 0");
        assert_eq!(reason("*a"), "nothing to repeat at position 0");
        assert_eq!(reason("a**"), "multiple repeat at position 2");
        assert_eq!(reason("[z-a]"), "bad character range z-a at position 1");
        assert_eq!(reason(r"\q"), r"bad escape \q at position 0");
        assert_eq!(reason("a{3,2}"), "min repeat greater than max repeat at position 2");
        assert_eq!(reason(r"(a)\2"), "invalid group reference 2 at position 4");
        assert_eq!(reason("(?y)"), "unknown extension ?y at position 1");
        assert_eq!(reason("(?<x"), "unknown extension ?<x at position 1");
        assert_eq!(reason("a(?<"), "unexpected end of pattern at position 4");
        assert_eq!(reason("(?P"), "unexpected end of pattern at position 3");
        assert_eq!(reason(r"a\400"), r"octal escape value \400 outside of range 0-0o377 at position 1");
        assert_eq!(reason("(?(a b)c)"), "bad character in group name 'a b' at position 3");
        assert_eq!(reason("(?(1)a)"), "invalid group reference 1 at position 3");
        assert_eq!(reason("(?(1)a"), "missing ), unterminated subpattern at position 0");
        assert_eq!(reason(r"a(?\q)"), r"unknown extension ?\q at position 2");
        assert_eq!(reason(r"?\"), "bad escape (end of pattern) at position 1");
        assert_eq!(reason("a(?i)"), "global flags not at the start of the expression at position 1");
    }

    #[test]
    fn hostile_patterns_end() {
        let hostile = Pattern::new("(a*)*(a*)*(a*)*b").expect("fine");
        assert!(hostile.matches_start(&"a".repeat(10_000)).0.is_err());
        assert!(Pattern::new(&"(".repeat(100_000)).is_err());
        assert!(Pattern::new("((((a{1000}){1000}){1000}){1000})").is_err());
    }
}
