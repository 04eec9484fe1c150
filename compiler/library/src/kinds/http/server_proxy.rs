//! `http:server:proxy`: caching pull-through proxy below a URL prefix. Resource spec, 9.

use crate::kinds::rules::absolute_dir;
use crate::kinds::rules::ensure;
use crate::kinds::url::Url;
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};

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

    fn backend(&self) -> &'static str {
        "the agent's own HTTP server and client. One download serves all who ask for it meanwhile; what is whole is kept \
         in the cache, and never asked for again. What a policy must allow: `hosts`, and `paths` for the cache."
    }

    /// Without a server it has nothing to do.
    fn decide(&self, _want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(Vec::new())
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.effective("path").starts_with('/'), "the path must be absolute")?;
        let sub = want.text("sub");
        let is_prefix = sub.is_empty() || sub.starts_with('/') && sub.ends_with('/');
        ensure(is_prefix, "`sub` must be empty or an absolute directory prefix")?;
        let head = want.text("head");
        if !head.is_empty() {
            ensure(head.ends_with('/'), "`head` must end with a slash")?;
            Url::parse(&head)?;
        }
        let cache = want.text("cache");
        if cache.is_empty() { Ok(()) } else { absolute_dir("the Cache", &cache) }
    }
}
