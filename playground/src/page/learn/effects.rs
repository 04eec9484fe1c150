//! Side effects of the lessons: loads the course, sets the address, stores the progress, and checks programs.

use super::super::address;
use super::super::browser;
use super::super::client::Client;
use super::super::store::Dispatch;
use crate::course::Course;
use crate::state::share::{is_lesson, lesson_fragment};
use crate::state::{Action, Learning, Load, Lost, Model, Progress, Shared, Verdict, View};
use crate::worker::protocol::Answer;
use std::collections::BTreeSet;
use yew::platform::spawn_local;
use yew::prelude::*;

/// Loads the course with the first lesson, and keeps address and storage in sync with the model.
#[hook]
pub(in super::super) fn use_lessons(model: &Model, dispatch: &Dispatch) {
    let wanted = model.learn.at.is_some() && model.learn.course == Load::Not;
    let sender = dispatch.clone();
    use_effect_with(wanted, move |wanted| {
        if *wanted {
            spawn_local(async move {
                let loaded = browser::load_lessons::<Course>().await;
                let loaded = loaded.map(|course| {
                    let progress = recalled(&course);
                    (Shared::new(course), progress)
                });
                sender.send(Action::Learn(Learning::Loaded(loaded)));
            });
        }
    });
    let (at, sender) = (model.learn.at.clone(), dispatch.clone());
    let was_open = use_mut_ref(|| false);
    use_effect_with(at, move |at| {
        let was_open = was_open.replace(at.is_some());
        let now = address::known();
        match at.as_deref() {
            Some("") => {}
            Some(name) => {
                let fragment = lesson_fragment(name);
                // The next lesson is known by now; that adds no history entry.
                match now.as_deref() {
                    Some(same) if same == fragment => {}
                    Some("#learn") => address::replace(&fragment),
                    Some(_) => address::push(&fragment),
                    None => {}
                }
                if browser::is_small() {
                    sender.send(Action::Show(View::Lesson));
                }
            }
            // The page has just opened and does not know its lesson yet.
            None if was_open && now.is_some_and(|now| is_lesson(&now)) => address::push("./"),
            None => {}
        }
    });
    let (progress, ready) = (model.learn.progress.clone(), matches!(model.learn.course, Load::Ready(_)));
    use_effect_with((progress, ready), |(progress, ready)| {
        if *ready {
            browser::remember("learn.done", &progress.done.iter().cloned().collect::<Vec<_>>().join(" "));
            browser::remember("learn.last", &progress.last);
        }
    });
    // The program of the open lesson, at each pause in typing; and all programs, if they come from a file.
    let draft = model.lesson().map(|lesson| {
        let text = model.learn.mine.clone().unwrap_or_else(|| model.text().clone());
        let is_start = *lesson.start == *text;
        (lesson.name.clone(), (!is_start).then_some(text))
    });
    use_effect_with((model.settled, draft), |(_, draft)| {
        if let Some((name, text)) = draft {
            keep(name, text.as_deref());
        }
    });
    let model_course = model.learn.course.clone();
    let progress = model.learn.progress.clone();
    use_effect_with(model.learn.n_replaced, move |n_replaced| {
        if let (Load::Ready(course), true) = (model_course, *n_replaced > 0) {
            course
                .lessons()
                .for_each(|lesson| keep(&lesson.name, progress.drafts.get(&lesson.name).map(String::as_str)));
        }
    });
}

/// Stores the program of a lesson, or removes it.
fn keep(lesson: &str, text: Option<&str>) {
    let name = format!("lesson.{lesson}");
    match text {
        Some(text) => browser::remember(&name, text),
        None => browser::forget(&name),
    }
}

/// The progress stored in this browser.
fn recalled(course: &Course) -> Progress {
    let done = browser::recall("learn.done").unwrap_or_default();
    let known = |name: &str| course.find(name).is_some();
    let drafts = course.lessons().filter_map(|lesson| {
        let text = browser::recall(&format!("lesson.{}", lesson.name))?;
        Some((lesson.name.clone(), text))
    });
    Progress {
        done: done.split(' ').filter(|name| known(name)).map(str::to_owned).collect::<BTreeSet<_>>(),
        last: browser::recall("learn.last").unwrap_or_default(),
        drafts: drafts.collect(),
    }
}

/// Checks programs in a separate worker, which starts with the first lesson: a program that hangs there is terminated,
/// and the host beside the editor continues.
#[hook]
pub(in super::super) fn use_judge(model: &Model, dispatch: &Dispatch) {
    let judge = use_memo((), |()| Client::lazy("judge"));
    let warmed = judge.clone();
    use_effect_with(model.lesson().is_some(), move |open| {
        if *open {
            // It loads while the lesson is read.
            spawn_local(async move { warmed.warm().await });
        }
    });
    let asked = match &model.learn.verdict {
        Verdict::Checking(request) => Some((model.learn.n_checks, request.clone())),
        _ => None,
    };
    use_stage(model, dispatch, &judge);
    let dispatch = dispatch.clone();
    use_effect_with(asked, move |asked| {
        let Some((number, request)) = asked.clone() else { return };
        spawn_local(async move {
            let outcome = match judge.ask((*request).clone()).await {
                Ok(Answer::Judged(tested)) => Ok(*tested),
                Ok(Answer::Declined { why }) => Err(Lost::Broke { text: why }),
                Ok(_) => Err(Lost::Broke { text: "unexpected response".into() }),
                Err(lost) => Err(lost),
            };
            dispatch.send(Action::Learn(Learning::Judged(number, outcome)));
        });
    });
}

/// Plays the displayed scenario whenever requested.
#[hook]
fn use_stage(model: &Model, dispatch: &Dispatch, judge: &Client) {
    let asked = model.rehearsal();
    let (dispatch, judge) = (dispatch.clone(), judge.clone());
    // Later changes of the program get the next number.
    use_effect_with(asked.as_ref().map(|(number, _)| *number), move |_| {
        let Some((number, request)) = asked else { return };
        spawn_local(async move {
            let outcome = match judge.ask(request).await {
                Ok(Answer::Rehearsed { tested, cues }) => Ok((*tested, cues)),
                Ok(_) => Err(Lost::Broke { text: "unexpected response".into() }),
                Err(lost) => Err(lost),
            };
            dispatch.send(Action::Rehearsed(number, outcome));
        });
    });
}
