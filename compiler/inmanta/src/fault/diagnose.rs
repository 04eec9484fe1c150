//! Converts faults to diagnostics: the place, the chain of causes, other places, help.

use super::words::{original, words};
use super::{Class, Fault, Warning};
use mclive_base::diag::{Code, Diagnostic, Stage};

/// A warning of this front end.
pub const WARNING: Code = Code(1150);

/// The diagnostics of a fault: several for a collection.
pub fn diagnose(fault: &Fault) -> Vec<Diagnostic> {
    if fault.class == Class::Multi {
        return fault.causes.iter().flat_map(diagnose).collect();
    }
    let mut diagnostic = Diagnostic::error(fault.code(), stage(fault.class), words(fault));
    // The place of a cause is closer to the mistake than the place where it was noticed.
    let mut causes = Vec::new();
    let mut at = fault;
    while let Some(cause) = at.causes.first() {
        causes.push(cause);
        at = cause;
    }
    let place = fault.place.or_else(|| causes.iter().find_map(|cause| cause.place));
    if let Some(place) = place {
        diagnostic = diagnostic.at(place.span(), "");
    } else if let Some((span, text)) = fault.related.first() {
        diagnostic = diagnostic.at(*span, text.clone());
    }
    for cause in &causes {
        if let Some(place) = cause.place.filter(|cause| Some(*cause) != place) {
            diagnostic = diagnostic.also(place.span(), format!("because: {}", words(cause)));
        }
    }
    if let Some((_, duplicate)) = fault.duplicate {
        diagnostic = diagnostic.also(duplicate.span(), "the other definition is here");
    }
    let skipped = usize::from(place.is_none());
    for (depth, fault) in std::iter::once(fault).chain(causes.iter().copied()).enumerate() {
        let related = fault.related.iter().skip(if depth == 0 { skipped } else { 0 });
        diagnostic = related.fold(diagnostic, |diagnostic, (span, text)| diagnostic.also(*span, text.clone()));
        diagnostic = fault.notes.iter().fold(diagnostic, |diagnostic, note| diagnostic.note(note.clone()));
        diagnostic = fault.help.iter().fold(diagnostic, |diagnostic, help| diagnostic.help(help.clone()));
    }
    if let Some(text) = original(fault) {
        diagnostic = diagnostic.note(format!("Inmanta reports: {text}"));
    }
    vec![diagnostic]
}

/// A warning as a diagnostic.
pub fn warning_diagnostic(warning: &Warning) -> Diagnostic {
    let diagnostic = Diagnostic::warning(WARNING, Stage::Scope, warning.message.clone());
    match warning.span {
        Some(span) => diagnostic.at(span, ""),
        None => diagnostic,
    }
}

