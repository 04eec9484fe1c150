//! [`List`]: patterns of one kind of power, as a policy file writes them.

use super::glob;
use mclive_base::vocab::path::{escaped, shown};
use serde::Deserialize;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// `None`: the policy leaves it out, so all is allowed.
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

    /// Is it left out, or does a pattern match?
    pub(super) fn allows(&self, text: &str) -> bool {
        !self.is_given() || self.names(text)
    }

    /// Does a pattern match? A list that is left out names nothing.
    pub(super) fn names(&self, text: &str) -> bool {
        self.patterns().any(|pattern| glob::matches(pattern, text))
    }

    /// Is the text itself in the list?
    pub(super) fn holds(&self, text: &str) -> bool {
        self.patterns().any(|pattern| pattern == text)
    }

    pub(super) fn names_place(&self, place: &OsStr) -> bool {
        self.names(&escaped(place.as_bytes()))
    }

    /// Does a pattern match everything that is below a place, whatever its name?
    pub(super) fn names_below(&self, place: &OsStr) -> bool {
        let place = escaped(place.as_bytes()).into_owned();
        let above = |prefix: &str| {
            let ends = place.match_indices('/').map(|(at, _)| &place[..at]).chain([&*place]);
            ends.into_iter().any(|above| glob::matches(prefix, above))
        };
        self.patterns().any(|pattern| pattern == "**" || pattern.strip_suffix("/**").is_some_and(above))
    }

    /// The folders in which the patterns that match a place begin: `/srv` of `/srv/**`.
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

    /// Where a pattern begins with a symbolic link of this host (`/bin`, `/var/run`), the place behind it is meant
    /// as well: `lead` tells where the plain beginning of a pattern leads, or `None` when that is another's to say.
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

/// A pattern's plain beginning, as far as it is folders, and the rest, which begins with a slash.
fn split(pattern: &str) -> (&str, &str) {
    let plain = pattern.find(glob::SPECIAL).unwrap_or(pattern.len());
    pattern.split_at(pattern[..plain].rfind('/').unwrap_or(0))
}
