//! Strings that contain the name of a variable, as if it were interpolated.

use super::{Finder, Space};
use crate::diag::Diagnostic;
use crate::lint::words;
use crate::span::Span;
use std::ops::Range;

impl Finder<'_> {
    /// A string with a dollar sign and the name of a variable. Templates have their own variables.
    pub(super) fn text(&mut self, span: Span) {
        let (start, end) = (span.start as usize, span.end as usize);
        let source = self.source;
        let Some(Ok(written)) = source.text.get(start..end).map(std::str::from_utf8) else { return };
        for (hole, name) in foreign_holes(written) {
            if written[hole.clone()].starts_with('%') && has_formats(written) {
                continue;
            }
            // In other texts than names, single braces are common.
            let is_bare = written[hole.clone()].starts_with('{') && !written[hole.clone()].starts_with("{{");
            if is_bare && !self.in_name {
                continue;
            }
            let mut scopes = self.scopes.iter_mut().rev();
            let is_defined = match scopes.find_map(|scope| scope.find(Space::Variable, name)) {
                Some(variable) => {
                    variable.used = true;
                    true
                }
                None if name == "hostname" => true,
                None if self.in_name && written[hole.clone()].starts_with("{{") => false,
                None => continue,
            };
            let start = span.start + hole.start as u32;
            let here = Span { start, end: span.start + hole.end as u32, ..span };
            if self.in_texts.last().and_then(Diagnostic::judged_span) != Some(here) {
                self.in_texts.push(match is_defined {
                    true => words::foreign_hole(&written[hole], name, here),
                    false => words::undefined_hole(&written[hole], name, here),
                });
            }
        }
        if written.contains("{{") {
            return;
        }
        let mut here_too = Vec::new();
        let mut has_others = false;
        for (at, name) in dollars(written) {
            if assigns(&written[..at], name) {
                continue;
            }
            let mut scopes = self.scopes.iter_mut().rev();
            match scopes.find_map(|scope| scope.find(Space::Variable, name)) {
                Some(variable) => variable.used = true,
                None if name == "hostname" => {}
                // Nothing reads the name of a resource as a script.
                None if self.in_name && at > 1 && is_lowercase(name) => {
                    here_too.push((at, name, false));
                    continue;
                }
                None => {
                    has_others = true;
                    continue;
                }
            }
            here_too.push((at, name, true));
        }
        // A text with variables that the program does not have contains other variables: a script, a configuration.
        if has_others {
            return;
        }
        for (at, name, is_defined) in here_too {
            let start = span.start + at as u32;
            let here = Span { start, end: start + 1 + name.len() as u32, ..span };
            if self.in_texts.last().and_then(Diagnostic::judged_span) != Some(here) {
                self.in_texts.push(match is_defined {
                    true => words::dollar_in_text(name, here),
                    false => words::undefined_hole(&format!("${name}"), name, here),
                });
            }
        }
    }
}

/// Whether a name can be that of a variable.
fn is_lowercase(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && !name.ends_with('_')
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The names after a dollar sign in a string as written, with their offsets. `\$name` and `${name}` do not count.
fn dollars(written: &str) -> impl Iterator<Item = (usize, &str)> {
    written.match_indices('$').filter_map(|(at, _)| {
        let n_escapes = written[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        let rest = &written[at + 1..];
        let name = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())];
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        (n_escapes % 2 == 0 && begins).then_some((at, name))
    })
}

/// The names in the holes of other languages, `#{name}`, `%{name}`, `{{ name }}`, `<%= name %>` and `{name}`, with the
/// places of the holes.
///
/// Cost: linear, whether or not the holes end.
fn foreign_holes(written: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    const SIGNS: [(&str, &str); 5] = [("#{", "}"), ("%{", "}"), ("{{", "}}"), ("<%=", "%>"), ("{", "}")];
    SIGNS.into_iter().flat_map(move |(open, close)| {
        written.match_indices(open).filter_map(move |(at, _)| {
            let inside = written[at + open.len()..].trim_start();
            // In ERB, a variable of Puppet or of an object is written `@name`.
            let inside = if open == "<%=" { inside.strip_prefix('@').unwrap_or(inside) } else { inside };
            let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            let name = &inside[..inside.find(|c: char| !is_part(c))?];
            let rest = inside[name.len()..].trim_start().strip_prefix(close)?;
            // Words of Go's templates.
            let is_word = open == "{{" && matches!(name, "else" | "end" | "break" | "continue");
            let is_of_longer = open == "{" && written[..at].ends_with(['$', '#', '%', '@', '{']);
            let is_name = name.starts_with(|c: char| c.is_ascii_lowercase()) && !is_word && !is_of_longer;
            is_name.then_some((at..written.len() - rest.len(), name))
        })
    })
}

/// Whether a text is for a program with its own formats: `rpm --qf %{name}`, `curl -w %{http_code}`.
fn has_formats(written: &str) -> bool {
    ["rpm ", "--qf", "--queryformat", "curl ", "-w ", "--write-out", "LogFormat"]
        .iter()
        .any(|sign| written.contains(sign))
}

/// Whether a script assigns the name first: `a=1`, `for a in`, `read a`.
fn assigns(script: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    script.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&script[..at], &script[at + name.len()..]);
        let is_apart =
            !before.ends_with(|c: char| is_word(c) || matches!(c, '$' | '{')) && !behind.starts_with(is_word);
        let declares = |word: &str| before.trim_end().ends_with(word) && before.ends_with([' ', '\t']);
        is_apart && (behind.starts_with('=') || ["for", "read", "local", "export"].into_iter().any(declares))
    })
}
