//! [`Record`]: a deploy as it is stored, and [`Head`]: which one is the newest. Both are JSON in one canonical form, the
//! fields sorted by name, so that equal ones have equal bytes:
//!
//! ```json
//! {"at":1795331700,"by":"alice@desk","entry":"/main.mcl","files":[{"path":"/main.mcl","sha256":"…","size":9}],"id":1,
//!  "note":"","previous":null,"v":1}
//! ```
//!
//! A signed record has a field `signature` before `v`, one for some hosts only a field `targets` after it. `v` tells
//! which of them are present, so that versions of mclive that do not know one of them report that they are too old: 1
//! with neither, 2 with a signature, 3 with targets, 4 with both. A model with partial exports adds 4, since it would
//! be a different model without them. A field `spread` adds 8.

use super::{OperatorKey, Signature, Sum, Targets, spread};
use mclive_base::parts::{FOLDER, LIST};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The largest stored record. Units: bytes.
pub(crate) const LARGEST_RECORD: usize = 1 << 20;
const LARGEST_HEAD: usize = 1 << 10;
/// Limits of a program, as for one from files. Units: bytes.
const MOST_FILES: usize = 10_000;
const LARGEST_TREE: u64 = 64 << 20;
const LONGEST_PATH: usize = 1 << 10;
pub(super) const LONGEST_NAME: usize = 320;
const LONGEST_NOTE: usize = 4 << 10;
/// The version of this form, without what may be added to a record.
const FORM: u64 = 1;
/// What is added to the version of a record with a signature, with targets, with partial exports, and with a spread.
const SIGNED: u64 = 1;
const TARGETED: u64 = 2;
const PARTIAL: u64 = 4;
const SPREAD: u64 = 8;
const NEWEST_FORM: u64 = FORM + SIGNED + TARGETED + PARTIAL + SPREAD;

/// A deploy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    /// Units: seconds since 1970.
    pub(crate) at: u64,
    pub(crate) by: String,
    /// The git commit of the program, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<String>,
    /// The main file or the directory, as in a program.
    pub(crate) entry: String,
    /// By path.
    pub(crate) files: Vec<Filed>,
    /// From 1.
    pub(crate) id: u64,
    pub(crate) note: String,
    /// The sum of the record with the previous number.
    pub(crate) previous: Option<Sum>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) signature: Option<Signature>,
    /// Hosts apply it within this time, each after its own delay; `None`: all at once. Units: seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) spread: Option<u64>,
    /// `None`: it is for all hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) targets: Option<Targets>,
    pub(crate) v: u64,
}

/// A file of a deploy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Filed {
    /// In the program's tree: it begins with a slash.
    pub(crate) path: String,
    pub(crate) sha256: Sum,
    /// Units: bytes.
    pub(crate) size: u64,
}

/// The newest deploy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub(crate) id: u64,
    /// Of its record.
    pub(crate) sha256: Sum,
    v: u64,
}

/// The key of a record: numbers sort as texts.
pub(crate) fn key(id: u64) -> String {
    format!("deploy/{id:020}")
}

/// The version of any form.
#[derive(Deserialize)]
struct Version {
    v: u64,
}

impl Record {
    /// The deploy after another one, with these files.
    pub(crate) fn after(previous: Option<&Record>, entry: String, files: Vec<Filed>) -> Result<Record, String> {
        let id = previous.map_or(Some(1), |previous| previous.id.checked_add(1));
        let id = id.ok_or("the store has run out of deploy numbers")?;
        let (by, note) = Default::default();
        let previous = previous.map(Record::sum);
        let (signature, spread, targets) = (None, None, None);
        let (at, commit) = (0, None);
        let record = Record { at, by, commit, entry, files, id, note, previous, signature, spread, targets, v: FORM };
        Ok(record.targeted(None))
    }

    /// The same for these hosts, without a signature.
    pub(crate) fn targeted(self, targets: Option<Targets>) -> Record {
        let bare = Record { signature: None, targets, ..self };
        Record { v: bare.form(false), ..bare }
    }

    /// The same, spread over this time, without a signature. Units: seconds.
    pub(crate) fn spread_over(self, spread: Option<u64>) -> Record {
        let bare = Record { signature: None, spread, ..self };
        Record { v: bare.form(false), ..bare }
    }

    /// The same with a signature for this cluster, instead of any other one.
    pub(crate) fn signed(&self, cluster: &str, key: &OperatorKey) -> Record {
        let bare = Record { signature: None, v: self.form(true), ..self.clone() };
        let signature = Signature::of(&bare.bytes(), cluster, key);
        Record { signature: Some(signature), ..bare }
    }

    /// The version of its form.
    fn form(&self, is_signed: bool) -> u64 {
        let added = [
            (is_signed, SIGNED),
            (self.targets.is_some(), TARGETED),
            (self.has_parts(), PARTIAL),
            (self.spread.is_some(), SPREAD),
        ];
        added.into_iter().filter(|(is_there, _)| *is_there).fold(FORM, |form, (_, added)| form + added)
    }

    /// Whether it is a model with partial exports.
    fn has_parts(&self) -> bool {
        let folder = &self.entry[..self.entry.rfind('/').map_or(0, |slash| slash + 1)];
        let list = format!("{folder}{FOLDER}{LIST}");
        self.files.iter().any(|file| file.path == list)
    }

