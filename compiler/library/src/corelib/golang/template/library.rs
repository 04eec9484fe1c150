//! The library functions that a template can call: those with a fixed type whose result does not change over time.
//! Functions spec, 9.3.

use super::data::{Data, GoType, convert};
use crate::corelib::{Args, CallContext, CallState, FnDef, FnError, Run, Work, all, docs};
use crate::gather;
use crate::types::{FuncType, Type};
use crate::value::Value;
use crate::vocab::{Datum, FactSpec, HostError};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// A function under its name in templates.
pub(super) struct Callable {
    /// Its definition.
    pub def: &'static FnDef,
    /// Its type.
    pub ty: Arc<FuncType>,
}

/// Functions with fixed types that templates lack: those with state, and duplicates of others.
const APART: [&str; 7] = [
    "random1",
    "local.pool",
    "local.vardir",
    "test.one_instance_a",
    "test.one_instance_c",
    "test.one_instance_e",
    "test.one_instance_g",
];

/// `strings.to_upper` is `strings_to_upper`, `concat` is `_concat`.
pub(super) fn lookup(name: &str) -> Option<&'static Callable> {
    by_name().get(name)
}

/// Every function under its name.
pub(super) fn by_name() -> &'static BTreeMap<String, Callable> {
    static BY_NAME: OnceLock<BTreeMap<String, Callable>> = OnceLock::new();
    BY_NAME.get_or_init(|| gather::map(all().filter_map(callable)))
}

fn callable(def: &'static FnDef) -> Option<(String, Callable)> {
    let reads_files = def.module() == Some("deploy") && !matches!(def.name(), "binary_path" | "bootstrap_packages");
    if reads_files || APART.contains(&def.path) || def.name().starts_with('_') || !docs::is_of_the_moment(def) {
        return None;
    }
    let Some(Type::Func(ty)) = def.signature() else { return None };
    let name = def.path.replace(['.', '/'], "_");
    let name = if def.path.contains(['.', '/']) { name } else { format!("_{name}") };
    Some((name, Callable { def, ty }))
}

impl Callable {
    /// The Go type of a parameter.
    pub(super) fn param(&self, index: usize) -> GoType {
        self.ty.params.get(index).map_or(GoType::Any, |(_, ty)| GoType::of(ty))
    }

    /// Calls it with arguments of its types; `None`: the host has not answered yet.
    pub(super) fn call(
        &self,
        args: &[Data],
        world: &mut Nested,
        module_dir: &str,
        work: &Work,
    ) -> Result<Option<Data>, FnError> {
        let values = args.iter().zip(&self.ty.params).map(|(arg, (_, ty))| arg.value(ty));
        let values: Option<Vec<Value>> = values.collect();
        let values = values.ok_or_else(|| FnError::fatal("wrong type for value"))?;
        for value in &values {
            work.spend_on_value(value, value.written_size())?;
        }
        let args = Args { values: &values, ty: &self.ty, module_dir, work };
        let result = match self.def.run {
            Run::Pure(run) => Some(run(&args)?),
            Run::World(run) => world.within(|world| run(world, &args))?,
            // A template stops between its nodes, and not within one.
            Run::Long(long) if long.is_pure => long.run(world, &args)?,
            Run::Long(long) => world.within(|world| long.run(world, &args))?,
            Run::Iter(_) => return Err(FnError::fatal("takes a function")),
        };
        let Some(value) = result else { return Ok(None) };
        work.spend_on_value(&value, value.written_size())?;
        Ok(Some(convert(&value, &self.ty.ret)))
    }
}

/// The context of functions within one template: each call has its own state, identified by its position among the
/// calls.
pub(super) struct Nested<'w> {
    world: &'w mut dyn CallContext,
    calls: &'w mut Calls,
}

/// The calls of one evaluation, as far as it came.
#[derive(Clone, Default)]
pub(super) struct Calls {
    states: Vec<Option<CallState>>,
    at: usize,
}

impl Calls {
    /// Those of a new evaluation.
    pub(super) fn begin(world: &mut dyn CallContext) -> Calls {
        Calls { states: world.state().take().and_then(CallState::take).unwrap_or_default(), at: 0 }
    }

    /// Keeps the states for the next evaluation.
    pub(super) fn end(self, world: &mut dyn CallContext) {
        if !self.states.is_empty() {
            *world.state() = Some(CallState::new(self.states));
        }
    }
}

impl<'w> Nested<'w> {
    pub(super) fn new(world: &'w mut dyn CallContext, calls: &'w mut Calls) -> Nested<'w> {
        Nested { world, calls }
    }

    fn within<T>(&mut self, call: impl FnOnce(&mut dyn CallContext) -> T) -> T {
        if self.calls.at == self.calls.states.len() {
            self.calls.states.push(None);
        }
        let result = call(self);
        self.calls.at += 1;
        result
    }
}

impl CallContext for Nested<'_> {
    fn fact(&mut self, spec: &FactSpec) -> Option<Result<Datum, HostError>> {
        self.world.fact(spec)
    }

    fn file(&mut self, path: &str) -> Option<Arc<[u8]>> {
        self.world.file(path)
    }

    fn dir(&mut self, path: &str) -> Option<Vec<String>> {
        self.world.dir(path)
    }

    fn nonce(&mut self) -> u64 {
        self.world.nonce()
    }

    fn now_ns(&self) -> u64 {
        self.world.now_ns()
    }

    fn wake_at_ns(&mut self, at: u64) {
        self.world.wake_at_ns(at);
    }

    fn state(&mut self) -> &mut Option<CallState> {
        &mut self.calls.states[self.calls.at]
    }
}