/// The closest stage of the first front end: used for sorting.
fn stage(class: Class) -> Stage {
    match class {
        Class::Parser | Class::NamespaceAccess | Class::Hyphen => Stage::Parse,
        Class::ModuleLoading | Class::InvalidModule | Class::ModuleNotFound | Class::Compiler => Stage::Input,
        Class::TypeNotFound
        | Class::MissingImport
        | Class::AmbiguousType
        | Class::Index
        | Class::Cycle
        | Class::MissingIndexAttribute
        | Class::PrecedenceRule
        | Class::PrecedenceCycle => Stage::Scope,
        Class::Lowering | Class::DependencyCycle => Stage::Validate,
        Class::Multi
        | Class::Runtime
        | Class::Unset
        | Class::NotFound
        | Class::IndexCollision
        | Class::Typing
        | Class::DirectExecute
        | Class::Duplicate
        | Class::ModifiedAfterFreeze
        | Class::DoubleSet
        | Class::External
        | Class::ExplicitPlugin
        | Class::OptionalValue
        | Class::Key
        | Class::Wrapping
        | Class::Attribute
        | Class::PluginType
        | Class::Internal
        | Class::Foreign
        | Class::Limit => Stage::Interpret,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Setup, compile};
    use mclive_base::source::MemoryWorld;

    fn told(text: &str) -> Vec<Diagnostic> {
        let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
        compile(&world, "/main.cf", &Setup::default()).faults.iter().flat_map(|fault| diagnose(fault)).collect()
    }

    #[test]
    fn causes_become_places() {
        let found = told("entity A:\n    int n\nend\nimplement A using std::none\na = A(n=1)\na.n = 2\n");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].code.to_string(), "E1117");
        assert!(found[0].message.contains("two different values"), "{:?}", found[0].message);
        assert!(found[0].secondary.iter().any(|label| label.text.contains("first value")));
    }

    #[test]
    fn a_place_is_labelled_once() {
        let found = told("entity A:\n    int n\nend\nimplement A using std::none\na = A()\n");
        let labels: Vec<_> = found[0].primary.iter().chain(&found[0].secondary).collect();
        assert_eq!(labels.len(), 2, "{labels:?}");
    }

    /// Mistakes of newcomers, each with the help of the first error.
    #[test]
    fn common_mistakes_have_an_answer() {
        for (text, answer) in [
            ("\u{feff}x = 1\n", "byte order mark"),
            ("x = “a”\n", "straight quotes"),
            ("x\u{a0}= 1\n", "U+00A0"),
            ("x = \"a\ny = 2\n", "unclosed string"),
            ("x = 1;\n", "do not end with `;`"),
            ("x = $a\n", "without `$`"),
            ("x = a && b\n", "`and`"),
            ("x = !a\n", "`not`"),
            ("// a comment\nx = 1\n", "begin with `#`"),
            ("if x = 1:\nend\n", "`==`"),
            ("if true {\n}\n", "`end`"),
            ("a = 5\nb = a-1\n", "`a - 1`"),
            ("x = 1e9\n", "exponent"),
            ("l = [1, 2]\nx = l[0]\n", "std::at"),
            ("import nowhere\n", "libs/nowhere/model/_init.cf"),
            ("x = (-8) ** 0.5\n", "not a real"),
            ("x = std::replace(\"a\")\n", "string: string, old: string"),
        ] {
            let found = told(text);
            let told = format!("{} {}", found[0].message, found[0].help.join(" "));
            assert!(told.contains(answer), "{text:?}: {told}");
        }
    }

    #[test]
    fn several_errors_are_told_at_once() {
        assert_eq!(told("entity A:\nend\nA()\nA()\n").len(), 2);
        assert_eq!(told("x = = 1\nentity b:\nend\nentity c:\nend\n").len(), 3);
        // Names of types, functions, attributes and variables, in statements that do not depend on each other.
        let types = told(
            "entity Site:\n    string name\nend\nimplement Site using std::none\nSite(nme=\"a\")\nSitee(name=\"b\")\nx = std::lenn([])\nif true:\n    y = Host()\n    z = nowhere::f()\nend\n",
        );
        let helps: Vec<_> = types.iter().map(|diagnostic| diagnostic.help.join(" ")).collect();
        assert_eq!(types.len(), 5, "{types:?}");
        for (help, meant) in helps.iter().zip(["`name`", "`Site`", "`std::len`", "`std::Host`", ""]) {
            assert!(help.contains(meant), "{helps:?}");
        }
        let variables = told("port = 80\na = prt + 1\nb = [pört, other]\nc = port > 1 ? port : nothing\n");
        assert_eq!(variables.len(), 1, "a bad character is an error of its own");
        let variables = told("port = 80\na = prt + 1\nb = [other, f\"{prot}\"]\nc = port > 1 ? port : 2\n");
        let messages: Vec<_> = variables.iter().map(|diagnostic| &*diagnostic.message).collect();
        assert_eq!(messages.len(), 3, "{messages:?}");
        assert!(variables.iter().any(|diagnostic| diagnostic.help.contains(&"did you mean `port`?".to_owned())));
    }

    /// Mistakes in values that do not depend on each other, each with the original's words.
    #[test]
    fn mistakes_in_values_are_told_at_once() {
        let found = told(
            "entity A:\n    int n\nend\nimplement A using std::none\na = A(n=\"x\")\nb = std::at([1], 5)\nm = {\"k\": 1}\nc = m[\"l\"]\n\
             d = 1\nd = 2\nx = y\nz = a.n + 1\nif d:\nend\n",
        );
        let messages: Vec<_> = found.iter().map(|diagnostic| &*diagnostic.message).collect();
        for message in [
            "cannot set attribute `n` of `A`: expected `int`, found `x`",
            "function `std::at` failed: IndexError: list index out of range",
            "cannot find key `l` in the dict",
            "two different values: `1` and `2`",
            "cannot find variable `y`",
        ] {
            assert_eq!(messages.iter().filter(|told| **told == message).count(), 1, "{message}: {messages:?}");
        }
        let noted = found.iter().find(|diagnostic| diagnostic.message.contains("variable")).map(|one| &one.notes[..]);
        assert_eq!(noted, Some(&["Inmanta reports: variable y not found".to_owned()][..]));
    }

    #[test]
    fn attributes_are_suggested_in_implementations() {
        let found = told(
            "entity A:\n    string comment\nend\nimplementation i for A:\n    x = coment\nend\nimplement A using i\na = A(comment=\"\")\n",
        );
        assert_eq!(found[0].help, ["did you mean `comment`?"]);
        let found = told(
            "entity A:\n    string comment\nend\nimplement A using std::none\na = A(comment=\"\")\nx = a.coment\n",
        );
        assert!(found[0].help.contains(&"did you mean `comment`?".to_owned()), "{:?}", found[0]);
    }
}
