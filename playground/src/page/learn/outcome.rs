//! The result of the last check: the hint of the failed part, or the link to the next lesson.

use super::super::icons::{Icon, icon};
use super::super::prose;
use super::super::store::Part;
use crate::shown::as_lines;
use crate::state::share::lesson_fragment;
use crate::state::{LearnShows, Load, Lost, Miss, RELOAD, Verdict};
use yew::prelude::*;

#[component]
pub(super) fn Outcome(props: &Part<LearnShows>) -> Html {
    // The live region exists before it has content, so that the content is read out.
    html! {
        <div class="outcome" role="status">
            {
                match &props.shows.verdict {
                    Verdict::None => html! {},
                    Verdict::Checking(_) => html! { <p class="said"><span class="spinner"></span>{ "Checking…" }</p> },
                    Verdict::Passed { virtual_ms } => passed(&props.shows, *virtual_ms),
                    Verdict::Missed(miss) => missed(miss),
                    Verdict::LeftOut(why) => html! {
                        <div class="said bad">{ icon(Icon::Warn) }<p>{ format!("The check was skipped ({}).", as_lines(why)) }</p></div>
                    },
                    Verdict::Lost(lost) => lost_words(lost),
                }
            }
        </div>
    }
}

fn passed(shows: &LearnShows, virtual_ms: u64) -> Html {
    let (Load::Ready(course), Some(at)) = (&shows.course, &shows.at) else { return html! {} };
    let next = course.position(at).and_then(|at| course.lessons().nth(at + 1));
    html! {
        <div class="said good">
            { icon(Icon::Good) }
            <p><strong>{ "Correct!" }</strong>{ format!(" The check ran your program for {} of simulated time.", length(virtual_ms)) }</p>
            if let Some(next) = next {
                <a class="button primary" href={lesson_fragment(&next.name)}><span>{ "Next lesson" }</span>{ icon(Icon::Forward) }</a>
            } else {
                <p>{ "This was the last lesson." }</p>
            }
        </div>
    }
}

fn missed(miss: &Miss) -> Html {
    let hint = if miss.hint.is_empty() { &miss.why } else { &miss.hint };
    html! {
        <div class="said bad">
            { icon(Icon::Bad) }
            <div>
                <p><strong>{ "Not yet. " }</strong>{ prose::line(&as_lines(hint)) }</p>
                <p class="parts">
                    <meter min="0" max={miss.n_parts.to_string()} value={miss.n_good.to_string()} aria-label="Checks passed"></meter>
                    { format!("{} of {} checks passed", miss.n_good, miss.n_parts) }
                </p>
                <details>
                    <summary>{ "Details" }</summary>
                    <p><code>{ as_lines(&miss.step) }</code></p>
                    <p>{ as_lines(&miss.why) }</p>
                    if !miss.log.is_empty() { <pre tabindex="0">{ as_lines(&miss.log.join("\n")) }</pre> }
                </details>
            </div>
        </div>
    }
}

fn lost_words(lost: &Lost) -> Html {
    let words = match lost {
        Lost::Hung { seconds } => {
            format!(
                "The check was stopped because it did not finish within {seconds} seconds. The program does too much work."
            )
        }
        Lost::Broke { text } => format!("The check could not run: {}", as_lines(text)),
        Lost::Full => "The check was stopped because the program needs more memory than this page may use.".to_owned(),
        Lost::Unloaded { text } => {
            format!("The check could not run because the compiler could not be loaded: {text}. {RELOAD}")
        }
    };
    html! { <div class="said bad">{ icon(Icon::Warn) }<p>{ words }</p></div> }
}

/// A duration in words: `1 h 12 min`.
fn length(ms: u64) -> String {
    let seconds = ms / 1000;
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0, seconds) => format!("{seconds} s"),
        (0, 0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (0, hours, minutes, _) => format!("{hours} h {minutes} min"),
        (1, hours, ..) => format!("1 day {hours} h"),
        (days, hours, ..) => format!("{days} days {hours} h"),
    }
}
