//! Declarations in Python files: functions decorated with `plugin`, and classes decorated with `resource`, under whatever
//! names these are imported.
//!
//! Only top-level statements matter, so a file is split into logical lines (which brackets and long strings may
//! continue) in one pass; bodies are skipped by their indentation. Nothing is run.

use super::annotation::{self, Names};

/// A function that the file declares.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Declared {
    /// The name without its module.
    pub(super) name: String,
    /// Parameters and result in the language's syntax: `(a: int) -> string`.
    pub(super) signature: String,
    /// Of a deprecated function, what to use instead, or empty.
    pub(super) deprecated: Option<String>,
}

/// The modules that provide the decorators.
const PLUGINS: &str = "inmanta.plugins";
const RESOURCES: &str = "inmanta.resources";

/// The entities whose instances are resources according to a file: `@resource("m::E", ...)`.
pub(super) fn registered(text: &str) -> Vec<String> {
    let mut names = Imported::of(RESOURCES, &["resource"]);
    let mut found = Vec::new();
    for line in logical_lines(text) {
        if names.import(line.text.trim()) || line.is_indented {
            continue;
        }
        let Some(decorator) = line.text.trim_end().strip_prefix('@') else { continue };
        found.extend(names.arguments(decorator.trim(), "resource").and_then(name_in));
    }
    found
}

/// The first argument, or `name=`, as text.
fn name_in(args: &str) -> Option<String> {
    annotation::split(args, ',').into_iter().find_map(|arg| match arg.split_once('=') {
        Some((key, value)) => (key.trim() == "name").then(|| annotation::text(value.trim())).flatten(),
        None => annotation::text(arg.trim()),
    })
}

/// The functions of a file.
pub(super) fn declared(text: &str) -> Vec<Declared> {
    // Snippets that omit the import are common.
    let mut names = Imported::of(PLUGINS, &["plugin", "deprecated"]);
    let mut found = Vec::new();
    let mut decorators: Vec<String> = Vec::new();
    for line in logical_lines(text) {
        if names.import(line.text.trim()) || line.is_indented {
            continue;
        }
        let text = line.text.trim_end();
        if let Some(decorator) = text.strip_prefix('@') {
            decorators.push(decorator.trim().to_owned());
            continue;
        }
        let decorators = std::mem::take(&mut decorators);
        let head = text.strip_prefix("async ").map_or(text, str::trim_start);
        let Some(head) = head.strip_prefix("def ") else { continue };
        found.extend(function(head, &decorators, &names));
    }
    found
}

fn function(head: &str, decorators: &[String], names: &Imported) -> Option<Declared> {
    let args = decorators.iter().find_map(|decorator| names.arguments(decorator, "plugin"))?;
    let deprecated = decorators.iter().find_map(|decorator| names.arguments(decorator, "deprecated"));
    let (own, rest) = head.split_once('(')?;
    let end = closing(rest)?;
    let (params, after) = (&rest[..end], &rest[end + 1..]);
    let result = after.trim_start().strip_prefix("->").map_or("", |result| before_colon(result));
    let context = Names { context: &names.context };
    let params: Vec<String> =
        annotation::split(params, ',').into_iter().filter_map(|param| annotation::parameter(param, &context)).collect();
    let result = annotation::result(result.trim(), &context);
    let replaced_by = |args: &str| {
        let value = args.split_once('=').map_or(args, |(_, value)| value);
        annotation::text(value.trim()).unwrap_or_default()
    };
    Some(Declared {
        name: name_in(args).unwrap_or_else(|| own.trim().to_owned()),
        signature: format!("({}) -> {result}", params.join(", ")),
        deprecated: deprecated.map(replaced_by),
    })
}

/// What the file calls the things that it imports.
struct Imported {
    /// The module that provides them.
    provider: &'static str,
    /// Names of modules: `plugins` for `inmanta.plugins`.
    modules: Vec<(String, String)>,
    /// Names of decorators, each with its original.
    decorators: Vec<(String, String)>,
    /// Names of the type of the hidden parameter.
    context: Vec<String>,
}

