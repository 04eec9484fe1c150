//! Filters for addresses: `urlize` makes links of those in a text, `urlencode` writes values for an address.

use super::{markup, shown, texts};
use minijinja::value::{Rest, ValueKind};
use minijinja::{Error, ErrorKind, Value};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The ends of names that are addresses without a scheme.
const ENDS: [&str; 8] = ["com", "net", "int", "edu", "gov", "org", "info", "mil"];

/// The text with links in place of web and mail addresses. The rest: the relation, and further schemes.
pub(super) fn urlize(
    text: &Value,
    longest: Option<usize>,
    nofollow: Option<bool>,
    target: Option<&str>,
    rest: Rest<Value>,
) -> String {
    let rel = rest.first().and_then(Value::as_str);
    let schemes = rest.get(1).and_then(|schemes| schemes.try_iter().ok()).into_iter().flatten();
    let schemes = schemes.filter_map(|scheme| scheme.as_str().map(str::to_owned)).collect();
    let mut relations: BTreeSet<&str> = rel.unwrap_or_default().split_whitespace().collect();
    relations.insert("noopener");
    if nofollow == Some(true) {
        relations.insert("nofollow");
    }
    let relations = relations.into_iter().collect::<Vec<_>>().join(" ");
    let mut attributes = format!(" rel=\"{}\"", markup::escaped(&relations));
    if let Some(target) = target {
        attributes += &format!(" target=\"{}\"", markup::escaped(target));
    }
    let link = Link { attributes, longest, schemes };
    let text = markup::escaped(&shown::text(text));
    let mut out = String::with_capacity(text.len());
    let mut rest = &text[..];
    while !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        link.word(&rest[..end], &mut out);
        let behind = &rest[end..];
        let blanks = behind.find(|char: char| !char.is_whitespace()).unwrap_or(behind.len());
        out.push_str(&behind[..blanks]);
        rest = &behind[blanks..];
    }
    out
}

struct Link {
    attributes: String,
    longest: Option<usize>,
    schemes: Vec<String>,
}

impl Link {
    /// Writes a word, as a link if it is an address. Brackets and the end of a sentence around it are not part of it.
    fn word(&self, word: &str, out: &mut String) {
        let inner = strip(word, &["(", "<", "&lt;"], |text, part| text.strip_prefix(part));
        let head = &word[..word.len() - inner.len()];
        let kept = strip(inner, &[")", ">", ".", ",", "&gt;"], |text, part| text.strip_suffix(part));
        let (mut middle, mut tail) = (kept, &inner[kept.len()..]);
        // Brackets that are opened within it are closed within it.
        for (open, close) in [("(", ")"), ("<", ">"), ("&lt;", "&gt;")] {
            let n_open = middle.matches(open).count();
            if n_open <= middle.matches(close).count() {
                continue;
            }
            for _ in 0..n_open.min(tail.matches(close).count()) {
                let Some(at) = tail.find(close) else { break };
                let end = middle.len() + at + close.len();
                (middle, tail) = inner.split_at(end);
            }
        }
        out.push_str(head);
        self.address(middle, out);
        out.push_str(tail);
    }

    fn address(&self, text: &str, out: &mut String) {
        let attributes = &self.attributes;
        let _ = if is_web(text) {
            let scheme = if text.starts_with("https://") || text.starts_with("http://") { "" } else { "https://" };
            write!(out, "<a href=\"{scheme}{text}\"{attributes}>{}</a>", self.shortened(text))
        } else if let Some(mail) = text.strip_prefix("mailto:").filter(|mail| is_mail(mail)) {
            write!(out, "<a href=\"{text}\">{mail}</a>")
        } else if !text.starts_with("www.") && !text.starts_with('@') && !text.contains(':') && is_mail(text) {
            write!(out, "<a href=\"mailto:{text}\">{text}</a>")
        } else if self.schemes.iter().any(|scheme| text != scheme && text.starts_with(&**scheme)) {
            write!(out, "<a href=\"{text}\"{attributes}>{text}</a>")
        } else {
            write!(out, "{text}")
        };
    }

    fn shortened(&self, text: &str) -> String {
        match self.longest {
            Some(longest) if text.chars().count() > longest => {
                text.chars().take(longest).chain("...".chars()).collect()
            }
            _ => text.to_owned(),
        }
    }
}

/// Without any of the parts at one end.
fn strip<'t>(mut text: &'t str, parts: &[&str], off: impl Fn(&'t str, &str) -> Option<&'t str>) -> &'t str {
    while let Some(rest) = parts.iter().find_map(|part| off(text, part)) {
        text = rest;
    }
    text
}

