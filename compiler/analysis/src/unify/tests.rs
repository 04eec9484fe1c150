//! Inference over whole programs: which errors are reported, and where.

use super::Types;
use crate::source::MemoryWorld;
use crate::understand::{Reach, Setup, understand};

/// The code and start of each error of a program, in order.
fn errors(program: &str) -> Vec<String> {
    let setup = Setup { hostname: "" };
    let compilation = understand(&MemoryWorld::single(program), "/main.mcl", setup, Reach::Program);
    let shown = |diagnostic: &crate::diag::Diagnostic| {
        let at = diagnostic.primary.as_ref().map(|label| {
            let at = compilation.sources.get(label.span.file).line_col(label.span.start);
            format!(" {}:{}", at.line, at.col)
        });
        format!("{}{}", diagnostic.code, at.unwrap_or_default())
    };
    compilation.diags.iter().filter(|diagnostic| diagnostic.is_error()).map(shown).collect()
}

fn check(program: &str, expect: &[&str]) {
    assert_eq!(errors(program), expect, "{program}");
}

#[test]
fn values_of_a_field_have_its_type() {
    check("test \"a\" {\n\tint64 => \"four\",\n}\n", &["E0401 2:11"]);
    check("test \"a\" {\n\tint64 => 4,\n}\n", &[]);
}

#[test]
fn a_wrong_argument_of_a_class_is_reported_once() {
    let class = "class c($p int) {\n\ttest \"a\" {\n\t\tint64 => $p,\n\t}\n}\n";
    check(&format!("{class}include c(\"80\")\n"), &["E0401 6:11"]);
    check(&format!("{class}include c(80)\n"), &[]);
    check(&format!("{class}include c(\"a\" + \"b\")\n"), &["E0401 6:11"]);
    check(&format!("{class}include c(1 == 2)\n"), &["E0401 6:11"]);
    check(&format!("{class}include c(1 / 2)\n"), &["E0401 6:11"]);
    check(&format!("{class}include c(true and false)\n"), &["E0401 6:11"]);
    check(&format!("{class}$x = \"a\"\ninclude c($x)\n"), &["E0401 7:11"]);
    check(&format!("{class}include c(40 + 40)\n"), &[]);
}

#[test]
fn branches_of_two_types_are_reported_once() {
    let used = "test \"a\" {\n\tanotherstr => $x,\n}\n";
    check(&format!("$x = if true {{ 1 }} else {{ \"b\" }}\n{used}"), &["E0401 1:27"]);
    check(&format!("$x = if true {{ \"a\" }} else {{ \"b\" }}\n{used}"), &[]);
    // What both branches are is still compared with its place.
    check(&format!("$x = if true {{ 1 }} else {{ 2 }}\n{used}"), &["E0401 3:16"]);
}

#[test]
fn a_field_access_is_told_by_the_type_of_its_value() {
    let accessed = |value: &str| format!("$s = {value}\nvalue \"a\" {{\n\tany => $s->b,\n}}\n");
    check(&accessed("struct{a => 1}"), &["E0413 3:9"]);
    check(&accessed("{\"b\" => 1}"), &["E0413 3:9"]);
    check(&accessed("struct{b => 1}"), &[]);
    // That the map is of an unknown type is enough.
    check(&accessed("{}"), &["E0402 1:6"]);
}

#[test]
fn the_order_of_arguments_is_blamed_only_if_a_function_is_among_them() {
    let is_blamed = |call: &str| {
        let program = format!("import \"iter\"\n$x = {call}\ntest \"a\" {{\n\tint64 => len($x),\n}}\n");
        let setup = Setup { hostname: "" };
        let compilation = understand(&MemoryWorld::single(&program), "/main.mcl", setup, Reach::Program);
        let mut help = compilation.diags.iter().flat_map(|diagnostic| &diagnostic.help);
        help.any(|help| help.contains("in this order"))
    };
    assert!(is_blamed("iter.map(func($v) { $v + 1 }, [1, 2])"));
    assert!(!is_blamed("iter.filter([1, 2], true)"));
}

