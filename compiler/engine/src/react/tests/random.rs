//! An incremental step equals a fresh evaluation, for random programs and facts.

use crate::react::Outcome;
use crate::react::check::{Running, ir};
use crate::rgraph::text_with_fields;
use std::fmt::Write as _;

/// A small random number generator; the same seed yields the same program.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn bind(&mut self, known: u64) -> String {
        format!("$b{}", self.roll(known))
    }

    /// An integer expression that depends on earlier binds.
    fn number(&mut self, known: u64, depth: u32) -> String {
        if depth == 0 {
            return if self.roll(4) == 0 { self.roll(5).to_string() } else { self.bind(known) };
        }
        let a = self.number(known, depth - 1);
        let b = self.bind(known);
        match self.roll(12) {
            0 => format!("{a} + {b}"),
            1 => format!("(if {a} > {b} {{ {b} }} else {{ {a} + 1 }})"),
            2 => format!("$add({a}, {b})"),
            3 => format!("$pick({b})"),
            4 => format!("twice({a})"),
            5 => format!("(list_lookup([{b}, 7, {a}], {b}) <|> {a})"),
            6 => format!("list_lookup([{b}, 7, {a}], {b})"),
            7 => format!("len(iter.filter([1, {a}, {b}], func($e) {{ $e > {b} }}))"),
            8 => format!("iter.reduce([{b}, {a}], func($x, $y) {{ $x + $y }})"),
            9 => format!("$maker({a})"),
            10 => {
                let found = format!("regexp.match(\"^(1?){{20}}[^3]$\", fmt.printf(\"%d%d\", {a}, {b}))");
                format!("(if {found} {{ {b} }} else {{ {a} }})")
            }
            _ => format!("len(iter.map(iter.range(len(sys.getenv(\"E0\") <|> \"\")), func($e) {{ $e + {b} }}))"),
        }
    }
}

const N_FACTS: u64 = 4;

fn program(dice: &mut Dice) -> String {
    let mut text =
        "import \"sys\"\nimport \"iter\"\nimport \"fmt\"\nimport \"convert\"\nimport \"regexp\"\n".to_owned();
    text.push_str("$add = func($x int, $y int) { $x + $y }\n");
    text.push_str("$pick = if $b0 > 2 { func($x int) { [$x, 1][0] } } else { func($x int) { $b1 + $x } }\n");
    text.push_str("func twice($x) { $x + $x }\n");
    text.push_str("$maker = func($x int) { len([$x, $x]) + $x }\n");
    for i in 0..N_FACTS {
        let _ = writeln!(text, "$b{i} int = len(sys.getenv(\"E{i}\"){})", if i < 2 { " <|> \"\"" } else { "" });
    }
    let n_binds = N_FACTS + 2 + dice.roll(8);
    for i in N_FACTS..n_binds {
        let value = dice.number(i, 2);
        let _ = writeln!(text, "$b{i} int = {value}");
    }
    for i in 0..3 + dice.roll(4) {
        let value = dice.number(n_binds, 1);
        let cond = dice.bind(n_binds);
        let _ = match dice.roll(4) {
            0 => writeln!(text, "test \"t{i}\" {{ int64 => {value}, int32 => {cond} > 3 ?: 5, }}"),
            1 => writeln!(
                text,
                "if {cond} > 2 {{\n test \"t{i}\" {{ int64 => {value} <|> 9, }}\n }} else {{\n test \"u{i}\" {{}}\n }}"
            ),
            2 => writeln!(
                text,
                "for $i, $v in iter.range({cond}) {{\n $n = fmt.printf(\"t{i}-%d\", $i)\n test [$n] {{ int64 => $v + {cond}, }}\n }}"
            ),
            _ => writeln!(
                text,
                "forkv $k, $v in {{fmt.printf(\"x%d\", {cond}) => 1, \"y\" => {cond}}} {{\n $n = \"t{i}-${{k}}\"\n test \"${{n}}\" {{ int64 => $v, }}\n }}"
            ),
        };
    }
    text
}

#[test]
fn an_incremental_step_equals_a_fresh_evaluation() {
    let (mut n_graphs, mut n_underway) = (0, 0);
    for seed in 0..120 {
        let mut dice = Dice(seed);
        let text = program(&mut dice);
        let ir = ir(&text).unwrap_or_else(|diags| panic!("seed {seed} does not compile: {diags:?}\n{text}"));
        let mut running = Running::of(ir.clone());
        // Some go slowly, and facts come while they do.
        let is_slow = dice.roll(2) == 0;
        if is_slow {
            running.react.set_slice(1 + dice.roll(2_000));
        }
        let mut facts: Vec<Option<String>> = vec![None; N_FACTS as usize];
        for step in 0..8 {
            for _ in 0..1 + dice.roll(2) {
                let which = dice.roll(N_FACTS);
                let value = (dice.roll(4) > 0).then(|| "x".repeat(dice.roll(6) as usize));
                running.set(&format!("E{which}"), value.as_deref());
                facts[which as usize] = value;
                if is_slow {
                    n_underway += u32::from(running.slice() == Outcome::Underway);
                }
            }
            let stepped = running.graph();
            let mut fresh = Running::of(ir.clone());
            for (which, value) in facts.iter().enumerate() {
                fresh.set(&format!("E{which}"), value.as_deref());
            }
            let expect = fresh.graph();
            n_graphs += usize::from(expect.contains("Vertex"));
            assert_eq!(stepped, expect, "seed {seed}, step {step}, facts {facts:?}\n{text}");
            // Dependants of a failure keep their subgraph for the time when the value is good again.
            if running.react.failed.is_empty() {
                let (ours, theirs) = (running.react.graph().n_vertices(), fresh.react.graph().n_vertices());
                assert_eq!(ours, theirs, "seed {seed}, step {step}: vertices are left over\n{text}");
            }
        }
    }
    assert!(n_graphs > 200, "too few of the programs came to a graph: {n_graphs}");
    assert!(n_underway > 50, "too few were interrupted: {n_underway}");
}

