//! The value of [`Fact::State`](super::Fact::State).

use super::{FileKind, FileStat};
use crate::vocab::Datum;

/// The state of a file whose symbolic links were followed, or of a missing one.
pub fn state(found: Option<&FileStat>) -> Datum {
    let kind = match found.map(|stat| stat.kind) {
        None => "",
        Some(FileKind::File) => "file",
        Some(FileKind::Dir) => "dir",
        Some(FileKind::Symlink | FileKind::Other) => "other",
    };
    Datum::Struct(vec![
        ("exists".into(), Datum::Bool(found.is_some())),
        ("kind".into(), Datum::text(kind)),
        ("mode".into(), Datum::Int(found.map_or(0, |stat| stat.mode.into()))),
        ("size".into(), Datum::Int(found.map_or(0, |stat| stat.size as i64))),
    ])
}
