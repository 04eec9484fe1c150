//! The core function library: every builtin function, constant and variable, one definition each.
//!
//! Definitions are data: inference reads the signature, the engine runs the body, docs, hover and
//! completion are made from the same entry. Functions know types and values, never the tree, the
//! engine or the scheduler.

pub mod def;

pub use def::{Args, CallSite, Example, FnDef, FnError, IterShape, KnownArg, Run, Shape, Sig, World};
