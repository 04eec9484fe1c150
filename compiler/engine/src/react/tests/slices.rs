//! A round in slices of work: the same values, one set of facts, and an end however fast these change.

use crate::react::Outcome;
use crate::react::check::Running;
use crate::rgraph::text_with_fields;

/// A pattern that takes long over a long text, and what is made of both.
const PATTERN: &str = r#"
    import "golang/os"
    import "regexp"
    $text = os.getenv("TEXT")
    $hit = regexp.match("(a?){200}b$", $text)
    test "a" { anotherstr => if $hit { "yes" } else { "no" }, stringptr => $text, }
"#;

const TEMPLATE: &str = r#"
    import "golang"
    import "golang/os"
    $shown = "{{ $all := . }}{{ range $i := 3000 }}{{ if eq $i 7 }}{{ continue }}{{ end }}{{ template \"t\" $i }}{{ end }}{{ define \"t\" }}{{ with . }}{{ . }};{{ else }}none{{ end }}{{ end }}{{ $all }}"
    test "a" { anotherstr => golang.template($shown, os.getenv("TEXT")), }
"#;

const LIST: &str = r#"
    import "golang/os"
    import "iter"
    $counts = iter.map(iter.range(1000), func($i int) { len(os.getenv("TEXT")) + $i })
    test "a" { int64 => $counts[999], }
"#;

const SLICE: u64 = 100_000;

fn text(n: usize, end: &str) -> String {
    format!("{}{end}", "a".repeat(n))
}

/// The program with a short text, and with slices from then on.
fn in_slices(program: &str, slice: u64) -> Running {
    let mut running = Running::new(program);
    running.react.set_slice(slice);
    running.set("TEXT", Some("b"));
    assert!(matches!(running.run(), Outcome::Complete { .. }));
    running
}

fn fresh(program: &str, text: &str) -> String {
    let mut running = Running::new(program);
    running.set("TEXT", Some(text));
    running.graph()
}

#[test]
fn slices_come_to_the_same_as_a_round_in_one_go() {
    for program in [PATTERN, TEMPLATE, LIST] {
        let long = text(2_000, "b");
        let mut whole = Running::new(program);
        whole.set("TEXT", Some("b"));
        assert!(whole.graph().contains("Vertex: test[a]"), "{program}");
        let mut sliced = in_slices(program, SLICE);
        whole.set("TEXT", Some(&long));
        sliced.set("TEXT", Some(&long));
        let mut n_slices = 1;
        let mut copies = Vec::new();
        while sliced.slice() == Outcome::Underway {
            if n_slices % 4 == 1 {
                copies.push((n_slices, sliced.clone()));
            }
            n_slices += 1;
        }
        // A copy continues from where it was taken, whatever happens to the original.
        let n_evaluated = sliced.react.n_evaluated();
        for (n_done, copy) in &mut copies {
            for _ in *n_done + 1..n_slices {
                assert_eq!(copy.slice(), Outcome::Underway, "{program}");
            }
            assert!(matches!(copy.slice(), Outcome::Complete { .. }), "{program}");
            assert_eq!(copy.react.n_evaluated(), n_evaluated, "{program}");
            assert_eq!(copy.graph(), sliced.graph());
        }
        assert!(n_slices > 5, "{n_slices} slices: {program}");
        assert_eq!(sliced.graph(), whole.graph());
        assert_eq!(sliced.react.n_evaluated(), whole.react.n_evaluated(), "nothing is evaluated twice: {program}");
    }
}

/// Each graph is of one text, and there is one for every text that was begun.
#[test]
fn what_changes_faster_than_it_is_computed_still_comes_to_an_end() {
    let mut running = in_slices(PATTERN, SLICE);
    let mut graphs = Vec::new();
    let mut last = String::new();
    for n in 0..300 {
        last = text(500 + n, if n % 2 == 0 { "b" } else { "c" });
        running.set("TEXT", Some(&last));
        if matches!(running.slice(), Outcome::Complete { .. }) {
            graphs.push(text_with_fields(&running.interpreter.interpret(running.react.table()).unwrap()));
        }
    }
    assert!(graphs.len() > 5 && graphs.len() < 100, "{} graphs", graphs.len());
    for graph in &graphs {
        assert_eq!(graph.contains("b\""), graph.contains("\"yes\""), "of two texts: {graph}");
    }
    let n_graphs = graphs.len();
    graphs.dedup();
    assert_eq!(graphs.len(), n_graphs, "it gets on");
    assert_eq!(running.graph(), fresh(PATTERN, &last), "the last text wins");
    assert!(!running.react.is_under_way());
}

#[test]
fn what_is_handed_in_for_one_moment_has_one_slice_together() {
    let mut running = in_slices(PATTERN, 10 * SLICE);
    running.react.begin_slice();
    let mut n_complete = 0;
    for n in 0..50 {
        running.set("TEXT", Some(&text(60 + n, "b")));
        n_complete += u32::from(matches!(running.react.run(0), Outcome::Complete { .. }));
    }
    assert!((1..10).contains(&n_complete), "{n_complete} rounds in a slice");
    assert!(running.react.is_under_way());
    assert_eq!(running.graph(), fresh(PATTERN, &text(109, "b")));
}

