//! The fields of a resource as text: `Field: KIND[NAME].Printed = VALUE`. Resource spec, 1.3;
//! language spec, 12.7.

use super::decl::Field;
use super::host_type::HostType;
use super::want::Want;
use crate::value::Value;
use std::fmt::Write;

/// Appends a resource's own lines, sorted by printed name: each non-zero field.
pub fn fields(want: &Want, out: &mut Vec<String>) {
    fields_below(want, "", out);
}

/// Appends the lines of a resource's grouped children, and of theirs.
pub fn groups(want: &Want, out: &mut Vec<String>) {
    groups_below(want, "", out);
}

fn groups_below(want: &Want, prefix: &str, out: &mut Vec<String>) {
    let prefix = format!("{prefix}Group: {want}: ");
    for child in want.members() {
        fields_below(&child, &prefix, out);
        out.push(format!("{prefix}Vertex: {child}"));
        groups_below(&child, &prefix, out);
    }
}

fn fields_below(want: &Want, prefix: &str, out: &mut Vec<String>) {
    let mut shown = shown(want);
    shown.sort_unstable_by_key(|(field, _)| field.printed_name);
    for (field, value) in shown {
        let text = text(field.host, &value);
        out.push(format!("{prefix}Field: {want}.{} = {text}", field.printed_name));
    }
}

/// The printed fields with their values, in declaration order.
pub fn shown(want: &Want) -> Vec<(&'static Field, Value)> {
    let mut shown = Vec::new();
    for (index, field) in want.decl.fields.iter().enumerate() {
        let set = want.params.get(index);
        let value = match set {
            Some(value) => Some(value.clone()),
            // Most fields are zero; skip them cheaply.
            None if field.default == super::decl::FieldDefault::Zero => None,
            None => field.unset_value(),
        };
        if let Some(value) = value
            && (set.is_some() && (field.nullable || field.host == HostType::Any) || !is_zero(&value))
        {
            shown.push((field, value));
        }
    }
    shown
}

/// Whether it is the value of an unset field. A list or map that is set never is.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::Str(bytes) => bytes.is_empty(),
        Value::Int(value) => *value == 0,
        // Negative zero is zero too.
        Value::Float(value) => *value == 0.0,
        Value::Struct(fields) => fields.fields.iter().all(|(_, value)| is_zero(value)),
        Value::List(_) | Value::Map(_) | Value::Func(_) => false,
    }
}

/// The value's text form; a struct also shows the fields missing in the language.
fn text(host: HostType, value: &Value) -> String {
    let mut text = value.to_string();
    if let HostType::Struct(fields) = host {
        for private in fields.iter().filter(|field| field.name.is_empty()) {
            let zero = private.host.zero().map(|zero| zero.to_string()).unwrap_or_default();
            text.pop();
            let _ = write!(text, "; {}: {zero}}}", private.printed_name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::kinds::check::Draft;
    use crate::value::Value;

    fn check(draft: Draft, expect: &[&str]) {
        assert_eq!(draft.printed(), expect);
    }

    #[test]
    fn zero_does_not_print_unless_it_is_set_over_null() {
        let draft = Draft::new("test", "t").set("int64", Value::Int(0)).set("int64ptr", Value::Int(0));
        check(draft.set("stringptr", "".into()), &["Field: test[t].Int64Ptr = 0", "Field: test[t].StringPtr = \"\""]);
        check(Draft::new("test", "t").set("slicestring", Value::list([])), &["Field: test[t].SliceString = []"]);
        check(Draft::new("test", "t").set("interface", Value::Bool(false)), &["Field: test[t].Interface = false"]);
        check(Draft::new("test", "t").set("float64", Value::Float(-0.0)), &[]);
    }

    #[test]
    fn defaults_print_and_a_zero_over_one_does_not() {
        check(Draft::new("password", "p"), &["Field: password[p].Length = 64"]);
        check(Draft::new("password", "p").set("length", Value::Int(0)), &[]);
        check(Draft::new("mount", "/m"), &["Field: mount[/m].Options = {\"defaults\": \"\"}"]);
    }

    #[test]
    fn a_struct_shows_all_its_fields() {
        let fields = [
            ("somebool", Value::Bool(false)),
            ("somestr", "".into()),
            ("someint", Value::Int(1)),
            ("somefloat", Value::Float(0.0)),
        ];
        check(
            Draft::new("test", "t").set("mixedstruct", Value::structure(fields)),
            &[
                "Field: test[t].MixedStruct = struct{somebool: false; somestr: \"\"; someint: 1; somefloat: 0; somePrivatefield: \"\"}",
            ],
        );
    }

    #[test]
    fn fields_are_sorted_by_their_printed_names() {
        check(
            Draft::new("sysctl", "a.b").set("value", "1".into()).set("path", "/p".into()),
            &[
                "Field: sysctl[a.b].Filename = \"/p\"",
                "Field: sysctl[a.b].Persist = true",
                "Field: sysctl[a.b].Runtime = true",
                "Field: sysctl[a.b].Value = \"1\"",
            ],
        );
    }
}
