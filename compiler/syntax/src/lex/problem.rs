//! Lexical problems, and their messages. Language spec, 1.2.

use super::Tokens;
use crate::diag::{Diagnostic, Diags, Stage, codes};
use crate::span::{FileId, Span};
use crate::unicode::{Hidden, hidden, hidden_in};

/// Text that the lexer cannot read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// Its span.
    pub span: Span,
    /// The span reported by the reference implementation, if it is not the start of `span`.
    pub reference: Option<Span>,
    /// The index of the token after it, or of its own token.
    pub before_token: u32,
}

/// The kind of a problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// One character that matches no rule.
    Unrecognized,
    /// A carriage return.
    CarriageReturn,
    /// A quote without a partner; the span reaches to the end of the line.
    UnclosedString,
    /// Text between quotes that the language does not have.
    OtherQuotes,
    /// An integer literal above 64 bits.
    IntOverflow,
    /// A float literal that is too large.
    FloatOverflow,
}

impl Problem {
    /// Whether a token stands for it, so that only the token's value is unknown.
    pub fn has_token(self) -> bool {
        match self.kind {
            ProblemKind::UnclosedString
            | ProblemKind::OtherQuotes
            | ProblemKind::IntOverflow
            | ProblemKind::FloatOverflow => true,
            ProblemKind::Unrecognized | ProblemKind::CarriageReturn => false,
        }
    }

    /// The message.
    pub fn diagnostic(self, text: &[u8]) -> Diagnostic {
        Diagnostic { reference: self.reference, ..self.words(text) }
    }

    fn words(self, text: &[u8]) -> Diagnostic {
        let bytes = &text[self.span.start as usize..self.span.end as usize];
        let shown = String::from_utf8_lossy(bytes);
        let error =
            |code, message: String, label: &str| Diagnostic::error(code, Stage::Parse, message).at(self.span, label);
        match self.kind {
            ProblemKind::Unrecognized => {
                let rest = line_after(text, self.span.end as usize);
                let (name, help) = describe(&shown, rest);
                // The `~` of YAML is a value by itself.
                let ahead = text[..self.span.start as usize].trim_ascii_end();
                let begins = [&b"=>"[..], b":", b"="].iter().any(|sign| ahead.ends_with(sign));
                let ends = matches!(rest.trim_ascii(), [] | [b',', ..]);
                let help = if shown == "~" && begins && ends { Some(NO_NULL) } else { help };
                let joins = shown == "~" && !begins && matches!(rest.trim_ascii_start(), [b'"' | b'$', ..]);
                let help = match joins {
                    true if ahead.ends_with(b"\"") => Some(JOIN),
                    true => Some(JOIN_OR_MATCH),
                    false => help,
                };
                let mut diagnostic =
                    error(codes::UNRECOGNIZED, format!("{name} is not part of the language"), "not expected here");
                let before = (self.span.start as usize).checked_sub(1).and_then(|before| text.get(before));
                let is_in_number = shown == "_" && before.is_some_and(u8::is_ascii_digit);
                let help = if is_in_number { Some("write the number without `_`") } else { help };
                diagnostic.help.extend(help.map(str::to_owned));
                diagnostic
            }
            ProblemKind::CarriageReturn => error(
                codes::CARRIAGE_RETURN,
                "the file has Windows line endings".into(),
                "this line ends with a carriage return",
            )
            .help("save the file with Unix line endings (LF)"),
            // The string before it has its quotes.
            ProblemKind::UnclosedString if text[..self.span.start as usize].ends_with(b"\"") => {
                let quote = Span { end: self.span.start + 1, ..self.span };
                error(codes::UNCLOSED_STRING, "unclosed string".into(), "this `\"` begins another string")
                    .help("remove one of the two `\"`")
                    .edit(quote, "", "remove the `\"`")
            }
            ProblemKind::UnclosedString => {
                let end = match likely_text(bytes).len() {
                    0 | 1 => self.span.at_end(),
                    len => Span { end: self.span.start + len as u32, ..self.span }.at_end(),
                };
                error(codes::UNCLOSED_STRING, "unclosed string".into(), "missing closing quote")
                    .help("add a `\"` at the end of the string")
                    .edit(end, "\"", "close the string")
            }
            ProblemKind::OtherQuotes => {
                let quotes: &[char] = &['\'', '`', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{201e}'];
                let inner = shown.trim_start_matches(quotes).trim_end_matches(quotes);
                let right = format!("\"{}\"", inner.replace('"', "\\\""));
                let (message, help) = match shown.chars().next() {
                    Some('\'') => ("strings are written in double quotes", "single quotes have no meaning in MCL"),
                    Some('`')
                        if !inner.contains("${") && !inner.contains('\n') && inner.contains(char::is_alphabetic) =>
                    {
                        (
                            "strings are written in double quotes",
                            "to use what a command prints, write `os.system(\"…\")`, after `import \"os\"`",
                        )
                    }
                    Some('`') => ("strings are written in double quotes", "backticks have no meaning in MCL"),
                    _ => (
                        "strings are written in straight double quotes",
                        "these are typographic quotes, perhaps from a word processor",
                    ),
                };
                error(codes::WRONG_QUOTES, message.into(), "these quotes do not delimit a string")
                    .help(format!("write `{right}`"))
                    .help(help)
                    .edit(self.span, right, "use double quotes")
            }
            ProblemKind::IntOverflow => {
                let size = if shown.starts_with('-') { "small" } else { "large" };
                error(codes::INT_OVERFLOW, format!("the number `{shown}` is too {size}"), "does not fit in 64 bits")
                    .help(format!("an int must be between {} and {}", i64::MIN, i64::MAX))
            }
            ProblemKind::FloatOverflow => {
                error(codes::FLOAT_OVERFLOW, "the number is too large for a float".into(), "rounds to infinity")
                    .help("the largest float has 309 digits before the decimal point")
            }
        }
    }
}

const NO_NULL: &str = "MCL has no null values: leave the field out, or give it an empty value such as `\"\"`";

const JOIN: &str = "strings are joined with `+`";

const JOIN_OR_MATCH: &str = "strings are joined with `+`; to match a pattern, write `regexp.match(\"…\", $text)`, after \
                             `import \"regexp\"`";

/// The rest of a line after `at`, at most 200 bytes of it: a line of nothing but mistakes costs what its length costs.
fn line_after(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..text.len().min(at + 200)];
    rest.split(|byte| *byte == b'\n').next().unwrap_or(rest)
}

