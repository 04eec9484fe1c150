//! The model: the instances of a compilation, and their relations. With partial exports, a program has several
//! ([`Model`]), which are shown one after the other: an instance of one of them does not belong to the others, even if
//! they have the same name.

mod dot;
mod json;
mod left;
mod names;
mod picture;
mod text;
mod view;

pub use dot::dot;
pub use json::graph;
pub use left::Model;
pub use names::{Names, quoted};
pub use picture::picture;
pub use text::text;
pub use view::{Member, View};
