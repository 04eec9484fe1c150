//! The `http` family.

pub(crate) mod client;
mod page;
pub(crate) mod server;
pub(crate) mod server_file;
pub(crate) mod server_flag;
pub(crate) mod server_proxy;
pub(crate) mod server_ui;
pub(crate) mod server_ui_input;
mod serving;
