//! The evaluation as seen by functions: arguments, instances, names, and limits. Spec, 12.4.

use super::budget::{LOOKED_PER_STEP, MATCHED_PER_STEP};
use super::call::{Arguments, Call, Stop};
use super::store::Read;
use super::{Evaluator, FrameId, VarId};
use crate::ast::ExprId;
use crate::export::{Registration, registration_of};
use crate::fault::Failure;
use crate::library::foreign::Answers;
use crate::library::{Fact, Function};
use crate::program::{NsId, Program, Type};
use crate::value::{InstId, Namer, Value};
use mclive_base::source::ProgramFiles;
use mclive_base::vocab::{Datum, FactSpec};
use std::sync::Arc;

impl Call<'_, '_> {
    /// The argument of a parameter.
    pub fn arg(&self, nr: usize) -> &Value {
        self.args.get(nr).unwrap_or(&Value::Null)
    }

    /// A string argument; its type was checked.
    pub fn text(&self, nr: usize) -> &str {
        self.arg(nr).as_str().unwrap_or_default()
    }

    /// The members of a list argument.
    pub fn list(&self, nr: usize) -> &[Value] {
        self.arg(nr).as_list().unwrap_or_default()
    }

    /// A whole number that fits in 64 bits.
    pub fn int(&self, nr: usize) -> Result<i64, Stop> {
        match self.arg(nr) {
            Value::Int(int) => int
                .to_i64()
                .ok_or_else(|| Stop::Failed("OverflowError: Python int too large to convert to C ssize_t".into())),
            Value::Bool(value) => Ok(i64::from(*value)),
            _ => Ok(0),
        }
    }

    /// An attribute of an instance; waits for it.
    pub fn attribute(&self, instance: InstId, name: &str) -> Result<Value, Stop> {
        let Ok(var) = self.evaluator.slot_by_name(instance, name) else {
            return Err(Stop::Failed(format!("AttributeError: (None, '{name}')")));
        };
        match self.evaluator.store.read(var) {
            Read::Value(value) => Ok(value),
            Read::Empty(var) => Err(Stop::Fault(self.evaluator.empty_optional(var))),
            Read::NotYet => Err(Stop::Wait(self.evaluator.store.deref(var))),
        }
    }

    /// Whether the entity of an instance has an attribute.
    pub fn has_attribute(&self, instance: InstId, name: &str) -> bool {
        self.evaluator.slot_by_name(instance, name).is_ok()
    }

    /// The full name of an instance's entity.
    pub fn entity_name(&self, instance: InstId) -> String {
        self.evaluator.program.entities[self.evaluator.store.instances[instance].entity].full_name.to_string()
    }

    /// Whether the instance is of the entity of this name or of a descendant.
    pub fn is_instance(&self, instance: InstId, class: &str) -> bool {
        let entity = self.evaluator.store.instances[instance].entity;
        self.evaluator.program.entities[entity]
            .lineage
            .iter()
            .any(|ancestor| *self.evaluator.program.entities[*ancestor].full_name == *class)
    }

    /// Prints a line.
    pub fn print(&mut self, line: String) {
        self.evaluator.printed.push(line);
    }

    /// A new unknown value.
    pub fn unknown(&mut self) -> Value {
        self.evaluator.unknown()
    }

    /// What the environment has, `Some(None)` if there is no value; `None` if it is unknown, which is recorded.
    pub fn ask(&mut self, fact: &FactSpec) -> Option<Option<&Datum>> {
        let told = self.evaluator.around.environment.get(fact);
        if told.is_none() {
            self.evaluator.wanted.insert(fact.clone());
        }
        told
    }

    /// The host that the model is compiled for, if it is a specific one.
    pub fn host(&self) -> Option<&str> {
        self.evaluator.around.environment.host()
    }

    /// Records a variable that is not set and has no default.
    pub fn unset(&mut self, name: &str) {
        let span = self.evaluator.program.tree.exprs[self.expr].span;
        self.evaluator.unset.entry(name.to_owned()).or_insert(span);
    }

    /// Records that only a server knows the result.
    pub fn unanswered(&mut self) {
        let span = self.evaluator.program.tree.exprs[self.expr].span;
        self.evaluator.unanswered.entry(self.function.name.to_string()).or_insert(span);
    }

    /// Records a fact that has no value and no default.
    pub fn awaited_fact(&mut self, fact: Fact) {
        let span = self.evaluator.program.tree.exprs[self.expr].span;
        self.evaluator.awaited_facts.entry(fact).or_insert(span);
    }

    /// Records what the host knows about a resource.
    pub fn known_fact(&mut self, fact: Fact, value: String) {
        self.evaluator.known_facts.insert(fact, value);
    }

