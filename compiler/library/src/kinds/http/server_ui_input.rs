//! `http:server:ui:input`: one input control of a web form; its value is sent by send/recv and can be kept in a store.
//! Resource spec, 9.

use super::page;
use crate::kinds::rules::ensure;
use crate::kinds::{Decision, Field, FieldDefault, HostType, Kind, KindDecl, Seen, Sendable, Traits, Want};

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
        ensure(
            want.text("value").is_empty() || want.text("store").is_empty(),
            "`value` cannot be combined with `store`",
        )
    }

    fn backend(&self) -> &'static str {
        "the agent's own HTTP server. A range without `min`, `max` or `step` has 0, 100 and 1; a value outside of it is \
         refused. With a store, what a reader saves is stored, and what is stored otherwise is shown."
    }

    /// Without a page, it keeps its initial value.
    fn decide(&self, want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(page::first(want))
    }
}
