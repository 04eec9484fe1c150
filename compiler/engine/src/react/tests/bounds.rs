//! Deep and explosive programs end with an answer, on a small stack.

use crate::react::Outcome;
use crate::react::check::Running;
use std::fmt::Write as _;

/// With as much stack as in wasm.
#[allow(clippy::disallowed_types, reason = "a thread has the stack to test with")]
fn on_a_small_stack(check: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(check).unwrap();
    thread.join().unwrap();
}

#[test]
fn a_long_chain_of_binds_is_no_deep_recursion() {
    on_a_small_stack(|| {
        let mut program = "$a0 = 1\n".to_owned();
        for i in 1..20_000 {
            let _ = writeln!(program, "$a{i} = $a{} + 1", i - 1);
        }
        program.push_str("test \"a\" { int64 => $a19999, }\n");
        assert!(Running::new(&program).graph().contains("Int64 = 20000"));
    });
}

#[test]
fn a_long_chain_of_dynamic_calls_is_near_linear() {
    on_a_small_stack(|| {
        let mut program = "$f = func($x int) { if $x > 0 { $x + 1 } else { 0 } }\n$a0 = 1\n".to_owned();
        for i in 1..3_000 {
            let _ = writeln!(program, "$a{i} = $f($a{})", i - 1);
        }
        program.push_str("test \"a\" { int64 => $a2999, }\n");
        let mut running = Running::new(&program);
        assert!(running.graph().contains("Int64 = 3000"));
        assert!(running.react.n_evaluated() < 200_000);
    });
}

#[test]
fn an_explosion_while_building_is_refused() {
    on_a_small_stack(|| {
        let mut program = "$f0 = func($x) { $x + 1 }\n".to_owned();
        for i in 1..40 {
            let _ = writeln!(program, "$f{i} = func($x) {{ $f{0}($f{0}($x)) }}", i - 1);
        }
        program.push_str("test \"a\" { int64 => $f39(0), }\n");
        assert!(Running::new(&program).graph().starts_with("E0502"));
    });
}

#[test]
fn an_explosion_at_run_time_is_refused() {
    on_a_small_stack(|| {
        let mut program = "import \"iter\"\n$f0 = func($x int) { [$x, $x] }\n".to_owned();
        for i in 1..40 {
            let map = format!("iter.map([1, 2], func($y int) {{ $f{}($y)[0] + 0 }})", i - 1);
            let _ = writeln!(program, "$f{i} = func($x int) {{ {map} }}");
        }
        program.push_str("test \"a\" { intslice => $f39(0), }\n");
        let program = program.replace("intslice => $f39(0)", "int64 => len($f39(0))");
        assert!(Running::new(&program).graph().starts_with("E0502"));
    });
}

/// The place and the help of the error that refuses a program.
fn refusal(program: &str) -> (String, String) {
    let Outcome::Failed(errors) = Running::new(program).run() else { panic!("it is not refused") };
    let error = errors.first().expect("an error");
    assert_eq!(error.code.to_string(), "E0502");
    let span = error.primary.as_ref().expect("a place").span;
    (program[span.start as usize..span.end as usize].to_owned(), error.help.join("\n"))
}

#[test]
fn an_explosion_has_a_place_and_its_reason() {
    let (place, help) = refusal(
        "import \"iter\"\n\
         $n = iter.map(iter.range(1000), func($x) { iter.map(iter.range(1000), func($y) { $x + $y }) })\n\
         test \"a\" { int64 => len($n), }\n",
    );
    assert_eq!(place, "iter.map(iter.range(1000), func($y) { $x + $y })");
    assert!(help.contains("the function that `iter.map` calls"), "{help}");

    let (place, help) = refusal(
        "import \"fmt\"\nimport \"iter\"\n\
         for $i, $v in iter.range(1000) {\n\
         \tfor $j, $w in iter.range(1000) {\n\t\t$n = fmt.printf(\"%d-%d\", $v, $w)\n\t\tnoop \"${n}\" {}\n\t}\n}\n",
    );
    assert!(place.starts_with("for $j"), "{place}");
    assert!(help.contains("before the loop"), "{help}");

    let mut program = "$f0 = func($x) { $x + 1 }\n".to_owned();
    for i in 1..20 {
        let _ = writeln!(program, "$f{i} = func($x) {{ $f{0}($f{0}($x)) }}", i - 1);
    }
    program.push_str("test \"a\" { int64 => $f19(0), }\n");
    let (place, help) = refusal(&program);
    assert_eq!(place, "$f19(0)");
    assert!(help.contains("nested function calls"), "{help}");
}

