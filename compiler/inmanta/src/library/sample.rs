//! What a declared result of a type looks like in JSON: a placeholder that is valid as it is.

use crate::ast::{ExprId, ExprKind};
use crate::program::{Base, Primitive, Program, Type, Typedef};
use crate::value::python_json;
use std::borrow::Cow;

/// What the built-in types accept whose condition is not obvious. Addresses and names are those of documentation.
const ACCEPTED: &[(&str, &str)] = &[
    ("ip::cidr", "\"192.0.2.1/24\""),
    ("ip::cidr_v10", "\"192.0.2.1/24\""),
    ("ip::cidr_v6", "\"2001:db8::1/64\""),
    ("ip::ip", "\"192.0.2.1\""),
    ("ip::ip_v10", "\"192.0.2.1\""),
    ("ip::ip_v6", "\"2001:db8::1\""),
    ("ip::netmask", "\"255.255.255.0\""),
    ("net::mac_addr", "\"00:00:5e:00:53:01\""),
    ("std::alfanum", "\"x\""),
    ("std::any_http_url", "\"http://example.org/\""),
    ("std::any_url", "\"http://example.org/\""),
    ("std::base64", "\"eA==\""),
    ("std::date", "\"2000-01-01\""),
    ("std::datetime", "\"2000-01-01T00:00:00\""),
    ("std::email_str", "\"x@example.org\""),
    ("std::hoststring", "\"x\""),
    ("std::http_url", "\"http://example.org/\""),
    ("std::ipv4_address", "\"192.0.2.1\""),
    ("std::ipv4_interface", "\"192.0.2.1/24\""),
    ("std::ipv4_network", "\"192.0.2.0/24\""),
    ("std::ipv6_address", "\"2001:db8::1\""),
    ("std::ipv6_interface", "\"2001:db8::1/64\""),
    ("std::ipv6_network", "\"2001:db8::/64\""),
    ("std::ipv_any_address", "\"192.0.2.1\""),
    ("std::ipv_any_interface", "\"192.0.2.1/24\""),
    ("std::ipv_any_network", "\"192.0.2.0/24\""),
    ("std::name_email", "\"x@example.org\""),
    ("std::negative_float", "-1.0"),
    ("std::negative_int", "-1"),
    ("std::time", "\"00:00:00\""),
    ("std::uuid", "\"123e4567-e89b-12d3-a456-426614174000\""),
];

/// A placeholder; `None` for instances, which JSON cannot express.
pub(super) fn sample(program: &Program, ty: &Type) -> Option<Cow<'static, str>> {
    if ty.is_list {
        return Some("[]".into());
    }
    let known = match &ty.base {
        Base::Primitive(primitive) => Some(match primitive {
            Primitive::String => "\"...\"",
            Primitive::Int | Primitive::Number => "1",
            Primitive::Float => "1.0",
            Primitive::Bool => "true",
            Primitive::List => "[]",
            Primitive::Dict => "{}",
        }),
        Base::Typedef(typedef) => return of_typedef(program, &program.typedefs[*typedef]),
        Base::Entity(_) => None,
        Base::Any => Some("\"...\""),
        Base::Null => Some("null"),
        Base::AnyList => Some("[]"),
        Base::AnyDict | Base::DictOf(_) => Some("{}"),
        Base::Union(members) => match members.iter().find_map(|member| sample(program, member)) {
            Some(found) => return Some(found),
            None => None,
        },
    };
    known.or(ty.is_nullable.then_some("null")).map(Cow::Borrowed)
}

fn of_typedef(program: &Program, typedef: &Typedef) -> Option<Cow<'static, str>> {
    let accepted = ACCEPTED.iter().find(|(name, _)| **name == *typedef.full_name);
    let accepted = accepted.map(|(_, text)| Cow::Borrowed(*text));
    let first = || first_of_list(program, typedef.condition).map(Cow::Owned);
    accepted.or_else(first).or_else(|| sample(program, &typedef.base))
}

/// The first value that a condition lists: `self in ["a", "b"]`.
fn first_of_list(program: &Program, condition: ExprId) -> Option<String> {
    let ExprKind::In(_, list) = &program.tree.exprs[condition].kind else { return None };
    let ExprKind::List(items) = &program.tree.exprs[*list].kind else { return None };
    python_json(program.tree.exprs[*items.first()?].constant.as_ref()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compilation, Setup, compile};
    use mclive_base::source::MemoryWorld;
    use std::fmt::Write;

    fn compiled(text: &str) -> Compilation {
        compile(&MemoryWorld::of([("/main.cf", text.as_bytes())]), "/main.cf", &Setup::default())
    }

    /// Each type accepts its placeholder, so that a pasted one is valid as it is.
    #[test]
    fn every_type_accepts_its_placeholder() {
        let mut text = "import fs\nimport ip\nimport net\n# std::File\n".to_owned();
        text += "typedef tone as string matching self in [\"low\", \"high\"]\n";
        text += "typedef address as std::ipv4_address matching self != \"\"\n";
        let program = compiled(&text).program;
        for id in program.typedefs.ids() {
            let ty = Type { base: Base::Typedef(id), is_list: false, is_nullable: false };
            let (name, value) = (&program.typedefs[id].full_name, sample(&program, &ty).expect("no instance"));
            let name = name.trim_start_matches("__config__::");
            let _ = write!(
                text,
                "entity E{nr}:\n    {name} value\nend\nimplement E{nr} using std::none\nE{nr}(value={value})\n",
                nr = id.0
            );
        }
        assert!(text.contains("(value=\"low\")") && text.contains("address value\nend"), "{text}");
        let faults = compiled(&text).faults;
        assert!(faults.is_empty(), "{faults:?}\n{text}");
        assert!(ACCEPTED.is_sorted());
        assert!(ACCEPTED.iter().all(|(name, _)| text.contains(&format!("    {name} value\n"))));
    }
}
