//! The crossing shapes: diagnostics, graphs, models, the simulated host, and what an editor asks, as versioned plain
//! data.
//!
//! Their JSON text, by [`to_json`], is byte for byte the same natively, in the component and in the browser. The
//! published schemas in `compiler/schema/` are generated from these types; a test keeps them equal. Displaying these
//! shapes needs no other crate of the compiler.
//!
//! Within one [`VERSION`] fields are only added. Offsets are UTF-8 bytes; lines and columns count from 1, columns in
//! code points.

mod diagnostics;
pub mod editor;
mod graphs;
pub mod host;
mod model;
mod run;
pub mod scenario;

pub use diagnostics::{Diagnostic, Diagnostics, Edit, Label, Place, Severity};
pub use graphs::{
    Field, FunctionEdge, FunctionGraph, FunctionVertex, HostGraph, HostGraphs, Reads, ResourceEdge, ResourceGraph,
    ResourceVertex,
};
pub use model::{Instance, ModelGraph};
pub use run::{RunChange, RunEvent, RunLine, RunPhase, RunStep};

use serde::Serialize;

/// The version of every shape here; incremented when a field is removed or changes its meaning.
pub const VERSION: u32 = 1;

/// The JSON text of a shape, on one line: the same spelling everywhere.
pub fn to_json<T: Serialize>(shape: &T) -> String {
    // These shapes hold only strings, numbers and lists, so serialising cannot fail.
    serde_json::to_string(shape).expect("a crossing shape is plain data")
}
