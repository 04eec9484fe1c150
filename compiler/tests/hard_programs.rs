//! Hard programs, whole: each compiles and yields its first resource graph, or ends in bounds with
//! one clear diagnostic. The threads have as little stack as the component has.

use mclive_compiler::face::check::{Checked, check};
use std::fmt::Write as _;

/// The stack of the brain's component. Debug builds need more for the same depth.
const STACK: usize = if cfg!(debug_assertions) { 8 << 20 } else { 1 << 20 };

/// How long a chain, a list or a program is. Debug builds are slow, and use as much stack for less.
const N: usize = if cfg!(debug_assertions) { 3_000 } else { 10_000 };

#[allow(clippy::disallowed_types, reason = "a thread has the stack to test with")]
fn checked(text: impl Into<Vec<u8>>) -> Checked {
    let text = text.into();
    let run = move || check([("/main.mcl", text.as_slice())], "/main.mcl", "");
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().expect("it ends without a panic")
}

/// Compiles, and its first resource graph has so many resources.
fn resources(text: impl Into<Vec<u8>>, n: usize) {
    let checked = checked(text);
    let first = checked.diagnostics.diagnostics.first();
    assert!(first.is_none(), "{first:?}");
    assert_eq!(checked.resources.expect("a graph").vertices.len(), n);
}

/// Is refused with these codes.
fn refused(text: impl Into<Vec<u8>>, codes: &[&str]) {
    let said = checked(text).diagnostics.diagnostics;
    let found: Vec<&str> = said.iter().map(|said| said.code.as_str()).collect();
    assert_eq!(found, codes, "{:?}", said.first());
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|at| line(at) + "\n").collect()
}

#[test]
fn long_chains_of_operators_work() {
    let sum = format!("test \"x\" {{\n\tint64 => 0{},\n}}\n", " + 1".repeat(N));
    resources(sum, 1);
    let unknown = format!(
        "import \"sys\"\n$n = len(sys.hostname())\n$x = $n{}\ntest \"x\" {{\n\tint64 => $x,\n}}\n",
        " + $n".repeat(N)
    );
    resources(unknown, 1);
    resources(format!("if true{} {{\n\tnoop \"x\" {{}}\n}}\n", " and true".repeat(N)), 1);
    resources(format!("noop [\"x\"{}] {{}}\n", " + \"y\"".repeat(N)), 1);
    resources(format!("$x = 1{}\ntest \"x\" {{\n\tint64 => $x,\n}}\n", " <|> 1".repeat(N)), 1);
    resources(format!("$x = 1{}\ntest \"x\" {{\n\tint64 => $x,\n}}\n", " + 2 * 3 <|> 1".repeat(3_000)), 1);
    refused(format!("test \"x\" {{\n\tint64 => 1{},\n}}\n", " + \"a\"".repeat(N)), &["E0401"; 1]);
}

#[test]
fn long_lists_and_maps_work() {
    let items: Vec<String> = (0..N).map(|at| at.to_string()).collect();
    resources(format!("$l = [{}]\ntest \"x\" {{\n\tint64 => $l[2999],\n}}\n", items.join(", ")), 1);
    let pairs: Vec<String> = (0..N).map(|at| format!("\"k{at}\" => {at}")).collect();
    resources(format!("$m = {{{}}}\ntest \"x\" {{\n\tint64 => $m[\"k77\"],\n}}\n", pairs.join(", ")), 1);
    let names: Vec<String> = (0..N).map(|at| format!("\"n{at}\"")).collect();
    resources(format!("test [{}] {{}}\n", names.join(", ")), N);
}

#[test]
fn long_chains_of_binds_work() {
    let chain = |first: &str, next: &dyn Fn(usize) -> String, last: &str| {
        let binds =
            lines(N, |at| if at == 0 { format!("$v0 = {first}") } else { format!("$v{at} = {}", next(at - 1)) });
        resources(format!("{binds}test \"x\" {{\n\tint64 => {last},\n}}\n"), 1);
    };
    chain("1", &|at| format!("$v{at}"), &format!("$v{} + 1", N - 1));
    chain("1", &|at| format!("$v{at} + 1"), &format!("$v{}", N - 1));
    chain("1", &|at| format!("if $v{at} == 1 {{ $v{at} }} else {{ 2 }}"), &format!("$v{} + 1", N - 1));
    chain("1", &|at| format!("$v{at} <|> 3"), &format!("$v{} + 1", N - 1));
    chain("func($x) { $x + 1 }", &|at| format!("$v{at}"), &format!("$v{}(1)", N - 1));
    // Against the order of the text.
    let binds = lines(N, |at| format!("$v{at} = $v{} + 1", at + 1));
    resources(format!("{binds}$v{N} = 1\ntest \"x\" {{\n\tint64 => $v0,\n}}\n"), 1);
}

