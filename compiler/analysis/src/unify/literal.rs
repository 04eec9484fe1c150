//! A value of a field, or an element, of the wrong type: how to write it as the expected one.

use super::argument::wrong_hole;
use super::collect::Collector;
use super::join::Mismatch;
use super::mismatch;
use super::table::TyId;
use crate::diag::Diagnostic;
use crate::scope::linked::{Node, NodeId, NodeKind};
use crate::span::Span;
use crate::types::Type;
use crate::value::Value;

/// The maximum number of bytes of a string that are shown.
const MOST_SHOWN: usize = 40;
const PORTS: &str = "write a map, as in `{\"tcp\" => {80 => 80}}`";
const STRINGS: &str = "to make all of them strings, write each number in quotes, as in `\"80\"`";

/// What the elements of a list have in common.
pub(super) const ELEMENTS: &str =
    "the elements of a list have one type; the fields of a struct may differ: `struct{a => 1, b => \"x\"}`";
/// What the values of a map have in common.
pub(super) const VALUES: &str =
    "the values of a map have one type; the fields of a struct may differ: `struct{a => 1, b => \"x\"}`";

impl<'a> Collector<'a, '_> {
    /// The value of a field does not have its type. `field` is its name, its documentation and the value.
    pub(super) fn wrong_field(
        &mut self,
        (name, doc, value): (&str, &str, NodeId),
        (want, got): (TyId, TyId),
        why: &Mismatch,
        span: Span,
    ) -> Diagnostic {
        let (said, node, want) = self.wrong_type(value, (want, got), why, span);
        let literal = match (&node.kind, &want) {
            (NodeKind::Const(value), Some(want)) => converted(value, want, doc),
            (NodeKind::List(items), Some(Type::Map(pair))) if **pair == (Type::Str, Type::Str) => {
                self.joined(items).as_deref().and_then(options)
            }
            _ => None,
        };
        let said = match (literal, want) {
            (Some(text), _) => {
                // A port alone is an address to listen on.
                let port = text.trim_matches('"');
                let is_port = name == "address" && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
                let text = if is_port { format!("\":{port}\"") } else { text };
                let said = Diagnostic { help: vec![format!("write `{name} => {text},`")], ..said };
                if node.span == span { said.edit(span, text.clone(), format!("write `{text}`")) } else { said }
            }
            // The general help shows a map of strings, and the keys of this one are protocols.
            (None, Some(Type::Map(pair))) if name == "ports" && matches!(pair.1, Type::Map(_)) => {
                Diagnostic { help: vec![PORTS.to_owned()], ..said }
            }
            (None, Some(Type::Str)) if name == "cmd" && matches!(node.kind, NodeKind::List(_)) => {
                let help = "write the command in `cmd`, and its arguments in `args`: `cmd => \"/bin/ls\",` and `args => [\"-l\"],`";
                Diagnostic { help: vec![help.to_owned()], ..said }
            }
            (None, Some(Type::Str))
                if name.ends_with("shell")
                    && matches!(&node.kind, NodeKind::Const(value) if value.as_bool() == Some(true)) =>
            {
                let help = format!("write the path of the shell: `{name} => \"/bin/sh\",`");
                Diagnostic { help: vec![help], ..said }
            }
            // A bool that is written here has no other value as text.
            (None, Some(Type::Str)) if matches!(&node.kind, NodeKind::Const(value) if value.as_bool().is_some()) => {
                Diagnostic { help: vec![format!("write a string: `{name} => \"…\",`")], ..said }
            }
            (None, Some(Type::List(part))) if self.is_not_of_structs(value) && matches!(*part, Type::Struct(_)) => {
                Diagnostic { help: vec![format!("write a list of structs: `{name} => [{}],`", blank(&part))], ..said }
            }
            (None, Some(Type::List(_))) if name == "env" && matches!(node.kind, NodeKind::Map(_)) => Diagnostic {
                help: vec!["write each variable as a string: `env => [\"NAME=value\"],`".to_owned()],
                ..said
            },
            (None, Some(Type::Map(_))) if name == "env" && matches!(node.kind, NodeKind::List(_)) => {
                Diagnostic { help: vec!["write `env => {\"NAME\" => \"value\"},`".to_owned()], ..said }
            }
            (None, Some(Type::Str)) if self.is_hole(value) => {
                let is = mismatch::shown(&mut self.table, got);
                self.with_element(wrong_hole("`str`", &is, span), value)
            }
            (None, _) => said,
        };
        said.help(format!("`{name}`: {doc}"))
    }

    /// The texts of a list between commas, if it has literals only.
    fn joined(&self, items: &[NodeId]) -> Option<String> {
        let text = |item: &NodeId| match &self.linked.nodes[*item].kind {
            NodeKind::Const(value @ Value::Str(_)) => value.as_text().map(|text| text.into_owned()),
            _ => None,
        };
        Some(items.iter().map(text).collect::<Option<Vec<String>>>()?.join(","))
    }

    /// Whether a value is a literal, but no list of structs.
    fn is_not_of_structs(&self, value: NodeId) -> bool {
        match &self.linked.nodes[value].kind {
            NodeKind::Const(_) | NodeKind::Map(_) | NodeKind::Struct(_) => true,
            NodeKind::List(items) => {
                items.iter().all(|item| matches!(self.linked.nodes[*item].kind, NodeKind::Const(_)))
            }
            _ => false,
        }
    }

    /// An element of a list has another type than those before it. If it has the declared one, the first is wrong.
    pub(super) fn wrong_item(
        &mut self,
        (element, list): (NodeId, NodeId),
        (want, got): (TyId, TyId),
        why: &Mismatch,
        span: Span,
    ) -> Diagnostic {
        let linked = self.linked;
        let list = &linked.nodes[list];
        if let (NodeKind::List(items), Some(Type::List(declared))) = (&list.kind, &list.known)
            && let Some(first) = items.first().copied()
            && self.table.finish_open(got).is_some_and(|is| is == **declared)
        {
            let place = linked.nodes[first].span;
            return self.wrong_element(first, ELEMENTS, (got, want), &why.flipped(), place).reported_at(span);
        }
        self.wrong_element(element, ELEMENTS, (want, got), why, span)
    }

    /// An element of a list, or a value in a map, has a different type from those before it; `rule` says what they have
    /// in common.
    pub(super) fn wrong_element(
        &mut self,
        element: NodeId,
        rule: &str,
        (want, got): (TyId, TyId),
        why: &Mismatch,
        span: Span,
    ) -> Diagnostic {
        let (said, node, want) = self.wrong_type(element, (want, got), why, span);
        let said = match (&node.kind, want) {
            (NodeKind::Const(value), Some(want)) => match as_element(value, &want) {
                Some(text) => {
                    let said = Diagnostic { help: vec![format!("write `{text}`")], ..said };
                    said.edit(span, text.clone(), format!("write `{text}`"))
                }
                // There are no quotes to remove: the text is not a number.
                None if is_other_text(value, &want) => Diagnostic { help: vec![STRINGS.to_owned()], ..said },
                None => said,
            },
            _ => said,
        };
        said.help(rule)
    }

    /// That a value has the wrong type; its node, and the expected type as far as it is known.
    fn wrong_type(
        &mut self,
        value: NodeId,
        (want, got): (TyId, TyId),
        why: &Mismatch,
        span: Span,
    ) -> (Diagnostic, &'a Node, Option<Type>) {
        let said = mismatch::types_differ(&mut self.table, want, got, why, span);
        let linked = self.linked;
        (said, &linked.nodes[value], self.table.finish_open(want))
    }
}