    /// The stored and hashed bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data")
    }

    pub(crate) fn sum(&self) -> Sum {
        Sum::of(&self.bytes())
    }

    /// Parses stored bytes. Errors: what is wrong with the record, after `the record is`.
    pub(crate) fn read(bytes: &[u8]) -> Result<Record, String> {
        let record: Record = parse(bytes, LARGEST_RECORD, NEWEST_FORM)?;
        record.checked().map_err(|why| format!("invalid: {why}"))?;
        // Then its sum is that of the stored bytes.
        if record.bytes() != bytes { Err("not in the canonical form".into()) } else { Ok(record) }
    }

    /// Whether everything is within its limits. Errors: what is not, a sentence without a full stop.
    pub(crate) fn checked(&self) -> Result<(), String> {
        let size = self.files.iter().fold(0_u64, |size, file| size.saturating_add(file.size));
        let added = self.v.wrapping_sub(FORM);
        for (is_named, is_there, what, some) in [
            (added & SIGNED != 0, self.signature.is_some(), "a signature", "one"),
            (added & TARGETED != 0, self.targets.is_some(), "targets", "some"),
            (added & PARTIAL != 0, self.has_parts(), "partial exports", "some"),
            (added & SPREAD != 0, self.spread.is_some(), "a spread", "one"),
        ] {
            match (is_named, is_there) {
                (true, true) | (false, false) => {}
                (false, true) => return Err(format!("its format does not support {what}, but it has {some}")),
                (true, false) => return Err(format!("its format requires {what}, but it has none")),
            }
        }
        self.targets.as_ref().map_or(Ok(()), Targets::checked)?;
        if self.spread.is_some_and(|spread| !(1..=spread::LONGEST).contains(&spread)) {
            return Err(format!("a deploy can be spread over 1 to {} seconds", spread::LONGEST));
        }
        if self.id == 0 {
            return Err("deploys are numbered from 1".into());
        }
        // The entry may be the directory of the program.
        let entry = Some(&self.entry).filter(|entry| *entry != "/");
        if let Some(wrong) = self.files.iter().map(|file| &file.path).chain(entry).find(|path| !is_path(path)) {
            return Err(format!("{:?} is not a path of a program", wrong.chars().take(60).collect::<String>()));
        }
        if !self.files.is_sorted_by(|one, next| one.path < next.path) {
            return Err("the files are not sorted by path".into());
        }
        if self.files.len() > MOST_FILES || size > LARGEST_TREE {
            return Err(format!("a deploy can have at most {MOST_FILES} files and {} MiB", LARGEST_TREE >> 20));
        }
        if self.note.len() > LONGEST_NOTE {
            return Err(format!("the note is longer than {} KiB", LONGEST_NOTE >> 10));
        }
        let names = [Some(&self.by), self.commit.as_ref()];
        if !names.into_iter().flatten().all(|name| is_plain(name, LONGEST_NAME)) {
            return Err("its author or commit is not a valid name".into());
        }
        Ok(())
    }

    /// Whether it is for this host.
    pub(crate) fn is_for(&self, host: &str) -> bool {
        self.targets.as_ref().is_none_or(|targets| targets.include(host))
    }

    /// How long this host waits before it applies it. `now_s`: by this machine's clock, in seconds since 1970.
    pub(crate) fn delay(&self, host: &str, now_s: u64) -> Duration {
        match self.spread {
            Some(seconds) if !spread::is_over(self.at, seconds, now_s) => spread::delay(host, seconds),
            Some(_) | None => Duration::ZERO,
        }
    }

    /// Whether it is for all hosts, whatever their names.
    pub(crate) fn is_for_all(&self) -> bool {
        self.targets.as_ref().is_none_or(Targets::are_all)
    }

    /// Whether it already brings the other one's program to all hosts that the other one is for, as soon as that one.
    pub(crate) fn covers(&self, other: &Record) -> bool {
        let has_hosts = match (&self.targets, &other.targets) {
            (Some(targets), Some(others)) => targets.cover(others),
            (_, None) | (None, _) => self.is_for_all(),
        };
        // One with a shorter spread is for hosts that still wait.
        has_hosts && self.spread <= other.spread && self.entry == other.entry && self.files == other.files
    }
}

impl Head {
    pub(crate) fn of(record: &Record) -> Head {
        Head { id: record.id, sha256: record.sum(), v: FORM }
    }

    /// The stored bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data")
    }

    /// Parses stored bytes. Errors: what is wrong, for a sentence.
    pub(crate) fn read(bytes: &[u8]) -> Result<Head, String> {
        parse(bytes, LARGEST_HEAD, FORM)
    }
}

/// Parses JSON with a version, at most `newest`. Errors: what is wrong, for a sentence.
pub(super) fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8], most: usize, newest: u64) -> Result<T, String> {
    if bytes.len() > most {
        return Err(format!("larger than {} KiB", most >> 10));
    }
    let version: Version = serde_json::from_slice(bytes).map_err(|_| "not JSON with a version")?;
    if !(FORM..=newest).contains(&version.v) {
        return Err(format!("in format {}, which needs a newer version of mclive", version.v));
    }
    serde_json::from_slice(bytes).map_err(|error| format!("invalid: {error}"))
}

/// Whether a text is the path of a file in the tree of a program, in the form that the compiler gives it: only files
/// above the directory of the main program have `..`, at the beginning.
fn is_path(text: &str) -> bool {
    let Some(mut below) = text.strip_prefix('/') else { return false };
    while let Some(rest) = below.strip_prefix("../") {
        below = rest;
    }
    is_plain(text, LONGEST_PATH) && below.split('/').all(|name| !matches!(name, "" | "." | ".."))
}

/// Whether a text is short enough and has no control characters.
pub(super) fn is_plain(text: &str, most: usize) -> bool {
    text.len() <= most && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests;
