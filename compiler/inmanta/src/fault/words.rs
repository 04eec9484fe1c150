//! The words of diagnostics: short, with the cause in the sentence, and without places, which are labels.
//!
//! The words of the original are in its report ([`report()`](super::report())), by which models are compared, and in a note
//! where ours differ.

use super::reword::{python_cause, reworded};
use super::{Class, Fault, Missing, Sought};

/// What is wrong, in one line.
pub(super) fn words(fault: &Fault) -> String {
    match (&fault.missing, fault.class) {
        (Some(Missing::Variable(name)), _) => return format!("cannot find variable `{name}`"),
        (Some(Missing::Type(sought, _, name)), _) => {
            let what = match sought {
                Sought::Type => "type",
                Sought::Entity => "entity",
                Sought::Implementation => "implementation",
                Sought::Function => "function",
            };
            return format!("cannot find {what} `{name}`");
        }
        (Some(Missing::Import(_, name)), _) => return format!("module `{name}` is not imported in this file"),
        (Some(Missing::Attribute(_, name)), _) => {
            let owner = ["type ", "entity "].iter().find_map(|word| fault.message.rsplit_once(*word));
            let owner = owner.map_or("", |(_, owner)| owner);
            return format!("cannot find attribute `{name}` of `{}`", short(owner));
        }
        (None, Class::ModuleLoading) => {
            if let Some(module) = fault.message.strip_prefix("Failed to load module ") {
                return format!("cannot find module `{module}`");
            }
        }
        (None, Class::DoubleSet) => {
            if let [old, new] = &fault.values[..] {
                return format!("two different values: `{}` and `{}`", ours(old), ours(new));
            }
        }
        (None, _) => {}
    }
    let reword = || {
        let values: Vec<String> = fault.values.iter().map(|value| ours(value)).collect();
        reworded(&plain(&fault.message), &values)
    };
    let own = match fault.class {
        Class::Attribute => attribute(&fault.message),
        _ => None,
    };
    let own = own.or_else(reword).unwrap_or_else(|| plain(&fault.message));
    match because(fault) {
        Some(cause) => format!("{own}: {cause}"),
        None => own,
    }
}

/// The original's words, if ours differ from them.
pub(super) fn original(fault: &Fault) -> Option<String> {
    if matches!(fault.class, Class::Foreign | Class::Lowering | Class::Limit) {
        return None;
    }
    let mut text = plain(&fault.message);
    // The place of the attribute.
    if text.starts_with("The object ") {
        text = text.replace(" (/", " (");
    }
    (!text.is_empty() && !words(fault).starts_with(&text)).then_some(text)
}

/// The cause that the words of a fault lack.
fn because(fault: &Fault) -> Option<String> {
    if let Some(cause) = &fault.foreign_cause {
        return Some(python_cause(&plain(cause))).filter(|_| fault.class != Class::ExplicitPlugin);
    }
    match fault.class {
        // These repeat their cause in other words.
        Class::PluginType | Class::ModuleLoading => None,
        _ => fault.causes.first().map(words),
    }
}

/// ``Could not set attribute `a` on instance `m::E (instantiated at ...)` ``.
fn attribute(message: &str) -> Option<String> {
    let rest = message.strip_prefix("Could not set attribute `")?;
    let (name, rest) = rest.split_once('`')?;
    let instance = rest.strip_prefix(" on instance `")?;
    let entity = instance.split_once(" (instantiated").map_or(instance, |(entity, _)| entity);
    Some(format!("cannot set attribute `{name}` of `{}`", short(entity.trim_end_matches('`'))))
}

/// A name without the namespace of the main file.
fn short(name: &str) -> &str {
    name.strip_prefix("__config__::").unwrap_or(name)
}

/// The original's words on one line, without the prefix of syntax errors and the namespace of the main file.
fn plain(text: &str) -> String {
    let text = text.strip_prefix("Syntax error: ").unwrap_or(text);
    // Other spaces may be the subject of the message.
    let words = text.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty());
    ours(&words.collect::<Vec<_>>().join(" "))
}

