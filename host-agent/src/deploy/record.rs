//! [`Record`]: a deploy as it is stored, and [`Head`]: which one is the newest. Both are JSON in one canonical form, the
//! fields sorted by name, so that equal ones have equal bytes:
//!
//! ```json
//! {"at":1795331700,"by":"alice@desk","entry":"/main.mcl","files":[{"path":"/main.mcl","sha256":"…","size":9}],"id":1,
//!  "note":"","previous":null,"v":1}
//! ```
//!
//! A signed record has a field `signature` before `v`, which is then 2: versions of mclive that cannot check it say that
//! they are too old.

use super::{OperatorKey, Signature, Sum};
use serde::{Deserialize, Serialize};

/// The largest stored record. Units: bytes.
pub(crate) const LARGEST_RECORD: usize = 1 << 20;
const LARGEST_HEAD: usize = 1 << 10;
/// Limits of a program, as for one from files. Units: bytes.
const MOST_FILES: usize = 10_000;
const LARGEST_TREE: u64 = 64 << 20;
const LONGEST_PATH: usize = 1 << 10;
pub(super) const LONGEST_NAME: usize = 320;
const LONGEST_NOTE: usize = 4 << 10;
/// The versions of this form.
const FORM: u64 = 1;
const SIGNED_FORM: u64 = 2;

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
        let id = id.ok_or("the store has no number left for a deploy")?;
        let (by, note) = Default::default();
        let previous = previous.map(Record::sum);
        Ok(Record { at: 0, by, commit: None, entry, files, id, note, previous, signature: None, v: FORM })
    }

    /// The same with a signature for this cluster, instead of any other one.
    pub(crate) fn signed(&self, cluster: &str, key: &OperatorKey) -> Record {
        let bare = Record { signature: None, v: SIGNED_FORM, ..self.clone() };
        let signature = Signature::of(&bare.bytes(), cluster, key);
        Record { signature: Some(signature), ..bare }
    }

    /// The stored and hashed bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data")
    }

    pub(crate) fn sum(&self) -> Sum {
        Sum::of(&self.bytes())
    }

    /// Parses stored bytes. Errors: what is wrong with the record, for a sentence.
    pub(crate) fn read(bytes: &[u8]) -> Result<Record, String> {
        let record: Record = parse(bytes, LARGEST_RECORD, SIGNED_FORM)?;
        record.checked()?;
        // Then its sum is that of the stored bytes.
        if record.bytes() != bytes { Err("not in the canonical form".into()) } else { Ok(record) }
    }

    /// Whether everything is within its limits. Errors: what is not.
    pub(crate) fn checked(&self) -> Result<(), String> {
        let path = |path: &str| path.starts_with('/') && is_plain(path, LONGEST_PATH);
        let size = self.files.iter().fold(0_u64, |size, file| size.saturating_add(file.size));
        match (self.v, &self.signature) {
            (FORM, None) | (SIGNED_FORM, Some(_)) => {}
            (FORM, Some(_)) => return Err("of a format without a signature, but has one".into()),
            _ => return Err("of a format with a signature, but has none".into()),
        }
        if self.id == 0 {
            return Err("deploys are numbered from 1".into());
        }
        if let Some(wrong) = self.files.iter().map(|file| &file.path).chain([&self.entry]).find(|text| !path(text)) {
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
            return Err("its author or commit is not a name".into());
        }
        Ok(())
    }

    /// Whether the other one has the same program.
    pub(crate) fn is_like(&self, other: &Record) -> bool {
        self.entry == other.entry && self.files == other.files
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

/// Whether a text is short enough and has no control characters.
pub(super) fn is_plain(text: &str, most: usize) -> bool {
    text.len() <= most && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, content: &str) -> Filed {
        Filed { path: path.into(), sha256: Sum::of(content.as_bytes()), size: content.len() as u64 }
    }

    fn record() -> Record {
        let files = vec![file("/a.mcl", "a"), file("/main.mcl", "b")];
        let first = Record { by: "alice@desk".into(), ..Record::after(None, "/main.mcl".into(), files).unwrap() };
        let next = Record::after(Some(&first), first.entry.clone(), first.files.clone()).unwrap();
        Record { at: 7, by: "bob@desk".into(), note: "näht".into(), ..next }
    }

    #[test]
    fn a_record_comes_back_from_its_bytes_and_names_the_one_before() {
        let record = record();
        assert_eq!((record.id, record.previous.is_some()), (2, true));
        assert_eq!(Record::read(&record.bytes()), Ok(record.clone()));
        assert_eq!(Head::read(&Head::of(&record).bytes()), Ok(Head::of(&record)));
        let text = String::from_utf8(record.bytes()).unwrap();
        assert!(text.starts_with(r#"{"at":7,"by":"bob@desk","entry":"/main.mcl","files":[{"path":"/a.mcl","sha256":"#));
        assert!(text.ends_with(r#""v":1}"#), "{text}");
    }

    #[test]
    fn what_is_not_a_record_is_refused_with_a_reason() {
        let good = String::from_utf8(record().bytes()).unwrap();
        let spoilt = |from: &str, to: &str| Record::read(good.replacen(from, to, 1).as_bytes()).unwrap_err();
        assert_eq!(Record::read(&vec![b' '; LARGEST_RECORD + 1]).unwrap_err(), "larger than 1024 KiB");
        for (from, to, why) in [
            ("{\"at\"", "[", "not JSON with a version"),
            ("\"v\":1", "\"v\":3", "in format 3, which needs a newer version of mclive"),
            ("\"v\":1", "\"signature\":{\"key\":\"AAAA\",\"sig\":\"\"},\"v\":2", "an ed25519 public key in Base64"),
            ("\"id\":2", "\"id\":0", "numbered from 1"),
            ("\"id\":2", "\"id\":-2", "invalid"),
            ("\"id\":2", "\"id\": 2", "not in the canonical form"),
            ("\"/a.mcl\"", "\"a.mcl\"", "is not a path of a program"),
            ("\"/a.mcl\"", "\"/\\u001b[2J\"", "is not a path of a program"),
            ("\"/a.mcl\"", "\"/z.mcl\"", "not sorted"),
            ("\"size\":1", "\"size\":70000000", "at most 10000 files and 64 MiB"),
            ("\"note\"", "\"more\"", "unknown field"),
            ("bob@desk", "bob\\n", "not a name"),
        ] {
            let said = spoilt(from, to);
            assert!(said.contains(why), "{to}: {said}");
        }
    }

    #[test]
    fn keys_sort_by_number() {
        assert!(key(9) < key(10) && *key(u64::MAX) < *"deploy/head");
        assert_eq!(key(7), "deploy/00000000000000000007");
    }
}