/// A name for an unexpected character, and the likely intention.
fn describe(shown: &str, rest: &[u8]) -> (String, Option<&'static str>) {
    let c = shown.chars().next().unwrap_or('\0');
    let help = match c {
        '_' => Some("a name starts with a lower case letter and cannot end with an underscore"),
        '\'' | '`' | '\u{201c}' | '\u{201d}' => Some("strings are written in double quotes: `\"text\"`"),
        '&' => Some("write `and`"),
        '|' => Some("write `or`; for a fallback if a value fails, write `<|>`"),
        '!' => Some("write `not`, or `!=` for not equal"),
        '?' if rest.starts_with(b"?") => Some("for a fallback if a value fails, write `$value <|> $fallback`"),
        '?' if rest.trim_ascii_start().starts_with(b"{") => {
            Some("MCL has no selector: look the value up in a map, as in `$map[$key] <|> $default`")
        }
        '?' if rest.contains(&b':') => Some("MCL has no `? :`: write `if $cond { 1 } else { 2 }`"),
        '?' => Some("to set a field conditionally, write `name => $cond ?: value,`"),
        '%' => Some("for the remainder of a division, write `math.mod($a, $b)`, after `import \"math\"`"),
        '@' => Some("write a variable as `$name`; an exported resource has `Meta:export => [\"*\"],`"),
        '~' if rest.starts_with(b"/") => Some("write a path as a string, in full: `\"/home/name/file\"`"),
        '~' => {
            Some("write an edge as `->`; for one that also notifies, use `Notify => Kind[\"name\"],` in the resource")
        }
        '\u{feff}' => Some("the file starts with a byte order mark: save it as UTF-8 without one"),
        '\\' => {
            Some("a statement cannot continue on the next line; lists and arguments can, with one element per line")
        }
        '≠' => Some("write `!=` for not equal"),
        '≤' => Some("write `<=` for less than or equal"),
        '≥' => Some("write `>=` for greater than or equal"),
        '→' => Some("write `->` for an edge or a field of a struct, and `=>` between a field and its value"),
        '⇒' => Some("write `=>`"),
        '–' | '—' | '−' => Some("write a minus sign as `-`, with a space on both sides"),
        '×' => Some("write a product as `$a * $b`"),
        '÷' => Some("write a quotient as `$a / $b`"),
        '¬' => Some("write `not`"),
        '…' => Some("replace it with what it stands for: `…` has no meaning in MCL"),
        c if c.is_whitespace() || c.is_control() => Some("only spaces, tabs and newlines can separate words"),
        c if c.is_alphabetic() => Some("a name can only contain the letters `a` to `z`, digits and `_`"),
        _ => None,
    };
    let name = match c {
        '\u{feff}' => "a byte order mark".to_owned(),
        char::REPLACEMENT_CHARACTER => "a byte that is not UTF-8".to_owned(),
        c if hidden(c).is_some() => format!("the invisible character U+{:04X}", c as u32),
        c if c.is_control() || (c.is_whitespace() && c != ' ') => format!("the character U+{:04X}", c as u32),
        c => format!("`{c}`"),
    };
    (name, help)
}

