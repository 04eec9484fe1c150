//! [`Sandbox`]: one instance of the component with its limits, and calls to its functions.

use super::contract::{BrainWorld, GraphFormat, GraphKind, Lint, Program, Report, Shown, Undrawn};
use super::image;
use super::limits::Limits;
use super::trap::Trap;
use super::watchdog::{LIMIT, Watchdog};
use mclive_base::shapes::scenario::Tested;
use std::time::Duration;
use wasmtime::component::Linker;
use wasmtime::{Store, UpdateDeadline};

/// The brain's memory limit in bytes. Wasm could address 4 GiB; a program of 100,000 resources needs far less.
const MEMORY: usize = 2 << 30;

/// The limit, unless the environment sets a lower one: `MCLIVE_MEMORY_MIB`.
fn memory() -> usize {
    let set = std::env::var("MCLIVE_MEMORY_MIB").ok().and_then(|text| text.parse::<usize>().ok());
    set.map_or(MEMORY, |mib| mib.saturating_mul(1 << 20).min(MEMORY))
}

/// One instance of the brain's component.
pub(crate) struct Sandbox {
    pub(super) store: Store<Limits>,
    pub(super) world: BrainWorld,
    watchdog: Watchdog,
}

impl Sandbox {
    /// Takes a few milliseconds, since the component is ready to run ([`image`]).
    pub(crate) fn start() -> Result<Sandbox, Trap> {
        Sandbox::start_within(memory())
    }

    /// The same with this memory limit, in bytes.
    pub(crate) fn start_within(memory: usize) -> Result<Sandbox, Trap> {
        Sandbox::start_with(memory, LIMIT)
    }

    /// The same, with a time limit for each call.
    pub(crate) fn start_with(memory: usize, limit: Duration) -> Result<Sandbox, Trap> {
        let Some((engine, component)) = image::load()? else {
            return Err(Trap::Fault(
                "this build does not include the compiler (it was built with MCLIVE_EMBED=none)".into(),
            ));
        };
        let watchdog = Watchdog::new(engine.clone(), limit)?;
        let mut store = Store::new(&engine, Limits::new(memory));
        store.limiter(|limits| limits);
        store.set_epoch_deadline(1);
        let judge = watchdog.judge();
        store.epoch_deadline_callback(move |_| {
            Ok(if judge.must_end() { UpdateDeadline::Interrupt } else { UpdateDeadline::Continue(1) })
        });
        // An empty linker: the component has no imports, and would not start with any.
        let world = BrainWorld::instantiate(&mut store, &component, &Linker::new(&engine))?;
        Ok(Sandbox { store, world, watchdog })
    }

    /// Calls into the sandbox under the watchdog.
    pub(super) fn call<T>(
        &mut self,
        call: impl FnOnce(&BrainWorld, &mut Store<Limits>) -> wasmtime::Result<T>,
    ) -> Result<T, Trap> {
        self.store.set_epoch_deadline(1);
        let _watched = self.watchdog.watch();
        call(&self.world, &mut self.store).map_err(|error| match self.store.data() {
            Limits { ran_out: true, memory, .. } => Trap::Memory(*memory),
            Limits { .. } => error.into(),
        })
    }

    /// Inner error: there is no such lint. This is the last call of a sandbox, since it does not free memory
    /// (`mclive_base::discard`).
    pub(crate) fn check(
        mut self,
        program: &Program,
        host: Option<&str>,
        lints: &[Lint],
        shown: &Shown,
    ) -> Result<Result<Report, String>, Trap> {
        self.call(|world, store| world.mclive_brain_compiler().call_check(store, program, host, lints, shown))
    }

    pub(crate) fn graph(
        &mut self,
        program: &Program,
        which: Option<GraphKind>,
        format: GraphFormat,
        host: Option<&str>,
        facts: Option<&[u8]>,
        shown: &Shown,
    ) -> Result<Result<String, Undrawn>, Trap> {
        self.call(|world, store| {
            world.mclive_brain_compiler().call_graph(store, program, which, format, host, facts, shown)
        })
    }

    pub(crate) fn format(&mut self, path: &str, content: &[u8], shown: &Shown) -> Result<Result<String, Report>, Trap> {
        self.call(|world, store| world.mclive_brain_compiler().call_format(store, path, content, shown))
    }

    pub(crate) fn explain(&mut self, code: &str) -> Result<Option<String>, Trap> {
        self.call(|world, store| world.mclive_brain_compiler().call_explain(store, code))
    }

    pub(crate) fn editor(&mut self, program: &Program, query: &str) -> Result<Result<String, String>, Trap> {
        self.call(|world, store| world.mclive_brain_compiler().call_editor(store, program, query))
    }

    pub(crate) fn docs(&mut self, name: &str, json: bool) -> Result<Result<String, String>, Trap> {
        self.call(|world, store| world.mclive_brain_compiler().call_docs(store, name, json))
    }

    /// Where the program describes a resource of a host: lines with their places.
    pub(crate) fn origin(
        &mut self,
        program: &Program,
        host: &str,
        resource: &str,
        shown: &Shown,
    ) -> Result<Vec<String>, Trap> {
        self.call(|world, store| world.mclive_brain_compiler().call_origin(store, program, host, resource, shown))
    }

    /// The partial exports without which a model is the same on every host, by their places in its list. A sandbox of its
    /// own, since it does not free memory.
    pub(crate) fn replaced_parts(mut self, program: &Program) -> Result<Vec<u32>, Trap> {
        self.call(|world, store| world.mclive_brain_compiler().call_replaced_parts(store, program))
    }

    /// The names of all resource kinds, sorted.
    pub(crate) fn kinds(&mut self) -> Result<Vec<String>, Trap> {
        self.call(|world, store| world.mclive_brain_compiler().call_kinds(store))
    }

    /// Plays a scenario of a program.
    pub(crate) fn test(&mut self, program: &Program, name: &str, scenario: &str) -> Result<Tested, Trap> {
        let bytes =
            self.call(|world, store| world.mclive_brain_compiler().call_test(store, program, name, scenario))?;
        postcard::from_bytes(&bytes).map_err(|error| Trap::Fault(format!("its answer cannot be decoded: {error}")))
    }

    pub(crate) fn codes(&mut self) -> Result<Vec<(String, String)>, Trap> {
        self.call(|world, store| world.mclive_brain_compiler().call_codes(store))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_component_imports_nothing() {
        let (engine, component) = image::load().unwrap().unwrap();
        let component_type = component.component_type();
        let imports: Vec<String> = component_type.imports(&engine).map(|(name, _)| name.to_string()).collect();
        assert_eq!(imports, Vec::<String>::new());
    }

    #[test]
    fn bytes_that_are_no_input_are_a_trap_and_not_the_end_of_us() {
        let mut sandbox = Sandbox::start().unwrap();
        let brain = sandbox.call(|world, store| world.mclive_brain_engine().brain().call_constructor(store)).unwrap();
        let trapped =
            sandbox.call(|world, store| world.mclive_brain_engine().brain().call_handle(store, brain, 0, &[255; 9]));
        assert!(trapped.unwrap_err().to_string().contains("nothing was changed"));
    }
}