/// A program with text from outside, with a small budget per round.
fn on_a_budget(program: &str, text: &str) -> Running {
    let mut running = Running::new(program);
    running.react.limit_work(1_000_000);
    running.set("TEXT", Some(text));
    running
}

#[test]
fn a_pattern_over_a_large_text_is_refused_by_name() {
    let program = r#"
        import "golang/os"
        import "regexp"
        $hit = regexp.match("(a?){200}b", os.getenv("TEXT"))
        test "a" { anotherstr => if $hit { "yes" } else { "no" }, }
    "#;
    let mut running = on_a_budget(program, &"a".repeat(5_000));
    let error = running.graph();
    assert!(error.starts_with("E0606 the call of `regexp.match` exceeds the work limit"), "{error}");
}

#[test]
fn many_calls_draw_from_one_budget() {
    let program = r#"
        import "iter"
        import "golang/os"
        import "golang/strings"
        $text = os.getenv("TEXT")
        $counts = iter.map(iter.range(500), func($i int) { strings.count($text, "b") + $i })
        test "a" { intslice => $counts, }
    "#;
    let program = program.replace("intslice => $counts", "int64 => len($counts)");
    let error = on_a_budget(&program, &"a".repeat(5_000)).graph();
    assert!(error.starts_with("E0606"), "{error}");
    assert!(on_a_budget(&program, "a").graph().contains("Int64 = 500"));
}

/// A call pays for its result as for its arguments; here it is a thousand times larger.
#[test]
fn a_call_pays_for_its_result() {
    let program = r#"
        import "iter"
        import "golang/os"
        import "golang/strings"
        $text = os.getenv("TEXT")
        $counts = iter.map(iter.range(20), func($i int) { len(strings.MAKE) + $i })
        test "a" { int64 => len($counts), }
    "#;
    let long = "x".repeat(300);
    for call in [
        "replace_all($text, \"x\", strings.repeat($text, 3))",
        "replace_all($text, \"\", strings.repeat($text, 3))",
        "replace($text, \"x\", strings.repeat($text, 3), -1)",
        "repeat($text, 300)",
        "to_upper(strings.repeat($text, 100))",
    ] {
        let program = program.replace("MAKE", call);
        let error = on_a_budget(&program, &long).graph();
        assert!(error.starts_with("E0606"), "{call}: {error}");
        assert!(on_a_budget(&program.replace("range(20)", "range(3)"), "x").graph().contains("Int64 = 3"), "{call}");
    }
}

#[test]
fn a_template_pays_for_its_steps_and_what_it_calls() {
    let program = r#"
        import "golang"
        import "golang/os"
        $text = golang.template(os.getenv("TEXT"))
        test "a" { anotherstr => $text, }
    "#;
    for template in [
        "{{ range 1000000 }}{{ end }}",
        "{{ range 100 }}{{ $x := golang_strings_repeat \"abcd\" 100000 }}{{ end }}",
        "{{ range 1000 }}{{ $x := printf \"%09000d\" 1 }}{{ end }}",
        // Each character of these is looked at.
        "{{ $t := golang_strings_repeat \"<\" 1000 }}{{ range 200 }}{{ $x := html $t }}{{ end }}",
        "{{ $t := golang_strings_repeat \"a\" 1000 }}{{ range 200 }}{{ $x := golang_strings_to_upper $t }}{{ end }}",
    ] {
        let error = on_a_budget(program, template).graph();
        assert!(error.starts_with("E0606 the call of `golang.template`"), "{template}: {error}");
    }
    assert!(on_a_budget(program, "{{ range 10 }}.{{ end }}").graph().contains(".........."));
}

/// All that is notified of the first error of a program.
fn told(mut running: Running) -> String {
    let Outcome::Failed(errors) = running.run() else { panic!("it is not refused") };
    let error = errors.first().expect("an error");
    format!("{} {}\n{}\n{}", error.code, error.message, error.notes.join("\n"), error.help.join("\n"))
}

/// What was searched is told only if it is small: thousands of lookups of one large list may fail.
#[test]
fn a_lookup_that_fails_does_not_tell_what_is_large() {
    for (whole, lookup) in [
        ("[$text, $text]", "[5]"),
        ("{\"a\" => $text}", "[\"b\"]"),
        ("{$text => \"a\"}", "[\"b\"]"),
        ("{\"a\" => \"b\"}", "[$text]"),
    ] {
        let program = format!(
            "import \"golang/os\"\n$text = os.getenv(\"TEXT\")\n$whole = {whole}\n\
             test \"a\" {{ anotherstr => $whole{lookup}, }}\n"
        );
        let error = told(on_a_budget(&program, &"x".repeat(100_000)));
        assert!(error.starts_with("E0601 ") && error.len() < 1_000, "{whole}{lookup}: {error:.2000}");
        let error = told(on_a_budget(&program, "small"));
        assert!(error.contains("small"), "{whole}{lookup}: {error}");
    }
}

