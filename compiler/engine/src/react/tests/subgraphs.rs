//! Subgraphs that are attached and removed.

use crate::react::check::Running;

#[test]
fn what_a_branch_needs_goes_with_it() {
    let mut running = Running::new(
        r#"
        import "sys"
        $v = if sys.getenv("C") == "1" { sys.getenv("A") } else { "none" }
        test "a" { stringptr => $v, }
        "#,
    );
    running.set("C", Some("0"));
    running.set("A", Some("x"));
    assert_eq!(running.graph(), "Field: test[a].StringPtr = \"none\"\nVertex: test[a]\n");
    let (n_vertices, n_subscribed) = (running.react.graph().n_vertices(), running.n_subscribed());
    running.set("C", Some("1"));
    assert_eq!(running.graph(), "Field: test[a].StringPtr = \"x\"\nVertex: test[a]\n");
    assert!(running.react.graph().n_vertices() > n_vertices && running.n_subscribed() > n_subscribed);
    running.set("C", Some("0"));
    running.run();
    assert_eq!((running.react.graph().n_vertices(), running.n_subscribed()), (n_vertices, n_subscribed));
}

#[test]
fn a_definition_that_is_shared_keeps_running() {
    let mut running = Running::new(
        r#"
        import "sys"
        $shared = sys.getenv("S") + "!"
        if sys.getenv("C") == "1" {
            test "inner" { stringptr => $shared, }
        } else {
            test "other" { stringptr => $shared, }
        }
        "#,
    );
    running.set("S", Some("s"));
    running.set("C", Some("1"));
    assert_eq!(running.graph(), "Field: test[inner].StringPtr = \"s!\"\nVertex: test[inner]\n");
    let evaluated = running.react.n_evaluated();
    running.set("C", Some("0"));
    assert_eq!(running.graph(), "Field: test[other].StringPtr = \"s!\"\nVertex: test[other]\n");
    assert_eq!(running.n_subscribed(), 2);
    assert!(running.react.n_evaluated() - evaluated < 10, "the shared part was not built again");
}

#[test]
fn bodies_of_elements_that_stay_are_kept() {
    let mut running = Running::new(
        r#"
        import "sys"
        import "strings"
        for $i, $v in strings.split(sys.getenv("L"), ",") {
            $name = "${v}"
            test "${name}" { int64 => $i, }
        }
        "#,
    );
    running.set("L", Some("a,b"));
    assert_eq!(running.graph(), "Field: test[b].Int64 = 1\nVertex: test[a]\nVertex: test[b]\n");
    let n_vertices = running.react.graph().n_vertices();
    running.set("L", Some("a,b,c"));
    assert!(running.graph().contains("Field: test[c].Int64 = 2"));
    running.set("L", Some("x,y"));
    assert_eq!(running.graph(), "Field: test[y].Int64 = 1\nVertex: test[x]\nVertex: test[y]\n");
    assert_eq!(running.react.graph().n_vertices(), n_vertices);
}

#[test]
fn keys_of_a_map_come_and_go() {
    let mut running = Running::new(
        r#"
        import "sys"
        $more = sys.getenv("M")
        forkv $k, $v in {"b" => "1", $more => "2"} {
            test "${k}" { stringptr => $v, }
        }
        "#,
    );
    running.set("M", Some("a"));
    let expect =
        "Field: test[a].StringPtr = \"2\"\nField: test[b].StringPtr = \"1\"\nVertex: test[a]\nVertex: test[b]\n";
    assert_eq!(running.graph(), expect);
    running.set("M", Some("c"));
    assert_eq!(
        running.graph(),
        "Field: test[b].StringPtr = \"1\"\nField: test[c].StringPtr = \"2\"\nVertex: test[b]\nVertex: test[c]\n"
    );
    running.set("M", Some("b"));
    assert_eq!(running.graph(), "Field: test[b].StringPtr = \"2\"\nVertex: test[b]\n");
}

#[test]
fn a_function_is_replaced_by_another() {
    let mut running = Running::new(
        r#"
        import "sys"
        $f = if sys.getenv("C") == "1" { func($x int) { $x + 1 } } else { func($x int) { $x * 10 } }
        test "a" { int64 => $f(5), }
        "#,
    );
    running.set("C", Some("1"));
    assert!(running.graph().contains("Int64 = 6"));
    let n_vertices = running.react.graph().n_vertices();
    running.set("C", Some("0"));
    assert!(running.graph().contains("Int64 = 50"));
    assert_eq!(running.react.graph().n_vertices(), n_vertices);
}

#[test]
fn closures_in_lists_see_their_own_elements() {
    let mut running = Running::new(
        r#"
        import "iter"
        $fs = iter.map([1, 2, 3], func($x) { func($y int) { $x * 10 + $y } })
        $f = $fs[1]
        test "a" { int64 => $f(5), }
        "#,
    );
    assert!(running.graph().contains("Int64 = 25"));
}

#[test]
fn functions_over_lists_follow_the_list() {
    let mut running = Running::new(
        r#"
        import "sys"
        import "iter"
        import "strings"
        $parts = strings.split(sys.getenv("L"), ",")
        $long = iter.filter($parts, func($s) { len($s) > 1 })
        $all = iter.reduce("", $long, func($sum, $s) { $sum + $s })
        test "a" { slicestring => iter.map($long, func($s) { $s + "!" }), stringptr => $all, }
        "#,
    );
    running.set("L", Some("a,bb,c,dd"));
    assert!(running.graph().contains("SliceString = [\"bb!\", \"dd!\"]"));
    assert!(running.graph().contains("StringPtr = \"bbdd\""));
    running.set("L", Some("ee"));
    assert!(running.graph().contains("StringPtr = \"ee\""));
}
