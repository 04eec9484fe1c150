//! Behaviour of running programs, through the whole compiler.

mod bounds;
mod charges;
mod failures;
mod proportion;
mod random;
mod slices;
mod subgraphs;
