//! Texts and bytes that were cut and changed at random, through everything that reads what strangers write. Nothing may panic,
//! hang, or leave its bounds.
//!
//! | target | is |
//! |---|---|
//! | `programs` | MCL: lexer, parser, formatter, inference, graphs, the first round |
//! | `models` | Inmanta: formatter, evaluation, export, pictures |
//! | `bytes` | recordings, what crosses the sandbox both ways, links, archives, scenarios |
//! | `brain` | a brain at work that is told inputs of every shape at odd moments |
//!
//! Seeds are the project's cases and what was found before, `tests/findings/TARGET-NAME`: each of those is a test of its
//! own, for ever. As a test, a target plays a second or two from one number; `make fuzz` goes on for `FUZZ_SECONDS`, from
//! another number in every run (`MCLIVE_FUZZ_SECONDS` for each target, `MCLIVE_FUZZ_SEED`). What fails is written to
//! `tests/findings`, and so is what was at work when a run before this one was ended by a stack that ran over, or by hand.

mod brain;
mod bytes;
mod dice;
mod hunt;
mod models;
mod programs;
mod text;
mod wire;

use hunt::Target;
use mclive_cases::{plain, run, trial};
use std::process::ExitCode;

static TARGETS: [&Target; 4] = [&programs::TARGET, &models::TARGET, &bytes::TARGET, &brain::TARGET];

fn main() -> ExitCode {
    let findings = TARGETS.into_iter().flat_map(|target| {
        hunt::kept(target)
            .into_iter()
            .map(move |(name, path)| trial(format!("findings/{name}"), move || hunt::stays_fixed(target, &path)))
    });
    let hunts = TARGETS.into_iter().map(|target| trial(format!("fuzz/{}", target.name), move || hunt::hunt(target)));
    let mut trials: Vec<_> = hunts.chain(findings).collect();
    trials.push(trial("each_finding_is_played", || hunt::each_finding_is_played(&TARGETS)));
    trials.extend(plain![hunt::what_fails_is_kept_and_fails_again]);
    run(trials)
}
