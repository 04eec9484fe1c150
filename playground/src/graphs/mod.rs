//! The two graphs as pictures: [`layout`] computes positions (in the worker), the page's views only draw; [`svg`] makes
//! a file of what they show; [`search`] finds vertices.

pub mod curve;
pub mod faces;
pub mod layout;
pub mod search;
pub mod svg;
