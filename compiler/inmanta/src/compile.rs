//! All stages in one call.

use crate::ast::{Definition, Item};
use crate::define::{self, DefinedModel};
use crate::environment::Environment;
use crate::eval::{self, Annotation, Limits, Ran, Store, Surroundings, VarId};
use crate::fault::{Class, Failure, Fault, Place, Texts, Warning};
use crate::lex::escape::Reading;
use crate::library::foreign;
use crate::load::{self, AutoStd, Files, Reader};
use crate::program::Program;
use crate::project;
use crate::scope;
use mclive_base::source::{ProgramFiles, Sources};
use std::collections::BTreeSet;

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
            return out;
        }
    };
    let resolved = scope::resolve(&mut model, &out.sources, &setup.root);
    let annotations = annotations(&model);
    out.warnings.append(&mut model.warnings);
    out.program = model.program;
    if let Err(fault) = resolved {
        out.faults.push(fault);
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
    let Ran { store, globals, printed, wanted, warnings, result } = eval::run(&out.program, &around, &annotations);
    out.store = store;
    out.globals = globals;
    out.printed = printed;
    out.wanted = wanted;
    out.warnings.extend(warnings);
    out.faults.extend(result.err());
    out
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
