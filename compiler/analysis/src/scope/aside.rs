//! Links code that no statement reaches, for editors: the bodies of classes that nothing includes.
//!
//! The language ignores them, so errors there are not reported; but their names have types, definitions and uses, and
//! renaming must include them.

use super::block::BlockContext;
use super::env::{Env, EnvId, Names, Var};
use super::linked::{Def, NodeKind, ParamRole};
use super::linker::Linker;
use super::state::SiteId;
use crate::hir;
use crate::index::Id;

impl<'a> Linker<'a, '_> {
    /// Links each class body that is not linked yet, with its parameters unbound.
    pub(super) fn link_aside(&mut self) {
        let (diags, n_steps) = (self.reports.take(), self.bounds.n_steps());
        let mut at = 0;
        // Bodies contain classes too, in scopes that are appended.
        while at < self.scopes.n_all() && !self.bounds.are_exceeded() {
            let env = EnvId::from_index(at);
            for class in self.unopened(env) {
                self.link_unopened(env, class);
            }
            at += 1;
        }
        self.reports.put_back(diags);
        // Only the extra linking exceeded the limit; the program itself is complete.
        self.bounds.go_back_to(n_steps);
    }

    fn unopened(&mut self, env: EnvId) -> Vec<&'a hir::Class> {
        let Env { site, first, .. } = self.scopes[env];
        if !first || self.is_embedded(site) {
            return Vec::new();
        }
        let Some(names) = self.scopes.block_mut(env) else { return Vec::new() };
        let mut classes: Vec<&'a hir::Class> = Vec::new();
        for entry in names.classes.values_mut().filter(|entry| !entry.opened && !entry.broken) {
            entry.opened = true;
            classes.push(entry.class);
        }
        classes.sort_by_cached_key(|class| class.name_span.in_file());
        classes
    }

    fn is_embedded(&self, site: SiteId) -> bool {
        let file = self.sites[site].file.module.file;
        !self.sources.get(file).path.starts_with('/')
    }

    fn link_unopened(&mut self, owner: EnvId, class: &'a hir::Class) {
        if !self.deeper(class.name_span) {
            return;
        }
        let mut names = Vec::with_capacity(class.params.len());
        for param in &class.params {
            let value = self.out.blank(param.span, None);
            let unknown = self.out.add_param(param, ParamRole::Func(value));
            self.out.set(value, NodeKind::Param(unknown));
            let def = Def {
                name: param.name.clone(),
                span: param.span,
                value,
                iterated: None,
                class_param: Some(param.ty.clone()),
            };
            names.push((param.name.clone(), param.span, Var::Def(self.out.add_def(def))));
        }
        let site = self.scopes[owner].site;
        let names = Names::Few(names);
        let parent = self.add_env(Env { parent: Some(owner), site, iterated: None, first: true, names });
        let env = self.open_block(&class.body, BlockContext { parent, site, iterated: None, first: true });
        let body = self.link_block(&class.body, env);
        self.run();
        self.bounds.leave();
        self.out.add_aside(body);
    }
}
