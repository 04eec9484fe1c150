//! Registers the definitions of files. Spec, 10.1, phase 2, and 6.
//!
//! In: the files of a model. Out: a [`Program`] without the meaning of names in statements, which [`crate::scope`]
//! adds. The steps are in the order of the original, which stops at the first error. Here an error ends its definition
//! only, and what a broken definition lacks is not an error elsewhere ([`Broken`]).

mod default;
mod entity;
mod implement;
mod index;
mod lookup;
mod relation;
mod typedef;

pub use lookup::{TypeLookup, find_type};

use crate::ast::{Definition, FileTree, Item, StmtId, StmtKind, Tree};
use crate::fault::{Class, Failure, Fault, Location, Missing, Sought, Warning};
use crate::library::{self, Function};
use crate::load::{AutoStd, Loaded};
use crate::program::{Def, EntityId, Namespace, NsId, Ordered, Primitive, Program, TypedefId};
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
    /// A typedef further down the chain of what a typedef is based on.
    typedefs_below: FxHashMap<TypedefId, TypedefId>,
    faults: Vec<Failure>,
    /// How many warnings there were before the first error: the original reports no others.
    n_warnings: Option<usize>,
    broken: Broken,
}

/// The maximum number of errors that are collected.
const MAX_FAULTS: usize = 50;

/// What is incomplete because of an error, so that errors that follow from it can be left out.
#[derive(Default)]
pub struct Broken {
    /// Entities with a parent that was not found.
    entities: FxHashSet<EntityId>,
    /// The ends of relations that could not be defined.
    ends: FxHashSet<Name>,
    /// The hierarchy of entities has no order, so nothing can be inherited.
    hierarchy: bool,
    /// The names of imported modules that do not exist, by the namespace that imports them.
    modules: FxHashSet<(NsId, Name)>,
    /// A definition needs one of them.
    lacks_modules: bool,
    /// How many errors are about an implementation of another entity. An `implement` leaves it out.
    n_unfit: usize,
}

impl Broken {
    /// Whether an entity may lack an attribute of this name only because of another error.
    pub(crate) fn may_have(&self, program: &Program, entity: EntityId, attribute: &str) -> bool {
        self.ends.contains(attribute) || self.inherits(program, entity)
    }

    /// Whether the error is about the content of a module that does not exist.
    pub(crate) fn is_of_missing_module(&self, fault: &Fault) -> bool {
        matches!(&fault.missing, Some(Missing::Import(ns, name)) if self.modules.contains(&(*ns, name.clone())))
    }

    /// Whether an entity or an ancestor lacks a parent.
    fn inherits(&self, program: &Program, entity: EntityId) -> bool {
        program.entities[entity].lineage.iter().chain([&entity]).any(|one| self.entities.contains(one))
    }
}

/// All definitions, and the annotations of relations, which are evaluated later.
pub struct DefinedModel {
    /// The definitions.
    pub program: Program,
    /// The files with their namespaces.
    pub files: Vec<(NsId, FileTree)>,
    /// All warnings.
    pub warnings: Vec<Warning>,
    /// What the errors left incomplete.
    pub(crate) broken: Broken,
}

/// The errors of the definitions, of which the original reports the first, and what could be defined.
pub struct Undefined {
    /// All errors.
    pub faults: Vec<Failure>,
    /// Everything else.
    pub model: DefinedModel,
}

impl Undefined {
    /// Whether names can be looked up in the definitions that are sound.
    pub(crate) fn can_be_resolved(&self) -> bool {
        !self.model.broken.hierarchy
    }

    /// Whether nothing but implementations is missing, or left out: without their bodies there are fewer values, but no
    /// other ones.
    pub(crate) fn lacks_only_implementations(&self) -> bool {
        let Broken { lacks_modules, n_unfit, .. } = self.model.broken;
        let is_one = |fault: &Failure| matches!(fault.missing, Some(Missing::Type(Sought::Implementation, ..)));
        let n_missing: usize = self.faults.iter().map(|fault| usize::from(is_one(fault))).sum();
        // Behind the last one that is kept there may be others.
        !lacks_modules && self.faults.len() < MAX_FAULTS && self.faults.len() == n_missing + n_unfit
    }
}

/// Registers the definitions of all files.
pub fn define(
    tree: Tree,
    files: Vec<Loaded>,
    std: AutoStd,
    foreign: &dyn Fn(&str) -> Vec<Arc<Function>>,
    path_of: &dyn Fn(FileId) -> String,
) -> Result<DefinedModel, Box<Undefined>> {
    let mut definer = Definer {
        program: Program { tree, ..Program::default() },
        files: Vec::new(),
        warnings: Vec::new(),
        places: FxHashMap::default(),
        known_indexes: FxHashSet::default(),
        typedefs_below: FxHashMap::default(),
        faults: Vec::new(),
        n_warnings: None,
        broken: Broken::default(),
    };
    definer.namespaces(files, path_of);
    definer.run(std, foreign);
    let Definer { program, files, mut warnings, faults, n_warnings, broken, .. } = definer;
    warnings.truncate(n_warnings.unwrap_or(usize::MAX));
    let model = DefinedModel { program, files, warnings, broken };
    if faults.is_empty() && !model.broken.lacks_modules {
        Ok(model)
    } else {
        Err(Box::new(Undefined { faults, model }))
    }
}

