//! What an unknown name may refer to: a variable of another block, a resource, a function of a core module, or a name
//! that is spelled like it.

use super::env::{EnvId, Names, Space};
use super::foreign::Ours;
use super::library;
use super::linker::Linker;
use super::state::Target;
use crate::corelib::{self, FnDef};
use crate::diag::suggest::Search;
use crate::hir::StmtKind;
use crate::ident::{Name, capitalized};
use crate::kinds;
use crate::span::Span;

/// Where a variable is defined that is not in scope.
pub(super) enum Inside {
    /// In a class, directly.
    Class { name: Name, has_params: bool },
    /// In another block.
    Block,
}

impl Linker<'_, '_> {
    /// The block inside this file that defines a variable of this name.
    pub(super) fn bound_inside(&self, env: EnvId, name: &str) -> Option<Inside> {
        let module = &self.file_of(env).module;
        let mut blocks = vec![(&module.root, Inside::Block)];
        while let Some((block, inside)) = blocks.pop() {
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Bind(bind) if *bind.name == *name => return Some(inside),
                    StmtKind::Class(class) => {
                        let inside = Inside::Class { name: class.name.clone(), has_params: !class.params.is_empty() };
                        blocks.push((&class.body, inside));
                    }
                    kind => blocks.extend(kind.blocks().map(|block| (block, Inside::Block))),
                }
            }
        }
        None
    }

    /// The kind, as a reference to it is written, of the resource that this file declares with this name.
    pub(super) fn kind_of_resource(&self, name: &str, place: Span) -> Option<String> {
        let text = std::str::from_utf8(&self.sources.get(place.file).text).ok()?;
        let (before, _) = text.split_once(&format!(" \"{name}\" {{"))?;
        let kind = before.rsplit(|char: char| char.is_whitespace() || char == '{').next()?;
        kinds::lookup(kind).map(|_| capitalized(kind))
    }

    /// The end of an edge that is meant by `$password.db`, if this file declares that resource; `rest` may name a field.
    pub(super) fn resource_of_kind(&self, kind: &str, rest: &str, place: Span) -> Option<String> {
        let text = std::str::from_utf8(&self.sources.get(place.file).text).ok()?;
        let (name, field) = rest.split_once('.').unwrap_or((rest, "field"));
        let is_declared = kinds::lookup(kind).is_some() && text.contains(&format!("{kind} \"{name}\" {{"));
        is_declared.then(|| format!("{}[\"{name}\"].{field}", capitalized(kind)))
    }

    /// The core module with a function of this name, which was written without it.
    pub(super) fn unqualified(space: Space, name: &str) -> Option<(&'static str, &'static str)> {
        if space != Space::Func {
            return None;
        }
        let defs = corelib::all().filter(|def| def.name() == name);
        let modules = defs.filter_map(|def| Some((def.module()?, def.name())));
        modules.min_by_key(|(module, _)| (module.len(), *module))
    }

    /// A function of the core module with this alias: the counterpart of another tool's name, the name without
    /// underscores, or the only one that begins with the name.
    pub(super) fn in_same_module(
        &self,
        env: EnvId,
        alias: &str,
        part: &str,
        foreign: Option<Ours>,
    ) -> Option<(&'static str, &'static str)> {
        const SHORTEST: usize = 3;
        let is_own = |module: &str| self.alias_of(env, module).is_some_and(|own| own == alias);
        let module = corelib::module_names().find(|module| is_own(module))?;
        let names = || corelib::all().filter(|def| def.module() == Some(module)).map(FnDef::name);
        let counterpart = match foreign {
            Some(Ours::Function(_, function)) => names().find(|name| *name == function),
            Some(Ours::Help(_)) | None => None,
        };
        let bare = part.replace('_', "");
        let same = || names().find(|name| name.replace('_', "") == bare);
        let longer = || {
            let longer = || names().filter(|name| part.len() >= SHORTEST && name.starts_with(part));
            let shortest = longer().min_by_key(|name| name.len())?;
            longer().all(|name| name.starts_with(shortest)).then_some(shortest)
        };
        Some((module, counterpart.or_else(same).or_else(longer)?))
    }

    /// The core module of a dotted name, by its default alias.
    pub(super) fn module_of(space: Space, name: &str) -> Option<&'static str> {
        let (alias, rest) = name.split_once('.')?;
        let fits = |module: &str| module.rsplit('/').next() == Some(alias);
        let modules: Vec<&'static str> = match space {
            Space::Func => corelib::all().filter(|def| def.name() == rest).filter_map(FnDef::module).collect(),
            Space::Var => corelib::module_names().filter(|module| library::variable(module, rest).is_some()).collect(),
            Space::Class => return None,
        };
        modules.into_iter().filter(|module| fits(module)).min_by_key(|module| module.len())
    }

    /// The visible name nearest to an unknown one.
    pub(super) fn closest(&self, env: EnvId, space: Space, name: &str) -> Option<String> {
        let mut search = Search::new(name)?;
        let mut at = Some(env);
        while let Some(env) = at {
            self.look(env, space, "", &mut search);
            if let Some(block) = self.scopes.block(env) {
                for prefix in block.prefixes.all() {
                    if let Target::Env(target) = prefix.target {
                        let alias = prefix.alias.as_ref().map(|alias| format!("{alias}.")).unwrap_or_default();
                        self.look(target, space, &alias, &mut search);
                    }
                }
            }
            at = self.scopes[env].parent;
        }
        search.found()
    }

    /// Offers the names of one scope to a search.
    fn look(&self, env: EnvId, space: Space, prefix: &str, search: &mut Search) {
        let mut look = |name: &str| match prefix {
            "" => search.look(name),
            prefix => search.look(&format!("{prefix}{name}")),
        };
        match (&self.scopes[env].names, space) {
            (Names::System(module), Space::Var) => {
                library::variables_of(module).for_each(|known| _ = look(known.name));
            }
            (Names::System(module), Space::Func) => {
                library::functions_of(module).for_each(|def| _ = look(def.name()));
            }
            (Names::System(_), Space::Class) | (Names::Few(_), Space::Func | Space::Class) => {}
            (Names::Few(few), Space::Var) => few.iter().for_each(|(name, _, _)| _ = look(name)),
            (Names::Block(block), Space::Var) => block.vars.keys().for_each(|name| _ = look(name)),
            (Names::Block(block), Space::Func) => block.funcs.keys().for_each(|name| _ = look(name)),
            (Names::Block(block), Space::Class) => block.classes.keys().for_each(|name| _ = look(name)),
        }
    }
}
