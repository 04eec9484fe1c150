//! Work is in proportion to the change.

use crate::react::check::Running;
use std::fmt::Write as _;

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
