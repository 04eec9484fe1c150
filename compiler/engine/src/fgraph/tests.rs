//! The worked examples of the language spec, 10.8, and further rules of 10.3 to 10.7.

use crate::react::check::ir;

/// Compares the printed graph; the expected lines omit `Vertex: ` and `Edge: ` and may be in any order.
#[track_caller]
fn check(program: &str, expect: &[&str]) {
    let program = format!("{program}\n");
    let ir = ir(&program).unwrap_or_else(|diags| panic!("does not compile: {diags:?}\n{program}"));
    let got = super::text(&super::build(&ir).unwrap());
    let mut got: Vec<&str> = got.lines().map(|line| line.split_once(": ").unwrap_or_default().1).collect();
    let mut expect = expect.to_vec();
    got.sort_unstable();
    expect.sort_unstable();
    assert_eq!(got, expect, "{program}");
}

#[test]
fn a_bind_is_shared_and_constants_are_not() {
    let program = "$n = 5\ntest \"a\" { int64 => $n + 1, }\ntest \"b\" { int64 => $n + 1, }";
    let mut expect = vec!["const: int(5)", "const: str(\"a\")", "const: str(\"b\")"];
    for _ in 0..2 {
        expect.extend([
            "_operator",
            "const: int(1)",
            "const: str(\"+\")",
            "const: int(1) -> _operator # b",
            "const: int(5) -> _operator # a",
            "const: str(\"+\") -> _operator # op",
        ]);
    }
    check(program, &expect);
}

#[test]
fn a_lambda_that_ends_in_an_operator_is_built_in_place() {
    let expect = [
        "_operator",
        "composite: []str",
        "const: str(\"x\")",
        "const: str(\"!\")",
        "const: str(\"+\")",
        "const: str(\"x\") -> _operator # a",
        "const: str(\"!\") -> _operator # b",
        "const: str(\"+\") -> _operator # op",
        "_operator -> composite: []str # 0",
    ];
    check("$up = func($s) { $s + \"!\" }\ntest [$up(\"x\")] {}", &expect);
}

#[test]
fn a_constant_result_makes_a_dynamic_call() {
    let dynamic =
        ["FuncValue", "call", "callSubgraphOutput", "FuncValue -> call # fn", "call -> callSubgraphOutput # dummy"];
    check("func k() { \"lit\" }\n$v = k()\ntest \"${v}\" {}", &dynamic);
    // A lambda is one value for all its calls.
    let twice = "$k = func() { \"lit\" }\n$v = $k()\n$w = $k()\ntest \"${v}\" {}\ntest \"${w}\" {}";
    check(twice, &[&dynamic[..], &dynamic[1..]].concat());
}

#[test]
fn a_function_can_return_a_function() {
    let expect = [
        "FuncValue",
        "call",
        "call",
        "callSubgraphOutput",
        "callSubgraphOutput",
        "FuncValue -> call # fn",
        "call -> callSubgraphOutput # dummy",
        "call -> callSubgraphOutput # dummy",
        "callSubgraphOutput -> call # fn",
    ];
    check("func g() { func() { \"x\" } }\n$f = g()\n$o = $f()\ntest \"${o}\" {}", &expect);
}

#[test]
fn a_parameter_as_callee_is_dynamic() {
    let program =
        "func app($f, $x) { $f($x) }\n$inc = func($i) { $i + 1 }\n$r = app($inc, 1)\ntest \"a\" { int64 => $r, }";
    let expect = [
        "FuncValue",
        "FuncValue",
        "const: int(1)",
        "const: str(\"a\")",
        "call",
        "callSubgraphOutput",
        "FuncValue -> call # fn",
        "call -> callSubgraphOutput # dummy",
    ];
    check(program, &expect);
}

