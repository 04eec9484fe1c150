//! `http:server:ui:input`: one input control of a web form; its value is sent by send/recv and can be kept in a store.
//! Resource spec, 9.

use super::page;
use crate::kinds::rules::ensure;
use crate::kinds::{Decision, Field, FieldDefault, HostType, Kind, KindDecl, Seen, Sendable, Traits, Want};

/// The kind `http:server:ui:input`.
pub(crate) struct HttpServerUiInput;

static DECL: KindDecl = KindDecl {
    name: "http:server:ui:input",
    doc: "Input control of a web form. Its value is sent to other resources and can be kept in a store.",
    fields: &[
        Field::str("path", "Path", "Name of the `http:server:ui` it belongs to; empty means any."),
        Field::str("id", "ID", "Id of the control; defaults to the resource name."),
        Field::str("value", "Value", "Initial value; cannot be combined with `store`."),
        Field::str(
            "store",
            "Store",
            "URL of the store: `local://` or `world://`, optionally with `?key=K`. The key \
                                      defaults to the resource name.",
        ),
        Field::str("type", "Type", "`text://` or `range://?min=A&max=B&step=C`.").default(FieldDefault::Str("text://")),
        Field::str("sort", "Sort", "Sort key of the control on the page."),
    ],
    traits: Traits {
        edgeable_inert: true,
        groupable: true,
        sends: &[Sendable { name: "value", host: HostType::Str, nullable: true }],
        ..Traits::NONE
    },
    constants: &[],
    policy: &[],
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
        "the HTTP server of the agent. `min`, `max` and `step` of a range default to 0, 100 and 1; values outside the \
         range are rejected. With a store, saved values are stored, and changes in the store appear on the page."
    }

    /// Without a page, it keeps its initial value.
    fn decide(&self, want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(page::first(want))
    }
}
