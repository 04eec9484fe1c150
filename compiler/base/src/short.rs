//! Short links: which texts name a program on a server. The page, the agent and an operator's list use the same rule.
//!
//! ```text
//! https://play.example/s/ID            as it is shared; also below a path, and with `?…`, `#…` or `/` after it
//! https://play.example/embed/ID        the same for frames
//! https://play.example/#s=ID           as the page shows it, also below `embed/` and `v/VERSION/`
//! https://play.example/preview/ID.svg  its picture, and `/api/v1/programs/ID`, its content
//! ```

/// The characters of IDs: without 0 and o, 1 and l.
pub const ALPHABET: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";
/// The fewest characters of an ID.
pub const SHORTEST: usize = 10;
/// The maximum number of characters of an ID.
pub const LONGEST: usize = 51;

/// A short link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Short<'a> {
    /// The start of the server's addresses, without a trailing slash.
    pub site: &'a str,
    /// The ID of the program.
    pub id: &'a str,
}

/// Whether this is well formed as an ID.
pub fn is_id(text: &str) -> bool {
    (SHORTEST..=LONGEST).contains(&text.len()) && text.bytes().all(|byte| ALPHABET.contains(&byte))
}

/// The short link in a text. `None`: it is something else, such as a link that contains its program.
pub fn read(text: &str) -> Option<Short<'_>> {
    let text = text.trim();
    let (address, fragment) = text.split_once('#').unwrap_or((text, ""));
    let path = address.split('?').next().unwrap_or_default();
    let short = match stored(fragment) {
        Some(id) => Short { site: page(path), id },
        None if contains_program(fragment) => return None,
        None => below(path.trim_end_matches('/'))?,
    };
    (has_host(short.site) && is_id(short.id)).then_some(short)
}

/// Whether links may start with this: a scheme, a host, and perhaps a path.
pub fn is_site(text: &str) -> bool {
    has_host(text) && !text.contains(['?', '#'])
}

/// The address of the same program for frames.
pub fn embed(link: &str) -> String {
    match link.rsplit_once("/s/") {
        Some((site, id)) => format!("{site}/embed/{id}"),
        None => link.to_owned(),
    }
}

/// The start of a server's addresses without the version of an older page: `https://h/v/0.1.0` is `https://h`.
pub fn without_version(site: &str) -> &str {
    let bare = site.trim_end_matches('/');
    let below = bare.rsplit_once('/').and_then(|(rest, version)| Some((rest.strip_suffix("/v")?, version)));
    below.filter(|(site, version)| has_host(site) && !version.is_empty()).map_or(bare, |(site, _)| site)
}

/// The ID in the fragment of a page.
fn stored(fragment: &str) -> Option<&str> {
    let mut parts = fragment.split('&').filter_map(|part| part.split_once('='));
    let (name, id) = parts.find(|(name, _)| ["c", "p", "s", "url", "example", "lesson"].contains(name))?;
    (name == "s").then(|| id.split(['?', '#', '/']).next().unwrap_or_default())
}

fn contains_program(fragment: &str) -> bool {
    fragment.split('&').filter_map(|part| part.split_once('=')).any(|(name, _)| ["c", "p", "url"].contains(&name))
}

/// A page's folder.
fn page(path: &str) -> &str {
    let folder = path.strip_suffix("index.html").unwrap_or(path).trim_end_matches('/');
    folder.strip_suffix("/embed").unwrap_or(folder)
}

/// The last part of a path is the ID, and the one before it is the marker.
fn below(path: &str) -> Option<Short<'_>> {
    let (folder, name) = path.rsplit_once('/')?;
    let forms = [("/s", ""), ("/embed", ""), ("/preview", ".svg"), ("/api/v1/programs", "")];
    forms
        .into_iter()
        .find_map(|(mark, ending)| Some(Short { site: folder.strip_suffix(mark)?, id: name.strip_suffix(ending)? }))
}

