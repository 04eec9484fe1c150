//! `gzip`: Compresses a file or inline content with gzip. Resource spec, 9.

use crate::kinds::rules::absolute_file;
use crate::kinds::rules::ensure;
use crate::kinds::{Constant, Field, FieldDefault, HostType, Kind, KindDecl, Traits, Want};

/// The kind `gzip`.
pub(crate) struct Gzip;

static DECL: KindDecl = KindDecl {
    name: "gzip",
    doc: "Compresses a file or inline content with gzip.",
    fields: &[
        Field::str("path", "Path", "Output path; empty means the resource name."),
        Field::str("input", "Input", "Input file; null compresses content instead.").nullable(),
        Field::str("content", "Content", "Inline input."),
        Field::int("level", "Level", HostType::Int, "-2 to 9; -1 is the library default.")
            .default(FieldDefault::Int(-1)),
    ],
    traits: Traits { uses_vardir: true, ..Traits::NONE },
    constants: &[
        ("level.no_compression", Constant::Int(0)),
        ("level.best_speed", Constant::Int(1)),
        ("level.best_compression", Constant::Int(9)),
        ("level.default_compression", Constant::Int(-1)),
        ("level.huffman_only", Constant::Int(-2)),
    ],
};

impl Kind for Gzip {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        absolute_file("path", &want.effective("path"))?;
        if let Some(input) = want.text_if_set("input") {
            absolute_file("input", &input)?;
        }
        let level = want.int("level");
        ensure((-2..=9).contains(&level), format!("invalid compression level: {level}"))
    }
}
