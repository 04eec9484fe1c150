//! The differences between a kept moment and the displayed one.

use super::compare_graphs::Compared;
use super::icons::{Icon, icon, phase_look};
use super::picture::Pictures;
use super::store::Dispatch;
use super::transport::stamp;
use super::views::empty;
use crate::graphs::board::{Board, Part};
use crate::shown::{as_label, as_lines};
use crate::state::{Action, Difference, HostMoment, Shared, Values, differences};
use yew::prelude::*;

/// The maximum number of differences of a group that are listed; the others are counted. Two programs may have nothing
/// in common.
const MAX_LISTED: usize = 200;

#[derive(Properties, PartialEq, Clone)]
pub(super) struct ChangesProps {
    pub(super) dispatch: Dispatch,
    pub(super) kept: Option<Shared<HostMoment>>,
    pub(super) now: HostMoment,
}

#[component]
pub(super) fn Changes(props: &ChangesProps) -> Html {
    let ChangesProps { dispatch, kept, now } = props;
    let keep = |words: &str| {
        html! { <button class="button" onclick={dispatch.on(Action::Keep(true))}>{ icon(Icon::Clock) }{ words.to_owned() }</button> }
    };
    let Some(kept) = kept else {
        return html! {
            <div class="world differences" tabindex="0" role="group" aria-label="Changes">
                { empty(
                    Icon::Clock,
                    "No moment to compare with",
                    "Keep this moment, then go to another one or show another host: the differences are listed here.",
                ) }
                <p class="keep">{ keep("Keep this moment") }</p>
            </div>
        };
    };
    let draw = {
        let (kept, now) = (kept.clone(), now.clone());
        Callback::from(move |()| picture(&kept, &now))
    };
    let all = differences(kept, now, |phase| phase_look(phase).2);
    let groups = all.chunk_by(|one, other| one.group == other.group);
    html! {
        <div class="world differences" tabindex="0" role="group" aria-label="Changes">
            <p class="keep">
                <span>{ moment(kept) }{ " → " }{ moment(now) }</span>
                { keep("Keep this moment instead") }
                if kept.program.is_some() {
                    <button class="button" onclick={dispatch.on(Action::Rerun)}
                        title="Repeat everything you did up to the displayed moment with the program of the kept moment, and compare the hosts">
                        { icon(Icon::Restart) }{ "Run the kept program over the same events" }
                    </button>
                }
                <button class="button" onclick={dispatch.on(Action::Keep(false))}>{ "Forget" }</button>
                <Pictures dispatch={dispatch.clone()} what="changes" name="changes" {draw} />
            </p>
            if all.is_empty() {
                <p class="none">{ "No differences." }</p>
            }
            <Compared dispatch={dispatch.clone()} kept={kept.clone()} now={now.clone()} />
            if !kept.is_comparable(now) {
                <p class="none">{ "To compare the function graphs, set “All vertices” to its value in the kept moment." }</p>
            }
            { for groups.map(section) }
        </div>
    }
}

/// The differences as a picture.
fn picture(kept: &HostMoment, now: &HostMoment) -> Board {
    let all = differences(kept, now, |phase| phase_look(phase).2);
    let row = |one: &Difference| {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        let field = |of: &Values| format!("{}: {} → {}", of.name, value(&of.before), value(&of.after));
        let (how, colour) = how(one);
        let fields: Vec<String> = std::iter::once(how.to_owned()).chain(one.fields.iter().map(field)).collect();
        Part::Row { name: one.name.clone(), text: fields.join(", "), colour: Some(colour) }
    };
    let section = |all: &[Difference]| {
        let heading = Part::Heading(all[0].group.clone());
        std::iter::once(heading).chain(all.iter().map(row)).collect::<Vec<Part>>()
    };
    let parts = all.chunk_by(|one, other| one.group == other.group).flat_map(section).collect();
    let from = format!("{} at {}{}", kept.host, stamp(kept.at_ms), with_program(kept));
    Board { title: format!("{from} → {} at {}", now.host, stamp(now.at_ms)), parts }
}

/// How a thing differs: a word, and the name of its colour.
fn how(one: &Difference) -> (&'static str, &'static str) {
    match one.exists {
        (true, false) => ("removed", "bad"),
        (false, true) => ("added", "good"),
        (true, true) | (false, false) => ("changed", "warn"),
    }
}

fn moment(kept: &HostMoment) -> Html {
    let with = with_program(kept);
    html! { <><strong>{ as_label(&kept.host) }</strong>{ " at " }<time>{ stamp(kept.at_ms) }</time>{ with }</> }
}

/// The note on a repetition after its moment.
fn with_program(kept: &HostMoment) -> &'static str {
    if kept.is_rerun { " with the kept program" } else { "" }
}

fn section(all: &[Difference]) -> Html {
    let n_more = all.len().saturating_sub(MAX_LISTED);
    html! {
        <section key={all[0].group.clone()}>
            <h2>{ as_label(&all[0].group) }</h2>
            <ul>{ for all.iter().take(MAX_LISTED).map(entry) }</ul>
            if n_more > 0 {
                <p class="none">{ format!("{n_more} more not shown") }</p>
            }
        </section>
    }
}

fn entry(one: &Difference) -> Html {
    let (how, _) = how(one);
    html! {
        <li key={one.name.clone()} data-how={how}>
            <strong>{ as_label(&one.name) }</strong>
            <div class="fields">{ for one.fields.iter().map(field) }</div>
            <span class="how">{ how }</span>
        </li>
    }
}

/// A value, with a line break after each escaped one.
fn text(value: &str) -> String {
    as_lines(value).replace('\n', "\\n\n").trim_end_matches('\n').to_owned()
}

fn field(values: &Values) -> Html {
    html! {
        <span class="values">
            <span>{ format!("{} ", as_label(&values.name)) }</span>
            if let Some(before) = &values.before {
                <del>{ text(before) }</del>
            }
            if let Some(after) = &values.after {
                <ins>{ text(after) }</ins>
            }
        </span>
    }
}
