//! The page: Yew components that show the [`Model`](crate::state::Model) and send
//! [`Action`](crate::state::Action)s. All that decides is in `state`; here is what only a browser
//! can do.

mod address;
mod app;
mod browser;
mod client;
mod effects;
mod files;
mod graph_view;
mod header;
mod host;
mod icons;
mod inspector;
mod keys;
mod learn;
mod log;
mod panels;
mod problems;
mod prose;
mod store;
mod transport;
mod views;

/// Starts the app in the shell's place for it.
pub fn start() {
    let Some(root) = browser::element("app") else { return };
    root.set_text_content(None);
    yew::Renderer::<app::App>::with_root(root).render();
}
