//! The model: the instances of a compilation, and their relations.

mod dot;
mod json;
mod names;
mod picture;
mod text;
mod view;

pub use dot::dot;
pub use json::graph;
pub use names::{Names, quoted};
pub use picture::picture;
pub use text::text;
pub use view::{Member, View};
