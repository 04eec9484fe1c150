//! The playground: a page (Yew) and the workers in which the compiler runs.
//!
//! The page's state, the layout of graphs, the texts and the messages need no browser and are tested natively. Feature
//! `page` adds the components; `worker` and `models` are separate wasm modules.

pub mod course;
pub mod examples;
pub mod graphs;
pub mod keyboard;
#[cfg(feature = "page")]
pub mod page;
pub mod prose;
#[cfg(any(feature = "page", feature = "session"))]
mod rest;
pub mod shown;
pub mod state;
pub mod worker;

#[cfg(any(feature = "page", feature = "session"))]
pub use rest::load_rest;
