//! All stages in one call.

use crate::ast::{Definition, ExprKind, Item, StmtKind, Tree};
use crate::define::{self, DefinedModel, Undefined};
use crate::environment::Environment;
use crate::eval::{self, Annotation, Limits, Store, Surroundings, VarId};
use crate::fault::{self, Class, Failure, Fault, Location, Missing, Texts, Warning};
use crate::lex::escape::Reading;
use crate::library::{self, Fact, Function, foreign};
use crate::load::{self, AutoStd, Files, Loaded, Reader};
use crate::lost;
use crate::program::{Meaning, Program, VarRef};
use crate::project;
use crate::scope::{self, Unresolved};
use mclive_base::source::{ProgramFiles, Sources};
use mclive_base::span::{FileId, Span};
use mclive_base::vocab::FactSpec;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Parameters of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Which part of `std` is imported automatically.
    pub std: AutoStd,
    /// How strings are read.
    pub reading: Reading,
    /// Environment variables and facts.
    pub environment: Environment,
    /// `E.r before F.s`: ends of the first relation are closed before those of the second. Spec, 10.7.
    pub precedence: Vec<(String, String)>,
    /// Limits on evaluation.
    pub limits: Limits,
    /// Prefix of the paths of the program's files in messages.
    pub root: String,
    /// The files of models that were compiled before, so that [`Compilation::sources`] has those of all.
    pub before: Sources,
}

/// A compiled model, as far as it got.
pub struct Compilation {
    /// The files that were read.
    pub sources: Sources,
    /// The first of them that belongs to this model: those before it are of models that were compiled before.
    pub first_file: FileId,
    /// The definitions.
    pub program: Program,
    /// Variables and instances.
    pub store: Store,
    /// The first variable of each namespace.
    pub globals: Vec<VarId>,
    /// The output of `std::print`.
    pub printed: Vec<String>,
    /// What the model reads of its environment and is unknown.
    pub wanted: BTreeSet<FactSpec>,
    /// Environment variables that are not set and were read without a default, each with the first call.
    pub unset: BTreeMap<String, Span>,
    /// Functions whose results only a server knows, each with the first call.
    pub unanswered: BTreeMap<String, Span>,
    /// Facts that have no value and were read without a default, each with the first call.
    pub awaited_facts: BTreeMap<Fact, Span>,
    /// Facts that the host knows about its own resources, with their values.
    pub known_facts: BTreeMap<Fact, String>,
    /// The entities that Python files of modules register as resources.
    pub foreign_resources: BTreeSet<String>,
    /// All warnings.
    pub warnings: Vec<Warning>,
    /// All errors; the first is the one that the original reports.
    pub faults: Vec<Failure>,
    /// Whether a part could not be read, so that the program lacks it and no value was computed.
    pub(crate) is_torn: bool,
    /// What is left of the limits, for the next model of the same program.
    pub(crate) left: Limits,
    /// Prefix of the paths of the program's files in messages.
    pub root: String,
}

