//! Programs that are deep or explode end with an answer, on a small stack.

use crate::react::check::Running;
use std::fmt::Write as _;

/// As much stack as wasm has.
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
