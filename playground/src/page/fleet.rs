//! The fleet: a card for each host with its health; the selected host is shown by all views.

use super::icons::{Icon, icon};
use super::store::Part;
use crate::shown::{as_label, as_lines};
use crate::state::Action;
use crate::state::shows::FleetShows;
use mclive_base::shapes::host::{HostCard, HostHealth};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

/// The room beside a card that is scrolled to. Units: pixels.
const EDGE: i32 = 10;

#[component]
pub(super) fn Fleet(props: &Part<FleetShows>) -> Html {
    let Part { dispatch, shows } = props;
    let list = use_node_ref();
    {
        let list = list.clone();
        use_effect_with(shows.host.clone(), move |_| {
            if let Some(list) = list.cast::<HtmlElement>() {
                reveal(&list);
            }
        });
    }
    if shows.cards.len() < 2 {
        return html! {};
    }
    let card = |card: &HostCard| {
        let (class, shape, words) = look_of(card);
        let is_chosen = card.host == shows.host;
        html! {
            <li key={card.host.clone()}>
                <button class={classes!("card", class)} aria-current={is_chosen.then_some("true")} onclick={dispatch.on(Action::Look(card.host.clone()))}
                    title={format!("{}: {}", as_label(&card.host), summary(card))}>
                    <strong>{ icon(shape) }{ as_label(&card.host) }</strong>
                    <span>{ words }</span>
                    <span class="count">{ format!("{}/{}", card.n_good, card.n_resources) }</span>
                </button>
            </li>
        }
    };
    html! { <ul ref={list} class="fleet" aria-label="Hosts">{ for shows.cards.iter().map(card) }</ul> }
}

/// Scrolls to the card of the displayed host, of which only a few have room on a small screen.
fn reveal(list: &HtmlElement) {
    let card = list.query_selector("[aria-current]").ok().flatten();
    let Some(card) = card.and_then(|card| card.dyn_into::<HtmlElement>().ok()) else { return };
    let left = card.offset_left() - list.offset_left();
    let hidden_right = left + card.offset_width() - list.client_width();
    if list.scroll_left() > left - EDGE {
        list.set_scroll_left(left - EDGE);
    } else if list.scroll_left() < hidden_right + EDGE {
        list.set_scroll_left(hidden_right + EDGE);
    }
}

/// How a card looks: class, icon and words.
pub(super) fn look_of(card: &HostCard) -> (&'static str, Icon, String) {
    let (class, shape, mut words) = look(&card.health);
    if card.is_disconnected {
        words.push_str(", disconnected");
    }
    (class, shape, words)
}

/// The health of a host, and how many of its resources are up to date.
pub(super) fn summary(card: &HostCard) -> String {
    let (_, _, words) = look_of(card);
    format!("{words}, {} of {} resources up to date", card.n_good, card.n_resources)
}

fn look(health: &HostHealth) -> (&'static str, Icon, String) {
    match health {
        HostHealth::Paused => ("warn", Icon::Pause, "Paused".to_owned()),
        HostHealth::Working => ("working", Icon::Busy, "Working".to_owned()),
        HostHealth::UpToDate => ("good", Icon::Good, "Up to date".to_owned()),
        HostHealth::Converged => ("good", Icon::Good, "Converged".to_owned()),
        HostHealth::Failed(count) => ("bad", Icon::Bad, format!("{count} failed")),
        HostHealth::Stopped(why) => ("bad", Icon::Bad, as_lines(why)),
    }
}
