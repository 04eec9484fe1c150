//! [`Scopes`]: all scopes, and what lookups in them found.

use super::prefixes::Prefix;
use crate::hir;
use crate::index::IndexVec;
use crate::scope::env::{BlockNames, Env, EnvId, Names};
use crate::scope::linked::DefId;
use rustc_hash::FxHashMap;
use std::ops::Index;

/// An include whose class body has a scope.
#[derive(Debug)]
pub(in crate::scope) struct Opened<'a> {
    /// The class.
    pub class: &'a hir::Class,
    /// The arguments.
    pub args: Vec<DefId>,
    /// The scope of the body.
    pub body_env: EnvId,
}

#[derive(Default)]
pub(in crate::scope) struct Scopes<'a> {
    envs: IndexVec<EnvId, Env<'a>>,
    /// Includes with an alias whose scope was needed before their statement's turn, by scope and index of the prefix.
    opened: FxHashMap<(EnvId, usize), Opened<'a>>,
    /// The prefix used by the last lookup, by scope and index.
    via: Option<(EnvId, usize)>,
}

impl<'a> Scopes<'a> {
    pub(in crate::scope) fn add(&mut self, env: Env<'a>) -> EnvId {
        self.envs.push(env)
    }

    pub(in crate::scope) fn n_all(&self) -> usize {
        self.envs.len()
    }

    /// The names of a block; `None` if the scope is not one of a block.
    pub(in crate::scope) fn block(&self, env: EnvId) -> Option<&BlockNames<'a>> {
        match &self.envs[env].names {
            Names::Block(names) => Some(names),
            Names::System(_) | Names::Few(_) => None,
        }
    }

    /// The names of a block; `None` if the scope is not one of a block.
    pub(in crate::scope) fn block_mut(&mut self, env: EnvId) -> Option<&mut BlockNames<'a>> {
        match &mut self.envs[env].names {
            Names::Block(names) => Some(names),
            Names::System(_) | Names::Few(_) => None,
        }
    }

    /// Records that part of a block could not be read.
    pub(in crate::scope) fn damage(&mut self, env: EnvId) {
        if let Some(names) = self.block_mut(env) {
            names.damaged = true;
        }
    }

    /// Begins a lookup, which has used no prefix yet.
    pub(in crate::scope) fn begin_lookup(&mut self) {
        self.via = None;
    }

    /// Records the prefix that provided a name: of nested ones the outermost.
    pub(in crate::scope) fn found_behind(&mut self, env: EnvId, at: usize) {
        self.via = Some((env, at));
    }

    /// The prefix used by the last lookup.
    pub(in crate::scope) fn last_prefix(&self) -> Option<&Prefix<'a>> {
        let (env, at) = self.via?;
        Some(&self.block(env)?.prefixes[at])
    }

    /// Keeps an include that was opened early until its statement's turn.
    pub(in crate::scope) fn keep_opened(&mut self, env: EnvId, at: usize, opened: Opened<'a>) {
        self.opened.insert((env, at), opened);
    }

    /// Takes out an include that was opened, once.
    pub(in crate::scope) fn take_opened(&mut self, env: EnvId, at: usize) -> Option<Opened<'a>> {
        self.opened.remove(&(env, at))
    }

    /// Whether something may refer to itself in a way that the text alone does not show: through the alias of an
    /// include.
    pub(in crate::scope) fn may_recur(&self) -> bool {
        self.envs.ids().any(|env| self.block(env).is_some_and(|names| names.prefixes.has_includes()))
    }
}

impl<'a> Index<EnvId> for Scopes<'a> {
    type Output = Env<'a>;

    fn index(&self, env: EnvId) -> &Env<'a> {
        &self.envs[env]
    }
}
