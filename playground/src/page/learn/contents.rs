//! The list of all lessons by chapter, with the completed ones, and actions on the progress.

use super::super::browser;
use super::super::icons::{Icon, icon};
use super::super::store::Part;
use crate::course::{Chapter, Lesson};
use crate::state::share::lesson_fragment;
use crate::state::{LearnShows, Learning, Load, Progress};
use yew::prelude::*;

#[component]
pub(super) fn Contents(props: &Part<LearnShows>) -> Html {
    let Part { dispatch, shows } = props;
    let asks = use_state(|| false);
    let Load::Ready(course) = &shows.course else { return html! {} };
    let close = dispatch.learn::<MouseEvent>(Learning::List(false));
    let lesson = |lesson: &Lesson| {
        let is_here = shows.at.as_deref() == Some(&lesson.name);
        let done = shows.progress.done.contains(&lesson.name);
        html! {
            <li key={lesson.name.clone()}>
                <a href={lesson_fragment(&lesson.name)} aria-current={is_here.then_some("page")} class={done.then_some("done")} onclick={close.clone()}>
                    <span class="mark">{ if done { icon(Icon::Good) } else { icon(Icon::Dot) } }</span>
                    { &lesson.title }
                    if done { <span class="sr">{ " (done)" }</span> }
                </a>
            </li>
        }
    };
    let chapter = |(number, chapter): (usize, &Chapter)| {
        let done = chapter.lessons.iter().filter(|lesson| shows.progress.done.contains(&lesson.name)).count();
        html! {
            <section key={number}>
                <h2>{ format!("{number}. {}", chapter.title) }<span class="count">{ format!("{done} / {}", chapter.lessons.len()) }</span></h2>
                <p>{ &chapter.about }</p>
                <ol>{ for chapter.lessons.iter().map(lesson) }</ol>
            </section>
        }
    };
    let export = {
        let progress = shows.progress.clone();
        Callback::from(move |_: MouseEvent| browser::save_progress(&progress))
    };
    let import = {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.pick_files())
    };
    let ask = |value: bool| {
        let asks = asks.clone();
        Callback::from(move |_: MouseEvent| asks.set(value))
    };
    let forget = {
        let (asks, dispatch) = (asks.clone(), dispatch.clone());
        Callback::from(move |_: MouseEvent| {
            asks.set(false);
            dispatch.send(crate::state::Action::Learn(Learning::Replace(Progress::default())));
        })
    };
    html! {
        <nav class="contents" aria-label="All lessons" tabindex="0">
            { for (1..).zip(&course.chapters).map(chapter) }
            <section class="progress">
                <h2>{ "Your progress" }</h2>
                <p>{ "Your progress is stored in this browser. Export it to continue in another browser." }</p>
                <p class="choices">
                    <button class="button" onclick={export}>{ "Export" }</button>
                    <button class="button" onclick={import}>{ "Import…" }</button>
                    if *asks {
                        <span>{ "Delete all your progress?" }</span>
                        <button class="button danger" onclick={forget}>{ "Delete" }</button>
                        <button class="button" onclick={ask(false)}>{ "Cancel" }</button>
                    } else {
                        <button class="button" onclick={ask(true)}>{ "Start over…" }</button>
                    }
                </p>
            </section>
        </nav>
    }
}
