//! Blocks and statements: definitions of a block, and its statements in turn. Language spec, 6.2, 6.4 and 6.9.

use super::check::Broken;
use super::env::{BindEntry, BlockNames, ClassEntry, Env, EnvId, Found, FuncEntry, Names, Space, Var};
use super::errors;
use super::files::File;
use super::linked::{self, Block, DefId, LoopId, ParamRole, Stmt, StmtKind};
use super::linker::Linker;
use super::state::{Opened, SiteId};
use crate::hir;
use crate::ident::Name;
use crate::span::Span;

/// The context of a block's copy.
#[derive(Clone, Copy)]
pub(super) struct BlockContext {
    /// The enclosing scope.
    pub parent: EnvId,
    /// The file it is in.
    pub site: SiteId,
    /// The innermost loop around it.
    pub iterated: Option<LoopId>,
    /// Whether this is the first copy of its text.
    pub first: bool,
}

impl<'a> Linker<'a, '_> {
    /// Makes the scope of one copy of a block and resolves its imports.
    pub(super) fn open_block(&mut self, block: &'a hir::Block, context: BlockContext) -> EnvId {
        let file = self.sites[context.site].file;
        let broken = &file.checked().broken;
        let names = Names::Block(Box::new(own_names(block, broken)));
        let BlockContext { parent, site, iterated, first } = context;
        let env = self.add_env(Env { parent: Some(parent), site, iterated, first, names });
        for stmt in &block.stmts {
            if let hir::StmtKind::Import(import) = &stmt.kind {
                self.link_import(env, context, import, stmt.span);
            }
        }
        let Some(names) = self.scopes.block_mut(env) else { return env };
        for stmt in &block.stmts {
            let hir::StmtKind::Include(include) = &stmt.kind else { continue };
            let Some(alias) = &include.alias else { continue };
            names.prefixes.add_include(include, alias, stmt.span, broken.contains(stmt));
        }
        env
    }

    /// Links the statements of a block in source order; statements that only define are checked and omitted.
    pub(super) fn link_block(&mut self, block: &'a hir::Block, env: EnvId) -> Block {
        let mut linked: Vec<Option<Stmt>> = Vec::with_capacity(block.stmts.len());
        linked.resize_with(block.stmts.len(), || None);
        let file = self.file_of(env);
        let order = self.order_of(file, block, env);
        for at in 0..block.stmts.len() {
            let at = order.as_ref().map_or(at, |order| order[at]);
            let stmt = &block.stmts[at];
            self.bounds.add_stmt();
            self.bounds.come_to(stmt.span);
            if self.check_budget() {
                break;
            }
            linked[at] = self.link_stmt(file, stmt, env).map(|kind| Stmt { kind, span: stmt.span });
        }
        Block { stmts: linked.into_iter().flatten().collect() }
    }

    fn link_stmt(&mut self, file: &'a File, stmt: &'a hir::Stmt, env: EnvId) -> Option<StmtKind> {
        let kind = match &stmt.kind {
            hir::StmtKind::Bind(bind) => {
                self.look_at_bind(env, bind);
                None
            }
            hir::StmtKind::Func { name, .. } => {
                self.look_at_func(env, name);
                None
            }
            hir::StmtKind::Class(_) | hir::StmtKind::Import(_) | hir::StmtKind::Error => None,
            hir::StmtKind::Resource(resource) => Some(StmtKind::Resource(self.link_resource(file, resource, env))),
            hir::StmtKind::Edge(edge) => {
                let names = self.all_later(file, edge.halves.iter().map(|half| half.name), env);
                let halves = edge.halves.iter().zip(names).map(|(half, name)| link_half(half, name)).collect();
                Some(StmtKind::Edge(linked::Edge { halves }))
            }
            hir::StmtKind::If { cond, then, otherwise } => {
                let cond = self.later(file, *cond, env);
                self.run();
                let then = self.link_inner(then, env, stmt.span);
                let otherwise = otherwise.as_ref().map(|block| self.link_inner(block, env, stmt.span));
                Some(StmtKind::If { cond, then, otherwise })
            }
            hir::StmtKind::For(each) => Some(self.link_for(file, each, env, stmt.span)),
            hir::StmtKind::Include(include) => self.link_include(include, env, stmt.span),
        };
        self.run();
        kind
    }

    /// Resolves the value of a bind even if it is unused.
    fn look_at_bind(&mut self, env: EnvId, bind: &'a hir::Bind) {
        let Some(names) = self.scopes.block(env) else { return };
        let same = names.vars.get(&bind.name).copied().filter(|at| std::ptr::eq(names.binds[*at].bind, bind));
        match same {
            Some(at) => {
                self.bind(env, at);
            }
            // Defined twice: the other definition counts, but this one may have errors too.
            None => {
                let file = self.file_of(env);
                self.later(file, bind.value, env);
            }
        }
    }

    /// Resolves a function even if it is never called.
    fn look_at_func(&mut self, env: EnvId, name: &Name) {
        let Some(names) = self.scopes.block(env) else { return };
        if names.funcs.get(name).is_none_or(|entry| entry.looked_at) {
            return;
        }
        let made = self.make_func(env, name);
        if let Some(names) = self.scopes.block_mut(env)
            && let Some(entry) = names.funcs.get_mut(name)
        {
            entry.looked_at = true;
            entry.spare = made;
        }
    }

    fn link_inner(&mut self, block: &'a hir::Block, parent: EnvId, span: Span) -> Block {
        if !self.deeper(span) {
            return Block::default();
        }
        let Env { site, iterated, first, .. } = self.scopes[parent];
        let env = self.open_block(block, BlockContext { parent, site, iterated, first });
        let linked = self.link_block(block, env);
        self.bounds.leave();
        linked
    }

    fn link_for(&mut self, file: &'a File, each: &'a hir::For, env: EnvId, span: Span) -> StmtKind {
        let subject = self.later(file, each.subject, env);
        self.run();
        let id = self.out.next_loop();
        let first_param = self.out.add_param(&each.first, ParamRole::LoopFirst(id));
        let second_param = self.out.add_param(&each.second, ParamRole::LoopSecond(id));
        let Env { site, iterated, first, .. } = self.scopes[env];
        let (over, outer) = (each.over, iterated);
        self.out.add_loop(linked::Loop { over, first: first_param, second: second_param, outer, span });
        let names = vec![
            (each.first.name.clone(), each.first.span, Var::Param(first_param)),
            (each.second.name.clone(), each.second.span, Var::Param(second_param)),
        ];
        let head = Env { parent: Some(env), site, iterated: Some(id), first, names: Names::Few(names) };
        let head = self.add_env(head);
        let body = self.link_inner(&each.body, head, span);
        StmtKind::For { id, subject, body }
    }

    fn link_resource(&mut self, file: &'a File, resource: &'a hir::Resource, env: EnvId) -> linked::Resource {
        let from = self.tasks.place();
        let name = self.later(file, resource.name, env);
        let mut items = Vec::with_capacity(resource.items.len());
        for item in &resource.items {
            let kind = match &item.kind {
                hir::ItemKind::Field { name, value } => {
                    linked::ItemKind::Field { name: name.clone(), value: self.later(file, *value, env) }
                }
                hir::ItemKind::Edge { property, half } => {
                    let name = self.later(file, half.name, env);
                    linked::ItemKind::Edge { property: *property, half: link_half(half, name) }
                }
                hir::ItemKind::Meta { property, value } => {
                    linked::ItemKind::Meta { property: *property, value: self.later(file, *value, env) }
                }
                hir::ItemKind::MetaStruct { value } => {
                    linked::ItemKind::MetaStruct { value: self.later(file, *value, env) }
                }
            };
            let cond = item.cond.map(|cond| self.later(file, cond, env));
            items.push(linked::Item { kind, cond, span: item.span, name_span: item.name_span });
        }
        let collect = resource.collect.map(|call| self.later(file, call, env));
        self.tasks.in_order_from(from);
        linked::Resource { kind: resource.kind.clone(), kind_span: resource.kind_span, name, items, collect }
    }

    fn link_include(&mut self, include: &'a hir::Include, env: EnvId, span: Span) -> Option<StmtKind> {
        if let Some(alias) = &include.alias {
            self.check_include_alias(env, alias, span);
        }
        let opened = self.open_alias(env, include).or_else(|| self.open_include(env, include, span))?;
        self.run();
        let Opened { class, args, body_env, .. } = opened;
        if let Some(alias) = &include.alias {
            self.check_clash(env, body_env, alias, span, "include");
        }
        if !self.deeper(span) {
            return None;
        }
        let body = self.link_block(&class.body, body_env);
        self.bounds.leave();
        Some(StmtKind::Include { class: include.class.clone(), args, body })
    }

    /// Looks up the class of an include and makes the scope of its copy.
    pub(super) fn open_include(&mut self, env: EnvId, include: &'a hir::Include, span: Span) -> Option<Opened<'a>> {
        let (owner, name) = match self.find(env, Space::Class, &include.class) {
            Found::Class(owner, name) => (owner, name),
            Found::Missing => {
                let diagnostic = errors::class(&include.class, include.class_span);
                let diagnostic = self.suggest(diagnostic, env, Space::Class, &include.class, include.class_span);
                self.report(diagnostic);
                return None;
            }
            _ => return None,
        };
        let entry = self.scopes.block(owner)?.classes.get(&name)?;
        let class = entry.class;
        let first_copy = !entry.opened;
        self.record_use(env, &include.class, include.class_span, class.name_span);
        if class.params.len() != include.args.len() {
            let got = include.args.len();
            self.report(errors::argument_count(&include.class, &class.params, got, span, class.name_span));
            return None;
        }
        if !self.deeper(span) {
            return None;
        }
        let file = self.file_of(env);
        let iterated = self.scopes[env].iterated;
        let from = self.tasks.place();
        let mut args: Vec<DefId> = Vec::with_capacity(class.params.len());
        for (param, value) in class.params.iter().zip(&include.args) {
            let def = self.define(&param.name, param.span, *value, file, env);
            self.out.set_class_param(def, param.ty.clone());
            args.push(def);
        }
        self.tasks.in_order_from(from);
        if let Some(names) = self.scopes.block_mut(owner)
            && let Some(entry) = names.classes.get_mut(&name)
        {
            entry.opened = true;
        }
        let Env { site, first, .. } = self.scopes[owner];
        let first = first && first_copy;
        let names = class.params.iter().zip(&args);
        let names = names.map(|(param, def)| (param.name.clone(), param.span, Var::Def(*def))).collect();
        let parent = self.add_env(Env { parent: Some(owner), site, iterated, first, names: Names::Few(names) });
        self.link_arguments_first();
        let body_env = self.open_block(&class.body, BlockContext { parent, site, iterated, first });
        self.bounds.leave();
        Some(Opened { class, args, body_env })
    }
}