impl Imported {
    /// Before the first import: the full name of the module, and its decorators by their own names.
    fn of(provider: &'static str, decorators: &[&str]) -> Imported {
        Imported {
            provider,
            modules: vec![(provider.to_owned(), provider.to_owned())],
            decorators: decorators.iter().map(|name| ((*name).to_owned(), (*name).to_owned())).collect(),
            context: vec!["Context".to_owned()],
        }
    }

    /// Reads an import; `false` for another statement.
    fn import(&mut self, line: &str) -> bool {
        if let Some((module, names)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import")) {
            let names = names.trim().trim_start_matches('(').trim_end_matches(')');
            for name in names.split(',') {
                let (name, alias) = aliased(name);
                match (module.trim(), name) {
                    ("inmanta", name) if name == self.part() => {
                        self.modules.push((alias.to_owned(), self.provider.to_owned()));
                    }
                    (PLUGINS, "Context") => self.context.push(alias.to_owned()),
                    (module, name) if module == self.provider => {
                        self.decorators.push((alias.to_owned(), name.to_owned()));
                    }
                    _ => {}
                }
            }
            return true;
        }
        let Some(modules) = line.strip_prefix("import ") else { return false };
        for module in modules.split(',') {
            match aliased(module) {
                ("inmanta", alias) => {
                    self.modules.push((format!("{alias}.{}", self.part()), self.provider.to_owned()));
                }
                (module, alias) if module == self.provider => {
                    self.modules.push((alias.to_owned(), self.provider.to_owned()));
                }
                _ => {}
            }
        }
        true
    }

    /// The provider's name in its package.
    fn part(&self) -> &'static str {
        self.provider.rsplit('.').next().unwrap_or(self.provider)
    }

    /// The arguments of a decorator if it is this one.
    fn arguments<'d>(&self, decorator: &'d str, wanted: &str) -> Option<&'d str> {
        let (path, args) = match decorator.split_once('(') {
            Some((path, args)) => (path.trim(), args.trim_end().strip_suffix(')')?),
            None => (decorator.trim(), ""),
        };
        let is_wanted = match path.rsplit_once('.') {
            Some((module, name)) => name == wanted && self.modules.iter().any(|(alias, _)| alias == module),
            None => self.decorators.iter().any(|(alias, name)| alias == path && name == wanted),
        };
        is_wanted.then_some(args)
    }
}

fn aliased(name: &str) -> (&str, &str) {
    let name = name.trim();
    name.split_once(" as ").map_or((name, name), |(name, alias)| (name.trim(), alias.trim()))
}

/// The closing bracket of an opening one before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    annotation::outside_strings(text).find_map(|(at, char)| match char {
        '(' | '[' | '{' => {
            depth += 1;
            None
        }
        ')' | ']' | '}' if depth == 0 => Some(at),
        ')' | ']' | '}' => {
            depth -= 1;
            None
        }
        _ => None,
    })
}

/// An annotation before the colon that begins the body.
fn before_colon(text: &str) -> &str {
    annotation::split(text, ':').first().copied().unwrap_or_default()
}

struct Line {
    text: String,
    is_indented: bool,
}

/// The logical lines of a text, without comments and empty ones.
fn logical_lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut depth = 0usize;
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '#' => while chars.next_if(|(_, char)| *char != '\n').is_some() {},
            '"' | '\'' => {
                let end = string_end(text, at);
                line.push_str(&text[at..end]);
                while chars.next_if(|(next, _)| *next < end).is_some() {}
            }
            '\\' if text[at + 1..].starts_with('\n') => {
                chars.next();
                line.push(' ');
            }
            '\n' if depth > 0 => line.push(' '),
            '\n' => push(&mut lines, &mut line),
            '\r' => {}
            _ => {
                match char {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                line.push(char);
            }
        }
    }
    push(&mut lines, &mut line);
    lines
}

fn push(lines: &mut Vec<Line>, line: &mut String) {
    let text = std::mem::take(line);
    if !text.trim().is_empty() {
        lines.push(Line { is_indented: text.starts_with([' ', '\t']), text });
    }
}

