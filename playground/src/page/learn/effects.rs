//! Side effects of the lessons: loads the course, sets the address, and checks programs.

use super::super::address;
use super::super::browser;
use super::super::client::Client;
use super::super::store::Dispatch;
use super::progress::{recalled, use_progress};
use crate::course::Course;
use crate::state::share::{is_lesson, lesson_fragment};
use crate::state::{Action, Learning, Load, Lost, Model, Shared, Verdict, View};
use crate::worker::protocol::Answer;
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
    use_progress(model, dispatch);
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
