//! Runs a model: values flow to the units that wait for them, until nothing more can happen. Spec, 10.
//!
//! Emitting a statement makes [units](Units) that wait for variables ([`store`]). A unit whose variables are all
//! ready is queued and runs once. Expressions without a separate unit are computed inside the unit that needs them:
//! [`emit`] collects their inputs, [`compute`] consumes them in the same order. [`rounds`] closes ends of relations
//! that cannot grow any more, and [`finish`] reports what is missing.
//!
//! The state is in [`state`], divided into parts that each encapsulate their fields, and in [`store`], whose variables,
//! ends and instances are records. The other files are the rules; each reads and changes parts through their methods.

mod budget;
mod call;
mod cast;
mod check;
mod collect;
mod comprehend;
mod compute;
mod construct;
mod define_check;
mod defined;
mod direct;
mod emit;
mod finish;
mod flow;
mod format;
mod lookup;
mod names;
mod precedence;
mod promise;
mod read;
mod refine;
mod rounds;
mod set;
mod state;
mod store;
mod unit;
mod unset;
mod view;

pub use budget::{Limits, Used};
pub use call::{Call, Stop};
pub(crate) use read::missing;
pub use store::{Instance, Read, State, Store, VarId};

use crate::ast::{ExprId, StmtId};
use crate::fault::{Class, Failure, Location, Texts, Warning, Within};
use crate::library::Fact;
use crate::program::{AttrId, EntityId, ImplementId, NsId, Program};
use crate::value::{UnknownId, Value};
use mclive_base::source::{ProgramFiles, Sources};
use mclive_base::span::Span;
use mclive_base::vocab::FactSpec;
use rustc_hash::{FxHashMap, FxHashSet};
use state::{Account, Closing, Frame, FrameId, Frames, Indexes, Promises, Sinks, Units};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

type Done<T = ()> = Result<T, Failure>;

/// The context in which a model runs.
pub struct Surroundings<'a> {
    /// The program's files.
    pub world: &'a dyn ProgramFiles,
    /// The files that were read.
    pub sources: &'a Sources,
    /// The folder of the main file, with a trailing slash.
    pub folder: &'a str,
    /// Prefix of the paths of the program's files in messages.
    pub root: &'a str,
    /// Environment variables and facts.
    pub environment: &'a crate::Environment,
    /// Declared answers of Python functions.
    pub answers: &'a crate::library::foreign::Answers,
    /// The relation precedence, `E.r before F.s`.
    pub precedence: &'a [(String, String)],
    /// Limits on evaluation.
    pub limits: Limits,
}

/// A model after evaluation, successful or not.
pub struct Ran {
    /// Further errors, which do not follow from the first one.
    pub others: Vec<Failure>,
    /// Variables and instances.
    pub store: Store,
    /// The first variable of each namespace.
    pub globals: Vec<VarId>,
    /// The output of `std::print`.
    pub printed: Vec<String>,
    /// What was requested of the environment and is unknown.
    pub wanted: BTreeSet<FactSpec>,
    /// Those that are not set and were read without a default, each with the first call.
    pub unset: BTreeMap<String, Span>,
    /// Functions whose results only a server knows, each with the first call.
    pub unanswered: BTreeMap<String, Span>,
    /// Facts that have no value and were read without a default, each with the first call.
    pub awaited_facts: BTreeMap<Fact, Span>,
    /// Facts that the host knows about its own resources.
    pub known_facts: BTreeMap<Fact, String>,
    /// All warnings.
    pub warnings: Vec<Warning>,
    /// What is left of the limits, for the next model of the same program.
    pub left: Limits,
    /// The first error, if any.
    pub result: Result<(), Failure>,
}

/// Runs a model.
pub fn run(program: &Program, around: &Surroundings<'_>, annotations: &[Annotation]) -> Ran {
    let mut evaluator = Evaluator::new(program, around);
    let result = evaluator.run(annotations);
    let others = match &result {
        Err(first) if first.class != Class::Limit => {
            let mut others = evaluator.others(Some(first.as_ref()));
            // At the end, everything that is missing has already been reported.
            if !evaluator.has_ended {
                others.extend(evaluator.missing_anyway());
            }
            others
        }
        Ok(()) | Err(_) => Vec::new(),
    };
    let left = evaluator.left();
    Ran {
        others,
        store: evaluator.store,
        globals: evaluator.frames.globals(),
        printed: evaluator.printed,
        wanted: evaluator.wanted,
        unset: evaluator.unset,
        unanswered: evaluator.unanswered,
        awaited_facts: evaluator.awaited_facts,
        known_facts: evaluator.known_facts,
        warnings: evaluator.warnings,
        left,
        result,
    }
}

