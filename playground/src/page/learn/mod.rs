//! The lesson next to the program: its text and task, the check, hints, and navigation.

mod contents;
mod effects;
mod outcome;
mod picture;
mod progress;
mod welcome;

pub(super) use effects::{use_judge, use_lessons};
pub(super) use welcome::Welcome;

use super::icons::{Icon, icon};
use super::key_labels::{is_mac, labels};
use super::picture::Pictures;
use super::prose;
use super::store::{Dispatch, Part};
use crate::course::{Course, Lesson};
use crate::prose::blocks;
use crate::state::share::lesson_fragment;
use crate::state::{Action, LearnShows, Learning, Load, RELOAD, Verdict};
use contents::Contents;
use outcome::Outcome;
use yew::prelude::*;

impl Dispatch {
    /// A callback that sends an action about lessons, whatever the event was.
    fn learn<E>(&self, action: Learning) -> Callback<E> {
        self.on(Action::Learn(action))
    }
}

/// The panel; empty in the playground.
#[component]
pub(super) fn Panel(props: &Part<LearnShows>) -> Html {
    let Part { dispatch, shows } = props;
    let Some(at) = &shows.at else { return html! {} };
    let open = match &shows.course {
        Load::Ready(course) => course.find(at).map(|lesson| (course, lesson)),
        Load::Failed(why) => return html! { <Frame>{ failed(dispatch, at, why) }</Frame> },
        Load::Not => None,
    };
    let Some((course, lesson)) = open else {
        return html! {
            <Frame><div class="empty" role="status"><span class="spinner"></span><p>{ "Loading the lessons…" }</p></div></Frame>
        };
    };
    html! {
        <Frame>
            { bar(dispatch, shows, course, lesson) }
            if shows.lists {
                <Contents ..props.clone() />
            } else {
                <Text key={lesson.name.clone()} dispatch={dispatch.clone()} shows={shows.clone()} />
                <div class="lesson-foot">
                    <Outcome ..props.clone() />
                    { buttons(dispatch, shows, lesson) }
                </div>
            }
        </Frame>
    }
}

#[derive(Properties, PartialEq)]
struct FrameProps {
    children: Html,
}

#[component]
fn Frame(props: &FrameProps) -> Html {
    html! { <section class="lesson" aria-label="Lesson">{ props.children.clone() }</section> }
}

/// Shown if lessons could not be loaded.
fn failed(dispatch: &Dispatch, at: &str, why: &str) -> Html {
    html! {
        <div class="empty" role="alert">
            { icon(Icon::Warn) }
            <h2>{ "Cannot load the lessons" }</h2>
            <p>{ format!("{why}. Lessons are downloaded the first time you open them. {RELOAD}") }</p>
            <p class="choices">
                <button class="button primary" onclick={dispatch.learn(Learning::Open(at.to_owned()))}>{ "Try again" }</button>
                <button class="button" onclick={dispatch.learn(Learning::Leave)}>{ "Back to the playground" }</button>
            </p>
        </div>
    }
}

/// The current position, the list of all lessons, and the link to the next one.
fn bar(dispatch: &Dispatch, shows: &LearnShows, course: &Course, lesson: &Lesson) -> Html {
    let (at, all) = (course.position(&lesson.name).unwrap_or(0), course.lessons().count());
    let (number, title) = match course.chapter_of(&lesson.name) {
        Some((number, chapter, _)) => (number, chapter.title.as_str()),
        None => (0, ""),
    };
    let to = |at: Option<usize>, label: &'static str, keys: &str, shape: Icon| {
        let lesson = at.and_then(|at| course.lessons().nth(at));
        match lesson {
            Some(lesson) => html! {
                <a class="button only-icon plain" href={lesson_fragment(&lesson.name)} aria-label={format!("{label}: {}", lesson.title)}
                    title={format!("{label}: {} ({})", lesson.title, labels(keys))}>{ icon(shape) }</a>
            },
            None => {
                html! { <button class="button only-icon plain" disabled={true} aria-label={label}>{ icon(shape) }</button> }
            }
        }
    };
    let done = shows.progress.done.len().min(all);
    html! {
        <>
            <div class="lesson-bar">
                <button class="button plain where" aria-expanded={shows.lists.to_string()} onclick={dispatch.learn(Learning::List(!shows.lists))}
                    title="All lessons">
                    { icon(Icon::List) }
                    <span class="where-words"><span class="chapter">{ format!("{number}. {title}") }</span></span>
                    <span class="count">{ format!("{} / {all}", at + 1) }</span>{ icon(Icon::Caret) }
                </button>
                <div class="space"></div>
                { to(at.checked_sub(1), "Previous lesson", "Alt+PageUp", Icon::Back) }
                { to(Some(at + 1), "Next lesson", "Alt+PageDown", Icon::Forward) }
                <button class="button only-icon plain" onclick={dispatch.learn(Learning::Leave)} aria-label="Back to the playground" title="Back to the playground">
                    { icon(Icon::Close) }
                </button>
            </div>
            <progress class="course-done" max={all.to_string()} value={done.to_string()} aria-label="Lessons done"
                title={format!("{done} of {all} lessons done")}></progress>
        </>
    }
}

