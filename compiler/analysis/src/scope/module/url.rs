//! A minimal URL parser for import names: scheme, host, decoded path.
//!
//! In: an import string that does not begin with a slash. Out: its parts, or why it is not a URL. It follows the URL
//! parser that the language was defined with (language spec, 7.1).

/// The parts of a URL that an import needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Url {
    /// Lower case; empty if there is none.
    pub scheme: String,
    /// With port, without user.
    pub host: String,
    /// Percent escapes decoded; no query, no fragment.
    pub path: String,
}

/// Parses a URL. Errors: what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) {
        return Err("it contains a control character".to_owned());
    }
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    decode(fragment)?;
    let (scheme, rest) = split_scheme(text)?;
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    if let Some(rest) = rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        return Ok(Url { scheme, host: host(authority)?, path: decode(path)? });
    }
    if !scheme.is_empty() && !rest.starts_with('/') {
        // `mailto:someone` has no path.
        return Ok(Url { scheme, host: String::new(), path: String::new() });
    }
    if scheme.is_empty() && rest.split('/').next().is_some_and(|first| first.contains(':')) {
        return Err("the first path segment cannot contain a colon".to_owned());
    }
    Ok(Url { scheme, host: String::new(), path: decode(rest)? })
}

/// Splits `https:…` into `https` and the rest; no scheme if there is no colon, or something else comes first.
fn split_scheme(text: &str) -> Result<(String, &str), String> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("the scheme before the colon is missing".to_owned()),
            b':' => return Ok((text[..at].to_ascii_lowercase(), &text[at + 1..])),
            _ => break,
        }
    }
    Ok((String::new(), text))
}

/// The host of `user@host:port`, with its port.
fn host(authority: &str) -> Result<String, String> {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let port = if host.starts_with('[') {
        let end = host.rfind(']').ok_or("missing `]` in the host")?;
        &host[end + 1..]
    } else {
        host.rfind(':').map_or("", |at| &host[at..])
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    if (port.starts_with(':') || port.is_empty()) && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        if let Some(bad) = host.chars().find(|c| " \"<>\\^`{|}".contains(*c)) {
            return Err(format!("`{bad}` is not allowed in a host name"));
        }
        decode(host)
    } else {
        Err(format!("invalid port `{port}`"))
    }
}

/// Decodes percent escapes.
fn decode(text: &str) -> Result<String, String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'%' {
            out.push(bytes[at]);
            at += 1;
            continue;
        }
        let hex = bytes.get(at + 1..at + 3).filter(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        let Some(hex) = hex.and_then(|hex| std::str::from_utf8(hex).ok()) else {
            let shown: String = text[at..].chars().take(3).collect();
            return Err(format!("invalid percent escape `{shown}`"));
        };
        out.push(u8::from_str_radix(hex, 16).unwrap_or(b'?'));
        at += 3;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, scheme: &str, host: &str, path: &str) {
        let want = Url { scheme: scheme.into(), host: host.into(), path: path.into() };
        assert_eq!(parse(text), Ok(want), "{text}");
    }

    #[test]
    fn parts() {
        check("a/b.mcl?x=1#y", "", "", "a/b.mcl");
        check("my%20lib/", "", "", "my lib/");
        check("HTTPS://me@example.com:80/a/b/", "https", "example.com:80", "/a/b/");
        check("file:///a/b", "file", "", "/a/b");
        check("mailto:someone", "mailto", "", "");
        check("https://[::1]:8/x", "https", "[::1]:8", "/x");
    }

    #[test]
    fn refused() {
        for text in
            ["%zz", "git@example.com:group/thing", "https://[::1/x", ":x", "a\nb", "https://h:p/x", "https://a b/"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
