//! The contract of both bodies as a test suite that each of them runs: when a fact changes, the order of answers, what
//! a watch matches.
//!
//! The suite talks to a body as the brain does. To check that something is *not* reported it uses a barrier: it makes a
//! later change that must be reported, and by then the earlier one must not have been.

mod files;
mod keys;
mod order;
mod talk;
mod units;

use super::{Input, Output};
use talk::Talk;

/// A simulated or a real host.
pub trait Body {
    /// Hands an output to the body.
    fn take(&mut self, output: Output);

    /// The next input, or `None` once every earlier change has had time to arrive.
    fn next(&mut self) -> Option<Input>;
}

/// Runs the whole suite. `dir` is an empty directory on the body's host, without a trailing slash; `hostname` its host
/// name.
pub fn run(body: &mut dyn Body, dir: &str, hostname: &str) {
    let mut talk = Talk::new(body, dir);
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

/// Runs the part on systemd units, on a host whose units may be started and stopped.
pub fn run_units(body: &mut dyn Body) {
    let mut talk = Talk::new(body, "");
    units::a_unit_is_told_from_nothing_to_nothing(&mut talk);
    units::what_cannot_start_is_a_failure(&mut talk);
}
