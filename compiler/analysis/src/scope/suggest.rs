//! Close names: what the user may have meant.

use super::env::{EnvId, Names, Space};
use super::library;
use super::linker::Linker;
use crate::corelib::{self, FnDef};
use crate::diag::Diagnostic;
use crate::ident::Name;
use crate::span::Span;

/// After so many errors nobody reads suggestions, and they cost time.
const MAX_SUGGESTIONS: usize = 20;

impl Linker<'_, '_> {
    /// Adds to an error about a missing name what may have been meant.
    pub(super) fn suggest(
        &mut self,
        diagnostic: Diagnostic,
        env: EnvId,
        space: Space,
        name: &Name,
        span: Span,
    ) -> Diagnostic {
        // With a second error there will be a second walk, which says all once more.
        let most = if self.accidents.may_walk_again() { 0 } else { MAX_SUGGESTIONS };
        if self.diags.len() > most {
            return diagnostic;
        }
        let exists = |linker: &mut Self, space| {
            !matches!(linker.find(env, space, name), super::env::Found::Missing | super::env::Found::Broken)
        };
        match space {
            Space::Var if exists(self, Space::Func) => {
                return diagnostic.help(format!("a function has this name: call it with `{name}(…)`")).edit(
                    span,
                    format!("{name}()"),
                    format!("call `{name}()`"),
                );
            }
            Space::Func if exists(self, Space::Var) => {
                return diagnostic.help(format!("a variable has this name: call its value with `${name}(…)`")).edit(
                    span,
                    format!("${name}"),
                    format!("call `${name}`"),
                );
            }
            Space::Var | Space::Func | Space::Class => {}
        }
        if let Some(module) = Self::module_of(space, name) {
            return diagnostic.help(format!("add `import \"{module}\"` at the top of the file")).edit(
                self.import_span(span),
                format!("import \"{module}\"\n"),
                format!("import `{module}`"),
            );
        }
        let candidates = self.visible(env, space);
        match closest(name, candidates.iter().map(String::as_str)) {
            Some(close) => {
                let sigil = if space == Space::Var { "$" } else { "" };
                // In the hole of a string the name stands without its dollar.
                let written = if self.sources.slice(span).starts_with(b"$") { "$" } else { "" };
                diagnostic.help(format!("did you mean `{sigil}{close}`?")).edit(
                    span,
                    format!("{written}{close}"),
                    format!("use `{sigil}{close}`"),
                )
            }
            None => diagnostic,
        }
    }

    /// Where an import goes in the file of a place.
    fn import_span(&self, span: Span) -> Span {
        let at = import_place(&self.sources.get(span.file).text);
        Span::new(span.file, at, at)
    }

    /// The core module that a dotted name would come from by its default alias.
    fn module_of(space: Space, name: &str) -> Option<&'static str> {
        let (alias, rest) = name.split_once('.')?;
        let fits = |module: &str| module.rsplit('/').next() == Some(alias);
        let mut modules: Vec<&'static str> = match space {
            Space::Func => corelib::all().filter(|def| def.name() == rest).filter_map(FnDef::module).collect(),
            Space::Var => corelib::module_names().filter(|module| library::variable(module, rest).is_some()).collect(),
            Space::Class => return None,
        };
        modules.retain(|module| fits(module));
        modules.sort_by_key(|module| module.len());
        modules.first().copied()
    }

    /// The names that can be seen from a scope.
    fn visible(&self, env: EnvId, space: Space) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let mut at = Some(env);
        while let Some(env) = at {
            self.names_of(env, space, "", &mut names);
            if let Names::Block(block) = &self.envs[env].names {
                for prefix in &block.prefixes {
                    if let super::env::Target::Env(target) = prefix.target {
                        let alias = prefix.alias.as_ref().map(|alias| format!("{alias}.")).unwrap_or_default();
                        self.names_of(target, space, &alias, &mut names);
                    }
                }
            }
            at = self.envs[env].parent;
        }
        names.sort();
        names
    }

    fn names_of(&self, env: EnvId, space: Space, prefix: &str, names: &mut Vec<String>) {
        match (&self.envs[env].names, space) {
            (Names::System(module), Space::Var) => {
                names.extend(library::variables_of(module).map(|known| format!("{prefix}{}", known.name)));
            }
            (Names::System(module), Space::Func) => {
                names.extend(library::functions_of(module).map(|def| format!("{prefix}{}", def.name())));
            }
            (Names::System(_), Space::Class) => {}
            (Names::Few(few), Space::Var) => names.extend(few.iter().map(|(name, _, _)| name.to_string())),
            (Names::Few(_), Space::Func | Space::Class) => {}
            (Names::Block(block), space) => {
                let own: Vec<&Name> = match space {
                    Space::Var => block.vars.keys().collect(),
                    Space::Func => block.funcs.keys().collect(),
                    Space::Class => block.classes.keys().collect(),
                };
                names.extend(own.into_iter().map(|name| format!("{prefix}{name}")));
            }
        }
    }
}

/// Where a new import line goes: before the first import, else behind the comment that the file begins with.
pub fn import_place(text: &[u8]) -> usize {
    let mut at = 0;
    let mut behind_comment = 0;
    let mut is_head = true;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"import ") {
            return at;
        }
        at += line.len();
        if is_head && line.starts_with(b"#") && line.ends_with(b"\n") {
            behind_comment = at;
        } else {
            // A comment that touches what follows belongs to that.
            if is_head && !line.trim_ascii().is_empty() {
                behind_comment = 0;
            }
            is_head = false;
        }
    }
    behind_comment
}

/// The candidate that differs least, if it differs little: at most a third of the letters. Of
/// equally close ones the first counts.
pub(super) fn closest<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (name.chars().count() / 3).max(1);
    let close = candidates.filter(|candidate| *candidate != name && candidate.len().abs_diff(name.len()) <= limit);
    let ranked = close.map(|candidate| (distance(name, candidate), candidate));
    ranked
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters must be added, dropped, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names() {
        let close = |name| closest(name, ["colour", "count", "x", "fmt.printf"].into_iter());
        assert_eq!(close("color"), Some("colour"));
        assert_eq!(close("cuont"), Some("count"));
        assert_eq!(close("fmt.prinft"), Some("fmt.printf"));
        assert_eq!(close("elephant"), None);
    }
}
