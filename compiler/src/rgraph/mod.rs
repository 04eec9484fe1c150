//! The resource graph: from the values of a program to resources and edges, checked, with
//! automatic edges and groups. Engine spec, 3, 4, 11 and 12.

mod graph;

pub use crate::kinds::Meta;
pub use graph::{Edge, Receive, ResGraph, Resource, VertexId};
