//! The playground: a page (Yew) and the worker in which the compiler runs.
//!
//! The page's state, the layout of graphs and the messages need no browser and are tested
//! natively. Feature `page` adds the components, feature `worker` the compiler's desk; each is a
//! wasm module of its own.

pub mod examples;
pub mod graphs;
#[cfg(feature = "page")]
pub mod page;
pub mod state;
pub mod worker;
