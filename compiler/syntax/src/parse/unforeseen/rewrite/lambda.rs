//! Functions of other languages, as in `lambda v: v * 2`, `x => x * 2` and `|x| x * 2`, as a function of MCL.

use super::super::shape::Match;
use super::write;
use crate::parse::written;

const HELP: &str = "write a function as `func($x) { … }`";

/// A function that begins with what is underlined.
pub(in super::super) fn lambda(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let line = text[found.marked.0..].lines().next()?;
    let ours = parts(line).and_then(|(params, body)| function(&params, body));
    let is_of_struct = ours.as_ref().is_some_and(|text| text.contains("->"));
    let mut helps = vec![ours.and_then(|text| write(&text)).unwrap_or_else(|| HELP.to_owned())];
    if is_of_struct {
        helps.push("the struct type must list all fields, in the same order".to_owned());
    }
    Some(helps)
}

/// The parameters and the body, in any of the notations.
fn parts(line: &str) -> Option<(Vec<&str>, &str)> {
    // Without a parameter, there is none to name.
    if line.starts_with("lambda:") {
        return None;
    }
    // The argument of a call: `key=lambda v: v`.
    let line = line.find("lambda ").map_or(line, |at| &line[at..]);
    let (params, body) = match line.strip_prefix("lambda ") {
        Some(rest) => rest.split_once(':')?,
        None => match line.strip_prefix('|') {
            Some(rest) => rest.split_once('|')?,
            None => match line.split_once("=>") {
                Some(parts) => parts,
                None => line.trim_start_matches('\\').split_once("->").or_else(|| line.split_once(':'))?,
            },
        },
    };
    let params = params.trim().trim_start_matches('(').trim_end_matches(')');
    let names = params.split(',').map(|name| name.trim().trim_start_matches(['$', '&']));
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    let body = &body[..end(body)];
    let body = body.trim().trim_end_matches(';').trim();
    let inner = body.strip_prefix('{').and_then(|body| body.strip_suffix('}'));
    let body = inner.map_or(body, |body| body.trim().trim_start_matches("return ").trim_end_matches(';'));
    Some((names, body.trim()))
}

/// Where a body ends: before the bracket that closes the call, or the next argument.
fn end(text: &str) -> usize {
    let (mut depth, mut quote) = (0usize, None);
    let ends = |(_, char): &(usize, char)| {
        match (quote, char) {
            (Some(open), char) if open == *char => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(*char),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth > 0 => depth -= 1,
            (None, ',' | ')' | ']' | '}') => return true,
            (None, _) => {}
        }
        false
    };
    text.char_indices().find(ends).map_or(text.len(), |(at, _)| at)
}

/// The function in MCL, if its body has only what MCL writes likewise.
fn function(params: &[&str], body: &str) -> Option<String> {
    let is_name = |name: &&str| {
        name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(|byte| is_word(char::from(byte)))
    };
    if params.is_empty() || body.is_empty() || !params.iter().all(is_name) {
        return None;
    }
    let mut fields = Vec::new();
    let body = translated(params, body, &mut fields)?;
    // The type of a struct is not found from the use of its fields.
    let shown: Vec<String> = match (fields.as_slice(), params) {
        ([], _) => params.iter().map(|name| format!("${name}")).collect(),
        (_, [name]) => {
            let fields: Vec<String> = fields.iter().map(|field| format!("{field} str")).collect();
            vec![format!("${name} struct{{{}}}", fields.join("; "))]
        }
        _ => return None,
    };
    Some(format!("func({}) {{ {body} }}", shown.join(", ")))
}

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

/// Signs of other languages, longest first, and ours.
const SIGNS: &[(&str, &str)] = &[
    ("===", "=="),
    ("!==", "!="),
    ("==", "=="),
    ("!=", "!="),
    ("<=", "<="),
    (">=", ">="),
    ("&&", "and"),
    ("||", "or"),
    ("**", ""),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("<", "<"),
    (">", ">"),
    (" ", " "),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
];

/// A body in MCL: parameters with their `$`, fields with `->`. Adds the fields that it uses.
fn translated<'b>(params: &[&str], body: &'b str, fields: &mut Vec<&'b str>) -> Option<String> {
    let mut out = String::new();
    let mut rest = body;
    while let Some(first) = rest.chars().next() {
        if matches!(first, '"' | '\'') {
            let len = rest[1..].find(first)? + 2;
            let text = written::unquoted(&rest[..len]);
            if text.contains(['"', '\\', '{', '%']) {
                return None;
            }
            out.push_str(&written::quoted(text));
            rest = &rest[len..];
        } else if first.is_ascii_digit() {
            let len = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
            out.push_str(&rest[..len]);
            rest = &rest[len..];
        } else if is_word(first) || first == '$' {
            let len = rest[1..].find(|char: char| !is_word(char)).map_or(rest.len(), |len| len + 1);
            let (word, after) = rest.split_at(len);
            let name = word.trim_start_matches('$');
            match name {
                "and" | "or" | "not" | "in" | "true" | "false" => out.push_str(name),
                name if params.contains(&name) && !after.starts_with('(') => out.push_str(&format!("${name}")),
                _ => return None,
            }
            rest = after;
        } else if let Some(field) = rest.strip_prefix('.') {
            let len = field.find(|char: char| !is_word(char)).unwrap_or(field.len());
            let is_field =
                field.starts_with(|first: char| first.is_ascii_lowercase()) && !field[len..].starts_with('(');
            if !is_field {
                return None;
            }
            let (name, after) = field.split_at(len);
            out.push_str("->");
            out.push_str(name);
            if !fields.contains(&name) {
                fields.push(name);
            }
            rest = after;
        } else {
            let (sign, ours) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign))?;
            if ours.is_empty() {
                return None;
            }
            out.push_str(ours);
            rest = &rest[sign.len()..];
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_written_in_mcl() {
        let cases = [
            ("lambda v: v * 2, [1, 2])", Some("func($v) { $v * 2 }")),
            ("key=lambda v: v.name)", Some("func($v struct{name str}) { $v->name }")),
            ("(a, b) => a === b && b > 1)", Some("func($a, $b) { $a == $b and $b > 1 }")),
            ("x => { return x + 'a'; })", Some("func($x) { $x + \"a\" }")),
            ("|x| x[0])", Some("func($x) { $x[0] }")),
            ("$x => ($x + 1)", Some("func($x) { ($x + 1) }")),
            ("\\x -> x", Some("func($x) { $x }")),
            ("x: x + 1", Some("func($x) { $x + 1 }")),
            ("(a, b) => a.name == b", None),
            ("lambda v: v.upper()", None),
            ("lambda v: len(v)", None),
            ("x => x ** 2", None),
            ("() => 1", None),
            ("x => {", None),
        ];
        for (text, ours) in cases {
            let written = parts(text).and_then(|(params, body)| function(&params, body));
            assert_eq!(written.as_deref(), ours, "{text}");
        }
    }
}