/// Where the string that begins here ends. A short one that its line does not close ends with the line.
fn string_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let quote = bytes[start];
    let is_long = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if is_long { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' if !is_long => return at,
            byte if byte == quote && !is_long => return at + 1,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => return at + 3,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        declared(text).iter().map(|function| format!("{}{}", function.name, function.signature)).collect()
    }

    #[test]
    fn decorated_functions_are_found() {
        let text = "import x\n\n@plugin\ndef f(a: \"int\", b: str = None) -> \"string\":\n    pass\n\n@plugin(\"g\")\n# about it\ndef other(\n    a: \"int\",  # of it\n) -> \"int\":\n    return 1\n\ndef own():\n    pass\n";
        assert_eq!(shown(text), ["f(a: int, b: string = null) -> string", "g(a: int) -> int"]);
        assert!(shown("@plugin\nclass A:\n    pass\n\ndef f():\n    pass\n").is_empty());
        assert!(shown("class A:\n    @plugin\n    def f(self):\n        pass\n").is_empty());
        assert!(shown("'''\n@plugin\ndef f(): pass\n'''\n").is_empty());
        assert_eq!(shown("@plugin()\nasync def f(*, a: int = 1): return {'x': 1}\n"), ["f(*, a: int = 1) -> any"]);
    }

    #[test]
    fn the_decorator_is_known_under_every_name() {
        for (import, decorator) in [
            ("import inmanta.plugins", "inmanta.plugins.plugin()"),
            ("import inmanta.plugins as p", "p.plugin"),
            ("import inmanta as i", "i.plugins.plugin(\"f\")"),
            ("from inmanta import const, plugins", "plugins.plugin"),
            ("from inmanta import plugins as api", "api.plugin(name='f')"),
            ("from inmanta.plugins import (\n    Context as C,\n    plugin as shown,\n)", "shown"),
            ("if True:\n    from inmanta.plugins import plugin as p", "p(allow_unknown=True)"),
        ] {
            let text = format!("{import}\n\n@{decorator}\ndef f(context: Context, a: int) -> None: pass\n");
            assert_eq!(shown(&text), ["f(a: int) -> null"], "{text}");
        }
        assert!(shown("import other.plugins as p\n@p.plugin\ndef f(): pass\n").is_empty());
        assert!(shown("from other import decorate\n@decorate\ndef f(): pass\n").is_empty());
        let hidden = "from inmanta.plugins import Context as C, plugin\n@plugin\ndef f(ctx: C) -> 'any': pass\n";
        assert_eq!(shown(hidden), ["f() -> any"]);
    }

    #[test]
    fn deprecated_functions_name_their_replacement() {
        let text = "from inmanta.plugins import deprecated as old, plugin\n@old(replaced_by=\"m::g\")\n@plugin\ndef f(): pass\n\n@plugin\n@old\ndef h(): pass\n";
        let found: Vec<_> = declared(text).into_iter().map(|function| function.deprecated).collect();
        assert_eq!(found, [Some("m::g".to_owned()), Some(String::new())]);
    }

    #[test]
    fn registered_entities_are_found() {
        for text in [
            "from inmanta.resources import resource\n@resource(\"m::E\", agent=\"host.name\", id_attribute=\"n\")\nclass E: pass\n",
            "from inmanta import resources as r\n@r.resource(\n    name=\"m::E\",\n    id_attribute=\"n\",\n)\nclass E: pass\n",
            "import inmanta.resources\n@inmanta.resources.resource('m::E', 'a', 'b')\nclass E: pass\n",
            "from inmanta.resources import resource as shown\n@shown(\"m::E\", agent=\"a\", id_attribute=\"n\")\nclass E: pass\n",
        ] {
            assert_eq!(registered(text), ["m::E"], "{text}");
        }
        assert!(registered("from other import shown\n@shown(\"m::E\")\nclass E: pass\n").is_empty());
        assert!(registered("@provider(\"m::E\", name=\"x\")\nclass E: pass\n# @resource(\"m::F\")\n").is_empty());
    }

    /// Each character is read once, so a function that never ends costs no more than other text.
    #[test]
    fn what_declares_nothing_costs_nothing() {
        for text in ["@plugin\n", "@plugin\ndef f(\n", "@plugin\ndef f(a='\n", "'''", "\\\n", "((((\n"] {
            assert!(declared(&text.repeat(100_000)).is_empty(), "{text}");
        }
        assert!(declared(&format!("@plugin\ndef f(\n{}", "    a,\n".repeat(100_000))).is_empty());
    }
}
