//! The model: the instances that a compile came to, and how they hang together.

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