fn is_web(text: &str) -> bool {
    let text = text.to_lowercase();
    let scheme = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let rest = scheme.unwrap_or(&text);
    let whole = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    if scheme.is_some() && whole.starts_with('[') {
        let parts = whole.strip_prefix('[').and_then(|whole| whole.split_once(']'));
        let is_number = |host: &str| host.chars().all(|char| char == ':' || char.is_ascii_hexdigit());
        return parts.is_some_and(|(host, port)| host.matches(':').count() > 1 && is_number(host) && is_port(port));
    }
    let (host, port) = whole.split_at(whole.find(':').unwrap_or(whole.len()));
    let mut labels: Vec<&str> = host.split('.').collect();
    let is_label =
        |label: &&str| !label.is_empty() && label.chars().all(|char| char.is_alphanumeric() || "_%-".contains(char));
    if !is_port(port) || !labels.iter().all(is_label) {
        return false;
    }
    let is_number = |label: &&str| label.len() <= 3 && label.bytes().all(|byte| byte.is_ascii_digit());
    if scheme.is_some() && labels.len() == 4 && labels.iter().all(is_number) {
        return true;
    }
    let has_start = scheme.is_some() || labels.len() > 1 && labels[0] == "www";
    let Some(last) = labels.pop() else { return false };
    if !has_start {
        let is_long = |label: &&str| (2..=63).contains(&label.chars().count());
        return !labels.is_empty() && labels.iter().all(is_long) && ENDS.contains(&last);
    }
    let is_name = (2..=63).contains(&last.len()) && last.bytes().all(|byte| byte.is_ascii_lowercase());
    is_name || last.strip_prefix("xn--").is_some_and(|rest| (2..=59).contains(&rest.len()) && !rest.contains('-'))
}

/// Nothing, or `:` and a number.
fn is_port(text: &str) -> bool {
    let digits = text.strip_prefix(':');
    text.is_empty()
        || digits.is_some_and(|it| (1..=5).contains(&it.len()) && it.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_mail(text: &str) -> bool {
    let Some((name, host)) = text.rsplit_once('@') else { return false };
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let Some((start, end)) = host.rsplit_once('.') else { return false };
    !name.is_empty()
        && start.starts_with(is_word)
        && start.chars().all(|char| is_word(char) || matches!(char, '.' | '-'))
        && !end.is_empty()
        && end.chars().all(is_word)
}

/// A text as a part of a path; a dict, or a list of pairs, as a query.
pub(super) fn urlencode(value: &Value) -> Result<String, Error> {
    let pair = |key: &Value, item: &Value| format!("{}={}", quoted(key, true), quoted(item, true));
    let pairs: Vec<String> = match value.kind() {
        ValueKind::Map => {
            let keys = value.try_iter()?;
            keys.map(|key| Ok(pair(&key, &value.get_item(&key)?))).collect::<Result<_, Error>>()?
        }
        ValueKind::Seq | ValueKind::Iterable => {
            let pairs = value.try_iter()?.map(|item| unpacked(&item));
            pairs.map(|parts| parts.map(|[key, item]| pair(&key, &item))).collect::<Result<_, Error>>()?
        }
        _ => return Ok(quoted(value, false)),
    };
    Ok(pairs.join("&"))
}

/// The elements of a pair.
fn unpacked(pair: &Value) -> Result<[Value; 2], Error> {
    texts::check_unpackable(pair)?;
    let parts: Vec<Value> = match pair.as_str() {
        Some(text) => text.chars().take(3).map(Value::from).collect(),
        None => pair.try_iter()?.take(3).collect(),
    };
    <[Value; 2]>::try_from(parts).map_err(|parts| {
        let text = match parts.len() {
            n_parts @ 0..2 => format!("ValueError: not enough values to unpack (expected 2, got {n_parts})"),
            _ => "ValueError: too many values to unpack (expected 2)".to_owned(),
        };
        Error::new(ErrorKind::InvalidOperation, text)
    })
}

fn quoted(value: &Value, is_query: bool) -> String {
    let mut out = String::new();
    for byte in shown::text(value).bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-' | b'~' => out.push(char::from(byte)),
            b'/' if !is_query => out.push('/'),
            b' ' if is_query => out.push('+'),
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_distinguished_from_other_words() {
        for text in [
            "http://localhost:80/x?y",
            "www.x.org",
            "foo.com",
            "http://10.0.0.1",
            "https://[::1]:8/",
            "http://x.xn--p1ai",
        ] {
            assert!(is_web(text), "{text}");
        }
        for text in ["http://x.y", "x.net", "foo.bar", "ftp://x.org", "www.", "http://10.0.0.1:port"] {
            assert!(!is_web(text), "{text}");
        }
        assert!(is_mail("a.b@x-y.org") && !is_mail("a@org") && !is_mail("@x.org"));
    }
}