/// The errors of everything that can be evaluated in a model some of whose statements are broken; `is_defined`: all its
/// definitions are there.
pub fn mistakes(program: &Program, around: &Surroundings<'_>, is_defined: bool) -> Vec<Failure> {
    let mut evaluator = Evaluator::new(program, around);
    evaluator.open_namespaces();
    evaluator.late_faults = evaluator.check_defaults();
    let mut found = evaluator.others(None);
    if is_defined {
        found.extend(evaluator.missing_anyway());
    }
    found
}

/// An annotation of a relation, evaluated at the top level.
pub struct Annotation {
    /// The namespace.
    pub ns: NsId,
    /// The expression.
    pub expr: ExprId,
    /// The relation, for messages.
    pub relation: String,
    /// Where it is.
    pub place: Location,
}

struct Evaluator<'a> {
    /// The number of top-level statements whose evaluation has begun.
    n_emitted: usize,
    /// A relation was closed.
    has_closed: bool,
    /// Nothing more can happen.
    has_ended: bool,
    /// Attributes whose defaults do not fit.
    bad_defaults: FxHashSet<AttrId>,
    /// Errors found together with the first one.
    late_faults: Vec<Failure>,
    program: &'a Program,
    around: &'a Surroundings<'a>,
    store: Store,
    frames: Frames,
    units: Units,
    sinks: Sinks,
    promises: Promises,
    closing: Closing,
    indexes: Indexes,
    account: Account,
    /// The `implement` statements of each entity.
    applicable: FxHashMap<EntityId, Rc<[ImplementId]>>,
    printed: Vec<String>,
    wanted: BTreeSet<FactSpec>,
    unset: BTreeMap<String, Span>,
    unanswered: BTreeMap<String, Span>,
    awaited_facts: BTreeMap<Fact, Span>,
    known_facts: BTreeMap<Fact, String>,
    warnings: Vec<Warning>,
    n_unknowns: u32,
}

impl<'a> Evaluator<'a> {
    fn new(program: &'a Program, around: &'a Surroundings<'a>) -> Evaluator<'a> {
        Evaluator {
            program,
            around,
            store: Store::default(),
            frames: Frames::default(),
            units: Units::default(),
            sinks: Sinks::default(),
            promises: Promises::default(),
            closing: Closing::default(),
            indexes: Indexes::new(program.indexes.len()),
            account: Account::default(),
            applicable: FxHashMap::default(),
            n_emitted: 0,
            has_closed: false,
            has_ended: false,
            bad_defaults: FxHashSet::default(),
            late_faults: Vec::new(),
            printed: Vec::new(),
            wanted: BTreeSet::new(),
            unset: BTreeMap::new(),
            unanswered: BTreeMap::new(),
            awaited_facts: BTreeMap::new(),
            known_facts: BTreeMap::new(),
            warnings: Vec::new(),
            n_unknowns: 0,
        }
    }

    fn open_namespaces(&mut self) {
        for ns in self.program.namespaces.ids() {
            let first = self.store.vars.next_id();
            for _ in 0..self.program.namespaces[ns].vars.len() {
                self.store.new_var();
            }
            self.frames.add_root(ns, first);
        }
    }

    fn run(&mut self, annotations: &[Annotation]) -> Done {
        self.open_namespaces();
        let mut faults = self.check_defaults().into_iter();
        if let Some(first) = faults.next() {
            self.late_faults = faults.collect();
            return Err(first);
        }
        self.order_relations()?;
        let mut noted = Vec::new();
        for annotation in annotations {
            let var = self.store.new_var();
            let frame = self.frames.root(annotation.ns);
            self.emit(annotation.expr, frame, unit::Target::var(var, annotation.expr))
                .map_err(|fault| fault.within(Within::Text(annotation.relation.clone())).at(annotation.place))?;
            noted.push(var);
        }
        for ns in self.program.namespaces.ids() {
            let frame = self.frames.root(ns);
            for stmt in &self.program.namespaces[ns].stmts {
                self.n_emitted += 1;
                self.emit_stmt(*stmt, frame)?;
            }
        }
        self.run_rounds()?;
        self.has_ended = true;
        self.finish(annotations, &noted)
    }

    fn texts(&self) -> Texts<'_> {
        Texts { sources: self.around.sources, tree: &self.program.tree, root: self.around.root }
    }

    /// Where messages place an expression.
    fn place(&self, expr: ExprId) -> Location {
        let node = &self.program.tree.exprs[expr];
        if node.is_precise { Location::Column(node.at) } else { Location::Line(node.at) }
    }

    fn stmt_place(&self, stmt: StmtId) -> Location {
        let node = &self.program.tree.stmts[stmt];
        match node.kind {
            crate::ast::StmtKind::Expr(expr) => self.place(expr),
            _ => Location::Line(node.at),
        }
    }

    /// Places an error at an expression, unless it already has a place.
    fn in_expr(&self, fault: Failure, expr: ExprId) -> Failure {
        fault.within(Within::Expr(expr)).at(self.place(expr))
    }

    fn unknown(&mut self) -> Value {
        self.n_unknowns += 1;
        Value::Unknown(UnknownId(self.n_unknowns))
    }
}
