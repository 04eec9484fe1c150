//! `test`: plays scenarios on simulated hosts or on a real one, and reports the results.
//!
//! ```text
//! paths > find > suites (a program and its scenarios) > a sandbox, or a room, on each core > tell | JSON | JUnit
//! ```

mod coverage;
mod find;
mod junit;
pub(crate) mod real;
mod seeds;
mod tell;
mod watch;

use super::{Done, GOOD, REFUSED, coloured, for_machines, unusable};
use crate::cli;
use crate::embed::{STACK, Sandbox, Trap};
use crate::host::io_words;
use crate::output::file::Written;
use crate::output::{self, print_json, tell};
use find::{Found, Suite};
use mclive_base::shapes::scenario::{Failure, Tested};
use seeds::Seeds;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The result of one scenario.
struct Played {
    /// The file as the user named it; the line is appended.
    file: String,
    suite: usize,
    tested: Tested,
    /// The seed of this result, if the command line has set one.
    seed: Option<u64>,
    took: Duration,
}

pub(super) fn test(args: &cli::Test) -> Done {
    if args.watch { watch::rounds(&args.paths, || round(args)) } else { round(args) }
}

/// Finds the scenarios and plays them.
fn round(args: &cli::Test) -> Done {
    let began = Instant::now();
    let suites = find::suites(&args.paths, args.real)?;
    let seeds = Seeds::of(args)?;
    let wanted: Vec<(usize, usize)> = (0..suites.len())
        .flat_map(|suite| (0..suites[suite].scenarios.len()).map(move |scenario| (suite, scenario)))
        .filter(|&(suite, scenario)| {
            let name = &suites[suite].scenarios[scenario].name;
            args.filter.as_ref().is_none_or(|words| if args.exact { name == words } else { name.contains(words) })
        })
        .collect();
    if wanted.is_empty() {
        return Err(unusable(match &args.filter {
            Some(name) if args.exact => format!("no scenario is named `{name}`"),
            Some(words) => format!("no scenario name contains `{words}`"),
            None => "no scenarios found; write one next to the program, such as main.scenario".into(),
        }));
    }
    if args.list {
        wanted.iter().for_each(|&(suite, scenario)| tell::name(&suites[suite].scenarios[scenario].name));
        return Ok(GOOD);
    }
    if let Some(file) = &args.junit {
        output::file::check(file, Written::Report)
            .map_err(|error| unusable(format!("cannot write {}: {}", file.display(), io_words(&error))))?;
    }
    let machine = for_machines(&args.output) && args.output.json;
    let mut told = tell::Teller::new(coloured(args.output.color, &std::io::stdout()), args);
    let played =
        play(args, &suites, &wanted, seeds, |played| if machine { tell::json(played) } else { told.scenario(played) })?;
    let coverage = coverage::of(&suites, &played);
    let failed = played.iter().filter(|played| played.tested.failed()).count();
    if machine {
        let summary = serde_json::json!({ "summary": {
            "scenarios": played.len(), "failed": failed,
            "left_out": played.iter().filter(|played| !played.tested.left_out.is_empty()).count(), "seconds": began.elapsed().as_secs_f64(),
            "statements": coverage.n_statements(), "seen": coverage.n_seen(), "unseen": coverage.unseen(),
            "seeds": seeds.map(Seeds::json),
        } });
        print_json(&format!("{summary}\n"));
    } else {
        told.summary(&played, &coverage, seeds, began.elapsed());
    }
    if let Some(file) = &args.junit {
        let text = junit::report(&played, began.elapsed());
        crate::host::rewrite(&file.to_string_lossy(), text.as_bytes()).map_err(|error| unusable(error.message))?;
        tell(&format!("wrote {}", file.display()));
    }
    Ok(if failed == 0 { GOOD } else { REFUSED })
}

