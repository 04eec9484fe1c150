//! The files of a host as a list. Of a long one, a portion is drawn before each frame, and later only the rows that change.

use super::icons::{Icon, icon};
use super::portions::use_rows;
use super::store::Dispatch;
use crate::shown::as_label;
use crate::state::{Action, Shared};
use mclive_base::shapes::host::{HostFile, HostFileKind};
use yew::prelude::*;

/// The cost of drawing a row ([`crate::graphs::portions`]).
const COST: usize = 3;

#[derive(Properties, PartialEq, Clone)]
pub(super) struct TreeProps {
    pub(super) dispatch: Dispatch,
    pub(super) files: Shared<Vec<HostFile>>,
    /// The path of the displayed file.
    pub(super) shown: Option<String>,
}

#[component]
pub(super) fn Tree(props: &TreeProps) -> Html {
    let n_rows = use_rows(props.files.len(), COST);
    let entry = |file: &HostFile| {
        let is_shown = props.shown.as_ref() == Some(&file.path);
        html! {
            <Entry key={file.path.clone()} dispatch={props.dispatch.clone()} path={file.path.clone()} kind={file.kind} {is_shown} />
        }
    };
    html! { <ul class="tree" aria-label="Files">{ for props.files.iter().take(n_rows).map(entry) }</ul> }
}

#[derive(Properties, PartialEq, Clone)]
struct EntryProps {
    dispatch: Dispatch,
    path: AttrValue,
    kind: HostFileKind,
    is_shown: bool,
}

#[component]
fn Entry(props: &EntryProps) -> Html {
    let EntryProps { dispatch, path, kind, is_shown } = props;
    let pick = dispatch.on::<MouseEvent>(Action::ShowFile(path.to_string()));
    let depth = path.trim_end_matches('/').matches('/').count().saturating_sub(1).min(6);
    let name = as_label(path.trim_end_matches('/').rsplit('/').next().unwrap_or(path));
    let shape = match kind {
        HostFileKind::File => Icon::File,
        HostFileKind::Dir => Icon::Folder,
        HostFileKind::Link => Icon::Link,
    };
    html! {
        <li>
            <button class={classes!("entry", format!("depth-{depth}"))} onclick={pick} aria-current={is_shown.then_some("true")} title={as_label(path)}>
                { icon(shape) }<span>{ if name.is_empty() { "/".to_owned() } else { name } }</span>
            </button>
        </li>
    }
}