#[test]
fn a_lookup_pays_for_the_words_of_its_failure() {
    let program = r#"
        import "iter"
        import "golang/os"
        $whole = [os.getenv("TEXT")]
        $found = iter.map(iter.range(300), func($i int) { len($whole[$i + 100] <|> "d") })
        test "a" { int64 => len($found), }
    "#;
    assert!(on_a_budget(program, "x").graph().contains("Int64 = 300"));
    let error = on_a_budget(program, &"x".repeat(2_000)).graph();
    assert!(error.starts_with("E0606"), "{error}");
}

#[test]
fn what_a_function_repeats_in_its_message_is_cut() {
    let program = "import \"golang/os\"\npanic(os.getenv(\"TEXT\"))\n";
    let error = told(on_a_budget(program, &"x".repeat(20_000)));
    assert!(error.starts_with("E0602 ") && error.len() < 10_000, "{error:.2000}");
}

#[test]
fn comparing_large_keys_has_its_price() {
    let program = r#"
        import "iter"
        import "golang/os"
        $text = os.getenv("TEXT")
        $key = $text + "a"
        $whole = {$key => 1, $text + "b" => 2}
        $found = iter.map(iter.range(500), func($i int) { CALL })
        test "a" { int64 => len($found), }
    "#;
    let long = "x".repeat(5_000);
    for call in ["$whole[$key] + $i", "len({$key => $i, \"b\" => 1})"] {
        let program = program.replace("CALL", call);
        assert!(on_a_budget(&program, "x").graph().contains("Int64 = 500"), "{call}");
        let error = on_a_budget(&program, &long).graph();
        assert!(error.starts_with("E0606"), "{call}: {error}");
    }
}

#[test]
fn the_last_good_values_stay_and_work_goes_on_after_a_pause() {
    let program = r#"
        import "golang/os"
        import "regexp"
        $hit = regexp.match("(a?){200}b", os.getenv("TEXT"))
        test "a" { anotherstr => if $hit { "yes" } else { "no" }, }
    "#;
    let mut running = on_a_budget(program, "ab");
    assert!(running.graph().contains("yes"));
    let long = "a".repeat(5_000);
    let second = 1_000_000_000;
    let mut now = 0;
    // Each failure doubles the pause, and nothing is computed until it is over.
    for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
        running.set("TEXT", Some(&long));
        let n_before = running.react.n_evaluated();
        assert!(matches!(running.react.run(now), Outcome::Failed(_)));
        assert!(running.react.n_evaluated() > n_before);
        running.set("TEXT", Some(&format!("{long}{pause}")));
        let n_before = running.react.n_evaluated();
        assert!(matches!(running.react.run(now), Outcome::Failed(_)));
        assert_eq!(running.react.n_evaluated(), n_before);
        assert_eq!(running.react.wake(), Some(now + pause * second));
        now += pause * second;
    }
    running.set("TEXT", Some("ab"));
    assert!(matches!(running.react.run(now), Outcome::Complete { .. }));
    assert_eq!(running.react.wake(), None);
}

#[test]
fn a_program_that_is_too_much_waits_for_a_change() {
    let program = r#"
        import "golang/os"
        import "regexp"
        $hit = regexp.match("(a?){200}b", os.getenv("TEXT"))
        test "a" { anotherstr => if $hit { "yes" } else { "no" }, }
    "#;
    let mut running = on_a_budget(program, &"a".repeat(5_000));
    assert!(matches!(running.run(), Outcome::Failed(_)));
    assert_eq!(running.react.wake(), None);
    let n_before = running.react.n_evaluated();
    assert!(matches!(running.react.run(u64::MAX / 2), Outcome::Failed(_)));
    assert_eq!(running.react.n_evaluated(), n_before);
}

#[test]
fn a_text_that_is_too_long_is_refused_with_its_limit() {
    let program = r#"
        import "golang/strings"
        test "a" { anotherstr => strings.repeat("a", 100000000), }
    "#;
    assert_eq!(Running::new(program).graph(), "E0602 the string would exceed 32 MiB");
}

#[test]
fn what_is_computed_before_running_is_bounded() {
    let mut program = "import \"fmt\"\n$a0 = [1, 1]\n".to_owned();
    for i in 1..60 {
        let _ = writeln!(program, "$a{i} = [$a{0}, $a{0}]", i - 1);
    }
    program
        .push_str("$b = if $a59 == $a59 { \"%d\" } else { \"%s\" }\ntest \"a\" { anotherstr => fmt.printf($b, 1), }\n");
    assert!(!Running::new(&program).graph().is_empty());
}
