//! Resources of other tools as MCL text, for the help of a message.
//!
//! Nothing here decides whether a text is wrong: it is called after the grammar failed.

use crate::ident::capitalized;

/// The MCL kind for another tool's.
pub(super) fn kind(kind: &str) -> &str {
    match kind {
        "package" | "apt" | "yum" | "dnf" | "apt_package" | "pip" => "pkg",
        "service" | "systemd" => "svc",
        "directory" | "template" | "copy" | "symlink" | "link" => "file",
        "notify" | "notice" | "debug" => "print",
        "command" | "shell" | "execute" | "cmd" => "exec",
        kind => kind,
    }
}

/// The state of an MCL kind for another tool's word.
pub(super) fn state(kind: &str, word: &str) -> Option<&'static str> {
    Some(match (kind, word) {
        ("pkg", "present" | "installed" | "held" | "true") => "installed",
        ("pkg", "latest") => "newest",
        ("pkg", "absent" | "removed" | "purged" | "false") => "uninstalled",
        ("svc", "running" | "started" | "restarted" | "reloaded" | "true") => "running",
        ("svc", "stopped" | "dead" | "false") => "stopped",
        ("file", "present" | "file" | "exists" | "directory" | "touch" | "link" | "managed" | "symlink" | "true") => {
            "exists"
        }
        ("user" | "group" | "cron" | "mount" | "line", "present" | "exists" | "true") => "exists",
        ("mount", "mounted") => "exists",
        ("mount", "unmounted") => "absent",
        ("file" | "user" | "group" | "cron" | "mount" | "line", "absent" | "false") => "absent",
        _ => return None,
    })
}

/// The fields of MCL that another tool's field stands for. `value` is its text; its quotes may be single or missing.
pub(super) fn fields(kind: &str, name: &str, value: &str) -> Vec<(String, String)> {
    let bare = unquoted(value);
    let one = |name: &str, value: String| vec![(name.to_owned(), value)];
    match (kind, name) {
        (_, "ensure" | "state" | "status") => {
            let mut fields = one("state", state(kind, bare).map_or_else(|| as_value(value), quoted));
            if kind == "file" && matches!(bare, "link" | "symlink") {
                fields.push(("symlink".into(), "true".into()));
            }
            fields
        }
        ("svc", "enable" | "enabled" | "startup") => match bare {
            "true" | "True" | "yes" | "on" | "enabled" => one("startup", quoted("enabled")),
            "false" | "False" | "no" | "off" | "disabled" => one("startup", quoted("disabled")),
            _ => one("startup", as_value(value)),
        },
        ("exec", "command") => one("cmd", as_value(value)),
        ("file", "target") => one("source", as_value(value)),
        ("file", "contents" | "text") => one("content", as_value(value)),
        ("file", "makedirs" | "recursive") => one("recurse", as_value(value)),
        ("file", "user") => one("owner", as_value(value)),
        ("print", "message") => one("msg", as_value(value)),
        // An octal number, with and without its zero.
        ("file", "mode") if bare.bytes().all(|byte| byte.is_ascii_digit()) => one("mode", quoted(bare)),
        ("user", "home") => one("homedir", as_value(value)),
        _ => one(name, as_value(value)),
    }
}

/// The fields of MCL for another tool's field whose value also differs: `state => "installed"` for `ensure =>
/// "present"`. `value` is its text.
pub fn foreign_fields(kind: &str, name: &str, value: &str) -> Option<Vec<(String, String)>> {
    let is_known = match (kind, name) {
        (_, "ensure" | "status") => state(kind, value).is_some(),
        ("svc", "enable" | "enabled") => {
            matches!(value, "true" | "yes" | "on" | "enabled" | "false" | "no" | "off" | "disabled")
        }
        _ => false,
    };
    is_known.then(|| fields(kind, name, value))
}

/// The edge of MCL for another tool's.
pub(super) fn edge(name: &str) -> Option<&'static str> {
    Some(match name {
        "require" | "requires" | "depends_on" => "Depend",
        "before" | "require_in" => "Before",
        "notify" | "watch_in" | "listen_in" | "onchanges_in" => "Notify",
        "subscribe" | "watch" | "onchanges" | "listen" => "Listen",
        _ => return None,
    })
}