/// The text. A new lesson is scrolled to its top, and its title gets the focus.
#[component]
fn Text(props: &Part<LearnShows>) -> Html {
    let title = use_node_ref();
    {
        let title = title.clone();
        use_effect_with((), move |()| {
            // An input in use keeps the focus.
            let idle = super::browser::focus_is_idle();
            if let Some(title) = title.cast::<web_sys::HtmlElement>().filter(|_| idle) {
                let _ = title.focus();
            }
        });
    }
    let (Load::Ready(course), Some(at)) = (&props.shows.course, &props.shows.at) else { return html! {} };
    let Some(lesson) = course.find(at) else { return html! {} };
    let hints: Vec<&str> = lesson.help().take(props.shows.n_hints).collect();
    let all = lesson.help().count();
    let draw = {
        let (lesson, n_hints) = (lesson.clone(), hints.len());
        Callback::from(move |()| picture::board(&lesson, n_hints))
    };
    html! {
        <div class="lesson-text" tabindex="0" role="region" aria-label="Lesson text">
            <h2 ref={title} tabindex="-1">
                { &lesson.title }
                if props.shows.progress.done.contains(&lesson.name) {
                    <span class="is-done">{ icon(Icon::Good) }<span class="sr">{ " (done)" }</span></span>
                }
            </h2>
            <div class="prose">{ prose::page(&blocks(&lesson.text)) }</div>
            <div class="task"><h3>{ "Task" }</h3><div class="prose">{ prose::page(&blocks(&lesson.task)) }</div></div>
            if !hints.is_empty() {
                <div class="hints" role="status">
                    <h3>{ format!("Hints ({} of {all})", hints.len()) }</h3>
                    <ol class="prose">{ for hints.iter().map(|hint| html! { <li>{ prose::line(hint) }</li> }) }</ol>
                </div>
            }
            if !lesson.see.is_empty() {
                <p class="see">
                    { "Reference: " }
                    { for lesson.see.iter().map(|entry| html! {
                        <a href={format!("reference.html#{}", entry.anchor)} target="_blank"><code>{ &entry.title }</code></a>
                    }) }
                </p>
            }
            <Pictures dispatch={props.dispatch.clone()} what="lesson" name={format!("lesson-{}", lesson.name.replace('/', "-"))} {draw} />
        </div>
    }
}

/// The actions of a lesson.
fn buttons(dispatch: &Dispatch, shows: &LearnShows, lesson: &Lesson) -> Html {
    let checking = matches!(shows.verdict, Verdict::Checking(_));
    let passed = matches!(shows.verdict, Verdict::Passed { .. });
    let shortcut = if is_mac() { "Meta+Shift+Enter" } else { "Control+Shift+Enter" };
    let solution = if shows.solved { "My program" } else { "Solution" };
    html! {
        <div class="lesson-buttons">
            <button class={classes!("button", (!passed).then_some("primary"))} onclick={dispatch.learn(Learning::Check)} disabled={checking}
                title={format!("Check the program ({})", labels("Mod+Shift+Enter"))} aria-keyshortcuts={shortcut}>
                { icon(Icon::Good) }<span>{ "Check" }</span>
            </button>
            <button class="button" onclick={dispatch.learn(Learning::Hint)} disabled={shows.n_hints >= lesson.help().count()}>{ "Hint" }</button>
            <button class="button" onclick={dispatch.learn(Learning::Solution)} aria-pressed={shows.solved.to_string()}>{ solution }</button>
            <button class="button" onclick={dispatch.learn(Learning::Reset)} disabled={shows.is_start}
                title="Reset to the lesson's program; use undo to restore yours">{ "Reset" }</button>
        </div>
    }
}
