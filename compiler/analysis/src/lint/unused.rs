//! Unused definitions, and strings that contain the name of one.
//!
//! Uses are searched in the block of the definition and the blocks inside it. Definitions of a class or an imported
//! file may be used from outside by a dotted name, so a name after a dot anywhere in the file counts as a use there,
//! and the top-level definitions of an imported file count as exported.

use super::words;
use crate::diag::{Diagnostic, codes};
use crate::hir::{Alias, Block, Callee, ExprId, ExprKind, Func, Item, ItemKind, Module, Param, StmtKind};
use crate::scope::default_alias;
use crate::source::Source;
use crate::span::Span;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Variable,
    Function,
    Class,
    Import,
    Parameter,
    /// A variable of a loop or of a function value; the caller determines the number of arguments.
    Given,
}

impl What {
    fn space(self) -> Space {
        match self {
            What::Variable | What::Parameter | What::Given => Space::Variable,
            What::Function => Space::Function,
            What::Class => Space::Class,
            What::Import => Space::Prefix,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Space {
    Variable,
    Function,
    Class,
    Prefix,
}

struct Definition<'m> {
    what: What,
    name: Cow<'m, str>,
    span: Span,
    used: bool,
    exported: bool,
    /// A block around this one has the name too: a new value may be meant.
    shadows: bool,
}

/// The definitions of a block; by name the first of each.
#[derive(Default)]
struct Scope<'m> {
    definitions: Vec<Definition<'m>>,
    first: FxHashMap<(Space, Cow<'m, str>), usize>,
}

impl<'m> Scope<'m> {
    fn add(&mut self, one: Definition<'m>) {
        self.first.entry((one.what.space(), one.name.clone())).or_insert(self.definitions.len());
        self.definitions.push(one);
    }

    fn find(&mut self, space: Space, name: &'m str) -> Option<&mut Definition<'m>> {
        let at = *self.first.get(&(space, Cow::Borrowed(name)))?;
        self.definitions.get_mut(at)
    }

    fn of(definitions: impl Iterator<Item = Definition<'m>>) -> Scope<'m> {
        let mut scope = Scope::default();
        definitions.for_each(|one| scope.add(one));
        scope
    }
}

struct Finder<'m> {
    module: &'m Module,
    source: &'m Source,
    scopes: Vec<Scope<'m>>,
    /// The last parts of dotted names.
    dotted: BTreeSet<&'m str>,
    found: Vec<Definition<'m>>,
    /// Names in strings that look like uses.
    in_texts: Vec<Diagnostic>,
    /// Whether this is the name of a resource that is not a command, where no template is read.
    in_name: bool,
}

pub(super) fn find(module: &Module, source: &Source, found: &mut Vec<Diagnostic>) {
    let is_main = module.file.0 == 0;
    let mut finder = Finder {
        module,
        source,
        scopes: Vec::new(),
        dotted: BTreeSet::new(),
        found: Vec::new(),
        in_texts: Vec::new(),
        in_name: false,
    };
    finder.block(&module.root, &[], !is_main);
    found.append(&mut finder.in_texts);
    let dotted = finder.dotted;
    let unused = finder.found.iter().filter(|one| !(one.exported && dotted.contains(&*one.name)));
    let is_open = |one: &&Definition<'_>| is_main || !one.exported;
    found.extend(unused.filter(is_open).filter_map(said));
}

fn said(one: &Definition<'_>) -> Option<Diagnostic> {
    let name = &one.name;
    Some(match one.what {
        What::Variable => {
            let help = match one.shadows {
                true => format!(
                    "a variable cannot be reassigned: write `${name} = if $cond {{ … }} else {{ … }}` where it is defined"
                ),
                false => "remove the variable".to_owned(),
            };
            words::unused(codes::UNUSED_VARIABLE, &format!("variable `${name}`"), one.span, &help)
        }
        What::Function => words::unused(
            codes::UNUSED_FUNCTION,
            &format!("function `{name}`"),
            one.span,
            "remove the function, or call it",
        ),
        What::Class => {
            let help = format!("remove the class, or include it: `include {name}`");
            words::unused(codes::UNUSED_CLASS, &format!("class `{name}`"), one.span, &help)
        }
        What::Import => words::unused(codes::UNUSED_IMPORT, &format!("import `{name}`"), one.span, "remove the import"),
        What::Parameter => {
            words::unused(codes::UNUSED_PARAMETER, &format!("parameter `${name}`"), one.span, "remove the parameter")
        }
        What::Given => return None,
    })
}

impl<'m> Finder<'m> {
    fn block(&mut self, block: &'m Block, params: &'m [Param], exported: bool) {
        let params = params.iter().map(|param| (What::Parameter, param));
        self.scoped(block, params, exported);
    }

    fn scoped(&mut self, block: &'m Block, params: impl Iterator<Item = (What, &'m Param)>, exported: bool) {
        let params = params.map(|(what, param)| definition(what, &*param.name, param.span));
        let own = block.stmts.iter().filter_map(defined);
        let own = own.map(|one| Definition { exported: exported && one.what != What::Import, ..one });
        self.scopes.push(Scope::of(params.chain(own)));
        for stmt in &block.stmts {
            self.stmt(&stmt.kind);
        }
        self.close();
    }

    fn close(&mut self) {
        let scope = self.scopes.pop().unwrap_or_default();
        for mut one in scope.definitions.into_iter().filter(|one| !one.used) {
            let name = (one.what.space(), one.name.clone());
            one.shadows = self.scopes.iter().any(|around| around.first.contains_key(&name));
            self.found.push(one);
        }
    }

    fn stmt(&mut self, stmt: &'m StmtKind) {
        match stmt {
            StmtKind::Bind(bind) => self.expr(bind.value),
            StmtKind::Resource(resource) => {
                self.in_name = &*resource.kind != "exec";
                self.expr(resource.name);
                self.in_name = false;
                resource.collect.into_iter().for_each(|collect| self.expr(collect));
                resource.items.iter().for_each(|item| self.item(item));
            }
            StmtKind::Edge(edge) => edge.halves.iter().for_each(|half| self.expr(half.name)),
            StmtKind::If { cond, then, otherwise } => {
                self.expr(*cond);
                self.block(then, &[], false);
                otherwise.iter().for_each(|block| self.block(block, &[], false));
            }
            StmtKind::For(looped) => {
                self.expr(looped.subject);
                let vars = [(What::Given, &looped.first), (What::Given, &looped.second)];
                self.scoped(&looped.body, vars.into_iter(), false);
            }
            StmtKind::Func { func, .. } => match &self.module.exprs[*func].kind {
                ExprKind::Func(func) => self.func(func, What::Parameter),
                _ => self.expr(*func),
            },
            StmtKind::Class(class) => self.block(&class.body, &class.params, true),
            StmtKind::Include(include) => {
                self.name(Space::Class, &include.class);
                include.args.iter().for_each(|arg| self.expr(*arg));
            }
            StmtKind::Import(_) | StmtKind::Error => {}
        }
    }

    fn item(&mut self, item: &'m Item) {
        item.cond.into_iter().for_each(|cond| self.expr(cond));
        match &item.kind {
            ItemKind::Field { value, .. } | ItemKind::Meta { value, .. } | ItemKind::MetaStruct { value } => {
                self.expr(*value);
            }
            ItemKind::Edge { half, .. } => self.expr(half.name),
        }
    }

    fn func(&mut self, func: &'m Func, what: What) {
        let params = func.params.iter().map(|param| definition(what, &*param.name, param.span));
        self.scopes.push(Scope::of(params));
        self.expr(func.body);
        self.close();
    }

    /// Chains of operators are as long as a file, so they are not walked recursively.
    fn expr(&mut self, expr: ExprId) {
        let module = self.module;
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            match &module.exprs[expr].kind {
                ExprKind::Str(text) if text.contains(&b'$') || text.contains(&b'{') => {
                    self.text(module.exprs[expr].span);
                }
                ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) | ExprKind::Error => {}
                ExprKind::List(items) => open.extend(items),
                ExprKind::Map(pairs) => open.extend(pairs.iter().flat_map(|(key, value)| [*key, *value])),
                ExprKind::Struct(fields) => open.extend(fields.iter().map(|(_, value)| *value)),
                ExprKind::Var(name) => self.name(Space::Variable, name),
                ExprKind::Call(call) => {
                    match &call.callee {
                        Callee::Hidden(_) => {}
                        Callee::Named(name) => {
                            // Another function may read a template. A string with variables is a `concat`.
                            self.in_name &= &**name == "concat";
                            self.name(Space::Function, name);
                        }
                        Callee::Var(name) => {
                            self.in_name = false;
                            self.name(Space::Variable, name);
                        }
                        Callee::Func(func) => open.push(*func),
                    }
                    open.extend(&call.args);
                }
                ExprKind::Func(func) => self.func(func, What::Given),
                ExprKind::If { cond, then, otherwise } => open.extend([*cond, *then, *otherwise]),
                ExprKind::Except { main, fallback } => open.extend([*main, *fallback]),
            }
        }
    }