#[test]
fn the_budget_of_a_round_is_that_of_all_its_slices() {
    let mut running = in_slices(PATTERN, SLICE);
    running.react.limit_work(10 * SLICE);
    running.react.set_slice(SLICE);
    running.set("TEXT", Some(&text(5_000, "b")));
    let mut n_slices = 1;
    let failures = loop {
        match running.slice() {
            Outcome::Underway => n_slices += 1,
            Outcome::Failed(failures) => break failures,
            other => panic!("{other:?}"),
        }
    };
    assert!(failures[0].message.contains("the call of `regexp.match` exceeds the work limit"), "{failures:?}");
    assert!(n_slices > 5, "{n_slices} slices");
    assert!(!running.react.is_under_way() && running.react.wake().is_none(), "it waits for a change");
    running.set("TEXT", Some("b"));
    let wake = running.react.wake().expect("it is tried again after a pause");
    running.react.begin_slice();
    assert!(matches!(running.react.run(wake), Outcome::Complete { .. }));
}

/// Two facts, of which one is worked on for long.
const BESIDE: &str = r#"
    import "golang/os"
    import "regexp"
    $hit = regexp.match("(a?){200}b$", os.getenv("TEXT"))
    $other = os.getenv("OTHER")
    test "a" { anotherstr => if $hit { "yes" } else { "no" }, }
    test "b" { anotherstr => $other, }
"#;

/// The program, which has just got a text that takes it long.
fn at_work(program: &str) -> Running {
    let mut running = Running::new(program);
    running.set("TEXT", Some("b"));
    running.set("OTHER", Some("one"));
    assert!(matches!(running.run(), Outcome::Complete { .. }));
    running.react.set_slice(SLICE);
    running.set("TEXT", Some(&text(2_000, "c")));
    assert_eq!(running.slice(), Outcome::Underway);
    running
}

fn shown(running: &mut Running) -> String {
    text_with_fields(&running.interpreter.interpret(running.react.table()).unwrap())
}

#[test]
fn a_long_call_does_not_delay_the_others() {
    let mut running = at_work(BESIDE);
    for n in 0..5 {
        let other = format!("other {n}");
        running.set("OTHER", Some(&other));
        // What is put aside has its turns as well.
        let told = (0..2).any(|_| matches!(running.slice(), Outcome::Complete { changed: true }));
        assert!(told && running.react.is_under_way(), "{n}");
        let graph = shown(&mut running);
        assert!(graph.contains(&other) && graph.contains("\"yes\""), "{graph}");
    }
    assert!(matches!(running.run(), Outcome::Complete { .. }));
    let graph = shown(&mut running);
    assert!(graph.contains("other 4") && graph.contains("\"no\""), "{graph}");
}

#[test]
fn a_long_call_comes_to_its_end_however_fast_the_others_change() {
    let mut running = at_work(BESIDE);
    let mut n = 0;
    loop {
        n += 1;
        running.set("OTHER", Some(&n.to_string()));
        // The text changes as well, and waits.
        running.set("TEXT", Some(&text(2_000 + n, "c")));
        let outcome = running.slice();
        assert!(matches!(outcome, Outcome::Complete { .. } | Outcome::Underway), "{outcome:?}");
        if shown(&mut running).contains("\"no\"") {
            break;
        }
        assert!(n < 1_000, "it never ends");
    }
    assert!(n > 20, "{n}");
}

/// A statement of both shows the old of both, or the new.
#[test]
fn who_reads_what_is_computed_and_another_value_gets_both_of_one_time() {
    let both = "test \"c\" { anotherstr => if $hit { \"yes \" } else { \"no \" } + $other, }\n";
    let as_well = "test \"d\" { anotherstr => os.getenv(\"TEXT\"), }\n";
    for more in [both, as_well] {
        let mut running = at_work(&format!("{BESIDE}{more}"));
        running.set("OTHER", Some("two"));
        while !matches!(running.slice(), Outcome::Complete { .. }) {}
        assert!(shown(&mut running).contains("\"no\""), "it waits for the call: {more}");
        assert!(matches!(running.run(), Outcome::Complete { .. }));
        assert!(shown(&mut running).contains("\"two\""), "{more}");
    }
}

/// A block with a call that takes long, which another value may take away.
const GUARDED: &str = r#"
    import "golang/os"
    import "regexp"
    $other = os.getenv("OTHER")
    if $other != "stop" {
        test "a" { anotherstr => if regexp.match("(a?){200}b$", os.getenv("TEXT")) { "yes" } else { "no" }, }
    }
    test "b" { anotherstr => $other, }
"#;

/// The block that holds the call goes, and what it had asked for.
#[test]
fn a_call_that_is_not_wanted_any_more_is_left_off() {
    let mut running = at_work(GUARDED);
    let n_subscribed = running.n_subscribed();
    running.set("OTHER", Some("stop"));
    let outcome = running.run();
    assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
    assert!(shown(&mut running).contains("\"stop\""));
    assert_eq!(running.n_subscribed(), n_subscribed - 1);
}