/// A literal as an element of another type.
pub(super) fn as_element(value: &Value, want: &Type) -> Option<String> {
    match (value.as_bool(), want) {
        (Some(is_on), Type::Str) => Some(format!("\"{is_on}\"")),
        _ => converted(value, want, ""),
    }
}

/// Whether a number is expected, but this text is not one.
fn is_other_text(value: &Value, want: &Type) -> bool {
    matches!(want, Type::Int | Type::Float) && value.as_text().is_some_and(|text| text.parse::<f64>().is_err())
}

/// A literal as a literal of another type.
fn converted(value: &Value, want: &Type, doc: &str) -> Option<String> {
    if let (Some(number), Type::Str) = (value.as_int(), want) {
        // The leading zero of a mode is not part of the number.
        let is_mode = doc.contains("`0644`") && (100..1000).contains(&number);
        return Some(if is_mode { format!("\"0{number}\"") } else { format!("\"{number}\"") });
    }
    if let (Some(is_on), Type::Str) = (value.as_bool(), want) {
        let pairs =
            [("enabled", "disabled"), ("running", "stopped"), ("exists", "absent"), ("installed", "uninstalled")];
        let words = pairs.into_iter().map(|(on, off)| if is_on { on } else { off });
        return words
            .map(|word| format!("`{word}`"))
            .find(|word| doc.contains(word))
            .map(|word| word.replace('`', "\""));
    }
    match (value.as_int(), want) {
        (Some(number), Type::Float) => return Some(format!("{number}.0")),
        (Some(number @ (0 | 1)), Type::Bool) => return Some((number == 1).to_string()),
        _ => {}
    }
    let text = value.as_text()?;
    match want {
        Type::Int => {
            let factor = if doc.contains("milliseconds") { 1000 } else { 1 };
            let in_unit = || seconds(&text).filter(|_| doc.contains("seconds"))?.checked_mul(factor);
            text.parse::<i64>().ok().or_else(in_unit).map(|number| number.to_string())
        }
        Type::Bool if matches!(&*text, "true" | "yes" | "on") => Some("true".to_owned()),
        Type::Bool if matches!(&*text, "false" | "no" | "off") => Some("false".to_owned()),
        Type::List(element) if **element == Type::Str => {
            let is_plain = text.len() <= MOST_SHOWN && !text.contains(['"', '\\', '$', '\n', '`']);
            let is_word = |part: &str| !part.trim().is_empty() && !part.trim().contains(' ');
            // `wheel,docker` is a list already.
            let parts: Vec<&str> = if text.split(',').all(is_word) {
                text.split(',').collect()
            } else if (doc.starts_with("Arguments") || doc.contains("its arguments")) && !text.contains('\'') {
                // A shell would separate them.
                text.split_whitespace().collect()
            } else {
                vec![&*text]
            };
            let parts: Vec<String> = parts.iter().map(|part| format!("\"{}\"", part.trim())).collect();
            is_plain.then(|| format!("[{}]", parts.join(", ")))
        }
        Type::Map(pair) if **pair == (Type::Str, Type::Str) => options(&text),
        _ => None,
    }
}