/// Compiles the model whose main file this is.
pub fn compile(world: &dyn ProgramFiles, main: &str, setup: &Setup) -> Compilation {
    let reader = Reader { std: setup.std, reading: setup.reading };
    let first_file = FileId(setup.before.iter().count() as u32);
    let Files { sources, tree, files, faults, warnings, lost, root: folder, .. } =
        load::load(world, main, &reader, setup.before.clone());
    let mut out = Compilation {
        sources,
        first_file,
        program: Program::default(),
        store: Store::default(),
        globals: Vec::new(),
        printed: Vec::new(),
        wanted: BTreeSet::new(),
        unset: BTreeMap::new(),
        unanswered: BTreeMap::new(),
        awaited_facts: BTreeMap::new(),
        known_facts: BTreeMap::new(),
        foreign_resources: BTreeSet::new(),
        warnings,
        faults,
        is_torn: false,
        left: setup.limits,
        root: setup.root.clone(),
    };
    let foreign = |namespace: &str| foreign::functions(world, &folder, namespace);
    // A module that does not exist hides nothing but what it would define.
    out.is_torn = out.faults.iter().any(|fault| fault.class != Class::ModuleLoading);
    if out.is_torn {
        beside_syntax_errors(&mut out, tree, files, &lost, setup.std, &foreign);
        return out;
    }
    let is_loaded = out.faults.is_empty();
    let answers = match foreign::Answers::read(world, &folder) {
        Ok(answers) => answers,
        Err(reasons) => {
            let faults = reasons.into_iter().map(|reason| {
                let message = format!("cannot read `{}`: {reason}", foreign::ANSWERS);
                Fault::new(Class::Compiler, message).help("see `mclive explain E1132` for the format")
            });
            out.faults.extend(faults);
            return out;
        }
    };
    let path_of = |file| format!("{}{}", setup.root, out.sources.get(file).path);
    let rules = match project_rules(world, &folder, setup) {
        Ok(rules) => rules,
        Err(reason) => {
            out.faults.push(Fault::new(Class::Compiler, format!("cannot read `{}`: {reason}", project::FILE)));
            return out;
        }
    };
    let around = Surroundings {
        world,
        sources: &out.sources,
        folder: &folder,
        root: &setup.root,
        environment: &setup.environment,
        answers: &answers,
        precedence: &rules,
        limits: setup.limits,
    };
    let mut model = match define::define(tree, files, setup.std, &foreign, &path_of) {
        Ok(model) => model,
        Err(undefined) => {
            let can_be_resolved = undefined.can_be_resolved();
            let mut can_be_run = undefined.lacks_only_implementations();
            let Undefined { faults, mut model } = *undefined;
            out.faults.extend(faults);
            if is_loaded {
                out.warnings.append(&mut model.warnings);
            }
            if can_be_resolved {
                let Unresolved { faults, only_in_stmts } = scope::resolve(&mut model, &out.sources, &setup.root);
                can_be_run &= only_in_stmts;
                out.faults.extend(faults.into_iter().filter(|fault| is_independent(&model, fault)));
            }
            out.program = model.program;
            if can_be_resolved && can_be_run {
                out.faults.extend(eval::mistakes(&out.program, &around, false));
                let names = unresolved(&out.program, &out.faults);
                out.faults.extend(names);
            }
            library::undeclared::gather(&out.program, &answers, &mut out.faults);
            fault::suggest(&out.program, &mut out.faults);
            return out;
        }
    };
    let Unresolved { faults: resolved, only_in_stmts } = scope::resolve(&mut model, &out.sources, &setup.root);
    let annotations = annotations(&model);
    let resolved: Vec<Failure> =
        resolved.into_iter().filter(|fault| !model.broken.is_of_missing_module(fault)).collect();
    // The original reports no warnings behind the first error.
    if is_loaded {
        out.warnings.append(&mut model.warnings);
    }
    out.program = model.program;
    out.warnings.extend(library::misnamed(&answers, &out.program, world, &folder));
    if !resolved.is_empty() || !out.faults.is_empty() {
        out.faults.extend(resolved);
        if only_in_stmts {
            out.faults.extend(eval::mistakes(&out.program, &around, is_loaded));
            let names = unresolved(&out.program, &out.faults);
            out.faults.extend(names);
        }
        library::undeclared::gather(&out.program, &answers, &mut out.faults);
        fault::suggest(&out.program, &mut out.faults);
        return out;
    }
    let ran = eval::run(&out.program, &around, &annotations);
    out.store = ran.store;
    out.globals = ran.globals;
    out.printed = ran.printed;
    out.wanted = ran.wanted;
    out.unset = ran.unset;
    out.unanswered = ran.unanswered;
    out.awaited_facts = ran.awaited_facts;
    out.known_facts = ran.known_facts;
    out.left = ran.left;
    out.warnings.extend(ran.warnings);
    if let Err(fault) = ran.result {
        out.faults.push(fault);
        out.faults.extend(ran.others);
        let names = unresolved(&out.program, &out.faults);
        out.faults.extend(names);
        library::undeclared::gather(&out.program, &answers, &mut out.faults);
        fault::suggest(&out.program, &mut out.faults);
    } else {
        let own = out.program.namespaces.values().filter(|namespace| !namespace.is_builtin);
        let modules = own.filter_map(|namespace| namespace.name.split("::").next().map(str::to_owned));
        out.foreign_resources = foreign::resources(world, &folder, &modules.collect());
    }
    out
}

/// The errors of what could be read beside syntax errors, without those that may follow from them.
fn beside_syntax_errors(
    out: &mut Compilation,
    tree: Tree,
    files: Vec<Loaded>,
    lost: &[Span],
    std: AutoStd,
    foreign: &dyn Fn(&str) -> Vec<Arc<Function>>,
) {
    // A limit ends a file anywhere, so that nothing is known of its rest.
    if files.is_empty() || out.faults.iter().any(|fault| fault.class == Class::Limit) {
        out.program.tree = tree;
        return;
    }
    let path_of = |file| format!("{}{}", out.root, out.sources.get(file).path);
    let (mut model, mut found, can_be_resolved) = match define::define(tree, files, std, foreign, &path_of) {
        Ok(model) => (model, Vec::new(), true),
        Err(undefined) => {
            let can_be_resolved = undefined.can_be_resolved();
            let Undefined { faults, model } = *undefined;
            (model, faults, can_be_resolved)
        }
    };
    if can_be_resolved {
        let resolved = scope::resolve(&mut model, &out.sources, &out.root).faults;
        found.extend(resolved.into_iter().filter(|fault| is_independent(&model, fault)));
        found.extend(missing_variables(&model.program).into_iter().map(|(_, fault)| fault).take(MAX_FAULTS));
    }
    out.faults.extend(lost::independent(found, lost, &out.sources));
    out.program = model.program;
    fault::suggest(&out.program, &mut out.faults);
}

