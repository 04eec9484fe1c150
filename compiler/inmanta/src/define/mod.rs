//! Registers the definitions of files. Spec, 10.1, phase 2, and 6.
//!
//! In: the files of a model. Out: a [`Program`] without the meaning of names in statements, which [`crate::scope`]
//! adds. The steps are in the order of the original; it stops at the first error.

mod default;
mod entity;
mod implement;
mod index;
mod lookup;
mod relation;
mod typedef;

pub use lookup::{TypeLookup, find_type};

use crate::ast::{Definition, FileTree, Item, StmtId, StmtKind, Tree};
use crate::fault::{Class, Failure, Fault, Place, Warning};
use crate::library::{self, Function};
use crate::load::{AutoStd, Loaded};
use crate::program::{Def, EntityId, Namespace, NsId, Ordered, Primitive, Program};
use mclive_base::ident::Name;
use mclive_base::span::{FileId, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

type Defined<T> = Result<T, Failure>;

/// The state while definitions are registered.
pub(crate) struct Definer {
    pub(crate) program: Program,
    pub(crate) files: Vec<(NsId, FileTree)>,
    pub(crate) warnings: Vec<Warning>,
    /// Where each type name is defined.
    places: FxHashMap<(NsId, Name), Span>,
    known_indexes: FxHashSet<(EntityId, Vec<Name>)>,
}

/// All definitions, and the annotations of relations, which are evaluated later.
pub struct DefinedModel {
    /// The definitions.
    pub program: Program,
    /// The files with their namespaces.
    pub files: Vec<(NsId, FileTree)>,
    /// All warnings.
    pub warnings: Vec<Warning>,
}

/// Registers the definitions of all files.
pub fn define(
    tree: Tree,
    files: Vec<Loaded>,
    std: AutoStd,
    foreign: &dyn Fn(&str) -> Vec<Arc<Function>>,
    path_of: &dyn Fn(FileId) -> String,
) -> Result<DefinedModel, (Failure, Box<DefinedModel>)> {
    let mut definer = Definer {
        program: Program { tree, ..Program::default() },
        files: Vec::new(),
        warnings: Vec::new(),
        places: FxHashMap::default(),
        known_indexes: FxHashSet::default(),
    };
    definer.namespaces(files, path_of);
    let result = definer.run(std, foreign);
    let Definer { program, files, warnings, .. } = definer;
    let model = DefinedModel { program, files, warnings };
    match result {
        Ok(()) => Ok(model),
        Err(fault) => Err((fault, Box::new(model))),
    }
}

impl DefinedModel {
    /// The warning about `number`, reported once.
    pub(crate) fn number_warning(&mut self) {
        typedef::number_warning(&mut self.warnings);
    }
}

impl Definer {
    fn run(&mut self, std: AutoStd, foreign: &dyn Fn(&str) -> Vec<Arc<Function>>) -> Defined<()> {
        self.root_entity();
        self.imports(std)?;
        self.register(foreign)?;
        self.typedefs()?;
        self.entities()?;
        self.relations()?;
        self.implementations()?;
        self.indexes()?;
        self.implements()?;
        self.finish_entities()
    }

    fn namespaces(&mut self, files: Vec<Loaded>, path_of: &dyn Fn(FileId) -> String) {
        for loaded in files {
            let Loaded { namespace, tree, is_builtin } = loaded;
            let id = self.program.namespaces.next_id();
            let vars = declared(&self.program.tree, &top_stmts(&tree));
            if let Some(known) = self.program.by_name.get(&namespace) {
                // The second file of a namespace: the classic part of `std`.
                self.files.push((*known, tree));
                continue;
            }
            self.program.namespaces.push(Namespace {
                name: namespace.clone(),
                file: tree.file,
                path: path_of(tree.file),
                visible: FxHashMap::from_iter([(namespace.clone(), id)]),
                types: FxHashMap::default(),
                vars,
                stmts: top_stmts(&tree),
                is_builtin,
                is_loaded: true,
            });
            self.program.by_name.insert(namespace, id);
            self.files.push((id, tree));
        }
        if !self.program.by_name.contains_key("std") {
            // `std` contains only the root entity until it is imported.
            let name: Name = "std".into();
            let id = self.program.namespaces.next_id();
            let file = self.files.first().map_or(FileId(0), |(_, tree)| tree.file);
            self.program.namespaces.push(Namespace {
                name: name.clone(),
                file,
                path: path_of(file),
                visible: FxHashMap::from_iter([(name.clone(), id)]),
                types: FxHashMap::default(),
                vars: Ordered::default(),
                stmts: Vec::new(),
                is_builtin: true,
                is_loaded: false,
            });
            self.program.by_name.insert(name, id);
        }
    }

    fn imports(&mut self, std: AutoStd) -> Defined<()> {
        let std_id = self.program.by_name.get("std").copied();
        for nr in 0..self.files.len() {
            let (ns, tree) = &self.files[nr];
            let mut seen: FxHashMap<Name, Span> = FxHashMap::default();
            let mut visible = Vec::new();
            for item in &tree.items {
                let Item::Define(Definition::Import(import)) = item else { continue };
                let name = import.alias.as_ref().map_or(&import.module, |(alias, _)| alias);
                if let Some(first) = seen.insert(name.clone(), import.at) {
                    let mut fault = Fault::new(Class::Duplicate, "Two import statements have the same name");
                    fault.duplicate = Some((Place::Line(import.at), Place::Line(first)));
                    return Err(fault.at(Place::Line(import.at)));
                }
                if let Some(id) = self.program.by_name.get(&import.module) {
                    visible.push((name.clone(), *id));
                }
            }
            let ns = *ns;
            let namespace = &mut self.program.namespaces[ns];
            namespace.visible.extend(visible);
            if let Some(std_id) = std_id {
                let _ = std;
                namespace.visible.entry("std".into()).or_insert(std_id);
            }
        }
        Ok(())
    }

    /// Registers a type name. Of two, the later one is the "original".
    fn register_name(
        &mut self,
        ns: NsId,
        name: &Name,
        span: Span,
        def: Def,
        taken: impl FnOnce() -> String,
    ) -> Defined<()> {
        if let Some(first) = self.places.insert((ns, name.clone()), span) {
            let mut fault = Fault::new(Class::Duplicate, taken());
            fault.duplicate = Some((Place::Column(span), Place::Column(first)));
            return Err(fault.at(Place::Column(span)));
        }
        self.program.namespaces[ns].types.insert(name.clone(), def);
        Ok(())
    }

    /// Phase 2, first step: registers all type names.
    fn register(&mut self, foreign: &dyn Fn(&str) -> Vec<Arc<Function>>) -> Defined<()> {
        for nr in 0..self.files.len() {
            let ns = self.files[nr].0;
            let items = std::mem::take(&mut self.files[nr].1.items);
            let result = self.register_items(ns, &items);
            self.files[nr].1.items = items;
            result?;
            self.register_functions(ns, foreign);
        }
        Ok(())
    }

    fn register_items(&mut self, ns: NsId, items: &[Item]) -> Defined<()> {
        for item in items {
            let Item::Define(definition) = item else { continue };
            match definition {
                Definition::Entity(def) => {
                    let full = self.full_name(ns, &def.name);
                    if Some(&*full) == Some("std::Entity") {
                        continue;
                    }
                    let id = self.new_entity(ns, def, full.clone());
                    let taken = || format!("Entity {full} is already defined");
                    self.register_name(ns, &def.name, def.name_span, Def::Entity(id), taken)?;
                }
                Definition::Typedef(def) => {
                    let full = self.full_name(ns, &def.name);
                    if Primitive::of(&def.name).is_some() {
                        let message = format!("Trying to override a built-in type: {}", def.name);
                        self.warnings.push(Warning {
                            class: "CompilerRuntimeWarning",
                            message,
                            span: Some(def.name_span),
                        });
                    }
                    let id = self.new_typedef(ns, def, full.clone());
                    let taken = || format!("TypeConstraint {full} is already defined");
                    self.register_name(ns, &def.name, def.name_span, Def::Typedef(id), taken)?;
                }
                Definition::Implementation(def) => {
                    let full = self.full_name(ns, &def.name);
                    let id = self.new_implementation(ns, def, full.clone());
                    let written = def.entity.text();
                    let taken = || format!("Implementation {full} for type {written} is already defined");
                    self.register_name(ns, &def.name, def.name_span, Def::Implementation(id), taken)?;
                }
                Definition::Import(_) | Definition::Implement(_) | Definition::Relation(_) | Definition::Index(_) => {}
            }
        }
        Ok(())
    }

    fn register_functions(&mut self, ns: NsId, foreign: &dyn Fn(&str) -> Vec<Arc<Function>>) {
        let namespace = &self.program.namespaces[ns];
        let module = namespace.name.clone();
        let functions =
            if namespace.is_builtin { library::functions(&module).cloned().collect() } else { foreign(&module) };
        for function in functions {
            let id = self.program.functions.push(function.clone());
            let name: Name = function.short_name().into();
            self.program.namespaces[ns].types.entry(name).or_insert(Def::Function(id));
        }
    }

    pub(crate) fn full_name(&self, ns: NsId, name: &str) -> Name {
        format!("{}::{name}", self.program.namespaces[ns].name).into()
    }
}

/// The top-level statements of a file.
fn top_stmts(tree: &FileTree) -> Vec<StmtId> {
    tree.items.iter().filter_map(|item| if let Item::Stmt(stmt) = item { Some(*stmt) } else { None }).collect()
}

/// The variables declared by the assignments of a block, with their places.
pub(crate) fn declared(tree: &Tree, body: &[StmtId]) -> Ordered<Name, Vec<Span>> {
    let mut vars: Ordered<Name, Vec<Span>> = Ordered::default();
    for stmt in body {
        let stmt = &tree.stmts[*stmt];
        if let StmtKind::Assign { target, .. } = &stmt.kind
            && target.namespace.is_none()
        {
            vars.entry(target.name.clone()).or_default().push(stmt.at);
        }
    }
    vars
}
