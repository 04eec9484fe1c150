//! `json:edit`: Applies a list of set and delete edits to a JSON object held in a file or in the
//! cluster string store. Resource spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `json:edit`.
pub(crate) struct JsonEdit;

static DECL: KindDecl = KindDecl {
    name: "json:edit",
    doc: "Applies a list of set and delete edits to a JSON object held in a file or in the cluster string store.",
    fields: &[
        Field::str("store", "Store", "Absolute path, file:/// URL or etcd:///key URL; empty means the resource name."),
        Field::strs("edits", "Edits", "Edits in order: `.a.b = JSON`, `.[\"k\"].c = JSON` or `del(.a.b)`.").required(),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for JsonEdit {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
