//! `http:server:proxy`: caching pull-through proxy below a URL prefix. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::absolute_dir;
use crate::kinds::rules::ensure;
use crate::kinds::url::Url;
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};

/// The kind `http:server:proxy`.
pub(crate) struct HttpServerProxy;

static DECL: KindDecl = KindDecl {
    name: "http:server:proxy",
    doc: "Caching pull-through proxy for a URL prefix.",
    fields: &[
        Field::str("server", "Server", "Name of the `http:server` it belongs to."),
        Field::str("path", "Path", "URL path, or prefix with a trailing slash; defaults to the resource name."),
        Field::str("sub", "Sub", "Prefix that is removed from the request path before it is appended to `head`."),
        Field::str("head", "Head", "Upstream URL prefix with a trailing slash. If empty, only the cache is served."),
        Field::str(
            "cache",
            "Cache",
            "Absolute path of the cache directory, with a trailing slash. If empty, nothing \
                                      is cached.",
        ),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Hosts), Required::list(PolicyList::Paths).case("the cache")],
};

impl Kind for HttpServerProxy {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn backend(&self) -> &'static str {
        "the HTTP server and client of the agent. Concurrent requests for the same path share one download. Complete \
         downloads are cached and never fetched again."
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
        if cache.is_empty() { Ok(()) } else { absolute_dir("`cache`", &cache) }
    }
}
