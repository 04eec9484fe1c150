//! Security headers of answers: one table, by the [`Class`] of the route.

use super::origins::{Origin, admit};
use crate::network::http::header::{HeaderMap, HeaderName, HeaderValue};

/// The headers that every server of the site sends, one `Name: value` per line below the paths that they are for.
const OF_SITE: &str = include_str!("../../../www/headers.txt");
const PAGES: &str = "/*";
const FRAMES: &str = "/embed/* /embed.js";

/// Nothing in it can run or load anything, wherever it is opened.
const INERT: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Class {
    /// The page and its parts: never in a frame.
    Page,
    /// Content in frames of other sites, and the script that embeds it.
    Embed,
    /// Data for scripts of any site. There are no logins, so there is nothing to protect from them.
    Api,
    /// Shown by other sites, for example in chats.
    Picture,
    Plain,
}

type Table = Vec<(HeaderName, HeaderValue)>;

/// The tables of one server.
pub(crate) struct Headers {
    page: Table,
    embed: Table,
    api: Table,
    picture: Table,
    plain: Table,
}

impl Headers {
    /// Pages may fetch programs from these origins.
    pub(crate) fn new(origins: &[Origin]) -> Headers {
        let of_site = admit(OF_SITE, origins);
        let cors = [
            "Access-Control-Allow-Origin: *",
            "Access-Control-Allow-Headers: Content-Type",
            "Access-Control-Expose-Headers: Retry-After",
        ];
        Headers {
            page: table(part(&of_site, PAGES)),
            embed: table(part(&of_site, FRAMES)),
            api: table(inert("cross-origin").iter().map(String::as_str).chain(cors)),
            picture: table(inert("cross-origin").iter().map(String::as_str)),
            plain: table(inert("same-origin").iter().map(String::as_str)),
        }
    }

    pub(super) fn put(&self, class: Class, headers: &mut HeaderMap) {
        let table = match class {
            Class::Page => &self.page,
            Class::Embed => &self.embed,
            Class::Api => &self.api,
            Class::Picture => &self.picture,
            Class::Plain => &self.plain,
        };
        table.iter().for_each(|(name, value)| drop(headers.insert(name, value.clone())));
    }
}

/// The headers for these paths.
fn part<'t>(text: &'t str, paths: &'static str) -> impl Iterator<Item = &'t str> {
    let lines = text.lines().skip_while(move |line| *line != paths).skip(1);
    lines.take_while(|line| !line.starts_with('/'))
}

/// The headers of [`Class::Plain`], for its own address.
pub(super) fn put_plain(headers: &mut HeaderMap) {
    let lines = inert("same-origin");
    headers.extend(table(lines.iter().map(String::as_str)));
}

fn inert(shared_with: &str) -> [String; 5] {
    [
        format!("Content-Security-Policy: {INERT}"),
        format!("Cross-Origin-Resource-Policy: {shared_with}"),
        "Referrer-Policy: no-referrer".into(),
        "X-Content-Type-Options: nosniff".into(),
        "X-Frame-Options: DENY".into(),
    ]
}

fn table<'a>(lines: impl Iterator<Item = &'a str>) -> Table {
    let lines = lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": "));
    let parsed = lines.map(|(name, value)| {
        let name = HeaderName::try_from(name).expect("the table is well formed");
        (name, HeaderValue::try_from(value).expect("the table is well formed"))
    });
    parsed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_the_headers_of_pages_but_for_framing() {
        let framed = part(OF_SITE, PAGES)
            .filter(|line| !line.starts_with("X-Frame-Options") && !line.starts_with("Cross-Origin-Opener"))
            .map(|line| line.replace("frame-ancestors 'none'", "frame-ancestors *"))
            .map(|line| line.replace("Resource-Policy: same-origin", "Resource-Policy: cross-origin"));
        let lines = |lines: &mut dyn Iterator<Item = String>| lines.filter(|line| !line.is_empty()).collect::<Vec<_>>();
        let own = lines(&mut part(OF_SITE, FRAMES).map(str::to_owned));
        assert_eq!(lines(&mut { framed }), own);
        assert_eq!(own.len(), 5);
        let paths: Vec<&str> = OF_SITE.lines().filter(|line| line.starts_with('/')).collect();
        assert_eq!(paths, [PAGES, FRAMES]);
    }
}
