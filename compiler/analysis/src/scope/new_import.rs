//! The imports that a suggestion uses or adds.

use super::env::{EnvId, Names};
use super::linker::Linker;
use super::state::Target;
use crate::diag::Diagnostic;
use crate::span::Span;

impl Linker<'_, '_> {
    /// Suggests a function of a core module, and its import if that is missing.
    pub(super) fn in_module(
        &self,
        diagnostic: Diagnostic,
        env: EnvId,
        module: &str,
        function: &str,
        span: Span,
    ) -> Diagnostic {
        // A few functions belong to no module, and a star import has no alias.
        let here = if module.is_empty() { Some(String::new()) } else { self.alias_of(env, module) };
        let called = |alias: &str| if alias.is_empty() { function.to_owned() } else { format!("{alias}.{function}") };
        if let Some(alias) = here {
            let meant = called(&alias);
            let said = diagnostic.help(format!("did you mean `{meant}`?"));
            return said.edit(span, meant.clone(), format!("use `{meant}`"));
        }
        let (alias, import) = self.new_import(env, module);
        let meant = called(&alias);
        let said =
            diagnostic.help(format!("did you mean `{meant}`?")).help(format!("add `{import}` at the top of the file"));
        match self.with_new_import(&import, &meant, span) {
            Some((span, text)) => said.edit(span, text, format!("import `{module}` and use `{meant}`")),
            None => said,
        }
    }

    /// The alias of a module that is not imported yet, and its import: not its own name if that is taken.
    pub(super) fn new_import(&self, env: EnvId, module: &str) -> (String, String) {
        let alias = module.rsplit('/').next().unwrap_or(module);
        if !self.has_prefix(env, alias) {
            return (alias.to_owned(), format!("import \"{module}\""));
        }
        // `golang/strings` has the prefix `strings`, so `strings` itself needs another one.
        let own = if module.contains('/') { module.replace('/', "_") } else { format!("core_{module}") };
        let import = format!("import \"{module}\" as {own}");
        (own, import)
    }

    /// One change that writes a name and adds an import. It holds all the text between the two, so there is none if
    /// they are far apart.
    pub(super) fn with_new_import(&self, import: &str, meant: &str, name: Span) -> Option<(Span, String)> {
        const MOST: usize = 32 * 1024;
        let text = &self.sources.get(name.file).text;
        let (place, import) = (import_place(text), format!("{import}\n"));
        let (start, end) = (name.start as usize, name.end as usize);
        let (from, to) = (place.min(start), place.max(end));
        if to - from > MOST {
            return None;
        }
        let between = |from: usize, to: usize| std::str::from_utf8(&text[from..to]).ok();
        let changed = match place <= start {
            true => format!("{import}{}{meant}", between(place, start)?),
            false => format!("{meant}{}{import}", between(end, place)?),
        };
        Some((Span::new(name.file, from, to), changed))
    }

    pub(super) fn with_import(&self, diagnostic: Diagnostic, module: &str, span: Span) -> Diagnostic {
        diagnostic.help(format!("add `import \"{module}\"` at the top of the file")).edit(
            self.import_span(span),
            format!("import \"{module}\"\n"),
            format!("import `{module}`"),
        )
    }

    /// Whether something is imported under this name in or around a scope.
    pub(super) fn has_prefix(&self, env: EnvId, alias: &str) -> bool {
        let mut at = Some(env);
        while let Some(env) = at {
            if let Some(block) = self.scopes.block(env)
                && block.prefixes.all().any(|prefix| prefix.alias.as_deref() == Some(alias))
            {
                return true;
            }
            at = self.scopes[env].parent;
        }
        false
    }

    /// Where an import belongs in the file of a place.
    fn import_span(&self, span: Span) -> Span {
        let at = import_place(&self.sources.get(span.file).text);
        Span::new(span.file, at, at)
    }

    /// The alias of a core module in or around a scope; empty for a star import.
    pub(super) fn alias_of(&self, env: EnvId, module: &str) -> Option<String> {
        let mut at = Some(env);
        while let Some(env) = at {
            if let Some(block) = self.scopes.block(env) {
                for prefix in block.prefixes.all() {
                    if let Target::Env(target) = prefix.target
                        && matches!(&self.scopes[target].names, Names::System(name) if **name == *module)
                    {
                        return Some(prefix.alias.as_ref().map(|alias| alias.to_string()).unwrap_or_default());
                    }
                }
            }
            at = self.scopes[env].parent;
        }
        None
    }
}

/// Where a new import line goes: before the first import, otherwise after the comment that begins the file.
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
            // A comment directly above other text belongs to that text.
            if is_head && !line.trim_ascii().is_empty() {
                behind_comment = 0;
            }
            is_head = false;
        }
    }
    behind_comment
}
