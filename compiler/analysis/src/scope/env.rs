//! Scopes during resolution: one [`Env`] per copy of a block, per function, per include, and the lookup of names.
//! Language spec, 6.1 to 6.3, 6.9 and 7.2.
//!
//! A scope has its own names, then those of the scope around it. An alias stands for the whole scope of its module or
//! class, so a dotted name is looked up there without its first part.

use super::library;
use super::linker::Linker;
use super::state::{Opened, Prefixes, SiteId, Target};
use crate::corelib::{Builtin, FnDef};
use crate::define_id;
use crate::hir;
use crate::ident::Name;
use crate::scope::linked::{DefId, LoopId, NodeId, ParamId};
use crate::span::Span;
use crate::value::Value;
use rustc_hash::FxHashMap;

define_id!(
    /// Id of a scope.
    EnvId,
    "env"
);

#[derive(Debug)]
pub(super) struct Env<'a> {
    /// The scope around it, where it is defined.
    pub parent: Option<EnvId>,
    /// The file it is in.
    pub site: SiteId,
    /// The innermost loop around it.
    pub iterated: Option<LoopId>,
    /// Whether this is the first copy of its text. Only that one is recorded for editors.
    pub first: bool,
    /// Its own names.
    pub names: Names<'a>,
}

#[derive(Debug)]
pub(super) enum Names<'a> {
    /// A module of the core library; empty for the names that need no import.
    System(Name),
    /// Parameters, loop variables, class arguments: of equal names the last one counts.
    Few(Vec<(Name, Span, Var)>),
    Block(Box<BlockNames<'a>>),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Var {
    Def(DefId),
    Param(ParamId),
}

/// The definitions of a block.
#[derive(Debug, Default)]
pub(super) struct BlockNames<'a> {
    /// Index into `binds` by name.
    pub vars: FxHashMap<Name, usize>,
    /// Its binds, in source order.
    pub binds: Vec<BindEntry<'a>>,
    /// Its functions by name.
    pub funcs: FxHashMap<Name, FuncEntry<'a>>,
    /// Its classes by name.
    pub classes: FxHashMap<Name, ClassEntry<'a>>,
    /// Its imports, and its includes with an alias.
    pub prefixes: Prefixes<'a>,
    /// Part of the block could not be read, so names may be missing.
    pub damaged: bool,
}

#[derive(Debug)]
pub(super) struct BindEntry<'a> {
    /// The bind.
    pub bind: &'a hir::Bind,
    /// Its definition, once it is used.
    pub def: Option<DefId>,
    /// Part of a recursion that was reported.
    pub broken: bool,
}

