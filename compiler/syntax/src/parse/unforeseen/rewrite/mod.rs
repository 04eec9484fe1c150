//! Help that is written from the text of a mistake: the same in MCL.
//!
//! A writer returns nothing for a text that is not the mistake, so that the next pattern is tried.

mod below;
mod changed;
mod commented;
mod difference;
mod edges;
mod included;
mod lambda;
mod make;
mod of_go;
mod pairs;
mod selector;
mod tasks;
mod unquoted;
mod yaml;

pub(super) use below::{list_below, value_below};
pub(super) use changed::changed;
pub(super) use commented::commented;
pub(super) use difference::difference;
pub(super) use edges::{chef_edge, edges, quoted_edge};
pub(super) use included::included;
pub(super) use lambda::lambda;
pub(super) use make::target;
pub(super) use of_go::of_go;
pub(super) use pairs::pairs;
pub(super) use selector::{selector, single_selector};
pub(super) use tasks::{inline_task, module, playbook, salt, variables};
pub(super) use unquoted::{open_element, unquoted};

/// The maximum number of bytes of one text that are shown.
const MOST_SHOWN: usize = 200;

/// ``write `…` ``, unless the text is too long.
fn write(text: &str) -> Option<String> {
    let is_sound = text.len() <= MOST_SHOWN && !text.contains(['`', '\n']);
    is_sound.then(|| format!("write `{text}`"))
}