#[test]
fn a_type_that_nests_without_end_is_refused() {
    let nested =
        |n: usize| lines(n, |at| if at == 0 { "$v0 = [1]".into() } else { format!("$v{at} = [$v{}]", at - 1) });
    refused(format!("{}value \"x\" {{\n\tany => $v999,\n}}\n", nested(1_000)), &["E0414"]);
}

/// Types and values whose text doubles with each line.
#[test]
fn pair_bombs_end() {
    let pairs = |n: usize| {
        let pair = |at: usize| format!("$v{at} = struct{{a => $v{0}, b => $v{0}}}", at.saturating_sub(1));
        lines(n, |at| if at == 0 { "$v0 = 1".into() } else { pair(at) })
    };
    refused(format!("{}value \"x\" {{\n\tany => $v999,\n}}\n", pairs(1_000)), &["E0414"]);
    let lists = lines(20, |at| if at == 0 { "$v0 = [1]".into() } else { format!("$v{at} = [$v{0}, $v{0}]", at - 1) });
    resources(format!("{lists}test \"x\" {{\n\tint64 => len($v19),\n}}\n"), 1);
    let funcs = lines(40, |at| match at {
        0 => "func f0($x) { struct{a => $x, b => $x} }".into(),
        _ => format!("func f{at}($x) {{ f{0}(f{0}($x)) }}", at - 1),
    });
    refused(format!("{funcs}value \"x\" {{\n\tany => f39(1),\n}}\n"), &["E0316"]);
}

/// Files that hold more than a machine should have to keep, as one line, as lines without anything, as statements.
#[test]
fn files_without_measure_are_refused() {
    refused(format!("$x = {}1\n", "1 + ".repeat(1_000_001)), &["E0316"]);
    refused("\n".repeat((16 << 20) + 1), &["E0316"]);
    refused("test \"a\" {}\n".repeat(1_000_001), &["E0316"]);
    resources(format!("{}test \"a\" {{}}\n", "\n".repeat(1 << 20)), 1);
}

/// What is said about one definition does not read the file again: 20,000 of them end in their time.
#[test]
fn many_warnings_of_a_file_are_found_in_one_reading() {
    let broken = lines(20_000, |at| format!("# mclive: allow unused_function\nfunc f{at}($x) {{ $x + {at} + \"\" }}"));
    let checked = check([("/main.mcl", broken.as_bytes())], "/main.mcl", "h");
    let said = checked.diagnostics.diagnostics;
    assert!(said.len() == 1_000 && said.iter().all(|one| one.code.starts_with('W')), "{:?}", said.first());
}

/// Values that double with each line: small as long as they share their parts, and huge written out.
#[test]
fn value_bombs_end() {
    let doubled = |n: usize, first: &str, next: &dyn Fn(usize) -> String| {
        lines(n, |at| if at == 0 { format!("$v0 = {first}") } else { format!("$v{at} = {}", next(at - 1)) })
    };
    let lists = doubled(200, "[1]", &|at| format!("[$v{at}, $v{at}]"));
    let maps = doubled(200, "{\"a\" => 1}", &|at| format!("{{\"a\" => $v{at}, \"b\" => $v{at}}}"));
    for values in [&lists, &maps] {
        refused(format!("{values}test \"x\" {{\n\tint64 => len($v199),\n}}\n"), &["E0605"]);
        refused(format!("{values}value \"x\" {{\n\tany => $v199,\n}}\n"), &["E0605"]);
        refused(format!("{values}if $v199 == $v199 {{}}\n"), &["E0605"]);
        refused(format!("import \"fmt\"\n{values}test [fmt.printf(\"%v\", $v199)] {{}}\n"), &["E0605"]);
    }
    let length = |values: String| format!("import \"fmt\"\nimport \"list\"\n{values}$n = len($v63)\nif $n == 0 {{}}\n");
    refused(length(doubled(64, "\"12345678\"", &|at| format!("$v{at} + $v{at}"))), &["E0605"]);
    refused(length(doubled(64, "\"12345678\"", &|at| format!("\"${{v{at}}}${{v{at}}}\""))), &["E0605"]);
    let printed = doubled(64, "\"12345678\"", &|at| format!("fmt.printf(\"%s%s\", $v{at}, $v{at})"));
    refused(length(printed), &["E0605"]);
    refused(length(doubled(64, "[len(\"a\")]", &|at| format!("list.concat($v{at}, $v{at})"))), &["E0605"]);
}

