//! `http:server:ui:input`: One input control of a web form; its value is sent by send/recv and can
//! be kept in a store. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Field, FieldDefault, HostType, Kind, KindDecl, Sendable, Traits, Want};

/// The kind `http:server:ui:input`.
pub(crate) struct HttpServerUiInput;

static DECL: KindDecl = KindDecl {
    name: "http:server:ui:input",
    doc: "One input control of a web form; its value is sent by send/recv and can be kept in a store.",
    fields: &[
        Field::str("path", "Path", "Name of the http:server:ui to join; empty joins any."),
        Field::str("id", "ID", "Control id; empty means the resource name."),
        Field::str("value", "Value", "Fixed initial value; excludes store."),
        Field::str("store", "Store", "local:// or world:// URL, optional ?key=K (default key: resource name)."),
        Field::str("type", "Type", "text:// or range://?min=A&max=B&step=C.").default(FieldDefault::Str("text://")),
        Field::str("sort", "Sort", "Sort key of the control in the page."),
    ],
    traits: Traits {
        edgeable_inert: true,
        groupable: true,
        sends: &[Sendable { name: "value", host: HostType::Str, nullable: true }],
        ..Traits::NONE
    },
    constants: &[],
};

impl Kind for HttpServerUiInput {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.text("value").is_empty() || want.text("store").is_empty(), "may only use either Value or Store")
    }
}
