//! Reports of scenarios, for people and as JSON.

use super::Played;
use super::coverage::Coverage;
use super::seeds::Seeds;
use crate::cli;
use crate::output::{print, print_coloured, print_json};
use crate::show::{counted, shell_word};
use mclive_base::shapes::scenario::Tested;
use mclive_base::unicode::visible;
use std::time::Duration;

/// The number of log lines shown before a failure.
const SHOWN_LOG: usize = 8;

pub(super) fn name(name: &str) {
    print(&format!("{}\n", visible(name)));
}

pub(super) fn json(played: &Played) {
    let value = serde_json::json!({ "scenario": {
        "name": played.tested.name, "title": played.tested.title, "file": played.file, "passed": played.tested.passed(),
        "left_out": played.tested.left_out, "failure": played.tested.failure, "faults": played.tested.faults, "virtual_ms": played.tested.virtual_ms,
        "steps": played.tested.n_steps, "seed": played.seed, "seconds": played.took.as_secs_f64(),
    } });
    print_json(&format!("{value}\n"));
}

pub(super) struct Teller<'a> {
    colour: bool,
    args: &'a cli::Test,
}

impl<'a> Teller<'a> {
    pub(super) fn new(colour: bool, args: &'a cli::Test) -> Teller<'a> {
        Teller { colour, args }
    }

    fn painted(&self, text: &str, colour: &str) -> String {
        if self.colour { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(super) fn scenario(&mut self, played: &Played) {
        let tested = &played.tested;
        // Scenarios may be those of strangers.
        let (name, file) = (visible(&tested.name), visible(&played.file));
        if !tested.left_out.is_empty() {
            let why = visible(&tested.left_out);
            print_coloured(&format!("{}  {name}: {why}\n", self.painted("skipped", "33")));
            return;
        }
        if tested.passed() {
            if self.args.verbose {
                let took = time(Duration::from_millis(tested.virtual_ms));
                let title =
                    if tested.title.is_empty() { String::new() } else { format!("  {}", visible(&tested.title)) };
                print_coloured(&format!("{}  {name}{title} ({took})\n", self.painted("ok", "32")));
            }
            return;
        }
        // Faults in the text of a scenario do not depend on the seed.
        let seed = played.seed.filter(|_| tested.failure.is_some());
        let with = seed.map_or_else(String::new, |seed| format!(" with seed {seed}"));
        let mut text = format!("{}  {name}{with}\n", self.painted("FAILED", "1;31"));
        for fault in &tested.faults {
            text.push_str(&format!("  {file}:{}: {}\n", fault.line, visible(&fault.text)));
            fault.why.lines().for_each(|line| text.push_str(&format!("      {}\n", visible(line))));
        }
        if let Some(failure) = &tested.failure {
            text.push_str(&format!("  {file}:{}: {}\n", failure.line, visible(&failure.step)));
            if let Some(line) = failure.during {
                text.push_str(&format!("      it failed at line {line}\n"));
            }
            failure.why.lines().for_each(|line| text.push_str(&format!("      {}\n", visible(line))));
            failure.hint.lines().for_each(|line| text.push_str(&format!("  hint: {}\n", visible(line))));
            let skipped = failure.log.len().saturating_sub(SHOWN_LOG);
            if !failure.log.is_empty() {
                text.push_str("  events before the failure:\n");
            }
            for line in failure.log.iter().skip(skipped).flat_map(|entry| entry.lines()) {
                text.push_str(&format!("      {}\n", visible(line)));
            }
        }
        if let Some(seed) = seed {
            text.push_str(&format!("  repeat with: {}\n", visible(&self.command(&tested.name, seed))));
        }
        print_coloured(&text);
    }

    /// The command that plays this scenario with this seed, and no other one.
    fn command(&self, name: &str, seed: u64) -> String {
        let mut command = format!("mclive test --seed {seed} --exact --filter={}", shell_word(name));
        for path in &self.args.paths {
            command.push(' ');
            command.push_str(&shell_word(&path.to_string_lossy()));
        }
        command
    }

    pub(super) fn summary(&self, played: &[Played], coverage: &Coverage, seeds: Option<Seeds>, took: Duration) {
        let n = |which: fn(&Tested) -> bool| played.iter().filter(|played| which(&played.tested)).count();
        let (passed, failed) = (n(Tested::passed), n(Tested::failed));
        let left_out = n(|tested| !tested.left_out.is_empty());
        let count = counted(played.len(), "scenario");
        let mut verdict = match failed {
            0 if left_out == 0 => self.painted("all passed", "32"),
            0 => self.painted(&format!("{passed} passed"), "32"),
            _ => format!("{passed} passed, {}", self.painted(&format!("{failed} failed"), "1;31")),
        };
        if left_out > 0 {
            verdict.push_str(&format!(", {left_out} skipped"));
        }
        let virtual_ms = played.iter().map(|played| played.tested.virtual_ms).sum();
        let host = time(Duration::from_millis(virtual_ms));
        let hosts = if self.args.real { "a real host" } else { "simulated hosts" };
        let with = seeds.map_or_else(String::new, |seeds| format!(" with {}", seeds.words()));
        let mut text = format!("{count}: {verdict} ({host} on {hosts}{with}, in {:.2} s)\n", took.as_secs_f64());
        let unseen = coverage.unseen();
        if !unseen.is_empty() {
            let (seen, all) = (coverage.n_seen(), coverage.n_statements());
            text.push_str(&format!("{seen} of {all} statements were covered"));
            text.push_str(if self.args.coverage { "; not covered:\n" } else { " (--coverage lists the others)\n" });
            if self.args.coverage {
                unseen.iter().for_each(|line| text.push_str(&format!("  {}\n", visible(line))));
            }
        }
        print_coloured(&text);
    }
}

/// A length of time in a suitable unit.
fn time(length: Duration) -> String {
    let seconds = length.as_secs_f64();
    match length.as_secs() {
        0..60 => format!("{seconds:.1} s"),
        60..3_600 => format!("{:.1} min", seconds / 60.0),
        3_600..86_400 => format!("{:.1} h", seconds / 3_600.0),
        _ => format!("{:.1} days", seconds / 86_400.0),
    }
}
