//! Mistakes that no rule of the grammar foresees, recognized by the text around the unexpected token: comprehensions,
//! heredocs, templates, statements of a shell.
//!
//! [`tables`] is the list: the pattern of a line, its message, and the correct text where that is certain. It is only
//! read after the grammar has failed, so a valid program never gets here. Known mistakes that a rule recovers from are
//! in [`mistakes`](super::mistakes), which asks here first ([`Session::knows`]).
//!
//! Invariant: the error keeps the token at which the reference implementation reports it.

mod cover;
mod lexemes;
mod rewrite;
mod shape;
mod tables;

#[cfg(test)]
mod tests;

use super::input::ExpectedSet;
use super::session::Session;
use super::written::{kind, referred_kind};
use crate::diag::{Code, Diagnostic, Stage, codes, suggest};
use crate::span::Span;
use cover::Cover;
use lexemes::Line;
use shape::{Match, Pattern};
use std::sync::OnceLock;

/// A known mistake.
#[derive(Clone, Copy, Debug)]
struct Mistake {
    /// The text of such a line ([`shape`]).
    pattern: &'static str,
    code: Code,
    /// What is wrong; `{1}` is the first capture of the pattern, here and below.
    says: &'static str,
    label: &'static str,
    help: &'static str,
    more: Option<&'static str>,
    /// The right text for what is underlined.
    edit: Option<&'static str>,
    cover: Cover,
    /// Writes the help from the text itself, which may span several lines. It is no such mistake if it cannot.
    writes: Option<Write>,
}

