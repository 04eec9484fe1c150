//! Unused definitions, and strings that contain the name of one.
//!
//! Uses are searched in the block of the definition and the blocks inside it. Definitions of a class or an imported
//! file may be used from outside by a dotted name, so a name after a dot anywhere in the file counts as a use there,
//! and the top-level definitions of an imported file count as exported.

mod texts;

use super::words;
use crate::diag::{Diagnostic, codes};
use crate::hir::{Alias, Block, Callee, ExprId, ExprKind, Func, Item, ItemKind, Module, Param, StmtKind};
use crate::scope::default_alias;
use crate::source::Source;
use crate::span::Span;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeSet;

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
    /// Expressions that are still to be walked.
    open: Vec<ExprId>,
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
        open: Vec::new(),
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
        let (module, bottom) = (self.module, self.open.len());
        self.open.push(expr);
        while self.open.len() > bottom {
            let Some(expr) = self.open.pop() else { break };
            match &module.exprs[expr].kind {
                ExprKind::Str(text) if text.iter().any(|byte| matches!(byte, b'$' | b'{' | b'<')) => {
                    self.text(module.exprs[expr].span);
                }
                ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) | ExprKind::Error => {}
                ExprKind::List(items) => self.open.extend(items),
                ExprKind::Map(pairs) => self.open.extend(pairs.iter().flat_map(|(key, value)| [*key, *value])),
                ExprKind::Struct(fields) => self.open.extend(fields.iter().map(|(_, value)| *value)),
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
                        Callee::Func(func) => self.open.push(*func),
                    }
                    self.open.extend(&call.args);
                }
                ExprKind::Func(func) => self.func(func, What::Given),
                ExprKind::If { cond, then, otherwise } => self.open.extend([*cond, *then, *otherwise]),
                ExprKind::Except { main, fallback } => self.open.extend([*main, *fallback]),
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
