//! `http:server:proxy`: Caching pull-through proxy below a URL prefix. Resource spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `http:server:proxy`.
pub(crate) struct HttpServerProxy;

static DECL: KindDecl = KindDecl {
    name: "http:server:proxy",
    doc: "Caching pull-through proxy below a URL prefix.",
    fields: &[
        Field::str("server", "Server", "Name of the http:server to join."),
        Field::str("path", "Path", "URL path or prefix (trailing slash); empty means the resource name."),
        Field::str("sub", "Sub", "Prefix removed from the request path before it is appended to head."),
        Field::str("head", "Head", "Upstream URL prefix (trailing slash); empty serves from cache only."),
        Field::str("cache", "Cache", "Absolute directory (trailing slash) for cached bodies; empty disables caching."),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for HttpServerProxy {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