#[derive(Debug)]
pub(super) struct FuncEntry<'a> {
    /// The function's name.
    pub name: &'a Name,
    /// Span of the name.
    pub name_span: Span,
    /// The function.
    pub func: hir::ExprId,
    /// Part of a recursion that was reported.
    pub broken: bool,
    /// The copy made to find errors, available to the first call.
    pub spare: Option<NodeId>,
    /// Whether it was checked for errors.
    pub looked_at: bool,
    /// Inside a loop: the single copy shared by all calls.
    pub shared: Option<NodeId>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ClassEntry<'a> {
    /// The class.
    pub class: &'a hir::Class,
    /// Part of a recursion that was reported.
    pub broken: bool,
    /// Whether its body has been linked.
    pub opened: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Space {
    Var,
    Func,
    Class,
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Found {
    Var(Var, Span),
    /// The bind at this index of a block.
    Bind(EnvId, usize),
    /// A variable inserted like a literal at each use.
    Literal {
        value: Value,
        is_hostname: bool,
    },
    /// A constant of the core library, with one vertex for all uses.
    Constant(EnvId, Name, Value),
    Func(EnvId, Name),
    Builtin(&'static FnDef),
    Class(EnvId, Name),
    /// Already reported.
    Broken,
    Missing,
}

impl<'a> Linker<'a, '_> {
    /// Looks up a name from a scope outwards.
    pub(super) fn find(&mut self, from: EnvId, space: Space, name: &str) -> Found {
        let mut damaged = false;
        self.scopes.begin_lookup();
        let mut at = Some(from);
        while let Some(env) = at {
            if !self.bounds.look_up() {
                self.exhaust();
                return Found::Broken;
            }
            match &self.scopes[env].names {
                Names::System(module) => {
                    let module = module.clone();
                    match self.find_builtin(env, &module, space, name) {
                        Found::Missing => {}
                        found => return found,
                    }
                }
                Names::Few(names) => {
                    if space == Space::Var
                        && let Some((_, span, var)) = names.iter().rev().find(|(known, _, _)| **known == *name)
                    {
                        return Found::Var(*var, *span);
                    }
                }
                Names::Block(block) => {
                    damaged |= block.damaged;
                    match self.find_own(env, space, name) {
                        Found::Missing => {}
                        found => return found,
                    }
                    match self.find_behind(env, space, name) {
                        Found::Missing => {}
                        // The name may have come from there; one from an outer scope is as good.
                        Found::Broken => damaged = true,
                        found => return found,
                    }
                }
            }
            at = self.scopes[env].parent;
        }
        if damaged { Found::Broken } else { Found::Missing }
    }

    /// A name defined by the block itself.
    fn find_own(&self, env: EnvId, space: Space, name: &str) -> Found {
        let Some(block) = self.scopes.block(env) else { return Found::Missing };
        let (broken, found) = match space {
            Space::Var => match block.vars.get(name) {
                Some(at) => (block.binds[*at].broken, Found::Bind(env, *at)),
                None => return Found::Missing,
            },
            Space::Func => match block.funcs.get(name) {
                Some(entry) => (entry.broken, Found::Func(env, entry.name.clone())),
                None => return Found::Missing,
            },
            Space::Class => match block.classes.get(name) {
                Some(entry) => (entry.broken, Found::Class(env, entry.class.name.clone())),
                None => return Found::Missing,
            },
        };
        if broken { Found::Broken } else { found }
    }

    /// A name from the block's aliases and star imports.
    fn find_behind(&mut self, env: EnvId, space: Space, name: &str) -> Found {
        let Some(block) = self.scopes.block(env) else { return Found::Missing };
        let mut broken = false;
        // Later ones have replaced earlier ones.
        for at in block.prefixes.candidates(name).into_iter().rev() {
            let Some(block) = self.scopes.block(env) else { return Found::Missing };
            let rest = match &block.prefixes[at].alias {
                None => Some(name),
                Some(alias) => name.strip_prefix(&**alias).and_then(|rest| rest.strip_prefix('.')),
            };
            let Some(rest) = rest else { continue };
            let found = match self.open_prefix(env, at) {
                Target::Env(target) => self.find(target, space, rest),
                Target::Broken => Found::Broken,
                Target::Opening | Target::Include(..) => Found::Missing,
            };
            match found {
                Found::Missing => {}
                Found::Broken => broken = true,
                found => {
                    self.scopes.found_behind(env, at);
                    return found;
                }
            }
        }
        if broken { Found::Broken } else { Found::Missing }
    }

    /// The scope of an alias; makes the scope of an include on first use.
    fn open_prefix(&mut self, env: EnvId, at: usize) -> Target<'a> {
        let Some(block) = self.scopes.block_mut(env) else { return Target::Broken };
        let (include, span) = match block.prefixes[at].target {
            Target::Include(include, span) => (include, span),
            other => return other,
        };
        block.prefixes.set_target(at, Target::Opening);
        let target = match self.open_include(env, include, span) {
            Some(opened) => {
                let body = opened.body_env;
                self.scopes.keep_opened(env, at, opened);
                Target::Env(body)
            }
            None => Target::Broken,
        };
        if let Some(block) = self.scopes.block_mut(env) {
            block.prefixes.set_target(at, target);
        }
        target
    }

    /// The opened scope of an include with an alias; `None` if that failed, or if another definition has the alias.
    pub(super) fn open_alias(&mut self, env: EnvId, include: &'a hir::Include) -> Option<Opened<'a>> {
        let at = self.scopes.block(env)?.prefixes.index_of(include)?;
        self.open_prefix(env, at);
        self.scopes.take_opened(env, at)
    }

    fn find_builtin(&self, env: EnvId, module: &str, space: Space, name: &str) -> Found {
        match space {
            Space::Func => library::function(module, name).map_or(Found::Missing, Found::Builtin),
            Space::Var => match library::variable(module, name) {
                Some(known) if known.per_use => Found::Literal {
                    value: known.value.value(self.setup.hostname),
                    is_hostname: known.value == Builtin::Hostname,
                },
                Some(known) => Found::Constant(env, name.into(), known.value.value(self.setup.hostname)),
                None => Found::Missing,
            },
            Space::Class => Found::Missing,
        }
    }
}
