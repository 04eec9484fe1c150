//! The two graphs as pictures: [`layout`] computes positions (in the worker), the page's views only draw; [`svg`] makes
//! a file of what they show, [`board`] of views that are rows of text, such as [`pages`] of prose, and [`code`] of a program's
//! text; [`search`] finds vertices, [`reach`] those that depend on each other; [`groups`] folds those of a graph that is too large
//! to be drawn; [`sight`] tells which boxes of one that is drawn have texts, and [`portions`] which of them are drawn before the
//! next frame. `columns` measures texts, whose characters may be wide.

pub mod board;
pub mod code;
mod columns;
pub mod curve;
pub mod faces;
pub mod groups;
pub mod layout;
pub mod pages;
pub mod portions;
pub mod reach;
pub mod search;
pub mod sight;
pub mod svg;
