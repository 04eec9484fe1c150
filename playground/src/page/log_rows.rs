//! Rows of the log, in chunks: in a busy program, all of them change each second.

use super::icons::icon;
use super::log::{because, diff, look, plain, time};
use super::store::Dispatch;
use crate::graphs::portions::Urgency;
use crate::shown::as_label;
use crate::state::{Action, Chain, Moments, Selection, Shared, View, log};
use mclive_base::shapes::host::{LogLine, Tone};
use std::collections::VecDeque;
use std::rc::Rc;
use web_sys::HtmlElement;
use yew::prelude::*;

/// The number of rows that are drawn together.
pub(super) const CHUNK: usize = 25;

/// The cost of updating a row, and the additional cost of a new one ([`crate::graphs::portions`]).
const CHANGED: usize = 4;
const MADE: usize = 4;

#[derive(Properties, Clone)]
pub(super) struct RowsProps {
    pub(super) dispatch: Dispatch,
    /// The list.
    pub(super) place: NodeRef,
    pub(super) log: Shared<VecDeque<LogLine>>,
    pub(super) rows: Rc<[log::Row]>,
    /// The number of rows before them.
    pub(super) first: usize,
    pub(super) chain: Shared<Chain>,
    pub(super) moments: Shared<Moments>,
}

impl RowsProps {
    /// Each row's line, and the number of lines that it represents.
    fn lines(&self) -> impl Iterator<Item = (&LogLine, usize)> {
        self.rows.iter().filter_map(|row| Some((self.log.get(row.at)?, row.n)))
    }
}

/// Each new line makes a new log, in which these rows may be unchanged.
impl PartialEq for RowsProps {
    fn eq(&self, other: &RowsProps) -> bool {
        let is_same = self.first == other.first && self.chain == other.chain && self.moments == other.moments;
        is_same && self.place == other.place && self.dispatch == other.dispatch && self.lines().eq(other.lines())
    }
}

/// The rows at the end are read first.
pub(super) fn weighed(at: usize, n_chunks: usize, before: Option<&RowsProps>, wanted: &RowsProps) -> (Urgency, usize) {
    let urgency = if at + 2 >= n_chunks { Urgency::Seen } else { Urgency::Unseen };
    let made = if before.is_none() { MADE } else { 0 };
    (urgency, wanted.rows.len() * (CHANGED + made))
}

#[component]
pub(super) fn Rows(props: &RowsProps) -> Html {
    props.lines().zip(props.first..).map(|((line, n), index)| row(props, index, line, n)).collect()
}

fn row(props: &RowsProps, index: usize, line: &LogLine, n: usize) -> Html {
    let select = line.resource.clone().map(|id| {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_: MouseEvent| {
            dispatch.send(Action::Select(Some(Selection::Resource(id.clone()))));
            dispatch.send(Action::Show(View::Resources));
        })
    });
    let undo = (line.tone == Tone::Player && line.step > 0).then(|| {
        let (dispatch, place, step) = (props.dispatch.clone(), props.place.clone(), line.step);
        Callback::from(move |_: MouseEvent| {
            dispatch.send(Action::TakeBack(step));
            // The button disappears with its row.
            if let Some(list) = place.cast::<HtmlElement>() {
                let _ = list.focus();
            }
        })
    });
    let (class, shape) = look(line.tone);
    let led = props.moments.is_at(&props.chain, line).then_some("led");
    html! {
        <li key={index} class={classes!(class, led)}>
            { time(&props.dispatch, line) }
            { icon(shape) }
            <div class="words">
                if let (Some(id), Some(select)) = (&line.resource, select) { <button class="link" onclick={select}>{ as_label(id) }</button>{ " " } }
                <span>{ plain(&line.text) }</span>
                if n > 1 { <span class="badge" title={format!("{n} times; this is the last one")}>{ format!("×{n}") }</span> }
                if let Some(undo) = undo { { " " }<button class="link" onclick={undo} title="Undo this: see what would have happened without it">{ "Undo" }</button> }
                { because(line) }
                { line.diff.as_deref().map(diff) }
            </div>
        </li>
    }
}
