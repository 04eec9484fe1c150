//! Work is proportional to the change.

use crate::react::check::Running;
use crate::rgraph::NextGraph;
use crate::vocab::{Datum, FactSpec, file, time};
use std::fmt::Write as _;

/// The number of vertices evaluated after one change.
fn cost(text: &str, start: impl Fn(&mut Running), change: impl Fn(&mut Running)) -> u64 {
    let mut running = Running::new(text);
    start(&mut running);
    running.graph();
    let before = running.react.n_evaluated();
    change(&mut running);
    let graph = running.graph();
    assert!(graph.contains("changed"), "{graph}");
    running.react.n_evaluated() - before
}

/// With few and with many vertices.
const SIZES: [usize; 2] = [10, 2000];

/// One line per number.
fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(line).collect()
}

fn variables(running: &mut Running, n: usize) {
    (0..n).for_each(|i| running.set(&format!("V{i}"), Some("a")));
}

/// `[sys.getenv("V0"), …]` as `$list`.
fn list(n: usize, then: &str) -> String {
    let items: Vec<String> = (0..n).map(|i| format!("sys.getenv(\"V{i}\")")).collect();
    format!("import \"sys\"\nimport \"iter\"\n$list = [{}]\n{then}", items.join(", "))
}

#[test]
fn one_file_of_many() {
    let file = |i: usize| FactSpec::File(file::Fact::Content { path: format!("/f{i}") });
    let costs = SIZES.map(|n| {
        let statements = lines(n, |i| format!("test \"t{i}\" {{ stringptr => os.readfile(\"/f{i}\") + \"!\", }}\n"));
        let start = |running: &mut Running| (0..n).for_each(|i| running.tell(file(i), Datum::text("a")));
        cost(&format!("import \"os\"\n{statements}"), start, |running| running.tell(file(7), Datum::text("changed")))
    });
    assert!(costs[0] == costs[1] && costs[0] <= 4, "{costs:?}");
}

#[test]
fn one_clock_among_others() {
    let clock = FactSpec::Time(time::Fact::Clock { period_ms: 1000 });
    let costs = SIZES.map(|n| {
        let statements = lines(n, |i| format!("test \"t{i}\" {{ int64 => sys.uptime() + {i}, }}\n"));
        let now = "test \"now\" { stringptr => fmt.printf(\"changed %d\", datetime.now()), }\n";
        let start = |running: &mut Running| {
            running.tell(FactSpec::Time(time::Fact::Uptime { period_ms: 1000 }), Datum::Int(1));
            running.tell(clock.clone(), Datum::Int(1));
        };
        let text = format!("import \"datetime\"\nimport \"sys\"\nimport \"fmt\"\n{statements}{now}");
        cost(&text, start, |running| running.tell(clock.clone(), Datum::Int(2)))
    });
    assert!(costs[0] == costs[1] && costs[0] <= 4, "{costs:?}");
}

#[test]
fn one_element_of_a_list() {
    for then in [
        "value \"m\" { any => iter.map($list, func($x) { $x + \"!\" }), }\n",
        "value \"f\" { any => iter.filter($list, func($x) { $x != \"b\" }), }\n",
        "value \"z\" { any => iter.zip($list, $list, func($x, $y) { $x + $y }), }\n",
        "value \"l\" { any => iter.flatten([$list, $list]), }\n",
        "for $i, $v in $list {\nif $i == 7 {\ntest \"t\" { stringptr => $v + \"!\", }\n}\n}\n",
    ] {
        let costs = SIZES.map(|n| {
            cost(&list(n, then), |running| variables(running, n), |running| running.set("V7", Some("changed")))
        });
        assert!(costs[0] == costs[1] && costs[0] <= 12, "{then} {costs:?}");
    }
}

#[test]
fn a_fold_is_recomputed_from_the_changed_element() {
    let fold = "value \"r\" { any => iter.reduce($list, func($x, $y) { $x + $y }), }\n";
    let costs = [10, 500].map(|n| {
        let change = |running: &mut Running| running.set(&format!("V{}", n - 3), Some("changed"));
        cost(&list(n, fold), |running| variables(running, n), change)
    });
    assert_eq!(costs[0], costs[1], "{costs:?}");
}

#[test]
fn a_function_value_that_changes_rebuilds_what_calls_it() {
    let choice = "$f = if sys.getenv(\"V0\") == \"a\" { func($x) { $x } } else { func($x) { \"changed\" + $x } }\n";
    let costs = SIZES.map(|n| {
        let others = lines(n, |i| format!("test \"t{i}\" {{ stringptr => sys.getenv(\"V{i}\"), }}\n"));
        let text = format!("import \"sys\"\n{choice}{others}test \"f\" {{ stringptr => $f(\"x\"), }}\n");
        cost(&text, |running| variables(running, n), |running| running.set("V0", Some("b")))
    });
    assert!(costs[0] == costs[1] && costs[0] <= 20, "{costs:?}");
}

