//! Failures, where they are caught, and recovery when the value is good again.

use crate::react::check::Running;

#[track_caller]
fn check(program: &str, expect: &str) {
    let text = format!("{program}\n");
    assert_eq!(Running::new(&text).graph().trim_end(), expect, "{text}");
}

#[test]
fn a_failure_travels_to_the_fallback() {
    check(r#"test "a" { int64 => [1, 2][9] + 1 <|> 7, }"#, "Field: test[a].Int64 = 7\nVertex: test[a]");
    check(r#"test "a" { int64 => [1, 2][9] <|> [3][8] <|> 5, }"#, "Field: test[a].Int64 = 5\nVertex: test[a]");
}

#[test]
fn a_statement_that_reads_it_does_not_catch() {
    let program = r#"
        $b = 1 / 0
        test "a" { float64 => $b <|> 7.0, }
        test "b" { float64 => $b, }
    "#;
    check(program, "E0601 division by zero");
}

#[test]
fn an_ignored_argument_fails_the_program() {
    let program = r#"
        $f = func($x float) { "lit" }
        $v = $f(1 / 0) <|> "caught"
        test "${v}" {}
    "#;
    check(program, "E0601 division by zero");
}

#[test]
fn an_argument_that_the_body_reads_can_be_caught_around_the_call() {
    let program = r#"
        $f = func($x float) { [$x, 1.0] }
        $v = len($f(1 / 0)) <|> 9
        test "a" { int64 => $v, }
    "#;
    check(program, "Field: test[a].Int64 = 9\nVertex: test[a]");
}

#[test]
fn a_failure_at_the_entrance_of_a_construct_can_be_caught() {
    check(
        r#"test "a" { stringptr => if 1 / 0 == 1.0 { "a" } else { "b" } <|> "d", }"#,
        "Field: test[a].StringPtr = \"d\"\nVertex: test[a]",
    );
    let function = r#"
        $fs = [func($x int) { $x + 1 }]
        $f = $fs[9]
        test "a" { int64 => $f(1) <|> 4, }
    "#;
    check(function, "Field: test[a].Int64 = 4\nVertex: test[a]");
}

#[test]
fn a_panic_is_never_caught() {
    check("panic(\"no\")\n", "E0602 `panic` was called: no");
    check("if false {\n\tpanic(true)\n}\ntest \"a\" {}\n", "Vertex: test[a]");
}

#[test]
fn the_same_value_at_two_places_of_a_literal_works() {
    check(
        r#"
        $v = "x"
        test [$v, $v] { slicestring => [$v, $v, "y"], }
        "#,
        "Field: test[x].SliceString = [\"x\", \"x\", \"y\"]\nVertex: test[x]",
    );
}

#[test]
fn good_values_after_an_error_go_on() {
    let mut running = Running::new(
        r#"
        import "sys"
        test "a" { stringptr => sys.getenv("V"), }
        "#,
    );
    assert_eq!(running.graph(), "E0601 environment variable not set: V");
    running.set("V", Some("1"));
    assert_eq!(running.graph(), "Field: test[a].StringPtr = \"1\"\nVertex: test[a]\n");
    running.set("V", None);
    assert_eq!(running.graph(), "E0601 environment variable not set: V");
}

#[test]
fn a_fallback_ends_when_the_value_is_good_again() {
    let mut running = Running::new(
        r#"
        import "sys"
        test "a" { stringptr => sys.getenv("V") <|> sys.getenv("W"), }
        "#,
    );
    running.set("W", Some("w"));
    assert_eq!(running.graph(), "Field: test[a].StringPtr = \"w\"\nVertex: test[a]\n");
    assert_eq!(running.n_subscribed(), 2);
    running.set("V", Some("v"));
    assert_eq!(running.graph(), "Field: test[a].StringPtr = \"v\"\nVertex: test[a]\n");
    assert_eq!(running.n_subscribed(), 1);
}