fn link_half(half: &hir::Half, name: linked::NodeId) -> linked::Half {
    linked::Half { kind: half.kind.clone(), name, field: half.field.clone(), span: half.span }
}

/// The names defined by the statements of a block; of duplicates the first.
fn own_names<'a>(block: &'a hir::Block, broken: &Broken) -> BlockNames<'a> {
    let mut names = BlockNames::default();
    for stmt in &block.stmts {
        let is_broken = broken.contains(stmt);
        match &stmt.kind {
            hir::StmtKind::Bind(bind) => {
                if !names.vars.contains_key(&bind.name) {
                    names.vars.insert(bind.name.clone(), names.binds.len());
                    names.binds.push(BindEntry { bind, def: None, broken: is_broken });
                }
            }
            hir::StmtKind::Func { name, name_span, func } => {
                names.funcs.entry(name.clone()).or_insert(FuncEntry {
                    name,
                    name_span: *name_span,
                    func: *func,
                    broken: is_broken,
                    spare: None,
                    looked_at: false,
                    shared: None,
                });
            }
            hir::StmtKind::Class(class) => {
                let entry = ClassEntry { class, broken: is_broken, opened: false };
                names.classes.entry(class.name.clone()).or_insert(entry);
            }
            hir::StmtKind::Error => names.damaged = true,
            hir::StmtKind::Resource(_)
            | hir::StmtKind::Edge(_)
            | hir::StmtKind::If { .. }
            | hir::StmtKind::For(_)
            | hir::StmtKind::Include(_)
            | hir::StmtKind::Import(_) => {}
        }
    }
    names
}