/// Many values of which each is within bounds.
#[test]
fn many_big_values_end() {
    let text = "import \"golang/strings\"\nimport \"iter\"\n$big = strings.repeat(\"x\", 30000000)\n\
                $l = iter.map(iter.range(100), func($n) { strings.replace($big, \"x\", \"y\", $n) })\n\
                test \"x\" {\n\tint64 => len($l),\n}\n";
    // Each of them costs its size, so they run out of work before they run out of memory.
    refused(text, &["E0606"]);
}

#[test]
fn loops_in_loops_end() {
    let text = "import \"fmt\"\nimport \"iter\"\nfor $i, $v in iter.range(1000) {\n\tfor $j, $w in iter.range(1000) {\n\t\t$n = fmt.printf(\"%d-%d\", $v, $w)\n\t\tnoop \"${n}\" {}\n\t}\n}\n";
    refused(text, &["E0502"]);
}

#[test]
fn functions_that_call_each_other_often_end() {
    let mut text = "$f0 = func($x) { $x + 1 }\n".to_owned();
    for n in 0..20 {
        writeln!(text, "$f{} = func($x) {{ $f{n}($f{n}($x)) }}", n + 1).unwrap();
    }
    text += "test \"x\" {\n\tint64 => $f20(0),\n}\n";
    let said = checked(text);
    assert_eq!((said.functions, said.resources), (None, None), "what was begun of a graph is not shown");
    assert_eq!(said.diagnostics.diagnostics.len(), 1);
    assert_eq!(said.diagnostics.diagnostics[0].code, "E0502");
}

#[test]
fn nested_calls_end() {
    refused(format!("test \"x\" {{\n\tint64 => {}1{},\n}}\n", "len(".repeat(5_000), ")".repeat(5_000)), &["E0203"]);
    let funcs = lines(N / 2, |at| {
        if at == 0 { "func f0($x) { $x }".into() } else { format!("func f{at}($x) {{ f{}($x) }}", at - 1) }
    });
    let said = checked(format!("{funcs}test \"x\" {{\n\tint64 => f{}(1),\n}}\n", N / 2 - 1)).diagnostics.diagnostics;
    assert!(said.len() <= 1, "{said:?}");
}

#[test]
fn endless_recursion_is_refused() {
    refused("func f($x) { f($x) }\ntest \"x\" {\n\tint64 => f(1),\n}\n", &["E0306"]);
    refused("$f = func($x) { $f($x) }\ntest \"x\" {\n\tint64 => $f(1),\n}\n", &["E0306"]);
    refused("class c {\n\tinclude c\n}\ninclude c\n", &["E0306"]);
    // Without its own name: the type would contain itself.
    refused("$w = func($f) { $f($f) }\ntest \"x\" {\n\tint64 => $w($w),\n}\n", &["E0411"]);
}

#[test]
fn huge_ranges_end() {
    for n in ["100000000", "9223372036854775807"] {
        let text = format!("import \"iter\"\ntest \"x\" {{\n\tint64 => len(iter.range({n})),\n}}\n");
        let said = checked(text).diagnostics.diagnostics;
        assert_eq!(said.len(), 1, "{said:?}");
    }
    let mapped = "import \"iter\"\n$l = iter.map(iter.range(2000000), func($x) { $x + 1 })\ntest \"x\" {\n\tint64 => len($l),\n}\n";
    let said = checked(mapped).diagnostics.diagnostics;
    assert_eq!(said.len(), 1, "{said:?}");
}

#[test]
fn long_lines_work() {
    let line = "a".repeat(1 << 20);
    resources(format!("noop \"{line}\" {{}}\n"), 1);
    let mut many = String::new();
    for at in 0..2 * N {
        let _ = write!(many, "\"{at}\", ");
    }
    resources(format!("$x = [{many}\"end\"]\ntest \"x\" {{\n\tint64 => len($x),\n}}\n"), 1);
}

/// As many errors as statements, all on one line that is long: they are told in time, and not all.
#[test]
fn ten_thousand_errors_are_bounded() {
    let vars: Vec<String> = (0..N).map(|at| format!("$missing{at}")).collect();
    let said = checked(format!("$x = [{}]\n", vars.join(", "))).diagnostics.diagnostics;
    assert!(said.iter().all(|said| said.code == "E0301"));
    assert!((2..=1_001).contains(&said.len()), "{}", said.len());
    let said = checked(lines(N, |at| format!("test \"t{at}\" {{\n\tint64 => \"x\",\n}}"))).diagnostics.diagnostics;
    assert!((2..=1_001).contains(&said.len()), "{}", said.len());
}