#[test]
fn lambdas_are_chosen_statically_where_the_condition_is_known() {
    let program = |cond: &str| {
        format!(
            "$l1 = func($s) {{ $s + \"!\" }}\n$l2 = func($s) {{ $s + \"?\" }}\n$l = if {cond} {{ $l1 }} else {{ $l2 }}\ntest [$l(\"x\")] {{}}"
        )
    };
    let text_of = |cond: &str| {
        let ir = ir(&(program(cond) + "\n")).unwrap();
        super::text(&super::build(&ir).unwrap())
    };
    assert!(!text_of("2 > 1").contains("exprif"));
    let dynamic = text_of("len(\"a\") > 1");
    assert!(dynamic.contains("exprIfSubgraphOutput -> call # fn"), "{dynamic}");
}

#[test]
fn an_if_statement_shows_its_condition_only() {
    let program = "$b = true\nif $b {\n\ttest \"a\" {}\n}";
    check(program, &["const: bool(true)", "stmtif", "const: bool(true) -> stmtif # condition"]);
}

#[test]
fn an_identity_of_a_constant_is_dynamic_and_of_an_operator_is_nothing() {
    let id = "func id($x) { $x }\n";
    let expect = [
        "FuncValue",
        "call",
        "callSubgraphOutput",
        "const: str(\"a\")",
        "const: int(1)",
        "FuncValue -> call # fn",
        "call -> callSubgraphOutput # dummy",
    ];
    check(&format!("{id}test \"a\" {{ int64 => id(1), }}"), &expect);
    let expect = [
        "_operator",
        "const: str(\"a\")",
        "const: str(\"+\")",
        "const: int(1)",
        "const: int(2)",
        "const: int(1) -> _operator # a",
        "const: int(2) -> _operator # b",
        "const: str(\"+\") -> _operator # op",
    ];
    check(&format!("{id}test \"a\" {{ int64 => id(id(1 + 2)), }}"), &expect);
}

#[test]
fn one_vertex_for_two_arguments_is_one_edge() {
    let program = "$x = 1\nvalue \"a\" { any => [$x + $x], }\nvalue \"b\" { any => [$x, $x], }";
    let expect = [
        "_operator",
        "composite: []int",
        "composite: []int",
        "const: int(1)",
        "const: str(\"+\")",
        "const: str(\"a\")",
        "const: str(\"b\")",
        "const: int(1) -> _operator # a, b",
        "const: str(\"+\") -> _operator # op",
        "_operator -> composite: []int # 0",
        "const: int(1) -> composite: []int # 1",
    ];
    check(program, &expect);
}

#[test]
fn a_meta_parameter_may_not_be_set_twice() {
    let page = crate::diag::codes::entry(crate::diag::codes::META_TWICE).unwrap().page;
    let program = page.split("```mcl\n").nth(1).unwrap().split("```").next().unwrap();
    let diags = ir(program).unwrap_err();
    assert_eq!(diags.first_error().unwrap().code, crate::diag::codes::META_TWICE);
}

#[test]
fn dot_names_every_vertex_and_edge() {
    let ir = ir("test \"a\\\"b\" { int64 => 1 + 2, }\n").unwrap();
    let dot = super::dot(&super::build(&ir).unwrap());
    assert!(dot.starts_with("digraph functions {\n") && dot.ends_with("}\n"));
    assert_eq!(dot.matches(" -> ").count(), 3);
    assert!(dot.contains(r#"[label="const: str(\"a\\\"b\")"]"#), "{dot}");
}

/// Each field of a struct has an edge, and each edge names the whole type.
#[test]
fn a_text_that_is_too_long_is_not_made() {
    let wide = |n: usize| {
        let fields: Vec<String> = (0..n).map(|at| format!("f{at} => {at}")).collect();
        let program = format!("$s = struct{{{}}}\ntest \"x\" {{\n\tint64 => $s->f0,\n}}\n", fields.join(", "));
        super::build(&ir(&program).unwrap()).unwrap()
    };
    let small = wide(10);
    let text = super::text(&small);
    assert_eq!(super::text_within(&small, text.len() as u64).as_deref(), Some(&*text));
    assert_eq!(super::text_within(&small, 100), None);
    assert_eq!(super::text_within(&wide(3_000), 64 << 20), None);
}
