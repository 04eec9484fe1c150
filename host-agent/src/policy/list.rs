//! [`List`]: patterns for one kind of permission, from a policy file.

use super::glob;
use mclive_base::vocab::path::{escaped, shown};
use serde::Deserialize;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// `None`: the policy omits it, so everything is allowed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub(crate) struct List(Option<Vec<String>>);

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
        self.0.iter().flatten().map(String::as_str)
    }

    /// Errors: a pattern that can match no place, and what is wrong with it.
    pub(super) fn check_places(&self, list: &str) -> Result<(), String> {
        for pattern in self.patterns() {
            let why = if !pattern.starts_with('/') && pattern != "**" {
                "paths must begin with a slash"
            } else if pattern.len() > 1 && pattern.ends_with('/') {
                "paths must not end with a slash; `/srv` is the directory, `/srv/**` is everything in it"
            } else if pattern.contains("//") || pattern.split('/').any(|part| part == "." || part == "..") {
                "paths must not contain `//`, `.` or `..`"
            } else {
                continue;
            };
            return Err(format!("`{}` in `{list}` can never match: {why}", shown(pattern)));
        }
        Ok(())
    }

    /// If a pattern starts with a symbolic link of this host (`/bin`, `/var/run`), its target is added: `lead` returns
    /// the target of a pattern's literal start, or `None` if another user controls it.
    pub(super) fn follow_links(&mut self, lead: impl Fn(&Path) -> Option<PathBuf>) {
        let Some(patterns) = &mut self.0 else { return };
        let mut behind = Vec::new();
        for pattern in patterns.iter() {
            let (folder, rest) = split(pattern);
            if folder.is_empty() {
                continue;
            }
            match lead(Path::new(folder)) {
                Some(place) if place != Path::new(folder) => {
                    let place = escaped(place.as_os_str().as_bytes());
                    behind.push(format!("{}{rest}", glob::literal(place.trim_end_matches('/'))));
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
