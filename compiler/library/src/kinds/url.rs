//! URLs in fields: their parts, and which texts are invalid.

use super::rules::ensure;
use super::secrets::SHOWN;
use mclive_base::vocab::request::secret_of_user;
use std::borrow::Cow;

/// The parts of a URL, not decoded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Url<'a> {
    /// Lower case; empty if there is none.
    pub(super) scheme: String,
    /// `user` and, after a colon, the password.
    pub(super) user: Option<(&'a str, Option<&'a str>)>,
    /// With the port.
    pub(super) host: &'a str,
    pub(super) path: &'a str,
    pub(super) query: Option<&'a str>,
    pub(super) fragment: Option<&'a str>,
}

impl<'a> Url<'a> {
    /// Splits a text. Nearly every text is a URL, if only a relative path.
    pub(super) fn parse(text: &'a str) -> Result<Url<'a>, String> {
        let invalid = |why: &str| format!("cannot parse `{}` as a URL: {why}", without_password(text));
        ensure(!text.chars().any(|c| c.is_ascii_control()), invalid("a control character"))?;
        let (text_before, fragment) = cut(text, '#');
        let (scheme, rest) = scheme(text_before).ok_or_else(|| invalid("the scheme is missing"))?;
        let (rest, query) = cut(rest, '?');
        let mut url = Url { scheme: scheme.to_ascii_lowercase(), query, fragment, ..Url::default() };
        if !rest.starts_with('/') {
            let first = rest.split('/').next().unwrap_or_default();
            ensure(!scheme.is_empty() || !first.contains(':'), invalid("a colon in the first part of the path"))?;
        }
        // `mailto:x` has no path.
        url.path = if scheme.is_empty() || rest.starts_with('/') { rest } else { "" };
        if let Some(after) = rest.strip_prefix("//")
            && (!scheme.is_empty() || !rest.starts_with("///"))
        {
            let end = after.find('/').unwrap_or(after.len());
            let (authority, path) = after.split_at(end);
            let (user, host) = match authority.rsplit_once('@') {
                Some((user, host)) => (Some(user), host),
                None => (None, authority),
            };
            if let Some(user) = user {
                let fine = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
                ensure(user.chars().all(fine), invalid("a bad character in the user"))?;
                url.user = Some(match user.split_once(':') {
                    Some((user, password)) => (user, Some(password)),
                    None => (user, None),
                });
            }
            check_host(host).map_err(|why| invalid(&why))?;
            (url.host, url.path) = (host, path);
        }
        let escapes = [Some(url.path), url.user.map(|user| user.0), url.user.and_then(|user| user.1)];
        ensure(escapes.into_iter().flatten().all(escapes_are_whole), invalid("a percent sign without two digits"))?;
        Ok(url)
    }

    /// The host without its port.
    pub(super) fn hostname(&self) -> &'a str {
        match self.host.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => host,
            _ => self.host,
        }
    }
}

/// A part without its escapes.
pub(super) fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(&part.as_bytes()[2..]);
            }
            None => bytes.extend([b"%", part.as_bytes()].concat()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An invalid text without what may be a password in it. That may contain slashes and other characters that end the
/// authority of a valid URL.
fn without_password(text: &str) -> Cow<'_, str> {
    let start = text.find("//").map_or(0, |at| at + 2);
    let user = text[start..].rsplit_once('@').map_or("", |(user, _)| user);
    match secret_of_user(&text[..start], user) {
        Some(at) => format!("{}{SHOWN}{}", &text[..start + at.start], &text[start + at.end..]).into(),
        None => text.into(),
    }
}

fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

/// The scheme, possibly empty, and the rest after its colon; `None`: a colon without a scheme.
fn scheme(text: &str) -> Option<(&str, &str)> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return None,
            ':' => return Some((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Some(("", text))
}

fn check_host(host: &str) -> Result<(), String> {
    let port = match host.strip_prefix('[') {
        Some(inside) => inside.rsplit_once(']').ok_or("a bracket is missing in the host")?.1,
        None => host.rfind(':').map_or("", |colon| &host[colon..]),
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    ensure(port.is_empty() || port.starts_with(':'), "text between the host and the port")?;
    ensure(digits.bytes().all(|byte| byte.is_ascii_digit()), "the port must be a number")?;
    let fine = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:[]<>\"%".contains(c);
    ensure(host.chars().all(fine), "a bad character in the host")?;
    ensure(escapes_are_whole(host), "a percent sign without two digits")
}

fn escapes_are_whole(text: &str) -> bool {
    text.split('%').skip(1).all(|after| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts() {
        let url = Url::parse("gofishs://root:pw@10.0.0.9:8443/a?b#c").unwrap();
        assert_eq!((url.scheme.as_str(), url.user), ("gofishs", Some(("root", Some("pw")))));
        assert_eq!((url.host, url.hostname(), url.path), ("10.0.0.9:8443", "10.0.0.9", "/a"));
        assert_eq!((url.query, url.fragment), (Some("b"), Some("c")));
        let url = Url::parse("plain/key").unwrap();
        assert_eq!((url.scheme.as_str(), url.host, url.path), ("", "", "plain/key"));
        assert_eq!(Url::parse("http://[::1]:80").unwrap().hostname(), "[::1]");
    }

    #[test]
    fn a_part_without_its_escapes() {
        assert_eq!(decoded("p%40w%c3%A9"), "p@wé");
        assert_eq!(decoded("100%"), "100%");
    }

    #[test]
    fn texts_that_are_no_url() {
        for bad in ["10.0.0.1:80/x", ":x", "http://exa mple.com/", "http://a:b/", "/%zz", "http://[::1", "a\n"] {
            assert!(Url::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_refusal_does_not_reveal_a_password() {
        for bad in [
            "http://me:hunter2@h:x/",
            "http://me:hunter2/@h/",
            "http://me:hunter2#@h/",
            "http://me:hun%ter2@h/",
            "http://me:hunter2@in@h:x/",
        ] {
            let why = Url::parse(bad).unwrap_err();
            assert!(!why.contains("ter2") && why.contains("me:•••@h"), "{why}");
        }
        let why = Url::parse("http://me:hunter2@h:x/").unwrap_err();
        assert_eq!(why, "cannot parse `http://me:•••@h:x/` as a URL: the port must be a number");
        assert!(Url::parse("http://token@h:x/").unwrap_err().contains("`http://•••@h:x/`"));
        assert!(Url::parse("gofish://me@h:x/").unwrap_err().contains("`gofish://me@h:x/`"));
    }
}