impl DefinedModel {
    /// The warning about `number`, reported once.
    pub(crate) fn number_warning(&mut self) {
        typedef::number_warning(&mut self.warnings);
    }
}

impl Definer {
    fn run(&mut self, std: AutoStd, foreign: &dyn Fn(&str) -> Vec<Arc<Function>>) {
        self.root_entity();
        self.imports(std);
        self.register(foreign);
        self.typedefs();
        self.entities();
        if self.broken.hierarchy {
            return;
        }
        self.relations();
        self.implementations();
        self.indexes();
        self.implements();
        self.finish_entities();
    }

    /// Keeps an error; the next definition is independent of it.
    fn keep(&mut self, fault: Failure) {
        if self.broken.is_of_missing_module(&fault) {
            self.broken.lacks_modules = true;
            return;
        }
        self.n_warnings.get_or_insert(self.warnings.len());
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }

    /// The value, or nothing after an error.
    fn kept<T>(&mut self, result: Defined<T>) -> Option<T> {
        result.map_err(|fault| self.keep(fault)).ok()
    }

    /// Does something for each definition of every file.
    fn each_definition(&mut self, define: impl Fn(&mut Definer, NsId, &Definition) -> Defined<()>) {
        for nr in 0..self.files.len() {
            let ns = self.files[nr].0;
            let items = std::mem::take(&mut self.files[nr].1.items);
            for item in &items {
                let Item::Define(definition) = item else { continue };
                let result = define(self, ns, definition);
                self.kept(result);
            }
            self.files[nr].1.items = items;
        }
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

    fn imports(&mut self, std: AutoStd) {
        let std_id = self.program.by_name.get("std").copied();
        for nr in 0..self.files.len() {
            let (ns, tree) = &self.files[nr];
            let mut seen: FxHashMap<Name, Span> = FxHashMap::default();
            let (mut visible, mut faults) = (Vec::new(), Vec::new());
            let ns = *ns;
            for item in &tree.items {
                let Item::Define(Definition::Import(import)) = item else { continue };
                let name = import.alias.as_ref().map_or(&import.module, |(alias, _)| alias);
                if let Some(first) = seen.insert(name.clone(), import.at) {
                    let mut fault = Fault::new(Class::Duplicate, "Two import statements have the same name");
                    fault.duplicate = Some((Location::Line(import.at), Location::Line(first)));
                    faults.push(fault.at(Location::Line(import.at)));
                    continue;
                }
                match self.program.by_name.get(&import.module) {
                    Some(id) => visible.push((name.clone(), *id)),
                    None => {
                        self.broken.modules.insert((ns, name.clone()));
                    }
                }
            }
            let namespace = &mut self.program.namespaces[ns];
            namespace.visible.extend(visible);
            if let Some(std_id) = std_id {
                let _ = std;
                namespace.visible.entry("std".into()).or_insert(std_id);
            }
            faults.into_iter().for_each(|fault| self.keep(fault));
        }
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
        if let Some(first) = self.places.get(&(ns, name.clone())).copied() {
            let mut fault = Fault::new(Class::Duplicate, taken());
            fault.duplicate = Some((Location::Column(span), Location::Column(first)));
            return Err(fault.at(Location::Column(span)));
        }
        self.places.insert((ns, name.clone()), span);
        self.program.namespaces[ns].types.insert(name.clone(), def);
        Ok(())
    }

    /// Phase 2, first step: registers all type names.
    fn register(&mut self, foreign: &dyn Fn(&str) -> Vec<Arc<Function>>) {
        for nr in 0..self.files.len() {
            let ns = self.files[nr].0;
            let items = std::mem::take(&mut self.files[nr].1.items);
            for item in &items {
                let Item::Define(definition) = item else { continue };
                let result = self.register_definition(ns, definition);
                self.kept(result);
            }
            self.files[nr].1.items = items;
            self.register_functions(ns, foreign);
        }
    }

    fn register_definition(&mut self, ns: NsId, definition: &Definition) -> Defined<()> {
        match definition {
            Definition::Entity(def) => {
                let full = self.full_name(ns, &def.name);
                if &*full == "std::Entity" {
                    return Ok(());
                }
                let id = self.new_entity(ns, def, full.clone());
                let taken = || format!("Entity {full} is already defined");
                self.register_name(ns, &def.name, def.name_span, Def::Entity(id), taken)
            }
            Definition::Typedef(def) => {
                let full = self.full_name(ns, &def.name);
                if Primitive::of(&def.name).is_some() {
                    let message = format!("Trying to override a built-in type: {}", def.name);
                    let span = Some(def.name_span);
                    self.warnings.push(Warning { class: "CompilerRuntimeWarning", message, span });
                }
                let id = self.new_typedef(ns, def, full.clone());
                let taken = || format!("TypeConstraint {full} is already defined");
                self.register_name(ns, &def.name, def.name_span, Def::Typedef(id), taken)
            }
            Definition::Implementation(def) => {
                let full = self.full_name(ns, &def.name);
                let id = self.new_implementation(ns, def, full.clone());
                let written = def.entity.text();
                let taken = || format!("Implementation {full} for type {written} is already defined");
                self.register_name(ns, &def.name, def.name_span, Def::Implementation(id), taken)
            }
            Definition::Import(_) | Definition::Implement(_) | Definition::Relation(_) | Definition::Index(_) => Ok(()),
        }
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
