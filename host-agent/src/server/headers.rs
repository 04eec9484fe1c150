//! Security headers of answers: one table, by the [`Class`] of the route.

use super::origins::{Origin, admit};
use crate::network::http::header::{HeaderMap, HeaderName, HeaderValue};

/// The headers that every server of the site sends, one `Name: value` per line.
const OF_PAGES: &str = include_str!("../../../www/headers.txt");

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
        let of_pages = admit(OF_PAGES, origins);
        let framed = of_pages.replace("frame-ancestors 'none'", "frame-ancestors *");
        let framed =
            framed.replace("Cross-Origin-Resource-Policy: same-origin", "Cross-Origin-Resource-Policy: cross-origin");
        let cors = [
            "Access-Control-Allow-Origin: *",
            "Access-Control-Allow-Headers: Content-Type",
            "Access-Control-Expose-Headers: Retry-After",
        ];
        let is_for_frames =
            |line: &&str| !line.starts_with("X-Frame-Options") && !line.starts_with("Cross-Origin-Opener");
        Headers {
            page: table(of_pages.lines()),
            embed: table(framed.lines().filter(is_for_frames)),
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

/// The headers of [`Class::Plain`], for an address of its own.
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
