//! Models, lowered to the graphs of their hosts.

mod between;
mod graphs;
mod told;

use mclive_base::source::MemoryWorld;
use mclive_inmanta::export::export_to_lower;
use mclive_inmanta::lower::{Lowered, Lowering};
use mclive_inmanta::{Setup, compile};

/// The graph of a host, or of the only one.
fn lowered(text: &str, host: Option<&str>) -> Result<Lowered, String> {
    let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
    let compilation = compile(&world, "/main.cf", &Setup::default());
    if let Some(fault) = compilation.faults.first() {
        return Err(mclive_inmanta::fault::report(fault, compilation.texts()));
    }
    let exported = export_to_lower(&compilation).map_err(|fault| fault.message)?;
    Lowering::new(&compilation, &exported).host(host).map_err(|fault| fault.message)
}