/// Whether an error in a statement does not follow from one in the definitions.
fn is_independent(model: &DefinedModel, fault: &Fault) -> bool {
    match &fault.missing {
        Some(Missing::Attribute(entity, name)) => !model.broken.may_have(&model.program, *entity, name),
        Some(Missing::Import(..)) => !model.broken.is_of_missing_module(fault),
        Some(Missing::Type(..)) => true,
        Some(Missing::Variable(_)) | None => false,
    }
}

/// The maximum number of errors of one kind that are reported.
const MAX_FAULTS: usize = 50;

/// If variables were not found: the other ones that top-level statements certainly miss, too. Those in branches and
/// bodies may never be needed.
fn unresolved(program: &Program, known: &[Failure]) -> Vec<Failure> {
    let known: Vec<&Failure> =
        known.iter().filter(|fault| matches!(fault.missing, Some(Missing::Variable(_)))).collect();
    if known.is_empty() {
        return Vec::new();
    }
    let mut found = missing_variables(program);
    // Those that are known: their place may be the statement around the name.
    for known in known {
        let at = known.place.map(Location::span);
        let is_it = |(span, fault): &(Span, Failure)| {
            let is_named = known.related.iter().any(|(name, _)| name == span);
            let is_inside = at.is_some_and(|at| at.file == span.file && at.start <= span.start);
            fault.missing == known.missing && (is_named || is_inside)
        };
        if let Some(nr) = found.iter().position(is_it) {
            found.remove(nr);
        }
    }
    found.into_iter().map(|(_, fault)| fault).take(MAX_FAULTS).collect()
}

/// The variables that top-level statements certainly miss, in the order of the text.
fn missing_variables(program: &Program) -> Vec<(Span, Failure)> {
    let mut found = Vec::new();
    let own = program.namespaces.values().filter(|namespace| !namespace.is_builtin);
    for stmt in own.flat_map(|namespace| &namespace.stmts) {
        let mut ahead = match &program.tree.stmts[*stmt].kind {
            StmtKind::Expr(value) | StmtKind::Assign { value, .. } => vec![*value],
            StmtKind::Set { base, value, .. } => vec![*base, *value],
            StmtKind::For { iterable, .. } => vec![*iterable],
            StmtKind::If { condition, .. } => vec![*condition],
        };
        while let Some(expr) = ahead.pop() {
            let node = &program.tree.exprs[expr];
            if let Meaning::Var(VarRef::Missing(name)) = &program.names.exprs[expr] {
                found.push((node.span, eval::missing(name).at(Location::Column(node.span))));
            }
            match &node.kind {
                ExprKind::Conditional { condition, .. } => ahead.push(*condition),
                kind => kind.for_each_child(|child| ahead.push(child)),
            }
        }
    }
    found.sort_by_key(|(span, _)| (span.file.0, span.start));
    found
}

/// The relation precedence: from the parameters, or from the project file.
fn project_rules(world: &dyn ProgramFiles, folder: &str, setup: &Setup) -> Result<Vec<project::Rule>, String> {
    match world.read(&format!("{folder}{}", project::FILE)) {
        Some(bytes) if setup.precedence.is_empty() => {
            project::precedence(std::str::from_utf8(&bytes).map_err(|error| error.to_string())?)
        }
        _ => Ok(setup.precedence.clone()),
    }
}

/// The annotations of all relations.
fn annotations(model: &DefinedModel) -> Vec<Annotation> {
    let mut found = Vec::new();
    for (ns, tree) in &model.files {
        for item in &tree.items {
            let Item::Define(Definition::Relation(def)) = item else { continue };
            let relation = format!("Relation({}, {})", def.left.text(), def.right.text());
            found.extend(def.annotations.iter().map(|expr| Annotation {
                ns: *ns,
                expr: *expr,
                relation: relation.clone(),
                place: Location::Line(def.span),
            }));
        }
    }
    found
}

impl Compilation {
    /// The context for writing messages.
    pub fn texts(&self) -> Texts<'_> {
        Texts { sources: &self.sources, tree: &self.program.tree, root: &self.root }
    }
}
