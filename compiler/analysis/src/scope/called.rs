//! Calls of other tools' functions, written exactly: `lookup($map, "a", 0)` is `$map["a"] <|> 0`.
//!
//! Only the text is read, after the name was not found: the arguments on one line. Where the order or the number of
//! arguments is the same, a new name is enough ([`super::foreign`]).

use super::env::EnvId;
use super::linker::Linker;
use crate::diag::Diagnostic;
use crate::span::Span;

/// The maximum number of bytes of a call that are read.
const MOST: usize = 160;

/// A call in MCL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum InMcl {
    /// An expression without a function.
    Plain(String),
    /// A function of a core module, with its arguments.
    Call(&'static str, String),
}

/// The call of another tool's function in MCL, and the length of its arguments. `after` is the text after the name.
pub(super) fn exact(name: &str, after: &[u8]) -> Option<(InMcl, usize)> {
    use InMcl::{Call, Plain};
    let (args, len) = arguments(after)?;
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let word = name.replace('_', "").to_ascii_lowercase();
    let ours = match (word.as_str(), args.as_slice()) {
        ("lookup" | "query", ["\"env\"", variable]) if is_text(variable) => Call("sys", format!("getenv({variable})")),
        ("lookup" | "query", ["\"file\"", path]) | ("file" | "slurp", [path]) if is_text(path) => read(path),
        ("lookup" | "query", ["\"pipe\"", command]) => Call("os", format!("system({command})")),
        ("lookup" | "get" | "dig", [map, key]) if is_data(map) => Plain(format!("{map}[{key}]")),
        ("lookup" | "get" | "dig", [map, key, fallback]) if is_data(map) => {
            Plain(format!("{map}[{key}] <|> {fallback}"))
        }
        ("element", [list, at]) if is_list(list) || is_data(list) => Plain(format!("{list}[{at}]")),
        ("contains" | "includes" | "member", [list, value]) if is_list(list) => Plain(format!("{value} in {list}")),
        ("coalesce" | "default" | "try" | "pick", [value, fallback]) => Plain(format!("{value} <|> {fallback}")),
        ("append" | "push", [list, values @ ..]) if !values.is_empty() => {
            Call("list", format!("concat({list}, [{}])", values.join(", ")))
        }
        ("max", [a, b]) => Plain(format!("if {a} > {b} {{ {a} }} else {{ {b} }}")),
        ("min", [a, b]) => Plain(format!("if {a} < {b} {{ {a} }} else {{ {b} }}")),
        ("toset" | "tolist" | "list" | "set" | "array", [list]) if is_list(list) => Plain((*list).to_owned()),
        ("join", [by, list]) if is_text(by) => Call("golang/strings", format!("join({list}, {by})")),
        ("split", [by, text]) if is_text(by) && !is_text(text) => Call("strings", format!("split({text}, {by})")),
        ("tostring" | "string", [value]) => Call("fmt", format!("printf(\"%v\", {value})")),
        _ => return None,
    };
    Some((ours, len))
}

/// The same for a method of a variable: `$map.get("a", 0)`.
pub(super) fn exact_method(value: &str, name: &str, after: &[u8]) -> Option<(InMcl, usize)> {
    let rest = after.strip_prefix(b"(")?;
    let first = format!("(${value}, ");
    let text = [first.as_bytes(), &rest[..rest.len().min(MOST)]].concat();
    let (ours, len) = exact(name, &text)?;
    Some((ours, len + 1 - first.len()))
}

/// Whether an argument is one string.
fn is_text(arg: &str) -> bool {
    arg.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).is_some_and(|inner| !inner.contains('"'))
}

fn is_list(arg: &str) -> bool {
    arg.starts_with('[')
}

/// Whether an argument can be a map.
fn is_data(arg: &str) -> bool {
    arg.starts_with(['$', '{'])
}

/// The content of a file: of the program, unless its path is absolute.
fn read(path: &str) -> InMcl {
    match path.strip_prefix('"').map(|rest| rest.trim_start_matches("${path.module}/")) {
        Some(rest) if !rest.starts_with(['/', '$', '~']) => {
            InMcl::Call("deploy", format!("readfile(\"/{})", rest.trim_start_matches("./")))
        }
        _ => InMcl::Call("os", format!("readfile({path})")),
    }
}

