//! [`Seeker`]: the search for the files of a program. The sandbox keeps the files that it has received, so each is
//! passed once.

use super::contract::{MissingFiles, Program, SourceFile};
use super::{Sandbox, Trap};
use wasmtime::component::ResourceAny;

pub(crate) struct Seeker<'a> {
    sandbox: &'a mut Sandbox,
    resource: ResourceAny,
}

impl Seeker<'_> {
    /// For a program with its first files.
    pub(crate) fn start<'a>(sandbox: &'a mut Sandbox, program: &Program) -> Result<Seeker<'a>, Trap> {
        let resource =
            sandbox.call(|world, store| world.mclive_brain_compiler().seeker().call_constructor(store, program))?;
        Ok(Seeker { sandbox, resource })
    }

    /// Adds files that were found; the result: what else the program needs.
    pub(crate) fn missing(&mut self, found: &[SourceFile]) -> Result<MissingFiles, Trap> {
        let seeker = self.resource;
        self.sandbox.call(|world, store| world.mclive_brain_compiler().seeker().call_missing(store, seeker, found))
    }

    /// Gives the memory of the files back.
    pub(crate) fn end(self) -> Result<(), Trap> {
        self.sandbox.call(|_, store| self.resource.resource_drop(store))
    }
}
