//! [`Brain`]: the state machine of the protocol, as if it were linked.
//!
//! Inputs and outputs cross as postcard bytes of `mclive_base::protocol`'s enums, many per crossing. The agent links
//! that crate for these plain data types alone: bindings would repeat some hundred cases, some of them recursive, which
//! WIT cannot express.

use super::contract::{Report, Shown};
use super::{Sandbox, Trap};
use mclive_base::protocol::{Input, Moment, Output};
use wasmtime::component::ResourceAny;

pub(crate) struct Brain {
    sandbox: Sandbox,
    resource: ResourceAny,
}

impl Brain {
    pub(crate) fn new(mut sandbox: Sandbox) -> Result<Brain, Trap> {
        let resource = sandbox.call(|world, store| world.mclive_brain_engine().brain().call_constructor(store))?;
        Ok(Brain { sandbox, resource })
    }

    /// What prevents a resource graph with the program's present values.
    pub(crate) fn failure(&mut self, shown: &Shown) -> Result<Option<Report>, Trap> {
        let brain = self.resource;
        self.sandbox.call(|world, store| world.mclive_brain_engine().brain().call_failure(store, brain, shown))
    }

    /// Passes in the inputs of this moment in order, and passes on all outputs in order; the last is `Idle` or `Exit`.
    pub(crate) fn step(&mut self, now: Moment, inputs: &[Input], mut wants: impl FnMut(Output)) -> Result<(), Trap> {
        let mut bytes = Vec::new();
        for input in inputs {
            bytes = postcard::to_extend(input, bytes)
                .map_err(|error| Trap::Fault(format!("an input cannot be encoded: {error}")))?;
        }
        let brain = self.resource;
        self.sandbox
            .call(|world, store| world.mclive_brain_engine().brain().call_handle(store, brain, now.0, &bytes))?;
        loop {
            let bytes =
                self.sandbox.call(|world, store| world.mclive_brain_engine().brain().call_poll(store, brain))?;
            let mut rest = bytes.as_slice();
            let mut over = false;
            while !rest.is_empty() {
                let (output, after) = postcard::take_from_bytes::<Output>(rest)
                    .map_err(|error| Trap::Fault(format!("an output cannot be decoded: {error}")))?;
                over = matches!(output, Output::Idle { .. } | Output::Exit { .. });
                wants(output);
                rest = after;
            }
            if over {
                return Ok(());
            }
            if bytes.is_empty() {
                return Err(Trap::Fault("its answer ended unexpectedly".into()));
            }
        }
    }
}
