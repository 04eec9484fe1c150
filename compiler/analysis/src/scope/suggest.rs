//! What to write instead of an unknown name.

use super::called;
use super::candidates::Inside;
use super::env::{EnvId, Space};
use super::foreign::{self, Ours};
use super::linker::Linker;
use crate::corelib;
use crate::diag::Diagnostic;
use crate::ident::Name;
use crate::span::Span;

/// The maximum number of errors with suggestions; they cost time, and further ones do not help.
const MAX_SUGGESTIONS: usize = 20;

impl Linker<'_, '_> {
    /// Whether another error gets a suggestion.
    pub(super) fn still_suggests(&self) -> bool {
        // A second error causes a second walk, which reports everything again.
        let most = if self.accidents.may_walk_again() { 0 } else { MAX_SUGGESTIONS };
        self.reports.n_all() <= most
    }

    /// Adds a suggestion to an error about an unknown name.
    pub(super) fn suggest(
        &mut self,
        diagnostic: Diagnostic,
        env: EnvId,
        space: Space,
        name: &Name,
        span: Span,
    ) -> Diagnostic {
        if !self.still_suggests() {
            return diagnostic;
        }
        let exists = |linker: &mut Self, space| {
            !matches!(linker.find(env, space, name), super::env::Found::Missing | super::env::Found::Broken)
        };
        match space {
            Space::Var if exists(self, Space::Func) => {
                let said = diagnostic.help(format!("a function has this name: call it with `{name}(…)`"));
                let text = &self.sources.get(span.file).text;
                let is_called = text.get(span.end as usize) == Some(&b'(');
                // A string takes no calls.
                let is_in_string = !self.sources.slice(span).starts_with(b"$");
                let call = if is_called { name.to_string() } else { format!("{name}()") };
                return if is_in_string { said } else { said.edit(span, call, format!("call `{name}`")) };
            }
            Space::Func
                if exists(self, Space::Var)
                    && (&**name == "hostname" || Self::module_of(Space::Var, name).is_some()) =>
            {
                return diagnostic.help(format!("`${name}` is a variable, not a function: write it without `()`"));
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
        if space == Space::Var
            && let Some((value, part)) = name.rsplit_once('.')
            && !matches!(self.find(env, space, value), super::env::Found::Missing | super::env::Found::Broken)
        {
            let is_call = self.sources.get(span.file).text.get(span.end as usize) == Some(&b'(');
            let rest = self.sources.get(span.file).text.get(span.end as usize..).unwrap_or_default();
            // Other languages write a fallback so.
            if rest.trim_ascii_start().starts_with(b"or ") && !is_call {
                return diagnostic
                    .help(format!("to look up a value in a map with a fallback, write `${value}[\"{part}\"] <|> …`"))
                    .help(format!("to access a field of a struct, write `${value}->{part}`"));
            }
            if is_call && matches!(part, "includes" | "include" | "contains" | "member") {
                return diagnostic
                    .help(format!(
                        "values have no methods: to check whether a list contains a value, write `$x in ${value}`"
                    ))
                    .help(format!("for a string, write `strings.contains(${value}, …)`, after `import \"strings\"`"));
            }
            if is_call && let Some((ours, len)) = called::exact_method(value, part, rest) {
                let call = Span { end: span.end + len as u32, ..span };
                return self.with_call(diagnostic, env, ours, call, "values have no methods: ");
            }
            return diagnostic.help(match is_call {
                true => match foreign::method(part) {
                    Some(function) => {
                        let text = &self.sources.get(span.file).text[span.end as usize..];
                        let more = if text.starts_with(b"()") { "" } else { ", …" };
                        let import = match foreign::module_of_method(part) {
                            Some(module) => format!(", after `import \"{module}\"`"),
                            None => String::new(),
                        };
                        format!("values have no methods: write `{function}(${value}{more})`{import}")
                    }
                    None => match foreign::function(part) {
                        Some(Ours::Help(help)) => format!("values have no methods: {help}"),
                        _ => format!("values have no methods: pass it to a function, such as `len(${value})`"),
                    },
                },
                false if matches!(part, "length" | "size" | "len" | "count") => {
                    format!("values have no methods: write `len(${value})`")
                }
                false => match foreign::method(part) {
                    Some(function) => format!(
                        "to access a field of a struct, write `${value}->{part}`; for a value of a map, write `${value}[\"{part}\"]`; values have \
                         no methods: write `{function}(${value})`"
                    ),
                    None => format!("to access a field of a struct, write `${value}->{part}`; for a value of a map, write `${value}[\"{part}\"]`"),
                },
            });
        }
        if space == Space::Var
            && let Some((class, rest)) = name.split_once('.')
            && matches!(self.find(env, Space::Class, class), super::env::Found::Class(..))
        {
            return diagnostic.help(format!(
                "access the variables of a class through the name of its `include`: write `include {class} as \
                 {class}`, then `${class}.{rest}`"
            ));
        }
        if let Some(module) = Self::module_of(space, name) {
            if let Some(alias) = self.alias_of(env, module) {
                let (_, part) = name.split_once('.').unwrap_or_default();
                let meant = if alias.is_empty() { part.to_owned() } else { format!("{alias}.{part}") };
                let sigil = if self.sources.slice(span).starts_with(b"$") { "$" } else { "" };
                let imported = if alias.is_empty() { "without a prefix".into() } else { format!("as `{alias}`") };
                return diagnostic.help(format!("`{module}` is imported {imported}: write `{sigil}{meant}`")).edit(
                    span,
                    format!("{sigil}{meant}"),
                    format!("use `{sigil}{meant}`"),
                );
            }
            let (alias, part) = name.split_once('.').unwrap_or_default();
            // What another language calls so may have its counterpart in the module that is imported, or in a better
            // known one: `os.getenv` is `sys.getenv`.
            if let Some(Ours::Function(ours, function)) = foreign::function(name).filter(|_| space == Space::Func)
                && (self.alias_of(env, ours).is_some_and(|own| own == alias)
                    || module.starts_with("golang/") && !ours.is_empty() && !ours.starts_with("golang/"))
            {
                return self.in_module(diagnostic, env, ours, function, span);
            }
            if self.has_prefix(env, alias) {
                let (own, import) = self.new_import(env, module);
                return diagnostic.help(format!(
                    "it is defined in `{module}`: add `{import}` at the top of the file and write `{own}.{part}`"
                ));
            }
            return self.with_import(diagnostic, module, span);
        }
        let text = &self.sources.get(span.file).text;
        if space == Space::Func
            && let Some((ours, len)) = text.get(span.end as usize..).and_then(|after| called::exact(name, after))
        {
            return self.with_call(diagnostic, env, ours, Span { end: span.end + len as u32, ..span }, "");
        }
        let foreign = match space {
            Space::Func => foreign::function(name),
            Space::Var => {
                let after = text.get(span.end as usize..).unwrap_or_default();
                let fact = foreign::is_source_of_facts(name).then(|| foreign::fact(after)).flatten();
                fact.or_else(|| foreign::variable(name)).map(Ours::Help)
            }
            Space::Class => None,
        };
        // A name without a module is more likely a word of another tool than a rare function of ours: `join`, `format`.
        if space == Space::Func
            && !name.contains('.')
            && let Some(ours) = foreign
        {
            return self.with_counterpart(diagnostic, env, ours, span);
        }
        if let Some((module, part)) = Self::unqualified(space, name) {
            return self.in_module(diagnostic, env, module, part, span);
        }
        // The right module with another tool's function, or the right function after the wrong module.
        if space == Space::Func
            && let Some((alias, part)) = name.split_once('.')
            && self.has_prefix(env, alias)
        {
            if let Some(Ours::Function(module, part)) = foreign
                && self.alias_of(env, module).is_some_and(|own| own == alias)
            {
                return self.in_module(diagnostic, env, module, part, span);
            }
            // The module that was written may have what is meant, under a name that differs a little.
            if let Some((module, part)) = self.in_same_module(env, alias, part, foreign) {
                return self.in_module(diagnostic, env, module, part, span);
            }
            // After a core module, too, a word of another tool is more likely than a rare function of ours.
            if let Some(ours) = foreign
                && corelib::module_names().any(|module| module.rsplit('/').next() == Some(alias))
            {
                return self.with_counterpart(diagnostic, env, ours, span);
            }
            if let Some((module, part)) = Self::unqualified(space, part) {
                return self.in_module(diagnostic, env, module, part, span);
            }
        }
        if space == Space::Var && self.has_prefix(env, name) {
            return diagnostic.help(format!(
                "`{name}` is the name of an import or an `include`: write its variables as `${name}.name`"
            ));
        }
        // `present` is near to `absent`, and means `exists`.
        if space == Space::Var
            && let Some((before, "present" | "created" | "directory" | "file")) = name.rsplit_once('.')
            && name.starts_with("const.res.")
        {
            let ours = format!("{before}.exists");
            if !matches!(self.find(env, space, &ours), super::env::Found::Missing | super::env::Found::Broken) {
                return diagnostic.help(format!("the state is named `${ours}`"));
            }
        }
        if let Some(close) = self.closest(env, space, name) {
            let sigil = if space == Space::Var { "$" } else { "" };
            // In an interpolated string the name has no dollar.
            let written = if self.sources.slice(span).starts_with(b"$") { "$" } else { "" };
            return diagnostic.help(format!("did you mean `{sigil}{close}`?")).edit(
                span,
                format!("{written}{close}"),
                format!("use `{sigil}{close}`"),
            );
        }
        // `var.port` of HCL, where the rest is the name.
        if space == Space::Var
            && let Some(("var" | "local", rest)) = name.split_once('.')
            && !rest.contains('.')
        {
            return diagnostic.help(format!("refer to a variable by its name: `${rest}`"));
        }
        match (foreign, space) {
            (Some(ours), _) => self.with_counterpart(diagnostic, env, ours, span),
            (None, Space::Func) => diagnostic.help("`mclive docs functions` lists the functions"),
            (None, Space::Var) => match (self.bound_inside(env, name), name.split_once('.')) {
                (Some(Inside::Class { name: class, has_params }), _)
                    if matches!(self.find(env, Space::Class, &class), super::env::Found::Class(..)) =>
                {
                    let called = if has_params { format!("{class}(…)") } else { class.to_string() };
                    diagnostic.help(format!(
                        "`${name}` is defined in the class `{class}`: write `include {called} as c`, then `$c.{name}`"
                    ))
                }
                (Some(Inside::Class { name: class, .. }), _) => diagnostic
                    .help(format!("`${name}` is defined in the class `{class}`, which is not in scope here either")),
                (Some(Inside::Block), _) => diagnostic.help(format!(
                    "`${name}` is defined in a block, and only visible there: define it outside, as in `${name} = if \
                     $condition {{ … }} else {{ … }}`"
                )),
                (None, Some((first, rest))) if self.has_prefix(env, first) => {
                    diagnostic.help(format!("`{first}` does not define a variable `${rest}`"))
                }
                (None, Some((first, rest))) => diagnostic.help(match self.kind_of_resource(first, span) {
                    Some(kind) => format!(
                        "to use a value of a resource, send it with an edge: `{kind}[\"{first}\"].{rest} -> \
                        Kind[\"name\"].field`"
                    ),
                    None => match self.resource_of_kind(first, rest, span) {
                        Some(end) => {
                            format!(
                                "to use a value of a resource, send it with an edge: `{end} -> \
                                Kind[\"name\"].field`"
                            )
                        }
                        None => format!("to access a field of a struct, write `${first}->{}`", rest.replace('.', "->")),
                    },
                }),
                (None, None) if matches!(self.find(env, Space::Class, name), super::env::Found::Class(..)) => {
                    diagnostic.help(format!(
                        "`{name}` is a class, not a value: write its variables as `$c.name`, after `include {name} as c`"
                    ))
                }
                (None, None) => diagnostic.help(format!("define a variable with `${name} = …`")),
            },
            (None, Space::Class) => match name.split_once('.') {
                Some((first, rest)) if self.has_prefix(env, first) => {
                    diagnostic.help(format!("`{first}` does not define a class `{rest}`"))
                }
                Some((first, _)) => diagnostic.help(format!(
                    "to use a class from another file, import the file: `import \"{first}.mcl\"`, or `import \
                    \"{first}/\"` for a directory"
                )),
                None => diagnostic.help(format!("define a class with `class {name} {{ … }}`")),
            },
        }
    }

    /// Suggests the counterpart of another tool's name.
    fn with_counterpart(&self, diagnostic: Diagnostic, env: EnvId, ours: Ours, span: Span) -> Diagnostic {
        match ours {
            Ours::Help(help) => diagnostic.help(help),
            Ours::Function(module, function) => self.in_module(diagnostic, env, module, function, span),
        }
    }
}