    /// A string with a dollar sign and the name of a variable. Templates have their own variables.
    fn text(&mut self, span: Span) {
        let (start, end) = (span.start as usize, span.end as usize);
        let source = self.source;
        let Some(Ok(written)) = source.text.get(start..end).map(std::str::from_utf8) else { return };
        for (hole, name) in foreign_holes(written) {
            if written[hole.clone()].starts_with('%') && has_formats(written) {
                continue;
            }
            let mut scopes = self.scopes.iter_mut().rev();
            let is_defined = match scopes.find_map(|scope| scope.find(Space::Variable, name)) {
                Some(variable) => {
                    variable.used = true;
                    true
                }
                None if name == "hostname" => true,
                None if self.in_name && written[hole.clone()].starts_with("{{") => false,
                None => continue,
            };
            let start = span.start + hole.start as u32;
            let here = Span { start, end: span.start + hole.end as u32, ..span };
            if self.in_texts.last().and_then(Diagnostic::judged_span) != Some(here) {
                self.in_texts.push(match is_defined {
                    true => words::foreign_hole(&written[hole], name, here),
                    false => words::undefined_hole(&written[hole], name, here),
                });
            }
        }
        if written.contains("{{") {
            return;
        }
        let mut here_too = Vec::new();
        let mut has_others = false;
        for (at, name) in dollars(written) {
            if assigns(&written[..at], name) {
                continue;
            }
            let mut scopes = self.scopes.iter_mut().rev();
            match scopes.find_map(|scope| scope.find(Space::Variable, name)) {
                Some(variable) => variable.used = true,
                None if name == "hostname" => {}
                None => {
                    has_others = true;
                    continue;
                }
            }
            here_too.push((at, name));
        }
        // A text with variables that the program does not have has variables of its own: a script, a configuration.
        if has_others {
            return;
        }
        for (at, name) in here_too {
            let start = span.start + at as u32;
            let here = Span { start, end: start + 1 + name.len() as u32, ..span };
            if self.in_texts.last().and_then(Diagnostic::judged_span) != Some(here) {
                self.in_texts.push(words::dollar_in_text(name, here));
            }
        }
    }

