//! What both bodies owe the brain, as a suite that each of them runs: when a fact changes, in which order an answer
//! is, what a watch matches.
//!
//! A body is spoken to as the brain does it. That something is *not* told is asked by way of a barrier: a later change
//! is made that must be told, and by then nothing else was.

mod files;
mod keys;
mod order;
mod talk;
mod units;

use super::{Input, Output};
use talk::Talk;

/// A simulated or a real host.
pub trait Body {
    fn take(&mut self, output: Output);

    /// The next input, or none within a time in which every change is told.
    fn next(&mut self) -> Option<Input>;
}

/// Runs the whole suite. `dir` is an empty directory of the body, without a slash at the end; `hostname` its name.
pub fn run(body: &mut dyn Body, dir: &str, hostname: &str) {
    let mut talk = Talk::new(body, dir);
    talk.begin();
    order::answers_come_in_the_order_of_the_questions(&mut talk);
    order::the_first_step_that_fails_ends_its_list(&mut talk);
    keys::a_watch_of_keys_hears_its_own(&mut talk);
    keys::a_value_is_told_when_it_is_another_one(&mut talk);
    keys::a_map_has_hosts_and_nothing_deeper(&mut talk);
    keys::exports_are_sorted_by_their_keys(&mut talk, hostname);
    files::a_watch_of_a_path_hears_the_path_and_its_entries(&mut talk);
    files::a_file_is_told_from_nothing_to_nothing(&mut talk);
    files::an_edit_changes_what_is_there_now(&mut talk);
}

/// Runs the part on units of systemd, on a host whose manager may be told to do something.
pub fn run_units(body: &mut dyn Body) {
    let mut talk = Talk::new(body, "");
    units::a_unit_is_told_from_nothing_to_nothing(&mut talk);
    units::what_cannot_start_is_a_failure(&mut talk);
}
