//! `http:client`: Downloads a URL to a file, by polling or by long polling, and sends the body.
//! Resource spec, 9.

use crate::kinds::{Field, FieldDefault, HostType, Kind, KindDecl, Sendable, Traits};

/// The kind `http:client`.
pub(crate) struct HttpClient;

static DECL: KindDecl = KindDecl {
    name: "http:client",
    doc: "Downloads a URL to a file, by polling or by long polling, and sends the body.",
    fields: &[
        Field::str(
            "file",
            "File",
            "Destination; empty means the resource name when that is an absolute path, else a private file in the state directory.",
        ),
        Field::str("method", "Method", "HTTP method in upper case; empty means GET."),
        Field::str("url", "URL", "http or https URL (mandatory).").required(),
        Field::str("body", "Body", "Request body; null sends none.").nullable(),
        Field::bool("mtime_check", "MtimeCheck", "Send If-Modified-Since from the destination mtime and accept 304.")
            .default(FieldDefault::Bool(true)),
        Field::str("sha256", "Sha256", "Expected lower-case hex digest."),
        Field::bool("longpoll", "Longpoll", "Use a blocking request as the event source."),
        Field::bool("longpoll_redirect", "LongpollRedirect", "A redirect response from the server signals a change."),
        Field::bool(
            "longpoll_conditional",
            "LongpollConditional",
            "A held conditional request signals a change (Prefer: wait=60).",
        ),
    ],
    traits: Traits {
        edgeable_inert: true,
        refreshable: true,
        uses_vardir: true,
        sends: &[Sendable { name: "content", host: HostType::Str, nullable: true }],
        ..Traits::NONE
    },
    constants: &[],
};

impl Kind for HttpClient {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