/// The kind of MCL where a resource is referred to: `Svc` for `service` and `Service`.
pub(super) fn referred_kind(kind_of_others: &str) -> String {
    capitalized(kind(&kind_of_others.to_ascii_lowercase()))
}

/// `Svc["nginx"]` for the string `"service[nginx]"`, which names a resource as messages do.
pub(super) fn quoted_reference(text: &str) -> Option<String> {
    let (kind, name) = unquoted(text).strip_suffix(']')?.split_once('[')?;
    let name = unquoted(name);
    let is_kind = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_name = !name.is_empty() && !name.contains(['"', '[', ']', '`', '\n', '$']);
    (is_kind && is_name).then(|| format!("{}[{}]", referred_kind(kind), quoted(name)))
}

/// A value of another notation: with double quotes unless it is a number, a bool, a variable or a list.
pub(super) fn as_value(text: &str) -> String {
    let text = text.trim();
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text {
        "true" | "True" | "yes" | "on" => "true".into(),
        "false" | "False" | "no" | "off" => "false".into(),
        _ if is_digits && (text == "0" || !text.starts_with('0')) => text.into(),
        _ if text.starts_with('$') => text.replace('\'', "\""),
        _ => match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) if inner.trim().is_empty() => "[]".into(),
            Some(inner) => list(inner.split(',')),
            None => quoted(unquoted(text)),
        },
    }
}

/// A list on one line.
pub(super) fn list<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let items: Vec<String> = items.filter(|item| !item.trim().is_empty()).map(as_value).collect();
    format!("[{}]", items.join(", "))
}

/// A text without the quotes around it.
pub(super) fn unquoted(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

/// A string of MCL.
pub(super) fn quoted(text: &str) -> String {
    let is_escaped = text.contains("\\\"");
    if is_escaped { format!("\"{text}\"") } else { format!("\"{}\"", text.replace('"', "\\\"")) }
}

/// A resource on one line; `name` is a value of MCL. Fields that would make it too long are left out.
pub(super) fn resource(kind: &str, name: &str, fields: &[(String, String)]) -> String {
    const MOST: usize = 150;
    let mut text = format!("{kind} {name} {{");
    for (field, value) in fields {
        let item = format!(" {field} => {value},");
        if text.len() + item.len() > MOST {
            text.push_str(" …");
            break;
        }
        text.push_str(&item);
    }
    text.push_str(if fields.is_empty() { "}" } else { " }" });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_other_notations_become_values_of_mcl() {
        let cases = [
            ("'a'", "\"a\""),
            ("running", "\"running\""),
            ("80", "80"),
            ("0644", "\"0644\""),
            ("True", "true"),
            ("$x['a']", "$x[\"a\"]"),
            ("[vim, 'git']", "[\"vim\", \"git\"]"),
            ("[]", "[]"),
            ("say \"hi\"", "\"say \\\"hi\\\"\""),
        ];
        for (other, ours) in cases {
            assert_eq!(as_value(other), ours);
        }
    }

    #[test]
    fn a_reference_in_quotes_is_written_without_them() {
        let cases = [
            ("\"service[nginx]\"", Some("Svc[\"nginx\"]")),
            ("\"File['/etc/motd']\"", Some("File[\"/etc/motd\"]")),
            ("\"nginx\"", None),
            ("\"pkg[]\"", None),
            ("\"pkg[${name}]\"", None),
        ];
        for (text, ours) in cases {
            assert_eq!(quoted_reference(text).as_deref(), ours, "{text}");
        }
    }

    #[test]
    fn a_resource_of_another_tool_is_written_in_mcl() {
        let fields: Vec<_> =
            [("ensure", "running"), ("enable", "true")].iter().flat_map(|(n, v)| fields("svc", n, v)).collect();
        let written = resource(kind("service"), "\"nginx\"", &fields);
        assert_eq!(written, "svc \"nginx\" { state => \"running\", startup => \"enabled\", }");
        assert_eq!(resource("noop", "\"a\"", &[]), "noop \"a\" {}");
        assert_eq!(referred_kind("Service"), "Svc");
    }
}