/// The maximum number of invisible characters reported per file.
const MOST_HIDDEN: usize = 10;

/// Warns of invisible characters, which can make a program look like another one. They are allowed in strings and
/// comments, and are separate errors elsewhere.
pub(super) fn warn_of_hidden(text: &[u8], file: FileId, diags: &mut Diags) {
    if text.is_ascii() {
        return;
    }
    let mut at = 0;
    let found = text.utf8_chunks().flat_map(|chunk| {
        let start = at;
        at += chunk.valid().len() + chunk.invalid().len();
        hidden_in(chunk.valid()).map(move |(offset, char, why)| (start + offset, char, why))
    });
    // A byte order mark at the start is a separate error.
    for (at, char, why) in found.filter(|(at, ..)| *at > 0).take(MOST_HIDDEN) {
        let here = format!("{} (U+{:04X})", why.name(), char as u32);
        let help = match why {
            Hidden::Direction => {
                "the following text may be displayed differently from its real order: remove the \
                                  character"
            }
            Hidden::ZeroWidth | Hidden::Tag => "the text may look identical to another one: remove the character",
        };
        let message = "the text contains an invisible character";
        let place = Span::new(file, at, at + char.len_utf8());
        diags.push(Diagnostic::warning(codes::HIDDEN_CHARACTER, Stage::Parse, message).at(place, here).help(help));
    }
}

/// Warns of bytes in strings and comments that are not UTF-8, once per file; elsewhere they are errors.
pub(super) fn warn_of_bytes(text: &[u8], tokens: &Tokens, diags: &mut Diags) {
    let is_told = |at: usize| {
        let next = tokens.problems.partition_point(|problem| problem.span.start as usize <= at);
        let before = next.checked_sub(1).map(|before| &tokens.problems[before]);
        before.is_some_and(|problem| at < problem.span.end as usize)
    };
    let mut at = 0;
    let (mut first, mut n_bytes) = (None, 0);
    for chunk in text.utf8_chunks() {
        at += chunk.valid().len();
        let len = chunk.invalid().len();
        if len > 0 && !is_told(at) {
            first = first.or(Some(at));
            n_bytes += len;
        }
        at += len;
    }
    let Some(first) = first else { return };
    let help = match n_bytes {
        1 => "save the file as UTF-8".to_owned(),
        _ => format!("save the file as UTF-8: it has {n_bytes} such bytes"),
    };
    let place = Span::new(tokens.file, first, first + 1);
    let said = Diagnostic::warning(codes::UNRECOGNIZED, Stage::Parse, "the file is not UTF-8 text");
    diags.push(said.at(place, "this byte is read as U+FFFD").help(help));
}

/// The maximum number of characters that are left out of an unclosed string.
const MOST_CLOSERS: usize = 64;

/// An unclosed string without the commas and closing brackets at its end: those without an opening one in the string
/// rarely belong to it.
fn likely_text(mut text: &[u8]) -> &[u8] {
    let count = |text: &[u8], wanted: u8| text.iter().filter(|byte| **byte == wanted).count();
    for _ in 0..MOST_CLOSERS {
        let [rest @ .., last] = text else { break };
        let open = match last {
            b']' => b'[',
            b')' => b'(',
            b'}' => b'{',
            b',' | b' ' | b'\t' => b'\0',
            _ => break,
        };
        if count(text, open) >= count(text, *last) {
            break;
        }
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::likely_text;

    #[test]
    fn closers_of_the_program_are_not_part_of_a_string() {
        for (text, likely) in [
            ("\"b]", "\"b"),
            ("\"true,", "\"true"),
            ("\"a\", ), }", "\"a\""),
            ("\"[a-z]", "\"[a-z]"),
            ("\"hello ${name},", "\"hello ${name}"),
            ("\"hello ${name}}", "\"hello ${name}"),
            ("\"]", "\""),
            ("\"/etc/motd", "\"/etc/motd"),
        ] {
            assert_eq!(likely_text(text.as_bytes()), likely.as_bytes(), "{text}");
        }
    }
}
