//! Random models: they never crash, they end, and the order of statements has no meaning.

use mclive_base::source::MemoryWorld;
use mclive_inmanta::eval::Limits;
use mclive_inmanta::{Setup, compile, model};
use proptest::prelude::*;

const DEFINITIONS: &str = "
entity Node:
    string name
    int size = 1
end
entity Leaf extends Node:
    bool green = true
end
Node.next [0:] -- Node.before [0:]
Node.main [0:1] -- Node
Node.seen [0:] -- Node
index Node(name)
implementation look for Node:
    self.seen += self.next
    for other in self.next:
        if other.size > 2:
            self.seen += other.next
        end
    end
end
implementation grow for Leaf:
    twig = Node(name=\"{{self.name}} twig\", size=self.size - 1)
    self.next += twig
end
implement Node using look
implement Leaf using parents
implement Leaf using grow when self.size > 1
";

/// A statement of a model with so many nodes.
fn statement(n: usize) -> impl Strategy<Value = String> {
    let node = 0..n;
    prop_oneof![
        (node.clone(), node.clone()).prop_map(|(a, b)| format!("n{a}.next += n{b}")),
        (node.clone(), node.clone()).prop_map(|(a, b)| format!("n{a}.next += [n{b}, Node[name=\"{a}\"]]")),
        (node.clone(), 0i64..5)
            .prop_map(|(a, k)| format!("for x in n{a}.before:\n    x.seen += n{a}\n    k = {k}\nend")),
        (node.clone(), node.clone()).prop_map(|(a, b)| format!("if n{a}.size > 1:\n    n{a}.seen += n{b}\nend")),
        (node.clone(), node.clone()).prop_map(|(a, b)| format!("n{a}.seen += n{b}.size == 2 ? [n{b}] : []")),
        node.clone().prop_map(|a| format!("n{a}.seen += [x for x in n{a}.before if x.size < 4]")),
        (node.clone(), 0i64..3).prop_map(|(a, k)| format!("n{a}.next += [Node(name=\"extra {k}\", size=j) for j in [{k}]]")),
        (node.clone(), node.clone()).prop_map(|(a, b)| {
            format!("n{a}.seen += [y for x in [n{a}, n{b}] for y in x.next if x.name != y.name if y.size != {b}]")
        }),
        (node.clone(), 0i64..5).prop_map(|(a, k)| {
            format!("if n{a}.size > {k}:\n    n{a}.next += n{a}\nelif n{a}.size == {k}:\n    n{a}.seen += Leaf(name=\"leaf {a}\", size={k})\nelse:\n    n{a}.seen += n{a}\nend")
        }),
        node.prop_map(|a| format!("n{a}.size = {{\"k\": n{a}.size}}[\"k\"] + (n{a}.name in [\"{a}\"] ? 0 : 1)")),
    ]
}

fn models() -> impl Strategy<Value = (Vec<String>, Vec<usize>)> {
    (2usize..7).prop_flat_map(|n| {
        let nodes = proptest::collection::vec((any::<bool>(), 0i64..5), n);
        let nodes = nodes.prop_map(|nodes| {
            nodes
                .iter()
                .enumerate()
                .map(|(nr, (leaf, size))| {
                    let class = if *leaf { "Leaf" } else { "Node" };
                    format!("n{nr} = {class}(name=\"{nr}\", size={size})")
                })
                .collect::<Vec<_>>()
        });
        let rest = proptest::collection::vec(statement(n), 0..12);
        (nodes, rest).prop_flat_map(|(mut all, rest)| {
            all.extend(rest);
            let order: Vec<usize> = (0..all.len()).collect();
            (Just(all), Just(order).prop_shuffle())
        })
    })
}

/// The model as a set of lines: places differ with the order of the text, so names come from indexes.
fn outcome<'s>(statements: impl Iterator<Item = &'s String>) -> Vec<String> {
    let statements: Vec<&str> = statements.map(String::as_str).collect();
    let text = format!("{DEFINITIONS}{}\n", statements.join("\n"));
    let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
    let compilation = compile(&world, "/main.cf", &Setup::default());
    if let Some(fault) = compilation.faults.first() {
        return vec![format!("{:?}", fault.class)];
    }
    let text = model::text(&[model::Model::only(&compilation)]);
    let mut owner = String::new();
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| match line.strip_prefix("  ") {
            Some(inner) => format!("{owner} {inner}"),
            None => {
                owner = line.split("  at ").next().unwrap_or_default().to_owned();
                owner.clone()
            }
        })
        .collect();
    lines.sort();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn order_has_no_meaning((statements, order) in models()) {
        let first = outcome(statements.iter());
        let second = outcome(order.iter().map(|nr| &statements[*nr]));
        prop_assert_eq!(first, second);
    }

    #[test]
    fn any_text_is_answered(text in "(entity|end|[A-Za-z]{1,3}|[0-9]|\\(|\\)|\\[|\\]|=|\\.|::|\"|'|\\{|\\}|,|:|for|if|in|not|and|matching|/|f\"|\\?| |\n){0,60}") {
        let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
        let _ = compile(&world, "/main.cf", &Setup::default());
    }
}

