//! What `check` accepts makes its first graph, on random programs. `MCLIVE_PROGRAMS=100000` tries more of them.

use mclive_compiler::compile::{Checked, Setup, check};
use mclive_compiler::diag::codes;
use mclive_compiler::kinds::{self, Kind};
use mclive_compiler::protocol::Moment;
use mclive_compiler::rgraph::{Passes, first_graph};
use mclive_compiler::sim::SimHost;
use mclive_compiler::source::MemoryWorld;
use mclive_compiler::types::Type;
use std::collections::BTreeSet;
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

fn makes_its_graph(seed: u64, program: &str, world: MemoryWorld, compiled: Checked) {
    let ir = compiled.ir.expect("it has no errors");
    let mut host = SimHost::new("host1");
    let mut answer = |spec: &_, now: u64| Some(host.read_fact(Moment(now), spec));
    let passes = Passes { autoedge: true, autogroup: true, ask_host: false };
    if let Err(diags) = first_graph(ir, Arc::new(world), &mut answer, passes) {
        panic!("seed {seed} was accepted:\n{program}{diags:?}");
    }
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
        makes_its_graph(seed, &program, world, compiled);
    }
    assert!(n_accepted > 100 && n_refused > 100, "{n_accepted} accepted, {n_refused} refused");
}

/// Texts that mean something to one kind or another.
const TEXTS: [&str; 24] = [
    "",
    "a",
    "a b",
    "a,b",
    "a/b",
    "/a",
    "/a/",
    "exists",
    "absent",
    "running",
    "stopped",
    "installed",
    "newest",
    "undefined",
    "enabled",
    "0644",
    "u=rwx,g=rx",
    "http://h/x",
    "10.0.0.1",
    "10.0.0.0/24",
    "00:11:22:33:44:55",
    ":80",
    "1h",
    "$x",
];

/// A value of a type, as it is written; `None` for functions.
fn literal(dice: &mut Dice, ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Bool => dice.pick(&["true", "false"]).to_owned(),
        Type::Int => dice.pick(&["0", "1", "-1", "80", "300", "70000", "5000000000"]).to_owned(),
        Type::Float => dice.pick(&["0.0", "1.5", "-1.0"]).to_owned(),
        Type::Str | Type::Variant => format!("\"{}\"", dice.pick(&TEXTS).replace('$', "\\$")),
        Type::List(of) => {
            let parts: Option<Vec<String>> = (0..1 + dice.roll(2)).map(|_| literal(dice, of)).collect();
            format!("[{}]", parts?.join(", "))
        }
        Type::Map(of) => format!("{{{} => {}}}", literal(dice, &of.0)?, literal(dice, &of.1)?),
        Type::Struct(fields) => {
            let parts = fields.iter().map(|(name, ty)| Some(format!("{name} => {}", literal(dice, ty)?)));
            format!("struct{{{}}}", parts.collect::<Option<Vec<_>>>()?.join(", "))
        }
        Type::Func(_) | Type::Var(_) => return None,
    })
}

/// A resource of a kind, with some of its fields and meta parameters.
fn resource(dice: &mut Dice, kind: &dyn Kind) -> String {
    let decl = kind.decl();
    let mut lines = BTreeSet::new();
    for field in decl.fields {
        // A required field is mostly there.
        let is_set = if field.required { dice.roll(8) > 0 } else { dice.roll(decl.fields.len().max(3)) < 2 };
        // A word of the language cannot be written as a field.
        let is_word = ["bool", "str", "int", "float", "map", "struct", "func"].contains(&field.name);
        if !is_set || is_word {
            continue;
        }
        if let Some(value) = field.host.language().and_then(|ty| literal(dice, &ty)) {
            lines.insert(format!("\t{} => {value},\n", field.name));
        }
    }
    let meta =
        dice.pick(&["", "", "", "poll => 60", "limit => 1.0", "hidden => true", "reverse => true", "noop => true"]);
    if !meta.is_empty() {
        lines.insert(format!("\tMeta:{meta},\n"));
    }
    let name = dice.pick(&TEXTS).replace('$', "\\$");
    format!("{} \"{name}\" {{\n{}}}\n", decl.name, lines.into_iter().collect::<String>())
}

/// What a kind itself refuses is refused by a check: programs of any kinds, with fields of any value.
#[test]
fn what_check_accepts_of_any_kind_makes_its_first_graph() {
    let kinds: Vec<&dyn Kind> = kinds::all().filter(|kind| !kind.decl().name.starts_with('_')).collect();
    let (mut accepted, mut refused, mut unmade) = (BTreeSet::new(), BTreeSet::new(), 0);
    for seed in 0..n_rounds() * 2 {
        let dice = &mut Dice(seed);
        let kind = kinds[seed as usize % kinds.len()];
        let mut program = resource(dice, kind);
        if dice.roll(4) == 0 {
            let other = kinds[dice.roll(kinds.len())];
            program += &resource(dice, other);
        }
        let world = MemoryWorld::single(&program);
        let compiled = check(&world, "/main.mcl", Setup { hostname: "host1" });
        if !compiled.diags.has_errors() {
            accepted.insert(kind.decl().name);
            makes_its_graph(seed, &program, world, compiled);
        } else if compiled.diags.iter().any(|one| one.code == codes::NOT_VALID) {
            refused.insert(kind.decl().name);
        } else {
            assert!(compiled.ir.is_some(), "seed {seed} is a sound program:\n{program}{:?}", compiled.diags);
            unmade += 1;
        }
    }
    // Nearly every kind has its own rules, and values that keep them.
    assert!(accepted.len() > kinds.len() * 2 / 3, "{} of {} are accepted: {accepted:?}", accepted.len(), kinds.len());
    assert!(refused.len() > kinds.len() / 2, "{} of {} are refused: {refused:?}", refused.len(), kinds.len());
    assert!(unmade > 0, "duplicates and values out of range are among them");
}