#[test]
fn history_is_asked_again_only_for_its_own_value() {
    let costs = SIZES.map(|n| {
        let statements = lines(n, |i| format!("test \"t{i}\" {{ stringptr => history(sys.getenv(\"V{i}\"), 0), }}\n"));
        let change = |running: &mut Running| running.set("V3", Some("changed"));
        cost(&format!("import \"sys\"\n{statements}"), |running| variables(running, n), change)
    });
    assert!(costs[0] == costs[1] && costs[0] <= 6, "{costs:?}");
}

#[test]
fn one_fact_of_ten_thousand_costs_the_same_as_one_of_ten() {
    let mut costs = Vec::new();
    for n in [10, 10_000] {
        let mut program = "import \"sys\"\n".to_owned();
        for i in 0..n {
            let _ = writeln!(program, "test \"t{i}\" {{ stringptr => sys.getenv(\"V{i}\") + \"!\", }}");
        }
        let mut running = Running::new(&program);
        for i in 0..n {
            running.set(&format!("V{i}"), Some("a"));
        }
        let before = running.graph();
        let (n_evaluated, n_made) = (running.react.n_evaluated(), running.interpreter.n_made());
        running.set("V7", Some("b"));
        let after = running.graph();
        assert_eq!(before.replace("test[t7].StringPtr = \"a!\"", "test[t7].StringPtr = \"b!\""), after);
        costs.push((running.react.n_evaluated() - n_evaluated, running.interpreter.n_made() - n_made));
    }
    assert_eq!(costs[0], costs[1]);
    assert!(costs[0].0 <= 4 && costs[0].1 == 1, "{costs:?}");
}

#[test]
fn a_value_that_comes_out_as_it_was_ends_the_spreading() {
    let mut program = "import \"sys\"\n$n = len(sys.getenv(\"V\"))\n".to_owned();
    for i in 0..100 {
        let _ = writeln!(program, "test \"t{i}\" {{ int64 => $n + {i}, }}");
    }
    let mut running = Running::new(&program);
    running.set("V", Some("abc"));
    running.graph();
    let n_evaluated = running.react.n_evaluated();
    running.set("V", Some("xyz"));
    running.graph();
    assert!(running.react.n_evaluated() - n_evaluated <= 3);
}

#[test]
fn unchanged_resources_keep_their_storage() {
    let mut running = Running::new(
        r#"
        import "sys"
        test "a" { stringptr => sys.getenv("V"), }
        test "b" { stringptr => "fixed", }
        Test["a"] -> Test["b"]
        "#,
    );
    running.set("V", Some("1"));
    running.run();
    let first = running.interpreter.interpret(running.react.table()).unwrap();
    running.set("V", Some("2"));
    running.run();
    let second = running.interpreter.interpret(running.react.table()).unwrap();
    let shared = first.resources.values().zip(second.resources.values());
    let shared: Vec<bool> = shared.map(|(a, b)| std::sync::Arc::ptr_eq(a, b)).collect();
    assert_eq!(shared, [false, true]);
    let diff = crate::rgraph::diff(&first, &second);
    assert_eq!((diff.changed.len(), diff.kept.len(), diff.added.len(), diff.removed.len()), (1, 1, 0, 0));
}

#[test]
fn a_few_new_fields_are_told_alone() {
    let mut running = Running::new(
        r#"
        import "sys"
        import "convert"
        test "a" { stringptr => sys.getenv("V"), }
        if sys.getenv("S") == "on" {
            test "b" { stringptr => "fixed", }
        }
        test "c" { int8 => convert.str_to_int(sys.getenv("N")), }
        Test["a"] -> Test["c"]
        "#,
    );
    let mut next = |name: &str, value: &str| {
        running.set(name, Some(value));
        running.run();
        let react = &mut running.react;
        match running.interpreter.update(react) {
            Ok(NextGraph::Whole(graph)) => format!("whole {}", graph.resources.len()),
            Ok(NextGraph::Few(changes)) => {
                let changes = changes.iter().map(|changed| format!("{:?} {}", changed.at, changed.now.id));
                format!("few {}", changes.collect::<Vec<_>>().join(" "))
            }
            Err(diags) => format!("error {}", diags.iter().count()),
        }
    };
    next("V", "1");
    next("N", "1");
    assert_eq!(next("S", "on"), "whole 3");
    assert_eq!(next("V", "2"), "few v0 test[a]");
    assert_eq!(next("N", "2"), "few v2 test[c]");
    assert_eq!(next("S", "off"), "whole 2");
    assert_eq!(next("N", "3"), "few v1 test[c]");
    assert_eq!(next("N", "3000"), "error 1");
    assert_eq!(next("V", "3"), "error 1");
    assert_eq!(next("N", "4"), "whole 2");
    assert_eq!(next("V", "4"), "few v0 test[a]");
}
