//! Converts faults to diagnostics: the place, the chain of causes, other places, help.

use super::words::{original, ours, words};
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
    let mut place = fault.place.or_else(|| causes.iter().find_map(|cause| cause.place));
    let mut other = fault.duplicate.map(|(_, other)| other);
    // Of two attributes, the original tells the first one, but it is the second that is too many.
    if fault.message.starts_with("attribute '")
        && let (Some(first), Some(second)) = (place, other)
        && first.span().file == second.span().file
        && first.span().start < second.span().start
    {
        (place, other) = (Some(second), Some(first));
    }
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
    if let Some(other) = other {
        diagnostic = diagnostic.also(other.span(), "the other definition is here");
    }
    let skipped = usize::from(place.is_none());
    for (depth, fault) in std::iter::once(fault).chain(causes.iter().copied()).enumerate() {
        let related = fault.related.iter().skip(if depth == 0 { skipped } else { 0 });
        let related = related.filter(|(span, _)| place.is_none_or(|place| place.span() != *span));
        diagnostic = related.fold(diagnostic, |diagnostic, (span, text)| diagnostic.also(*span, text.clone()));
        diagnostic = fault.notes.iter().fold(diagnostic, |diagnostic, note| diagnostic.note(ours(note)));
        diagnostic = fault.help.iter().fold(diagnostic, |diagnostic, help| diagnostic.help(help.clone()));
    }
    if let Some(text) = original(fault) {
        diagnostic = diagnostic.note(format!("Inmanta reports: {text}"));
    }
    vec![diagnostic]
}

/// A warning as a diagnostic.
pub fn warning_diagnostic(warning: &Warning) -> Diagnostic {
    let message = shadowed(&warning.message).unwrap_or_else(|| warning.message.clone());
    let diagnostic = Diagnostic::warning(WARNING, Stage::Scope, message);
    match warning.span {
        Some(span) => diagnostic.at(span, ""),
        None => diagnostic,
    }
}

/// ``Variable `x` shadowed: originally declared at /main.cf:3, shadowed at /main.cf:5`` in the words of this project.
fn shadowed(text: &str) -> Option<String> {
    let (name, rest) = text.strip_prefix("Variable `")?.split_once("` shadowed: originally declared at ")?;
    let (places, _) = rest.split_once(", shadowed at ")?;
    let places: Vec<&str> = places.split(',').map(|place| place.trim_start_matches('/')).collect();
    Some(format!("variable `{name}` shadows the one declared at {}", places.join(" and ")))
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
mod tests;
