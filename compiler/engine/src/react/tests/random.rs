//! An incremental step equals a fresh evaluation, for random programs and facts.

use crate::react::check::{Running, plan};
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
        match self.roll(11) {
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
            _ => format!("len(iter.map(iter.range(len(sys.getenv(\"E0\") <|> \"\")), func($e) {{ $e + {b} }}))"),
        }
    }
}

const N_FACTS: u64 = 4;

fn program(dice: &mut Dice) -> String {
    let mut text = "import \"sys\"\nimport \"iter\"\nimport \"fmt\"\nimport \"convert\"\n".to_owned();
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
    let mut n_graphs = 0;
    for seed in 0..120 {
        let mut dice = Dice(seed);
        let text = program(&mut dice);
        let plan = plan(&text).unwrap_or_else(|diags| panic!("seed {seed} does not compile: {diags:?}\n{text}"));
        let mut running = Running::of(plan.clone());
        let mut facts: Vec<Option<String>> = vec![None; N_FACTS as usize];
        for step in 0..8 {
            for _ in 0..1 + dice.roll(2) {
                let which = dice.roll(N_FACTS);
                let value = (dice.roll(4) > 0).then(|| "x".repeat(dice.roll(6) as usize));
                running.set(&format!("E{which}"), value.as_deref());
                facts[which as usize] = value;
            }
            let stepped = running.graph();
            let mut fresh = Running::of(plan.clone());
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
}
