//! Between the page and the worker in which the compiler runs.

pub mod protocol;