/// A text without the namespace of the main file and with paths as they are written.
pub(super) fn ours(text: &str) -> String {
    const PLACES: &str = "instantiated at ";
    let text = text.replace("__config__::", "").replace("set at /", "set at ");
    let mut parts = text.split(PLACES);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (places, rest) = part.split_at(part.find(')').unwrap_or(part.len()));
        let places: Vec<&str> = places.split(',').map(|place| place.strip_prefix('/').unwrap_or(place)).collect();
        whole += &format!("{PLACES}{}{rest}", places.join(","));
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::super::diagnose;
    use crate::{Setup, compile};
    use mclive_base::diag::Diagnostic;
    use mclive_base::source::MemoryWorld;

    fn diagnostic(text: &str) -> Diagnostic {
        let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
        let compilation = compile(&world, "/main.cf", &Setup::default());
        diagnose(&compilation.faults[0])[0].clone()
    }

    fn told(text: &str) -> String {
        diagnostic(text).message
    }

    #[test]
    fn places_are_written_as_paths_of_the_program() {
        let entity = "entity A:\n    string n\n    string k\nend\nindex A(n)\nimplement A using std::none\n";
        let notes = |rest: &str| diagnostic(&format!("{entity}{rest}")).notes.join("; ");
        assert_eq!(
            notes("a = A(n=\"1\", k=\"1\")\nb = A(n=\"1\", k=\"2\")\n"),
            "Inmanta reports: Could not set attribute `k` on instance `A (instantiated at main.cf:7,main.cf:8)`"
        );
        assert_eq!(
            notes("index A(k)\na = A(n=\"1\", k=\"1\")\nb = A(n=\"2\", k=\"2\")\nc = A(n=\"1\", k=\"2\")\n"),
            "the index (n) contains `A (instantiated at main.cf:8)`; \
             the index (k) contains `A (instantiated at main.cf:9)`; Inmanta reports: Inconsistent indexes detected!"
        );
        assert_eq!(
            notes("implement B using std::none\nentity B:\n    int? n\nend\nB()\n"),
            "Inmanta reports: The object B (instantiated at main.cf:11) is not complete: attribute n (main.cf:9:10) is \
             not set"
        );
    }

    #[test]
    fn the_cause_is_part_of_the_sentence() {
        let with = |rest: &str| {
            told(&format!("import std\nentity A:\n    int n\nend\nimplement A using std::none\na = A(n=1)\n{rest}\n"))
        };
        for (rest, message) in [
            ("x = b", "cannot find variable `b`"),
            ("x = B()", "cannot find entity `B`"),
            ("x = f()", "cannot find function `f`"),
            ("entity C:\n    strng s\nend", "cannot find type `strng`"),
            ("implement A using i", "cannot find implementation `i`"),
            ("x = m::f()", "module `m` is not imported in this file"),
            ("x = A(m=1)", "cannot find attribute `m` of `A`"),
            ("x = a.m", "cannot find attribute `m` of `A`"),
            ("x = A(n=\"x\")", "cannot set attribute `n` of `A`: expected `int`, found `\"x\"`"),
            ("a.n = 2", "cannot set attribute `n` of `A`: two different values: `1` and `2`"),
            ("x = 1\nx = 2", "two different values: `1` and `2`"),
            ("x = 1\nx = \"1\"", "two different values: `1` and `\"1\"`"),
            ("x = A(n=\"8.5\")", "cannot set attribute `n` of `A`: expected `int`, found `\"8.5\"`"),
            ("x = A(n=8.5)", "cannot set attribute `n` of `A`: expected `int`, found `8.5`"),
            ("x = not \"a\"", "expected `bool`, found `\"a\"`"),
            ("x = int(\"five\")", "cannot convert `\"five\"` to `int`"),
            ("x = std::upper(true)", "expected `string` for argument `string` of `std::upper`, found `true`"),
            (
                "typedef t as string matching /^a+$/\nentity C:\n    t s\nend\nimplement C using std::none\nC(s=\"b\")",
                "cannot set attribute `s` of `C`: `\"b\"` does not match the constraint `/^a+$/`",
            ),
            ("x = std::file(\"m/f\")", "function `std::file` failed: cannot find file `m/f`"),
            ("x = std::template(\"m/t\")", "function `std::template` failed: cannot find template `m/t`"),
            (
                "entity C:\nend\nimplement C using std::none\nA.c [1] -- C\nx = A(n=1, c=a)",
                "cannot set attribute `c` of `A`: expected `C`, found `A (instantiated at main.cf:6)`",
            ),
            ("import nowhere", "cannot find module `nowhere`"),
            ("x = std::at([1], 5)", "function `std::at` failed: list index out of range"),
        ] {
            assert_eq!(with(rest), message);
        }
    }
}