#[test]
fn a_function_as_an_argument_is_told_by_what_differs() {
    let check = |call: &str, at: &str, expect: &str| {
        let program = format!("import \"iter\"\n$x = {call}\ntest \"a\" {{\n\tint64 => len($x),\n}}\n");
        assert_eq!(errors(&program), [at], "{call}");
        check_message(&program, expect);
    };
    check(
        "iter.map([\"a\"], func($x) { $x + 1 })",
        "E0401 2:22",
        "argument 2 of `iter.map`: expected a function that takes `str`, found `func(x int) int`",
    );
    check(
        "iter.map([\"a\"], func($x) { iter.map($x, func($y) { $y }) })",
        "E0401 2:22",
        "argument 2 of `iter.map`: expected a function that takes `str`, found a function that takes a list",
    );
    check(
        "iter.filter([1], func($x) { $x })",
        "E0401 2:23",
        "argument 2 of `iter.filter`: expected `func(int) bool`, found `func(x int) int`",
    );
    check(
        "iter.map([1], func($x, $y) { $x })",
        "E0404 2:20",
        "argument 2 of `iter.map`: expected a function with 1 parameter, found one with 2",
    );
    check(
        "iter.zip([1], [2], func($x) { $x })",
        "E0404 2:25",
        "argument 3 of `iter.zip`: expected a function with 2 parameters, found one with 1",
    );
    let twice = "$twice = func($f, $x) { $f($f($x)) }\ntest \"a\" {\n\tint64 => $twice(func($a, $b) { $a }, 1),\n}\n";
    check_message(twice, "argument 1 of `$twice`: expected a function with 1 parameter, found one with 2");
    let equal = "$is = [func($x, $y) { $x + $y }] == [func($x) { $x + 1 }]\ntest \"a\" {\n\tboolptr => $is,\n}\n";
    check_message(equal, "expected a function with 2 parameters, found one with 1");
}

fn check_message(program: &str, expect: &str) {
    let setup = Setup { hostname: "" };
    let compilation = understand(&MemoryWorld::single(program), "/main.mcl", setup, Reach::Program);
    let said: Vec<&str> = compilation.diags.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert!(said.contains(&expect), "{said:?}");
}

#[test]
fn an_error_in_a_class_is_reported_once() {
    let class = "class c($n) {\n\t$tb []str = [1]\n\ttest \"a${n}\" {\n\t\tanotherstr => $tb[0],\n\t}\n}\n";
    let once = errors(&format!("{class}include c(\"1\")\n"));
    // The use of the variable is not wrong: it has the declared type.
    assert_eq!(once, ["E0401 2:15"]);
    check(&format!("{class}include c(\"1\")\ninclude c(\"2\")\ninclude c(\"3\")\n"), &["E0401 2:15"]);
    // Different errors in different copies are separate errors.
    let differs = "class c($n) {\n\ttest \"a\" {\n\t\tint64 => $n,\n\t}\n}\ninclude c(\"1\")\ninclude c(true)\n";
    assert_eq!(errors(differs).len(), 2);
}

#[test]
fn every_error_is_reported_exactly_once() {
    let program = "$x = [1, \"a\"]\ntest \"a\" {\n\tint64 => \"b\",\n\tnope => 1,\n\tanotherstr => $x[0] + \"s\",\n}\n";
    check(program, &["E0405 4:2", "E0401 3:11", "E0401 1:10"]);
}

#[test]
fn a_polymorphic_function_has_a_type_per_call_and_a_lambda_one() {
    let uses = "test \"a\" {\n\tint64 => FID(1),\n\tanotherstr => FID(\"s\"),\n}\n";
    let func = format!("func id($x) {{ $x }}\n{}", uses.replace("FID", "id"));
    let lambda = format!("$id = func($x) {{ $x }}\n{}", uses.replace("FID", "$id"));
    check(&func, &[]);
    // The call is marked; the reference reports the function.
    check(&lambda, &["E0401 4:20"]);
}

#[test]
fn what_nothing_determines_is_ambiguous_once() {
    check("$e = []\nvalue \"a\" {\n\tany => $e,\n}\nvalue \"b\" {\n\tany => $e,\n}\n", &["E0402 1:6"]);
    check("$e []int = []\nvalue \"a\" {\n\tany => $e,\n}\n", &[]);
    check("$e = []\n$l []int = $e\nvalue \"a\" {\n\tany => $l[0] <|> 4,\n}\n", &["E0410 4:9"]);
    let class = "class c($l []str) {\n\tvalue \"a\" {\n\t\tany => $l,\n\t}\n}\n";
    check(&format!("{class}include c([])\n"), &["E0402 6:11"]);
    let used = "value \"a\" {\n\t\tany => $e == [\"b\"],\n\t}\n\tvalue \"b\" {\n\t\tany => $e,\n\t}\n";
    check(&format!("for $i, $v in [1] {{\n\t$e = []\n\t{used}}}\n"), &["E0402 2:7"]);
    check("$e = []\ntest \"a\" {\n\tint64 => len($e == [1] and true == true),\n}\n", &["E0413 3:11"]);
}

