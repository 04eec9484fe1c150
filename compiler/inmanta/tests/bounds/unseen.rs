//! Costs that do not show where they arise: a text that is a key, a text that is made of a list, an argument that is not used,
//! a part of a value that occurs many times. Each case is refused after few of its steps, so it ends early even where
//! nothing is charged.

use super::{Ended, MOST_HELD, run_within};
use mclive_inmanta::eval::Limits;

fn limits() -> Limits {
    Limits { work: 400_000, memory: 48 << 20, ..Limits::default() }
}

/// `t` is a long text, `n` a list of numbers, `d` a dict with many entries, and `m` a macro with many defaults.
fn thousand_times(expression: &str) -> Ended {
    let entries: Vec<String> = (0..2000).map(|nr| format!("\"k{nr}\": 0")).collect();
    let model = format!("n = std::sequence(999)\nd = {{{}}}", entries.join(", "));
    let params: Vec<String> = (0..300).map(|nr| format!("p{nr}=t")).collect();
    let template = format!(
        "{{% if n[0] or d.k0 %}}{{% endif %}}{{% set t = 'x' * 100000 %}}{{% macro m({}) %}}{{% endmacro %}}\
         {{% for i in range(1000) %}}{{% set x = {expression} %}}{{% endfor %}}",
        params.join(", ")
    );
    run_within(&model, &template, limits())
}

#[test]
fn what_is_read_unseen_is_charged() {
    assert_eq!(thousand_times("1 + 1").message, "", "what stands around leaves most of the budget");
    let long_name = format!("d['{}'] is defined", "k".repeat(100_000));
    let expressions = [
        ("a key of a literal", "{t: 1}"),
        ("the entries of a dict that a format takes", "'%(k1)s' % d"),
        ("an argument that a format does not take", "''.format(t)"),
        ("a width among the arguments, as a text", "('{0:{1}}' * 9).format(1, '99999')"),
        ("the text of a list, for its words", "n|wordcount"),
        ("the text of a list, for its ends", "[n]|trim"),
        ("the text of a list, for parts of it", "n|replace('', t)"),
        ("the text of a list, for lines", "n|wordwrap(1, true, t)"),
        ("the text of a list, as the end of each line", "t|wordwrap(1, true, n)"),
        ("a text that is taken no time", "t * 0"),
        ("the keys of a dict, for the last one", "d|last"),
        ("the defaults of a macro", "m()"),
        ("the indents of a list of the model", "n|tojson(indent=99999)"),
        ("a long name", long_name.as_str()),
    ];
    for (name, expression) in expressions {
        let ended = thousand_times(expression);
        assert!(ended.is_refused(), "{name}: {:.300}", ended.message);
        assert!(ended.held < MOST_HELD / 5.0, "{name} held {} MiB", ended.held);
    }
}

/// Each dict holds the one before twice: it is small, but a walk through it does not end.
#[test]
fn a_value_with_shared_parts_is_not_copied_without_end() {
    let mut model = String::from("d0 = {\"a\": 1}\n");
    for nr in 1..60 {
        let before = nr - 1;
        model += &format!("d{nr} = {{\"a\": d{before}, \"b\": d{before}}}\n");
    }
    for template in ["{{ d59['a'] is defined }}", "{{ d59 }}", "{{ d59 == d59 }}", "{{ [d59, d59]|tojson }}"] {
        let ended = run_within(&model, template, limits());
        assert!(ended.is_refused(), "{template}: {:.300}", ended.message);
        assert!(ended.held < MOST_HELD / 5.0, "{template} held {} MiB", ended.held);
    }
    assert_eq!(run_within(&model, "{{ d5 }}", limits()).message, "");
}

/// A run asks for the same variable repeatedly; it is copied, which is charged, once.
#[test]
fn a_value_that_is_asked_for_often_is_copied_once() {
    let template = "{% for i in range(3000) %}{% if n is defined %}{% endif %}{% endfor %}";
    let ended = run_within("n = std::sequence(9999)", template, limits());
    assert_eq!(ended.message, "");
}

/// However large the dict is.
#[test]
fn an_entry_is_looked_up_by_its_key_alone() {
    let entries: Vec<String> = (0..4000).map(|nr| format!("\"k{nr}\": 0")).collect();
    let model = format!("d = {{{}}}", entries.join(", "));
    for expression in ["d['k1']", "d.get('k1')", "d.get('x', 1)", "'k1' in d", "'x' is in d"] {
        let template = format!("{{% for i in range(1500) %}}{{% if {expression} %}}{{% endif %}}{{% endfor %}}");
        assert_eq!(run_within(&model, &template, limits()).message, "", "{expression}");
    }
}

/// Only what is made takes memory: a search makes nothing, and a text without its ends is not a list of characters.
#[test]
fn searching_and_trimming_take_no_memory() {
    let limits = Limits { work: 8_000_000, memory: 32 << 20, ..Limits::default() };
    let head = "{% if n[0] %}{% endif %}{% set t = 'x' * 100000 %}";
    let expressions = ["'y' in t", "-1 in n or 'y' is in t", "i % 50 == 0 and t|trim", "i % 50 == 0 and t.strip()"];
    for expression in expressions {
        let template = format!("{head}{{% for i in range(500) %}}{{% if {expression} %}}{{% endif %}}{{% endfor %}}");
        assert_eq!(run_within("n = std::sequence(999)", &template, limits).message, "", "{expression}");
    }
}

/// What they hold would not be charged.
#[test]
fn cyclers_and_joiners_are_written_without_what_they_hold() {
    let template = "{% set c = cycler(n, n) %}{% set j = joiner(n) %}{{ j() }}\
                    {% if (c ~ j)|length > 100 %}{{ 1 // 0 }}{% endif %}\
                    {% if c.items|length != 2 or c.next() != n or j() != n %}{{ 1 // 0 }}{% endif %}";
    assert_eq!(run_within("n = std::sequence(999)", template, limits()).message, "");
}
