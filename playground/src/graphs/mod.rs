//! The two graphs as pictures: [`layout`] decides where things stand (in the worker), the page's
//! views only draw.

pub mod faces;
pub mod layout;