/// The lines of help for a match in a text.
type Write = fn(&str, &Match<'_>) -> Option<Vec<String>>;

impl Mistake {
    const fn new(pattern: &'static str, says: &'static str, label: &'static str, help: &'static str) -> Mistake {
        let code = codes::FOREIGN_SYNTAX;
        Mistake { pattern, code, says, label, help, more: None, edit: None, cover: Cover::Line, writes: None }
    }

    /// Another sign for `wanted`.
    const fn sign(pattern: &'static str, says: &'static str, help: &'static str, wanted: &'static str) -> Mistake {
        let mistake = Mistake::new(pattern, says, "not an MCL operator", help);
        Mistake { code: codes::FOREIGN_SIGN, edit: Some(wanted), cover: Cover::Match, ..mistake }
    }

    /// A text that is not complete.
    const fn half(pattern: &'static str, says: &'static str, label: &'static str, help: &'static str) -> Mistake {
        Mistake { code: codes::UNEXPECTED_TOKEN, ..Mistake::new(pattern, says, label, help) }
    }

    const fn edit(self, text: &'static str) -> Mistake {
        Mistake { edit: Some(text), ..self }
    }

    const fn more(self, help: &'static str) -> Mistake {
        Mistake { more: Some(help), ..self }
    }

    const fn covers(self, cover: Cover) -> Mistake {
        Mistake { cover, ..self }
    }

    /// Whether what its help puts into braces is in braces already: it is the block of a statement, and no value.
    fn has_block(&self, found: &Match<'_>) -> bool {
        let mut captures = found.captures.iter().enumerate();
        captures.any(|(at, text)| text.starts_with('{') && self.help.contains(&format!("{{ {{{}}} }}", at + 1)))
    }

    /// A mistake whose help is written from its text.
    const fn written(pattern: &'static str, says: &'static str, label: &'static str, writes: Write) -> Mistake {
        Mistake { writes: Some(writes), cover: Cover::Indented, ..Mistake::new(pattern, says, label, "") }
    }
}

/// A mistake that was recognized.
pub(super) struct Recognized {
    pub(super) diagnostic: Diagnostic,
    /// The offset where the text that is part of it begins.
    pub(super) start: usize,
    /// The offset after that text.
    pub(super) end: usize,
}

/// The mistake at an unexpected token, or at the character before it that is not part of the language.
pub(super) fn recognize(session: &Session<'_>, at: usize) -> Option<Recognized> {
    let token = session.tokens.tokens.get(at)?.start as usize;
    let offset = session.problem_before(at).map_or(token, |problem| problem.span.start as usize);
    at_offset(session, at, offset, session.expected_at(at))
}

/// The mistake at a character that is not part of the language; `at` is the token after it.
pub(super) fn at_offset(session: &Session<'_>, at: usize, offset: usize, expected: ExpectedSet) -> Option<Recognized> {
    static ALL: OnceLock<Vec<Listed>> = OnceLock::new();
    from_tables(entries(&ALL, tables::ALL), session, at, offset, expected)
}

/// What is reported at quotes of another language instead of the quotes.
pub(super) fn at_quotes(session: &Session<'_>, at: usize, offset: usize) -> Option<Recognized> {
    static AT_QUOTES: OnceLock<Vec<Listed>> = OnceLock::new();
    from_tables(entries(&AT_QUOTES, tables::AT_QUOTES), session, at, offset, ExpectedSet::default())
}

/// An entry of a table, with its pattern parsed.
struct Listed {
    mistake: &'static Mistake,
    pattern: Pattern,
}

/// The entries of tables, made for the first error.
fn entries(made: &'static OnceLock<Vec<Listed>>, tables: &'static [&'static [Mistake]]) -> &'static [Listed] {
    made.get_or_init(|| {
        let all = tables.iter().flat_map(|table| table.iter());
        all.map(|mistake| Listed { mistake, pattern: Pattern::new(mistake.pattern) }).collect()
    })
}

fn from_tables(
    entries: &[Listed],
    session: &Session<'_>,
    at: usize,
    offset: usize,
    expected: ExpectedSet,
) -> Option<Recognized> {
    let line = Line::around(session, at, offset);
    let text = &session.source.text;
    let (mistake, found, help) = entries.iter().find_map(|Listed { mistake, pattern }| {
        let found = pattern.find(&line, offset, expected).filter(|found| !mistake.has_block(found))?;
        let help = match mistake.writes {
            Some(writes) => writes(std::str::from_utf8(text).ok()?, &found)?,
            None => Vec::new(),
        };
        Some((mistake, found, help))
    })?;
    let (start, end) = mistake.cover.range(text, &found);
    let mut diagnostic = said(session, mistake, &found, help);
    // What is not complete is continued at its end.
    if let Some(label) = diagnostic.primary.as_mut().filter(|_| mistake.code == codes::UNEXPECTED_TOKEN) {
        label.span = session.span_of(session.tokens.tokens[at]);
    }
    Some(Recognized { diagnostic, start, end })
}

fn said(session: &Session<'_>, mistake: &Mistake, found: &Match<'_>, help: Vec<String>) -> Diagnostic {
    let span = Span::new(session.tokens.file, found.marked.0, found.marked.1.max(found.marked.0));
    let fill = |text: &str| filled(text, &found.captures);
    let mut said = Diagnostic::error(mistake.code, Stage::Parse, fill(mistake.says)).at(span, fill(mistake.label));
    said.help.extend(help);
    said.help.extend(Some(fill(mistake.help)).filter(|help| !help.is_empty()));
    said.help.extend(mistake.more.map(fill));
    // A text that is too long to be shown cannot be replaced.
    match mistake.edit.map(fill).filter(|text| !text.contains('…')) {
        Some(text) if text.is_empty() => {
            let removed = session.source.text.get(found.marked.0..found.marked.1).unwrap_or_default();
            said.edit(span, "", format!("remove `{}`", String::from_utf8_lossy(removed)))
        }
        Some(text) => said.edit(span, text.clone(), format!("write `{}`", shown(&text))),
        None => said,
    }
}

/// The first line of a text, if it is not long.
fn shown(text: &str) -> &str {
    text.lines().next().filter(|line| line.len() <= 60 && line.len() == text.len()).unwrap_or("…")
}

/// A text with its captures: `{1}` as written, `{1:var}` as the name of a variable, `{1:snake}` as a name, `{1:bare}`
/// without quotes, `{1:kind}` as the kind of a resource that is referred to, `{1:declared}` as that of one that is
/// declared, `{1:keyword}` as the [`keyword`] that is meant.
fn filled(text: &str, captures: &[&str]) -> String {
    let mut out = text.to_owned();
    for (at, capture) in captures.iter().enumerate() {
        let capture = if capture.len() > MOST_SHOWN { "…" } else { capture };
        let quoted = capture.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        // A list of strings begins and ends with a quote, too.
        let quoted = quoted.map(|inner| format!("\"{}\"", inner.replace('\'', "\"")));
        let capture = quoted.as_deref().unwrap_or(capture);
        let number = at + 1;
        out = out.replace(&format!("{{{number}}}"), capture);
        let bare = capture.trim_matches('"').to_owned();
        let near = keyword(capture).unwrap_or_default().to_owned();
        let forms = [
            ("var", variable(capture)),
            ("snake", snake(capture)),
            ("bare", bare),
            ("kind", referred_kind(capture)),
            ("declared", kind(&snake(capture)).to_owned()),
            ("keyword", near),
        ];
        for (form, shown) in forms {
            out = out.replace(&format!("{{{number}:{form}}}"), &shown);
        }
    }
    out
}

/// The maximum number of bytes of the program shown in a help text.
const MOST_SHOWN: usize = 120;

/// The word that begins a statement and is meant by one such as `calss`.
fn keyword(text: &str) -> Option<&'static str> {
    const KEYWORDS: [&str; 7] = ["class", "collect", "forkv", "func", "import", "include", "panic"];
    const SHORTEST: usize = 4;
    let is_typo = text.len() >= SHORTEST && !KEYWORDS.contains(&text);
    let near = suggest::closest(text, KEYWORDS)?;
    (is_typo && near.as_bytes().first() == text.as_bytes().first()).then_some(near)
}

/// `$port` for `PORT`, `port` and `$port`.
fn variable(text: &str) -> String {
    format!("${}", snake(text.trim_start_matches('$')))
}

/// `web_port` for `webPort` and `WEB_PORT`.
pub(super) fn snake(text: &str) -> String {
    let is_shouted = !text.bytes().any(|byte| byte.is_ascii_lowercase());
    let mut out = String::new();
    for char in text.trim_matches('_').chars() {
        if char.is_ascii_uppercase() && !out.is_empty() && !is_shouted && !out.ends_with('_') {
            out.push('_');
        }
        out.push(char.to_ascii_lowercase());
    }
    out
}