/// `https://` or `http://` with a host, in characters that addresses have.
fn has_host(site: &str) -> bool {
    let rest = site.strip_prefix("https://").or_else(|| site.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        && site.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"'<>\\`{|}".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_links_are_distinguished_from_other_texts() {
        for (text, site) in [
            ("https://h/s/abcdefghij", "https://h"),
            (" https://h/s/abcdefghij\n", "https://h"),
            ("http://h:8080/sub/s/abcdefghij/", "http://h:8080/sub"),
            ("https://h/s/abcdefghij?utm_source=x&y=/s/z", "https://h"),
            ("https://h/s/abcdefghij/?x#top", "https://h"),
            ("https://h/s/play/s/abcdefghij", "https://h/s/play"),
            ("https://h/embed/abcdefghij", "https://h"),
            ("https://h/embed/play/embed/abcdefghij", "https://h/embed/play"),
            ("https://h/#s=abcdefghij", "https://h"),
            ("https://h/s/play/#s=abcdefghij", "https://h/s/play"),
            ("https://h/?fbclid=1#s=abcdefghij&theme=dark", "https://h"),
            ("https://h/#theme=dark&s=abcdefghij", "https://h"),
            ("https://h/index.html#s=abcdefghij", "https://h"),
            ("https://h/embed/#s=abcdefghij&theme=dark&readonly=1", "https://h"),
            ("https://h/v/0.1.0/#s=abcdefghij", "https://h/v/0.1.0"),
            ("https://h/v/0.1.0/embed/#s=abcdefghij", "https://h/v/0.1.0"),
            ("https://h/preview/abcdefghij.svg", "https://h"),
            ("https://h/api/v1/programs/abcdefghij", "https://h"),
        ] {
            assert_eq!(read(text), Some(Short { site, id: "abcdefghij" }), "{text}");
        }
        for text in [
            "",
            "abcdefghij",
            "h/s/abcdefghij",
            "/s/abcdefghij",
            "#s=abcdefghij",
            "ftp://h/s/abcdefghij",
            "https:///s/abcdefghij",
            "https:///#s=abcdefghij",
            "https://h/x",
            "https://h/s/",
            "https://h/s/short",
            "https://h/s/ABCDEFGHIJ",
            "https://h/s/abcdefghij/more",
            "https://h/s/abcdefghij.svg",
            "https://h/preview/abcdefghij",
            "https://h/#s=../../abcdefghij",
            "https://h/s/abcdefghij#c=BAAA",
            "https://h/#c=BAAA&s=abcdefghij",
            "https://h/#url=https://h/s/abcdefghij",
            "https://h\nevil/s/abcdefghij",
            "https://h evil/s/abcdefghij",
            "https://h\x1b[2J/s/abcdefghij",
            "https://é/s/abcdefghij",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn an_embed_is_beside_the_last_folder_of_links() {
        assert_eq!(embed("https://h/s/abcdefghij"), "https://h/embed/abcdefghij");
        assert_eq!(embed("https://h/s/play/s/abcdefghij"), "https://h/s/play/embed/abcdefghij");
    }

    #[test]
    fn a_site_has_a_host() {
        for site in ["https://h", "http://h:8080/play/", "https://h/s/play", "http://[::1]:80"] {
            assert!(is_site(site), "{site}");
        }
        for text in
            ["", "h", "https://", "https:///", "http:///x", "https://h/?x", "https://h/#", "https://h /", "ftp://h"]
        {
            assert!(!is_site(text), "{text}");
        }
    }

    #[test]
    fn an_older_page_belongs_to_its_server() {
        for (site, bare) in [
            ("https://h/v/0.1.0/", "https://h"),
            ("https://h/play/v/0.1.0", "https://h/play"),
            ("https://h/play/", "https://h/play"),
            ("https://h", "https://h"),
            ("https://h/v", "https://h/v"),
            ("https://v/0.1.0", "https://v/0.1.0"),
        ] {
            assert_eq!(without_version(site), bare, "{site}");
        }
    }
}
