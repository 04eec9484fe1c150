//! What `check` accepts makes its first graph, on random programs. `MCLIVE_PROGRAMS=100000` tries more of them.

use mclive_compiler::compile::{Setup, check};
use mclive_compiler::protocol::Moment;
use mclive_compiler::rgraph::{Passes, first_graph};
use mclive_compiler::sim::SimHost;
use mclive_compiler::source::MemoryWorld;
use std::sync::Arc;

/// A small generator of numbers: the programs are the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % sides
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.roll(texts.len())]
    }
}

#[allow(clippy::disallowed_methods, reason = "a longer run is asked for")]
fn n_rounds() -> u64 {
    std::env::var("MCLIVE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000)
}

/// Programs in which all values are known, right and wrong ones.
fn known_program(dice: &mut Dice) -> String {
    let mut text = String::from("$list = [\"n1\", \"n2\"]\n$map = {\"a\" => 1, \"b\" => 300}\n");
    for _ in 0..=dice.roll(4) {
        let piece = match dice.roll(9) {
            0 => "for $i, $x in $list {\n\tnoop [$x] {}\n}\n".to_owned(),
            1 => format!("test \"t\" {{\n\tint8 => $map[\"{}\"],\n}}\n", dice.pick(&["a", "b", "c"])),
            2 => format!("Noop[\"{}\"] -> Noop[\"{}\"]\n", dice.pick(&["n1", "n3"]), dice.pick(&["n2", "n3"])),
            3 => format!(
                "file \"/{}\" {{\n\tstate => \"{}\",\n}}\n",
                dice.pick(&["a", "b"]),
                dice.pick(&["exists", "gone"])
            ),
            4 => format!("noop \"n{}\" {{}}\n", dice.roll(4)),
            5 => format!("if len($list) == {} {{\n\tnoop \"\" {{}}\n}}\n", dice.roll(4)),
            6 => format!("print \"p\" {{\n\tmsg => $list[{}],\n}}\n", dice.roll(3)),
            7 => format!("panic({})\n", dice.pick(&["false", "false", "len($list) == 3", "true"])),
            _ => format!(
                "noop \"m\" {{\n\tMeta:limit => {},\n\tMeta:burst => {},\n}}\n",
                dice.pick(&["1.0", "-2.0"]),
                dice.roll(2)
            ),
        };
        text.push_str(&piece);
    }
    text
}

#[test]
fn what_check_accepts_with_all_values_known_makes_its_first_graph() {
    let (mut n_accepted, mut n_refused) = (0, 0);
    for seed in 0..n_rounds() {
        let program = known_program(&mut Dice(seed));
        let world = MemoryWorld::single(&program);
        let compiled = check(&world, "/main.mcl", Setup { hostname: "host1" });
        if compiled.diags.has_errors() {
            n_refused += 1;
            continue;
        }
        n_accepted += 1;
        let plan = compiled.program.expect("it has no errors").plan;
        let mut host = SimHost::new("host1");
        let mut answer = |spec: &_, now: u64| Some(host.read_fact(Moment(now), spec));
        let passes = Passes { autoedge: true, autogroup: true, ask_host: false };
        if let Err(diags) = first_graph(plan, Arc::new(world), &mut answer, passes) {
            panic!("seed {seed} was accepted:\n{program}{diags:?}");
        }
    }
    assert!(n_accepted > 100 && n_refused > 100, "{n_accepted} accepted, {n_refused} refused");
}