/// A struct of this type with empty values.
fn blank(ty: &Type) -> String {
    let Type::Struct(fields) = ty else { return "…".to_owned() };
    let fields = fields.iter().map(|(name, ty)| match ty {
        Type::Str => format!("{name} => \"…\""),
        Type::Bool => format!("{name} => true"),
        _ => format!("{name} => …"),
    });
    format!("struct{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

/// `noatime,uid=0` as a map.
fn options(text: &str) -> Option<String> {
    let is_option = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'=' | b'_' | b'-'))
    };
    let is_list = text.len() <= MOST_SHOWN && text.split(',').all(is_option);
    let pairs = text.split(',').map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        format!("\"{name}\" => \"{value}\"")
    });
    is_list.then(|| format!("{{{}}}", pairs.collect::<Vec<_>>().join(", ")))
}

/// The seconds of a duration with a unit, such as `5m`, or of a word for a period.
fn seconds(text: &str) -> Option<i64> {
    match text {
        "hourly" => return Some(3600),
        "daily" => return Some(86_400),
        "weekly" => return Some(604_800),
        _ => {}
    }
    let unit = text.chars().last()?;
    let factor = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return None,
    };
    text.strip_suffix(unit)?.parse::<i64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_written_as_the_expected_type() {
        let list = Type::List(std::sync::Arc::new(Type::Str));
        let written = |value: Value, want: &Type, doc: &str| converted(&value, want, doc);
        assert_eq!(written(Value::Int(644), &Type::Str, "Octal, as in `0644`.").as_deref(), Some("\"0644\""));
        assert_eq!(written(Value::Int(1), &Type::Str, "").as_deref(), Some("\"1\""));
        assert_eq!(written(Value::Bool(true), &Type::Str, "`enabled` or not.").as_deref(), Some("\"enabled\""));
        assert_eq!(written(Value::Bool(true), &Type::Str, ""), None);
        assert_eq!(written(Value::str("5m"), &Type::Int, "In seconds.").as_deref(), Some("300"));
        assert_eq!(written(Value::str("5m"), &Type::Int, "The port."), None);
        assert_eq!(written(Value::str("daily"), &Type::Int, "In seconds.").as_deref(), Some("86400"));
        assert_eq!(written(Value::str("2s"), &Type::Int, "In milliseconds.").as_deref(), Some("2000"));
        assert_eq!(written(Value::Int(1), &Type::Float, "").as_deref(), Some("1.0"));
        assert_eq!(written(Value::Int(0), &Type::Bool, "").as_deref(), Some("false"));
        assert_eq!(written(Value::str("yes"), &Type::Bool, "").as_deref(), Some("true"));
        assert_eq!(written(Value::str("wheel"), &list, "").as_deref(), Some("[\"wheel\"]"));
        assert_eq!(written(Value::str("a\"b"), &list, ""), None);
        assert_eq!(written(Value::str("wheel,docker"), &list, "").as_deref(), Some("[\"wheel\", \"docker\"]"));
        assert_eq!(written(Value::str("-l -a, b c"), &list, "").as_deref(), Some("[\"-l -a, b c\"]"));
        assert_eq!(written(Value::str("-l /srv"), &list, "Arguments.").as_deref(), Some("[\"-l\", \"/srv\"]"));
        let command = "Command and its arguments.";
        assert_eq!(written(Value::str("ls /srv"), &list, command).as_deref(), Some("[\"ls\", \"/srv\"]"));
        assert_eq!(written(Value::str("-c 'a b'"), &list, "Arguments.").as_deref(), Some("[\"-c 'a b'\"]"));
        assert_eq!(written(Value::Bool(false), &Type::Str, "`running` or `stopped`").as_deref(), Some("\"stopped\""));
        let element = |value: Value, want: &Type| as_element(&value, want);
        assert_eq!(element(Value::Bool(true), &Type::Str).as_deref(), Some("\"true\""));
        assert_eq!(element(Value::str("443"), &Type::Int).as_deref(), Some("443"));
        assert_eq!(element(Value::str("a"), &Type::Int), None);
        assert!(is_other_text(&Value::str("a"), &Type::Int) && !is_other_text(&Value::str("4.5"), &Type::Int));
        let map = Type::Map(std::sync::Arc::new((Type::Str, Type::Str)));
        let options = Some("{\"noatime\" => \"\", \"uid\" => \"0\"}");
        assert_eq!(written(Value::str("noatime,uid=0"), &map, "").as_deref(), options);
    }
}
