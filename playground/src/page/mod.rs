//! The page: Yew components that show the [`Model`](crate::state::Model) and send [`Action`](crate::state::Action)s.
//! All decisions are in `state`; here is the code that needs a browser.

mod address;
mod app;
mod browser;
mod client;
mod compare;
mod compare_graphs;
mod dialog;
mod effects;
mod files;
mod fleet;
mod frame;
mod from_link;
mod graph_list;
mod graph_view;
mod header;
mod heard;
mod history;
mod host;
mod host_files;
mod host_picture;
mod icons;
mod inspector;
mod key_labels;
mod keys;
mod lanes;
mod learn;
mod links;
mod log;
mod log_rows;
mod memory;
mod menu;
mod panels;
mod picture;
mod portions;
mod problems;
mod programs;
mod prose;
mod qr;
mod resource_faces;
mod saving;
mod store;
mod stored;
mod tabs;
mod time_line;
mod transport;
mod versions;
mod views;
mod world;
mod world_add;

/// Mounts the app in the shell.
pub fn start() {
    let Some(root) = browser::element("app") else { return };
    root.set_text_content(None);
    yew::Renderer::<app::App>::with_root(root).render();
}
