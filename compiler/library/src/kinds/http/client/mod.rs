//! `http:client`: downloads a URL to a file, by polling or by long polling, and sends the body. Resource spec, 9.

mod apply;

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::absolute_file;
use crate::kinds::rules::ensure;
use crate::kinds::rules::one_of;
use crate::kinds::rules::one_of_named;
use crate::kinds::url::Url;
use crate::kinds::walk::Walk;
use crate::kinds::{Decision, Field, FieldDefault, HostType, Kind, KindDecl, Read, Seen, Sendable, Traits, Want};
use crate::vocab::{Watch, file, request};

/// The kind `http:client`.
pub(crate) struct HttpClient;

static DECL: KindDecl = KindDecl {
    name: "http:client",
    doc: "Downloads a URL to a file, by polling or long polling, and sends the body. With `longpoll`, one request is \
          kept open, and each response is an event; a server that responds immediately is queried less often. An \
          interrupted download is resumed. Bodies larger than 8 MiB are not sent.",
    fields: &[
        Field::str(
            "file",
            "File",
            "Path of the file; defaults to the resource name if that is an absolute path, otherwise to a private file \
             in the state directory.",
        ),
        Field::str("method", "Method", "HTTP method in upper case; defaults to `GET`."),
        Field::str("url", "URL", "`http` or `https` URL.").required().url(),
        Field::str("body", "Body", "Request body; null means none.").nullable(),
        Field::bool(
            "mtime_check",
            "MtimeCheck",
            "Send `If-Modified-Since` with the modification time of the file, unless the file was changed after its \
             download, and accept status 304.",
        )
        .default(FieldDefault::Bool(true)),
        Field::str("sha256", "Sha256", "Expected SHA-256 digest in lower-case hex."),
        Field::bool("longpoll", "Longpoll", "Detect changes with a blocking request."),
        Field::bool("longpoll_redirect", "LongpollRedirect", "Treat a redirect response as a change."),
        Field::bool(
            "longpoll_conditional",
            "LongpollConditional",
            "Treat the response to a blocking conditional request (`Prefer: wait=60`) as a change.",
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
    policy: &[Required::list(PolicyList::Hosts), Required::list(PolicyList::Paths).case("the file")],
};

impl Kind for HttpClient {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let (file, name) = (want.text("file"), want.name);
        let file = if file.is_empty() && name.starts_with('/') && !name.ends_with('/') { name.into() } else { file };
        if !file.is_empty() {
            absolute_file("`file`", &file)?;
        }
        let method = want.text("method");
        one_of_named("method", &method, METHODS)?;
        let text = want.text("url");
        let url = Url::parse(&text)?;
        one_of(&url.scheme, &["http", "https"], || match &*url.scheme {
            "" => format!("`url` must begin with `http://` or `https://`, found `{text}`"),
            scheme => format!("the scheme of `url` must be `http` or `https`, not `{scheme}`"),
        })?;
        ensure(!url.hostname().is_empty(), "the URL has no host")?;
        ensure(!want.text("sha256").chars().any(char::is_uppercase), "`sha256` must be lower case")?;
        let longpoll = want.bool("longpoll");
        let (redirect, conditional) = (want.bool("longpoll_redirect"), want.bool("longpoll_conditional"));
        ensure(!longpoll || want.meta.poll == 0, "`longpoll` cannot be combined with `Meta:poll`")?;
        ensure(!(redirect && conditional), "`longpoll_redirect` cannot be combined with `longpoll_conditional`")?;
        ensure(!longpoll || redirect || conditional, "`longpoll` needs `longpoll_redirect` or `longpoll_conditional`")
    }

    fn puts(&self, want: &Want) -> Vec<String> {
        apply::destination(want).into_iter().collect()
    }

    fn reads(&self, want: &Want) -> Vec<Read> {
        apply::destination(want).and_then(|path| Read::of(&path)).into_iter().collect()
    }

    fn backend(&self) -> &'static str {
        "the HTTP client of the agent: HTTP/1.1, with TLS checked against the certificates of the host. A response is \
         stored in a temporary file, and replaces the file once it is complete."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        apply::walk(want, seen, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    /// Polling replaces these.
    fn watches(&self, want: &Want) -> Vec<Watch> {
        let path = apply::destination(want).map(|path| file::Watch { path, recursive: false }.into());
        let open = Some(apply::open_request(want)).filter(apply::is_safe).zip(apply::style(want));
        let uid = want.name.to_owned();
        let open = open.map(|(request, style)| request::Watch::Held { uid, request, style }.into());
        path.into_iter().chain(open).collect()
    }
}

static METHODS: &[&str] = &["", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"];
