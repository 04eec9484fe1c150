//! Templates that once trapped the compiler, or ended it.

use super::{MOST_HELD, run, run_within};
use mclive_inmanta::eval::Limits;

#[test]
fn templates_that_want_too_much_are_refused() {
    let doubling = |operator: &str, first: &str| {
        format!(
            "{{% set ns = namespace(x={first}) %}}{{% for i in range(64) %}}\
             {{% set ns.x = ns.x {operator} ns.x %}}{{% endfor %}}{{{{ ns.x|length }}}}"
        )
    };
    let memory = "the template `m/t` creates more than 256 MiB of strings and lists";
    let work = "the template `m/t` exceeds the work limit";
    let deep = "a value of the template `m/t` nests more than 100 levels deep";
    let programs = [
        ("a width", r#"{{ "%0999999999d"|format(1) }}"#.to_owned(), memory),
        ("a width of an argument", r#"{{ "%*d"|format(999999999, 1) }}"#.to_owned(), memory),
        ("a width in braces", r#"{{ "{:>999999999}".format(1) }}"#.to_owned(), memory),
        ("a precision", r#"{{ "%.999999999f"|format(1.5) }}"#.to_owned(), memory),
        ("an indent", r#"{{ "a"|indent(999999999) }}"#.to_owned(), memory),
        ("a center", r#"{{ "a"|center(999999999) }}"#.to_owned(), memory),
        ("a separator", r#"{{ range(99999)|list|join("x"*9999) }}"#.to_owned(), memory),
        ("a join of a method", r#"{{ ("x"*9999).join(range(99999)|map("string")|list) }}"#.to_owned(), memory),
        ("texts with ~", doubling("~", "\"0123456789\""), memory),
        ("texts with +", doubling("+", "\"0123456789\""), memory),
        ("lists with +", doubling("+", "[1, 2]"), memory),
        ("a product", r#"{{ (("x" * 99999999) * 9)|length }}"#.to_owned(), memory),
        ("products of constants", format!("{{% set x = [{}] %}}", r#""x" * 99999999, "#.repeat(50)), memory),
        ("a product of lists", "{{ ([0] * 99999999)|length }}".to_owned(), memory),
        (
            "nested sort and join",
            format!("{{{{ {} }}}}", nested("range(99999)|list", "|sort|join(\"x\")|list", 12)),
            work,
        ),
        (
            "sorts in loops",
            "{% set l = range(20000)|map('string')|list %}{% for i in range(9999) %}\
             {% set x = l|sort|join|length %}{% endfor %}"
                .to_owned(),
            work,
        ),
        (
            "a list that is put into itself",
            "{% set ns = namespace(x=[]) %}{% for i in range(99999) %}{% set ns.x = [ns.x] %}{% endfor %}".to_owned(),
            deep,
        ),
        (
            "a dict that is put into itself",
            "{% set ns = namespace(x={}) %}{% for i in range(99999) %}{% set ns.x = {1: ns.x} %}{% endfor %}"
                .to_owned(),
            deep,
        ),
        (
            "a list that holds itself twice",
            "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}"
                .to_owned(),
            work,
        ),
        ("a list by a filter", format!("{{% set x = [1] %}}{}", "{% set x = x|batch(1)|list %}".repeat(50_000)), deep),
        (
            "text in loops",
            "{% for i in range(99999) %}{% for i in range(99999) %}xxxxxxxxxxxxxxxx{% endfor %}{% endfor %}".to_owned(),
            work,
        ),
        ("long text in a loop", format!("{{% for i in range(99999) %}}{}{{% endfor %}}", "x".repeat(100_000)), memory),
        (
            "empty loops",
            "{% for i in range(99999) %}{% for i in range(99999) %}{% if i %}{% endif %}{% endfor %}{% endfor %}"
                .to_owned(),
            work,
        ),
        (
            "items that a condition leaves out",
            "{% for i in range(99999) %}{% for i in range(99999) if i < 0 %}{% endfor %}{% endfor %}".to_owned(),
            work,
        ),
    ];
    let mut wrong = Vec::new();
    for (name, template, said) in programs {
        let ended = run("", &template);
        if !ended.message.starts_with(said) || ended.held > MOST_HELD {
            wrong.push(format!("{name} held {} MiB: {:.200}", ended.held, ended.message));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn nested(first: &str, next: &str, n: usize) -> String {
    format!("{first}{}", next.repeat(n))
}

/// What ends for another reason, each with its own words: the compiler must not end with it.
#[test]
fn templates_that_nest_are_answered() {
    let namespaces = "{% set ns = namespace() %}{% for i in range(9) %}{% set ns.x = ns %}{% endfor %}{{ ns }}";
    let chain = "{% set h = namespace(x=1) %}{% for i in range(99999) %}{% set h.x = namespace(x=h.x) %}{% endfor %}";
    let cyclers = format!("{{% set x = 1 %}}{}", "{% set x = cycler(x) %}".repeat(50_000));
    let loops = "{% set ns = namespace(x=1) %}{% for i in [ns.x] %}{% set ns.x = loop %}{% endfor %}";
    let programs = [
        ("operators", format!("{{{{ 1{} }}}}", " + 1".repeat(100_000)), "more than 200 operators"),
        ("not", format!("{{{{ {}1 }}}}", "not ".repeat(100_000)), "more than 200 operators"),
        ("minus", format!("{{{{ {}1 }}}}", "- ".repeat(100_000)), "more than 200 operators"),
        ("filters", format!("{{{{ 1{} }}}}", "|abs".repeat(100_000)), "more than 200 operators"),
        ("attributes", format!("{{{{ x{} }}}}", ".x".repeat(100_000)), "more than 200 operators"),
        ("calls", format!("{{{{ x{} }}}}", "()".repeat(100_000)), "more than 200 operators"),
        ("conditions", format!("{{{{ 1{} }}}}", " if 1 else 1".repeat(100_000)), "more than 200 operators"),
        ("brackets", format!("{{{{ {}1 }}}}", "[".repeat(100_000)), "more than 200 operators"),
        ("branches", format!("{{% if 0 %}}{}{{% endif %}}", "{% elif 0 %}".repeat(100_000)), "more than 200 branches"),
        ("blocks", format!("{}{}", "{% if 1 %}".repeat(100_000), "{% endif %}".repeat(100_000)), "maximum recursion"),
        ("arguments", format!("{{{{ range({}) }}}}", "1,".repeat(70_000)), "Too many arguments"),
        ("a macro", "{% macro m(n) %}{{ m(n) }}{% endmacro %}{{ m(1) }}".to_owned(), "recursion limit"),
        ("a block", "{% block b %}{{ self.b() }}{% endblock %}".to_owned(), "recursion limit"),
        ("a loop", "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}".to_owned(), "recursion limit"),
        ("a namespace in itself", namespaces.to_owned(), "a namespace cannot be kept"),
        ("a chain of namespaces", chain.to_owned(), "a namespace cannot be kept"),
        ("a chain of cyclers", cyclers, "this value cannot be kept"),
        ("a chain of loops", loops.to_owned(), "a loop cannot be kept"),
    ];
    for (name, template, said) in programs {
        let ended = run("", &template);
        assert!(ended.message.contains(said), "{name}: {:.300}", ended.message);
        assert!(ended.held < MOST_HELD, "{name} held {} MiB", ended.held);
    }
}

/// A search compares at each place, which takes many times as long as reading.
#[test]
fn a_search_is_charged_more_than_what_it_reads() {
    for method in ["count", "find", "rfind"] {
        let searched = |n: usize| {
            let template = format!(
                "{{% set text = \"ab\" * 50000 %}}{{% for i in range({n}) %}}{{% set x = text.{method}(\"b\") %}}{{% endfor %}}"
            );
            run_within("", &template, Limits { work: 1_000_000, ..Limits::default() }).message
        };
        assert_eq!(searched(5), "", "{method}");
        // 10 MB, of the 64 MB that may be read.
        assert!(searched(100).contains("exceeds the work limit"), "{method}: {}", searched(100));
    }
}

/// Numbers are read and written digit by digit, each of which takes the longer the more there are.
#[test]
fn the_digits_of_large_numbers_are_charged() {
    let limits = Limits { work: 40_000, ..Limits::default() };
    let within = |first: &str, then: &str| {
        let template = format!("{{% set a = {first} %}}{{% for i in range(99) %}}{{% set x = {then} %}}{{% endfor %}}");
        run_within("", &template, limits)
    };
    for (large, small, then) in [("2 ** 9999", "2 ** 99", "a ~ \"\""), ("\"7\" * 4300", "\"7\" * 30", "a|int")] {
        assert_eq!(within(small, then).message, "", "{then}");
        assert!(within(large, then).is_refused(), "{then}: {:?}", within(large, then));
    }
    let written = |n_digits: usize| {
        let number = "7".repeat(n_digits);
        let model = format!("u = int(\"{number}\")\nfor v in std::sequence(99):\n    w = \"{{{{u}}}}\"\nend\n");
        run_within(&model, "", limits)
    };
    assert_eq!(written(30).message, "");
    assert!(written(4000).is_refused(), "{:?}", written(4000));
}

/// The limit is told, and not what the model has left of it.
#[test]
fn the_memory_limit_of_the_model_is_told_as_such() {
    let limits = Limits { memory: 32 << 20, ..Limits::default() };
    for template in ["{{ (\"x\" * 99999999)|length }}", "{{ \"a\"|center(99999999) }}"] {
        assert_eq!(
            run_within("", template, limits).message,
            "the model needs more than 32 MiB of memory",
            "{template}"
        );
    }
}

/// What people write stays far within the budget.
#[test]
fn long_templates_of_people_are_rendered() {
    let lines = "{% for host in range(20000) %}host-{{ host }} 10.0.{{ host // 256 }}.{{ host % 256 }} # {{ \"%05d\"|format(host) }}\n{% endfor %}";
    assert_eq!(run("", lines).message, "");
    let table = "{% set ns = namespace(text=\"\") %}{% for i in range(2000) %}{% set ns.text = ns.text ~ i ~ \": a line of a file\\n\" %}{% endfor %}{{ ns.text }}";
    assert_eq!(run("", table).message, "");
    let sorted = "{% for i in range(50000)|map('string')|sort|unique %}{{ i|upper }},{% endfor %}";
    assert_eq!(run("", sorted).message, "");
}

/// The steps of patterns are work of the model: each match has a bound, and there may be many.
#[test]
fn patterns_draw_from_the_same_account() {
    let text = "x".repeat(16);
    let model = format!(
        "typedef t as string matching /(x*)*y/\nentity A:\n    t? t\nend\nimplement A using std::none\n\
         for n in std::sequence(999):\n    A(t=\"{text}\")\nend\n"
    );
    let limits = Limits { work: 1, ..Limits::default() };
    assert!(run_within("", "", limits).is_refused(), "any work counts");
    let valid = "std::validate_type(\"pydantic.constr\", \"xxxxxxxxxxxxxxxx\", {\"regex\": \"(x*)*y\"})";
    let calls = format!("for n in std::sequence(9999):\n    v = {valid}\nend\n");
    let limits = Limits { work: 400_000, ..Limits::default() };
    assert!(run_within(&calls, "", limits).is_refused());
    assert!(run_within(&model, "", limits).message.contains("Invalid value"), "one match is within the account");
}

/// Typedefs that are based on one another over many levels need no stack.
#[test]
fn long_chains_of_typedefs_are_checked() {
    let n = 20_000;
    let types: String = (1..n).map(|at| format!("typedef t{at} as t{} matching self != \"x{at}\"\n", at - 1)).collect();
    let model = format!(
        "typedef t0 as string matching self != \"x0\"\n{types}entity A:\n    t{} name\nend\nimplement A using std::none\n",
        n - 1
    );
    assert_eq!(run(&format!("{model}A(name=\"y\")"), "").message, "");
    let ended = run(&format!("{model}A(name=\"x7\")"), "");
    assert!(ended.message.contains("does not match constraint"), "{ended:?}");
}