/// The arguments in parentheses, with double quotes, and the length of the whole.
fn arguments(text: &[u8]) -> Option<(Vec<String>, usize)> {
    let inner = text.strip_prefix(b"(")?;
    let (mut depth, mut quote, mut is_escaped, mut from) = (0usize, None, false, 0);
    let mut args = Vec::new();
    for (at, byte) in inner.iter().copied().enumerate().take(MOST) {
        match byte {
            b'\n' => return None,
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = quote.is_some(),
            _ if quote == Some(byte) => quote = None,
            _ if quote.is_some() => {}
            b'"' | b'\'' => quote = Some(byte),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth > 0 => depth -= 1,
            b',' | b')' if depth == 0 => {
                args.push(requoted(std::str::from_utf8(&inner[from..at]).ok()?.trim()));
                from = at + 1;
                if byte == b')' {
                    args.retain(|arg| !arg.is_empty());
                    return Some((args, at + 2));
                }
            }
            _ => {}
        }
    }
    None
}

/// A string in single quotes with double ones.
fn requoted(arg: &str) -> String {
    let inner = arg.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    match inner {
        Some(inner) if !inner.contains(['"', '\'']) => format!("\"{inner}\""),
        _ => arg.to_owned(),
    }
}

impl Linker<'_, '_> {
    /// Suggests a whole call in MCL, with the import that it needs. `span` is the call; `why` begins the help.
    pub(super) fn with_call(
        &self,
        diagnostic: Diagnostic,
        env: EnvId,
        ours: InMcl,
        span: Span,
        why: &str,
    ) -> Diagnostic {
        let whole = |said: Diagnostic, text: String| {
            let title = format!("write `{text}`");
            said.help(format!("{why}{title}")).edit(span, text, title)
        };
        let (module, call) = match ours {
            InMcl::Plain(text) => return whole(diagnostic, text),
            InMcl::Call(module, call) => (module, call),
        };
        // A star import has no alias.
        if let Some(alias) = self.alias_of(env, module) {
            let meant = if alias.is_empty() { call } else { format!("{alias}.{call}") };
            return whole(diagnostic, meant);
        }
        let (alias, import) = self.new_import(env, module);
        let meant = format!("{alias}.{call}");
        let said = diagnostic.help(format!("{why}write `{meant}`, after `{import}`"));
        match self.with_new_import(&import, &meant, span) {
            Some((span, text)) => said.edit(span, text, format!("import `{module}`, and write `{meant}`")),
            None => said,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Option<String> {
        let (name, after) = text.split_at(text.find('(')?);
        let (ours, len) = exact(name, after.as_bytes())?;
        let rest = &after[len..];
        Some(match ours {
            InMcl::Plain(text) => format!("{text}{rest}"),
            InMcl::Call(module, call) => format!("{module}.{call}{rest}"),
        })
    }

    #[test]
    fn a_method_is_written_as_a_call_is() {
        let (ours, len) = exact_method("map", "get", b"(\"a\", 0) + 1").expect("a look-up");
        assert_eq!((ours, len), (InMcl::Plain("$map[\"a\"] <|> 0".to_owned()), "(\"a\", 0)".len()));
        assert_eq!(exact_method("list", "first", b"()"), None);
    }

    #[test]
    fn a_call_is_written_with_its_arguments() {
        let cases = [
            ("lookup(\"env\", \"HOME\")", "sys.getenv(\"HOME\")"),
            ("lookup('env', 'HOME')", "sys.getenv(\"HOME\")"),
            ("lookup(\"file\", \"motd\") + 1", "deploy.readfile(\"/motd\") + 1"),
            ("file(\"/etc/motd\")", "os.readfile(\"/etc/motd\")"),
            ("lookup($map, \"a\", 0)", "$map[\"a\"] <|> 0"),
            ("get({\"a\" => [1, 2]}, \"a\")", "{\"a\" => [1, 2]}[\"a\"]"),
            ("element($list, f(1, 2))", "$list[f(1, 2)]"),
            ("contains([\"a\"], $x)", "$x in [\"a\"]"),
            ("coalesce($a, \"b, c\")", "$a <|> \"b, c\""),
            ("append($list, \"a\", 2)", "list.concat($list, [\"a\", 2])"),
            ("max($a, 1)", "if $a > 1 { $a } else { 1 }"),
            ("join(\",\", $list)", "golang/strings.join($list, \",\")"),
            ("split(\",\", $text)", "strings.split($text, \",\")"),
            ("tostring(5)", "fmt.printf(\"%v\", 5)"),
        ];
        for (text, ours) in cases {
            assert_eq!(written(text).as_deref(), Some(ours), "{text}");
        }
        for other in ["lookup(\"nginx::port\")", "join($list, \",\")", "max(1)", "get(\n$a, 1)", "element($list, 0"] {
            assert_eq!(written(other), None, "{other}");
        }
    }
}
