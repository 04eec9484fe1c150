//! Names to definitions. In: the entry module and a [`World`](crate::source::World) to load imports
//! from. Out: [`Linked`], in which every use points at its definition.

pub mod linked;

pub use linked::Linked;