#[test]
fn an_error_in_a_literal_key_is_reported_once() {
    check("value \"a\" {\n\tany => {\"a\" => 1, 2 => 3},\n}\n", &["E0215 2:20"]);
    check("value \"a\" {\n\tany => {[1] => 1},\n}\n", &["E0216 2:10"]);
    check("$k = [1]\nvalue \"a\" {\n\tany => {$k => 1},\n}\n", &["E0412 3:9"]);
}

#[test]
fn an_unknown_part_causes_no_further_errors() {
    let looped = "for $i, $v in [struct{l => [1]}] {\n\tfor $j, $w in $v->l {\n\t\tnoop [\"a\"] {}\n\t}\n}\n";
    check(looped, &["E0402 2:16"]);
    check("value \"a\" {\n\tany => $x->a + 1,\n}\n", &["E0301 2:9"]);
    check("$x = [[1], [$y]]\nvalue \"a\" {\n\tany => $x[0][0] + 1,\n}\n", &["E0301 1:13"]);
}

#[test]
fn a_list_of_something_wrong_is_a_list() {
    let program = "import \"list\"\nvalue \"a\" {\n\tany => list.concat($b, \"c\"),\n}\n";
    let setup = Setup { hostname: "" };
    let compilation = understand(&MemoryWorld::single(program), "/main.mcl", setup, Reach::Program);
    let said = compilation.diags.iter().any(|error| error.message.ends_with("expected a list, found `str`"));
    assert!(said, "{:?}", compilation.diags);
}

#[test]
fn a_name_is_a_string_only_where_that_is_static() {
    check("import \"fmt\"\ntest fmt.printf(\"x%d\", 1) {}\n", &["E0401 2:6"]);
    check("import \"fmt\"\ntest [fmt.printf(\"x%d\", 1)] {}\n", &[]);
    check("$n = \"x\"\ntest $n {}\ntest \"${n}\" {}\n", &[]);
}

#[test]
fn a_function_applied_to_itself_has_no_type() {
    check("$f = func($x) { $x($x) }\n$g = $f($f)\nvalue \"a\" {\n\tany => $g,\n}\n", &["E0411 1:11"]);
}

#[test]
fn long_chains_and_towers_end() {
    let chain: String = (1..5000).map(|i| format!("$x{i} = $x{} + 1\n", i - 1)).collect();
    check(&format!("$x0 = 1\n{chain}test \"a\" {{\n\tint64 => $x4999,\n}}\n"), &[]);
    let pairs: String = (1..200).map(|i| format!("$x{i} = struct{{a => $x{p}, b => $x{p}}}\n", p = i - 1)).collect();
    let pairs = format!("$x0 = 1\n{pairs}value \"a\" {{\n\tany => $x199,\n}}\n");
    assert_eq!(errors(&pairs).iter().map(|error| &error[..5]).collect::<Vec<_>>(), ["E0414"]);
    let deep: String = (1..400).map(|i| format!("$x{i} = [$x{}]\n", i - 1)).collect();
    let errors = errors(&format!("$x0 = 1\n{deep}value \"a\" {{\n\tany => $x399,\n}}\n"));
    assert_eq!(errors.iter().map(|error| &error[..5]).collect::<Vec<_>>(), ["E0414"]);
}

#[test]
fn the_order_of_statements_does_not_matter() {
    let statements = ["$a = $b + 1\n", "$b = 2\n", "test \"x\" {\n\tint64 => $a,\n}\n", "$c = [$a, $b]\n"];
    let mut orders = vec![vec![0, 1, 2, 3], vec![3, 2, 1, 0], vec![2, 0, 3, 1], vec![1, 3, 0, 2]];
    orders.push(vec![2, 3, 1, 0]);
    for order in orders {
        let program: String = order.into_iter().map(|index: usize| statements[index]).collect();
        check(&program, &[]);
    }
}

#[test]
fn a_struct_of_too_many_fields_is_too_big() {
    let fields: String = (0..10_000).map(|i| format!("\tf{i} => {i},\n")).collect();
    let program = format!("$s = struct{{\n{fields}}}\ntest \"a\" {{\n\tint64 => $s->f1,\n}}\n");
    assert_eq!(errors(&program).iter().map(|error| &error[..5]).collect::<Vec<_>>(), ["E0414"]);
}

#[test]
fn what_was_inferred_is_frozen() {
    // It has no interior mutability and is shareable between threads.
    fn is_frozen<T: Send + Sync>() {}
    is_frozen::<Types>();
}