    /// The registration of an instance as a resource, if there is one.
    pub fn registration(&self, instance: InstId) -> Option<&'static Registration> {
        registration_of(self.evaluator.program, self.evaluator.store.instances[instance].entity)
    }

    /// The name of the function.
    pub fn function_name(&self) -> &str {
        &self.function.name
    }

    /// The result type in the signature.
    pub fn result_type(&self) -> Type {
        self.function.result_type(self.evaluator.program)
    }

    /// The definitions of the model.
    pub fn program(&self) -> &Program {
        self.evaluator.program
    }

    /// The declared results of Python functions.
    pub fn answers(&self) -> &Answers {
        self.evaluator.around.answers
    }

    /// The program's files.
    pub fn world(&self) -> &dyn ProgramFiles {
        self.evaluator.around.world
    }

    /// The folder of the main file.
    pub fn folder(&self) -> &str {
        self.evaluator.around.folder
    }

    /// The names of instances.
    pub fn names(&self) -> &dyn Namer {
        self.evaluator
    }

    /// Charges steps of work.
    pub fn work(&mut self, steps: u64) -> Result<(), Stop> {
        self.evaluator.work(steps).map_err(Stop::Fault)
    }

    /// Charges inspected bytes.
    pub fn look(&mut self, bytes: u64) -> Result<(), Stop> {
        self.work(bytes / LOOKED_PER_STEP)
    }

    /// Charges steps of a pattern match.
    pub fn match_steps(&mut self, steps: u64) -> Result<(), Stop> {
        self.work(steps / MATCHED_PER_STEP)
    }

    /// Checks that there is room for temporary bytes, freed before anything else is made.
    ///
    /// Errors: there is not; nothing has been made.
    pub fn room(&mut self, bytes: u64) -> Result<(), Stop> {
        self.evaluator.room(bytes).map_err(Stop::Fault)
    }

    /// How many bytes may still be inspected, and created.
    pub fn left(&self) -> (u64, u64) {
        let limits = &self.evaluator.around.limits;
        let work = limits.work.saturating_sub(self.evaluator.account.worked()).saturating_mul(LOOKED_PER_STEP);
        (work, limits.memory.saturating_sub(self.evaluator.held()))
    }

    /// The error about the memory limit of the model.
    pub fn out_of_memory(&self) -> Failure {
        self.evaluator.out_of_memory()
    }

    /// Charges made bytes.
    pub fn spend(&mut self, bytes: usize) -> Result<(), Stop> {
        self.evaluator.spend(bytes as u64).map_err(Stop::Fault)
    }

    /// A name in the scope of the call: `None` if there is no such variable.
    pub fn look_up(&self, name: &str) -> Result<Option<Value>, Stop> {
        let Some(frame) = self.frame else { return Ok(None) };
        let Some(var) = self.evaluator.scope_variable(self.expr, frame, name) else { return Ok(None) };
        match self.evaluator.store.read(var) {
            Read::Value(value) => Ok(Some(value)),
            Read::Empty(_) => Ok(None),
            Read::NotYet => Err(Stop::Wait(self.evaluator.store.deref(var))),
        }
    }

    /// Calls another function with these positional arguments.
    pub fn call_function(&mut self, function: &Arc<Function>, positional: Vec<Value>) -> Result<Value, Stop> {
        let arguments = Arguments { positional, ..Arguments::default() };
        let (expr, frame) = (self.expr, self.frame);
        self.evaluator.run_function(function, expr, frame, &arguments)
    }

    /// Every function of the model.
    pub fn functions(&self) -> Vec<Arc<Function>> {
        self.evaluator.program.functions.values().cloned().collect()
    }
}

impl Evaluator<'_> {
    /// The variable of a name that is looked up at run time, in the scope of a call.
    fn scope_variable(&self, expr: ExprId, frame: FrameId, name: &str) -> Option<VarId> {
        let scopes = self.program.names.scopes.get(&expr)?;
        let mut frame = Some(frame);
        for scope in scopes.iter().rev() {
            let here = frame?;
            if let Some(slot) = scope.get_index_of(name) {
                return Some(VarId(self.frames[here].first.0 + slot as u32));
            }
            frame = self.frames[here].parent.or(frame);
        }
        let here = self.frames[frame?];
        if let Some(instance) = here.instance
            && let Ok(var) = self.slot_by_name(instance, name)
        {
            return Some(var);
        }
        self.global_variable(here.ns, name)
    }

    fn global_variable(&self, ns: NsId, name: &str) -> Option<VarId> {
        let slot = self.program.namespaces[ns].vars.get_index_of(name)?;
        Some(self.frames.global(ns, slot as u32))
    }
}
