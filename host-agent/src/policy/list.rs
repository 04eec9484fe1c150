//! [`List`]: patterns for one kind of permission, from a policy file.

use super::{address, glob};
use mclive_base::unicode::visible;
use mclive_base::vocab::path::{escaped, shown};
use serde::Deserialize;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// `None`: the policy omits it, so everything is allowed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub(crate) struct List(Option<Vec<Spanned<String>>>);

impl List {
    pub(super) fn nothing() -> List {
        List(Some(Vec::new()))
    }

    pub(super) fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// Whether it is omitted, or a pattern matches.
    pub(super) fn allows(&self, text: &str) -> bool {
        !self.is_given() || self.names(text)
    }

    /// The same for a host with its port.
    pub(super) fn allows_address(&self, text: &str) -> bool {
        !self.is_given() || self.patterns().any(|pattern| address::matches(pattern, text))
    }

    /// Whether a pattern matches. An omitted list contains nothing.
    pub(super) fn names(&self, text: &str) -> bool {
        self.patterns().any(|pattern| glob::matches(pattern, text))
    }

    /// Whether the text itself is in the list.
    pub(super) fn holds(&self, text: &str) -> bool {
        self.patterns().any(|pattern| pattern == text)
    }

    pub(super) fn names_place(&self, place: &OsStr) -> bool {
        self.names(&escaped(place.as_bytes()))
    }

    /// Whether a pattern matches everything below a place, whatever its name.
    pub(super) fn names_below(&self, place: &OsStr) -> bool {
        let place = escaped(place.as_bytes()).into_owned();
        let above = |prefix: &str| {
            let ends = place.match_indices('/').map(|(at, _)| &place[..at]).chain([&*place]);
            ends.into_iter().any(|above| glob::matches(prefix, above))
        };
        self.patterns().any(|pattern| pattern == "**" || pattern.strip_suffix("/**").is_some_and(above))
    }

    /// The folders where the patterns that match a place start: `/srv` of `/srv/**`.
    pub(super) fn roots(&self, place: &OsStr) -> impl Iterator<Item = PathBuf> {
        let place = escaped(place.as_bytes()).into_owned();
        self.patterns().filter(move |pattern| glob::matches(pattern, &place)).map(|pattern| {
            let (folder, _) = split(pattern);
            PathBuf::from(if folder.is_empty() { "/" } else { folder })
        })
    }

    fn patterns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().map(|pattern| pattern.get_ref().as_str())
    }

    /// Errors: the first pattern that can never match, with its line in the policy file and the reason: nothing matches it, or
    /// nothing that this list is for, as `mistake` says.
    pub(super) fn check(&self, list: &str, file: &str, mistake: impl Fn(&str) -> Option<String>) -> Result<(), String> {
        self.first(list, file, |pattern| {
            let why = glob::parts(pattern).err().map(str::to_owned).or_else(|| mistake(pattern));
            why.map(|why| format!("can never match: {why}"))
        })
    }

    /// Errors: the first pattern for a host with its port that may be written for addresses or for names.
    pub(super) fn check_clear(&self, list: &str, file: &str) -> Result<(), String> {
        self.first(list, file, |pattern| {
            let why = "is ambiguous: it could be meant for addresses or for names; for addresses, write no letters, as in \
                       `10.0.0.[0-9]*`; for names, write some outside of `[…]`, as in `[a-z0-9]*.example.org:*`";
            address::is_ambiguous(pattern).then(|| why.to_owned())
        })
    }

    /// Errors: what is wrong with the first pattern that is wrong, with its line in the policy file.
    fn first(&self, list: &str, file: &str, wrong: impl Fn(&str) -> Option<String>) -> Result<(), String> {
        for pattern in self.0.iter().flatten() {
            if let Some(what) = wrong(pattern.get_ref()) {
                let before = file.get(..pattern.span().start).unwrap_or_default();
                let (line, pattern) = (before.matches('\n').count() + 1, pattern.get_ref());
                return Err(format!("line {line}: `{}` in `{list}` {what}", visible(&shown(pattern))));
            }
        }
        Ok(())
    }

    /// If a pattern starts with a symbolic link of this host (`/bin`, `/var/run`), its target is added: `lead` returns
    /// the target of a pattern's literal start, or `None` if another user controls it.
    pub(super) fn follow_links(&mut self, lead: impl Fn(&Path) -> Option<PathBuf>) {
        let Some(patterns) = &mut self.0 else { return };
        let mut behind = Vec::new();
        for pattern in patterns.iter() {
            let (folder, rest) = split(pattern.get_ref());
            if folder.is_empty() {
                continue;
            }
            match lead(Path::new(folder)) {
                Some(place) if place != Path::new(folder) => {
                    let place = escaped(place.as_os_str().as_bytes());
                    let target = format!("{}{rest}", glob::literal(place.trim_end_matches('/')));
                    behind.push(Spanned::new(pattern.span(), target));
                }
                Some(_) | None => {}
            }
        }
        patterns.append(&mut behind);
    }
}

/// A pattern's literal start, as far as it consists of folders, and the rest, which begins with a slash.
fn split(pattern: &str) -> (&str, &str) {
    let plain = pattern.find(glob::SPECIAL).unwrap_or(pattern.len());
    pattern.split_at(pattern[..plain].rfind('/').unwrap_or(0))
}