/// What is wrong first, at the bottom of its causes.
fn first_message(text: &str, limits: Limits) -> String {
    let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
    let compilation = compile(&world, "/main.cf", &Setup { limits, ..Setup::default() });
    let Some(mut fault) = compilation.faults.first().map(|fault| &**fault) else { return String::new() };
    while let Some(cause) = fault.causes.first() {
        fault = cause;
    }
    fault.message.clone()
}

#[test]
fn endless_models_are_refused() {
    let endless =
        "entity A:\n    int n\nend\nimplementation more for A:\n    A(n=n + 1)\nend\nimplement A using more\nA(n=0)\n";
    let limits = Limits { instances: 1_000, ..Limits::default() };
    assert_eq!(first_message(endless, limits), "the model has more than 1000 instances");
    let limits = Limits { work: 5_000, ..Limits::default() };
    assert_eq!(first_message(endless, limits), "the evaluation of the model did not finish within 5000 steps");
}

#[test]
fn hostile_sizes_are_refused() {
    let nested = format!("x = {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(first_message(&nested, Limits::default()), "the model is nested too deeply here");
    let chain = format!("x = 1{}\n", " + 1".repeat(100_000));
    assert_eq!(first_message(&chain, Limits::default()), "the model is nested too deeply here");
    let ifs = format!("{}{}", "if true:\n".repeat(10_000), "end\n".repeat(10_000));
    assert_eq!(first_message(&ifs, Limits::default()), "the model is nested too deeply here");
    let mut doubling = String::from("x0 = \"0123456789\"\n");
    for nr in 1..60 {
        doubling += &format!("x{nr} = x{} + x{}\n", nr - 1, nr - 1);
    }
    assert!(
        first_message(&doubling, Limits { memory: 1 << 24, ..Limits::default() })
            .starts_with("the model needs more than 16 MiB of memory")
    );
    let mut dicts = String::from("x0 = {\"a\": y}\ny = 1\n");
    for nr in 1..1_000 {
        dicts += &format!("x{nr} = {{\"a\": x{}}}\n", nr - 1);
    }
    assert_eq!(first_message(&dicts, Limits::default()), "this value is nested too deeply");
    let heirs: String = (1..1_002).map(|nr| format!("entity E{nr} extends E{}:\nend\n", nr - 1)).collect();
    assert_eq!(
        first_message(&format!("entity E0:\nend\n{heirs}"), Limits::default()),
        "entity E1000 has more than 1000 ancestors"
    );
    assert_eq!(first_message("x = 7 ** 10000000\n", Limits::default()), "the result is too large");
}

/// Programs that want more time or memory than there is, each by its own way, with what is said of them.
fn hostile() -> Vec<(&'static str, String, &'static str)> {
    let chain = |first: &str, next: &dyn Fn(usize) -> String| {
        format!("x0 = {first}\n") + &(1..60).map(|nr| format!("x{nr} = {}\n", next(nr - 1))).collect::<String>()
    };
    let dicts = |name: char| {
        let next = |nr: usize| format!("{{\"a\": {name}{nr}, \"b\": {name}{nr}}}");
        format!("{name}0 = {{}}\n") + &(1..60).map(|nr| format!("{name}{nr} = {}\n", next(nr - 1))).collect::<String>()
    };
    let entity = "entity A:\n    dict d = {}\nend\nA.x [0:] -- A.y [0:]\nimplement A using std::none\n";
    let many = "std::sequence(20000)";
    let (memory, work) = ("the model needs more than", "the evaluation of the model did not finish");
    vec![
        ("interpolation", chain("\"0123456789\"", &|nr| format!("\"{{{{x{nr}}}}}{{{{x{nr}}}}}\"")), memory),
        ("f-strings", chain("\"0123456789\"", &|nr| format!("f\"{{x{nr}}}{{x{nr}}}\"")), memory),
        ("lists", chain("[1, 2]", &|nr| format!("[x{nr}, x{nr}]")), memory),
        ("padding", format!("n = 1\nl = [f\"{{n:100000}}\" for i in {many}]\n"), memory),
        ("comprehension", format!("l = {many}\nx = [a + b for a in l for b in l]\n"), memory),
        ("loops", format!("l = {many}\nfor a in l:\n    for b in l:\n        c = a\n    end\nend\n"), memory),
        ("relations", format!("{entity}l = [A() for i in {many}]\nm = [A(x=l) for i in {many}]\n"), memory),
        ("instances", format!("{entity}l = [A(x=[A(), A()]) for i in std::sequence(1000000)]\n"), memory),
        ("equal dicts", format!("{}{}z = x59 == y59\n", dicts('x'), dicts('y')), work),
        ("a dict as an attribute", format!("{entity}{}z = A(d=x59)\n", dicts('x')), work),
        ("a dict as text", format!("{}z = \"{{{{x59}}}}\"\n", dicts('x')), work),
        ("a dict as JSON", format!("{}z = std::json_dumps(x59)\n", dicts('x')), work),
        ("a dict in a message", format!("{}z = x59 + 1\n", dicts('x')), "Unsupported operand type(s) for plus: 'dict'"),
        ("many references", format!("a = \"{}\"\nb = \"{}\"\n", "x".repeat(5_000), "{{a}}".repeat(50_000)), memory),
        ("wide", format!("n = 1\nx = f\"{{n:0100000,}}\"\ny = [f\"{{n:0100000,}}\" for i in {many}]\n"), memory),
    ]
}

#[test]
fn hostile_models_end_with_a_diagnostic() {
    let limits = Limits { work: 400_000, memory: 24 << 20, ..Limits::default() };
    for (name, text, said) in hostile() {
        let message = first_message(&text, limits);
        assert!(message.starts_with(said), "{name}: {:.200}", message);
    }
}

/// Both conditions wait for the other one's relation to be complete: the rule says which is first.
#[test]
fn a_project_file_orders_relations() {
    let model = "entity A:\nend\nA.o [0:] -- A\nA.p [0:] -- A\nimplement A using std::none\na = A()\nif std::count(a.o) == 0:\n    a.p += A()\nend\nif std::count(a.p) == 0:\n    a.o += A()\nend\nb = std::count(a.o)\nc = std::count(a.p)\nstd::print(\"{{b}} {{c}}\")\n";
    for (rule, printed) in [("A.o before __config__::A.p", "0 1"), ("A.p before __config__::A.o", "1 0")] {
        let project = format!("name: x\nrelation_precedence_policy:\n  - __config__::{rule}\n");
        let world = MemoryWorld::of([("/main.cf", model.as_bytes()), ("/project.yml", project.as_bytes())]);
        let compilation = compile(&world, "/main.cf", &Setup::default());
        assert_eq!((compilation.printed, compilation.faults.len()), (vec![printed.to_owned()], 0), "{rule}");
    }
    let world = MemoryWorld::of([("/main.cf", b"".as_slice()), ("/project.yml", b"relation_precedence_policy: soon")]);
    let compilation = compile(&world, "/main.cf", &Setup::default());
    assert!(compilation.faults[0].message.contains("line 1: invalid rule `soon`"));
}

/// One pass and one replacement after the other come to the same, wherever values have their own braces.
#[test]
fn references_in_texts_are_replaced_from_left_to_right() {
    for (text, printed) in [
        ("x = \"1\"\ny = 2\nstd::print(\"{{x}}-{{ y }}-{{x}}\")\n", "1-2-1"),
        ("x = r\"{{y}}\"\ny = 3\nstd::print(\"{{x}} {{y}}\")\n", "3 3"),
        ("x = r\"{{y}}\"\ny = 3\nstd::print(\"{{y}} {{x}}\")\n", "3 {{y}}"),
        ("x = \"y\"\ny = 3\nstd::print(\"{{{{x}}}} {{y}}\")\n", "3 3"),
        ("x = 1\nstd::print(\"{ {{x}} } {{ 1 + 2 }}\")\n", "{ 1 } {{ 1 + 2 }}"),
    ] {
        let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
        let compilation = compile(&world, "/main.cf", &Setup::default());
        assert_eq!((compilation.printed, compilation.faults.len()), (vec![printed.to_owned()], 0), "{text}");
    }
}

/// Too many files are told once, and not once for each.
#[test]
fn more_files_than_a_model_may_have_are_reported_once() {
    let init: String = (0..3_000).map(|nr| format!("import many::a{nr}\n")).collect();
    let parts = (0..3_000).map(|nr| (format!("/libs/many/model/a{nr}.cf"), b"x = 1\n".to_vec()));
    let named = [
        ("/main.cf", "import many\n"),
        ("/libs/many/module.yml", "name: many\n"),
        ("/libs/many/model/_init.cf", &init),
    ];
    let mut files: Vec<(String, Vec<u8>)> =
        named.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).into();
    files.extend(parts);
    let world = MemoryWorld::of(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())));
    let faults = compile(&world, "/main.cf", &Setup::default()).faults;
    let limits: Vec<&str> =
        faults.iter().map(|fault| &*fault.message).filter(|message| message.contains("2000 files")).collect();
    assert_eq!(limits.len(), 1, "{limits:?}");
}