/// Plays them on all cores, and reports each in the order of the search.
fn play(
    args: &cli::Test,
    suites: &[Suite],
    wanted: &[(usize, usize)],
    seeds: Option<Seeds>,
    mut tell: impl FnMut(&Played),
) -> Result<Vec<Played>, Trap> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = std::sync::mpsc::channel();
    // A scenario on a real host mostly waits.
    let at_once = if args.real { 4 } else { 1 };
    let n_threads =
        std::thread::available_parallelism().map_or(1, usize::from).saturating_mul(at_once).min(wanted.len());
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            let (sender, next) = (sender.clone(), &next);
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, move || {
                let mut sandbox = None;
                while let Some(&(suite, scenario)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = &suites[suite];
                    let place = place(wanted, (suite, scenario));
                    let played = match args.real {
                        true => in_a_room(found, suite, scenario),
                        false => one(&mut sandbox, found, suite, scenario, seeds),
                    };
                    if sender.send((place, played)).is_err() {
                        return;
                    }
                }
            })?;
        }
        drop(sender);
        let mut waiting = std::collections::BTreeMap::new();
        let mut all = Vec::with_capacity(wanted.len());
        for (place, played) in receiver {
            waiting.insert(place, played?);
            while let Some(played) = waiting.remove(&all.len()) {
                tell(&played);
                all.push(played);
            }
        }
        Ok(all)
    })
}

/// The position of a scenario among the selected ones.
fn place(wanted: &[(usize, usize)], of: (usize, usize)) -> usize {
    wanted.binary_search(&of).expect("it is one of them, and they are sorted")
}

/// Plays one scenario on a real host.
fn in_a_room(suite: &Suite, index: usize, scenario: usize) -> Result<Played, Trap> {
    let found = &suite.scenarios[scenario];
    let began = Instant::now();
    let tested = real::test(suite, found);
    Ok(Played { file: found.file.clone(), suite: index, tested, seed: None, took: began.elapsed() })
}

/// Plays one scenario, with one seed after the other up to the first with which it does not pass.
fn one(
    sandbox: &mut Option<Sandbox>,
    suite: &Suite,
    index: usize,
    scenario: usize,
    seeds: Option<Seeds>,
) -> Result<Played, Trap> {
    let found = &suite.scenarios[scenario];
    let began = Instant::now();
    let (mut tested, mut last) = (Tested::default(), None);
    match seeds {
        None => tested = once(sandbox, suite, found, &found.text)?,
        Some(seeds) => {
            for seed in seeds.each() {
                // The last line with a seed counts, and earlier lines keep their numbers.
                let text = format!("{}\nseed {seed}\n", found.text);
                let earlier = std::mem::replace(&mut tested, once(sandbox, suite, found, &text)?);
                add(&mut tested, earlier);
                last = Some(seed);
                if !tested.passed() {
                    break;
                }
            }
        }
    }
    Ok(Played { file: found.file.clone(), suite: index, tested, seed: last, took: began.elapsed() })
}

/// Adds what the scenario did with earlier seeds. The statements are those of the program, whatever the seed.
fn add(tested: &mut Tested, earlier: Tested) {
    tested.virtual_ms += earlier.virtual_ms;
    for (place, before) in tested.covered.iter_mut().zip(earlier.covered) {
        place.seen |=
            before.seen && (place.line, &place.what, &place.file) == (before.line, &before.what, &before.file);
    }
}

/// Plays a text of a scenario. A program that stops the sandbox fails only its own scenario; the next one gets a new
/// sandbox.
fn once(sandbox: &mut Option<Sandbox>, suite: &Suite, found: &Found, text: &str) -> Result<Tested, Trap> {
    let mut ready = match sandbox.take() {
        Some(ready) => ready,
        None => Sandbox::start()?,
    };
    Ok(match ready.test(&suite.program, &found.name, text) {
        Ok(tested) => {
            *sandbox = Some(ready);
            tested
        }
        Err(trap) => Tested {
            name: found.name.clone(),
            failure: Some(Failure { line: 1, why: trap.to_string(), ..Failure::default() }),
            ..Tested::default()
        },
    })
}