/// Binds that depend on few facts each, some of them by calls that take several slices, and statements that read some.
fn loose_program(dice: &mut Dice) -> String {
    let mut text = "import \"sys\"\nimport \"fmt\"\nimport \"regexp\"\n".to_owned();
    for i in 0..N_FACTS {
        let _ = writeln!(text, "$b{i} int = len(sys.getenv(\"E{i}\") <|> \"\")");
    }
    let n_binds = N_FACTS + 1 + dice.roll(4);
    for i in N_FACTS..n_binds {
        let (a, b) = (dice.bind(i), dice.bind(i));
        let _ = match dice.roll(3) {
            0 => writeln!(text, "$b{i} int = {a} + {b}"),
            _ => writeln!(
                text,
                "$b{i} int = {a} + len(fmt.printf(\"%t\", regexp.match(\"^([12]?){{20}}3$\", fmt.printf(\"%d\", {a}))))"
            ),
        };
    }
    for i in 0..2 + dice.roll(3) {
        let (a, b) = (dice.bind(n_binds), dice.bind(n_binds));
        let b = if dice.roll(3) == 0 { b } else { a.clone() };
        let _ = writeln!(text, "test \"t{i}\" {{ int64 => {a}, int32 => {b}, }}");
    }
    text
}

/// Changes during a slow call are reported immediately, and never with half of another change: each graph belongs to
/// facts that existed together, in their order of arrival.
#[test]
fn a_graph_beside_a_slow_call_is_of_one_set_of_facts() {
    let mut n_beside = 0;
    for seed in 0..150 {
        let mut dice = Dice(10_000 + seed);
        let text = loose_program(&mut dice);
        let ir = ir(&text).unwrap_or_else(|diags| panic!("seed {seed} does not compile: {diags:?}\n{text}"));
        let mut running = Running::of(ir.clone());
        // Of each fact, what it was since the graph that was seen last.
        let mut was: Vec<Vec<String>> = vec![vec!["xx".to_owned()]; N_FACTS as usize];
        (0..N_FACTS).for_each(|which| running.set(&format!("E{which}"), Some("xx")));
        running.run();
        running.react.set_slice(1 + dice.roll(600));
        for step in 0..12 {
            let which = dice.roll(N_FACTS);
            let value = "x".repeat(dice.roll(6) as usize);
            running.set(&format!("E{which}"), Some(&value));
            was[which as usize].push(value);
            for _ in 0..dice.roll(4) {
                if !matches!(running.slice(), Outcome::Complete { .. }) {
                    continue;
                }
                n_beside += u32::from(running.react.aside.is_some());
                let graph = running.interpreter.interpret(running.react.table());
                let graph = graph.map_err(|diags| diags.first_error().map(|error| error.message.clone()));
                let ends: Vec<usize> = was.iter().map(Vec::len).collect();
                let n_sets: usize = ends.iter().product();
                let told = (0..n_sets).map(|nth| {
                    let mut rest = nth;
                    ends.iter().map(|end| (rest % end, rest /= end).0).collect::<Vec<_>>()
                });
                let explains = |set: &Vec<usize>| {
                    let mut fresh = Running::of(ir.clone());
                    for (which, at) in set.iter().enumerate() {
                        fresh.set(&format!("E{which}"), Some(&was[which][*at]));
                    }
                    fresh.run();
                    let expect = fresh.interpreter.interpret(fresh.react.table());
                    let expect = expect.map_err(|diags| diags.first_error().map(|error| error.message.clone()));
                    expect.map(|graph| text_with_fields(&graph))
                        == graph.as_ref().map(text_with_fields).map_err(Clone::clone)
                };
                let set = told.into_iter().find(explains);
                let set =
                    set.unwrap_or_else(|| panic!("seed {seed}, step {step}: of no set of facts: {was:?}\n{text}"));
                for (was, at) in was.iter_mut().zip(set) {
                    was.drain(..at);
                }
            }
        }
    }
    assert!(n_beside > 20, "too few were beside a slow call: {n_beside}");
}