    fn name(&mut self, space: Space, name: &'m str) {
        let (space, first) = match name.split_once('.') {
            Some((first, rest)) => {
                self.dotted.insert(rest.rsplit('.').next().unwrap_or(rest));
                (Space::Prefix, first)
            }
            None => (space, name),
        };
        if let Some(definition) = self.scopes.iter_mut().rev().find_map(|scope| scope.find(space, first)) {
            definition.used = true;
        }
    }
}

/// The names after a dollar sign in a string as written, with their offsets. `\$name` and `${name}` do not count.
fn dollars(written: &str) -> impl Iterator<Item = (usize, &str)> {
    written.match_indices('$').filter_map(|(at, _)| {
        let n_escapes = written[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        let rest = &written[at + 1..];
        let name = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())];
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        (n_escapes % 2 == 0 && begins).then_some((at, name))
    })
}

/// The names in the holes of other languages, `#{name}`, `%{name}` and `{{ name }}`, with the places of the holes.
///
/// Cost: linear, whether or not the holes end.
fn foreign_holes(written: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    const SIGNS: [(&str, &str); 3] = [("#{", "}"), ("%{", "}"), ("{{", "}}")];
    SIGNS.into_iter().flat_map(move |(open, close)| {
        written.match_indices(open).filter_map(move |(at, _)| {
            let inside = written[at + open.len()..].trim_start();
            let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            let name = &inside[..inside.find(|c: char| !is_part(c))?];
            let rest = inside[name.len()..].trim_start().strip_prefix(close)?;
            // Words of Go's templates.
            let is_word = open == "{{" && matches!(name, "else" | "end" | "break" | "continue");
            let is_name = name.starts_with(|c: char| c.is_ascii_lowercase()) && !is_word;
            is_name.then_some((at..written.len() - rest.len(), name))
        })
    })
}

/// Whether a text is for a program with formats of its own: `rpm --qf %{name}`, `curl -w %{http_code}`.
fn has_formats(written: &str) -> bool {
    ["rpm ", "--qf", "--queryformat", "curl ", "-w ", "--write-out", "LogFormat"]
        .iter()
        .any(|sign| written.contains(sign))
}

/// Whether a script assigns the name first: `a=1`, `for a in`, `read a`.
fn assigns(script: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    script.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&script[..at], &script[at + name.len()..]);
        let is_apart =
            !before.ends_with(|c: char| is_word(c) || matches!(c, '$' | '{')) && !behind.starts_with(is_word);
        let declares = |word: &str| before.trim_end().ends_with(word) && before.ends_with([' ', '\t']);
        is_apart && (behind.starts_with('=') || ["for", "read", "local", "export"].into_iter().any(declares))
    })
}

fn definition<'m>(what: What, name: impl Into<Cow<'m, str>>, span: Span) -> Definition<'m> {
    Definition { what, name: name.into(), span, used: false, exported: false, shadows: false }
}

/// The definition of a statement, if it can be unused.
fn defined(stmt: &crate::hir::Stmt) -> Option<Definition<'_>> {
    match &stmt.kind {
        StmtKind::Bind(bind) => Some(definition(What::Variable, &*bind.name, bind.name_span)),
        StmtKind::Func { name, name_span, .. } => Some(definition(What::Function, &**name, *name_span)),
        StmtKind::Class(class) => Some(definition(What::Class, &*class.name, class.name_span)),
        StmtKind::Import(import) => match &import.alias {
            Alias::Default => {
                default_alias(&import.path).map(|alias| definition(What::Import, alias, import.path_span))
            }
            Alias::Name(alias) => Some(definition(What::Import, &**alias, import.path_span)),
            // Its names are not known here.
            Alias::Star => None,
        },
        StmtKind::Resource(_)
        | StmtKind::Edge(_)
        | StmtKind::If { .. }
        | StmtKind::For(_)
        | StmtKind::Include(_)
        | StmtKind::Error => None,
    }
}
