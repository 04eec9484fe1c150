//! `http:server:ui`: Serves a small web form whose controls are grouped http:server:ui:input
//! resources. Resource spec, 9.

use crate::kinds::{Field, HostField, HostType, Kind, KindDecl, Traits};

/// The kind `http:server:ui`.
pub(crate) struct HttpServerUi;

static DECL: KindDecl = KindDecl {
    name: "http:server:ui",
    doc: "Serves a small web form whose controls are grouped http:server:ui:input resources.",
    fields: &[
        Field::str("server", "Server", "Name of the http:server to join."),
        Field::str("path", "Path", "URL prefix (absolute, trailing slash); empty means the resource name."),
        Field::new(
            "data",
            "Data",
            HostType::Struct(&[HostField::new("title", HostType::Str), HostField::new("head", HostType::Str)]),
            "Page decorations.",
        )
        .nullable()
        .not_compared(),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, groups_others: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for HttpServerUi {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
