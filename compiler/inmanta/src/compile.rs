//! All stages in one call.

use crate::ast::{Definition, ExprKind, Item, StmtKind};
use crate::define::{self, DefinedModel};
use crate::environment::Environment;
use crate::eval::{self, Annotation, Limits, Ran, Store, Surroundings, VarId};
use crate::fault::{self, Class, Failure, Fault, Missing, Place, Texts, Warning};
use crate::lex::escape::Reading;
use crate::library::foreign;
use crate::load::{self, AutoStd, Files, Reader};
use crate::program::{Meaning, Program, VarRef};
use crate::project;
use crate::scope;
use mclive_base::source::{ProgramFiles, Sources};
use mclive_base::span::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Parameters of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Which part of `std` is imported automatically.
    pub std: AutoStd,
    /// How strings are read.
    pub reading: Reading,
    /// Environment variables.
    pub environment: Environment,
    /// `E.r before F.s`: ends of the first relation are closed before those of the second. Spec, 10.7.
    pub precedence: Vec<(String, String)>,
    /// Limits on evaluation.
    pub limits: Limits,
    /// Prefix of the paths of the program's files in messages.
    pub root: String,
}

/// A compiled model, as far as it got.
pub struct Compilation {
    /// The files that were read.
    pub sources: Sources,
    /// The definitions.
    pub program: Program,
    /// Variables and instances.
    pub store: Store,
    /// The first variable of each namespace.
    pub globals: Vec<VarId>,
    /// The output of `std::print`.
    pub printed: Vec<String>,
    /// Environment variables with unknown values.
    pub wanted: BTreeSet<String>,
    /// Environment variables that are not set and were read without a default, each with the first call.
    pub unset: BTreeMap<String, Span>,
    /// All warnings.
    pub warnings: Vec<Warning>,
    /// All errors; the first is the one that the original reports.
    pub faults: Vec<Failure>,
    /// Prefix of the paths of the program's files in messages.
    pub root: String,
}

/// Compiles the model whose main file this is.
pub fn compile(world: &dyn ProgramFiles, main: &str, setup: &Setup) -> Compilation {
    let reader = Reader { std: setup.std, reading: setup.reading };
    let Files { sources, tree, files, faults, warnings, root: folder, .. } = load::load(world, main, &reader);
    let mut out = Compilation {
        sources,
        program: Program::default(),
        store: Store::default(),
        globals: Vec::new(),
        printed: Vec::new(),
        wanted: BTreeSet::new(),
        unset: BTreeMap::new(),
        warnings,
        faults,
        root: setup.root.clone(),
    };
    if !out.faults.is_empty() {
        out.program.tree = tree;
        return out;
    }
    let foreign = |namespace: &str| foreign::functions(world, &folder, namespace);
    let answers = match foreign::Answers::read(world, &folder) {
        Ok(answers) => answers,
        Err(reason) => {
            let message = format!("cannot read `{}`: {reason}", foreign::ANSWERS);
            out.faults.push(Fault::new(Class::Compiler, message));
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
    let mut model = match define::define(tree, files, setup.std, &foreign, &path_of) {
        Ok(model) => model,
        Err((fault, model)) => {
            out.warnings.extend(model.warnings);
            out.program = model.program;
            out.faults.push(fault);
            fault::suggest(&out.program, &mut out.faults);
            return out;
        }
    };
    let resolved = scope::resolve(&mut model, &out.sources, &setup.root);
    let annotations = annotations(&model);
    out.warnings.append(&mut model.warnings);
    out.program = model.program;
    if !resolved.is_empty() {
        out.faults = resolved;
        fault::suggest(&out.program, &mut out.faults);
        return out;
    }
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
    let Ran { others, store, globals, printed, wanted, unset, warnings, result } =
        eval::run(&out.program, &around, &annotations);
    out.store = store;
    out.globals = globals;
    out.printed = printed;
    out.wanted = wanted;
    out.unset = unset;
    out.warnings.extend(warnings);
    if let Some(fault) = result.err() {
        out.faults.push(fault);
        out.faults.extend(others);
        let names = unresolved(&out.program, &out.faults);
        out.faults.extend(names);
        fault::suggest(&out.program, &mut out.faults);
    }
    out
}

/// The most errors of one kind that are reported.
const MAX_FAULTS: usize = 50;

/// If variables were not found: the other ones that top-level statements certainly miss, too. Those in branches and
/// bodies may never be needed.
fn unresolved(program: &Program, known: &[Failure]) -> Vec<Failure> {
    let known: Vec<&Failure> =
        known.iter().filter(|fault| matches!(fault.missing, Some(Missing::Variable(_)))).collect();
    if known.is_empty() {
        return Vec::new();
    }
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
                found.push((node.span, eval::missing(name).at(Place::Column(node.span))));
            }
            match &node.kind {
                ExprKind::Conditional { condition, .. } => ahead.push(*condition),
                kind => kind.for_each_child(|child| ahead.push(child)),
            }
        }
    }
    found.sort_by_key(|(span, _)| (span.file.0, span.start));
    // Those that are known: their place may be the statement around the name.
    for known in known {
        let at = known.place.map(Place::span);
        let is_it = |(span, fault): &(Span, Failure)| {
            fault.missing == known.missing && at.is_some_and(|at| at.file == span.file && at.start <= span.start)
        };
        if let Some(nr) = found.iter().position(is_it) {
            found.remove(nr);
        }
    }
    found.into_iter().map(|(_, fault)| fault).take(MAX_FAULTS).collect()
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
                place: Place::Line(def.span),
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
