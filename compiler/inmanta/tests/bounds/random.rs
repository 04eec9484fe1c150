//! Templates and models that are put together by chance, out of what costs most.

use super::{MOST_HELD, run_within};
use mclive_inmanta::eval::Limits;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// An expression of a template. In `{}` stand other expressions.
const FORMS: &[&str] = &[
    "{} ~ {}",
    "{} + {}",
    "{} * {}",
    "{} == {}",
    "{} in {}",
    "{} < {}",
    "{} or {}",
    "[{}, {}]",
    "({}, {})",
    "{{'k': {}, {}: 1}}",
    "{}[{}]",
    "{}[{}:]",
    "{}[::-1]",
    "{}|sort",
    "{}|join({})",
    "{}|list",
    "{}|map('string')|list",
    "{}|map('join', {})|list",
    "{}|batch({})",
    "{}|slice({})",
    "{}|replace({}, {})",
    "{}|indent({})",
    "{}|center({})",
    "{}|tojson",
    "{}|tojson(indent={})",
    "{}|pprint",
    "{}|string",
    "{}|unique|list",
    "{}|groupby({})",
    "{}|zip({})|list",
    "{}|items|list",
    "{}|length",
    "{}|sum(start={})",
    "{}|wordwrap({})",
    "{}|std.replace({}, {})",
    "{}|std.json_dumps",
    "{} is eq {}",
    "({}).split({})",
    "({}).join({})",
    "({}).format({}, {})",
    "'%*d%s'|format({}, {})",
    "range({})",
    "dict(a={})",
    "namespace(a={})",
    "cycler({}, {}).next()",
    "twice({})",
    "ns.x",
];

const LEAVES: &[&str] = &[
    "ns.x",
    "i",
    "text",
    "many",
    "table",
    "1",
    "999999999",
    "-1",
    "99999",
    "'x'",
    "''",
    "'%0999999d'",
    "'{:>{}}'",
    "[]",
    "none",
    "gone",
];

fn expression() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(LEAVES).prop_map(str::to_owned);
    leaf.prop_recursive(5, 40, 3, |inner| {
        (proptest::sample::select(FORMS), proptest::collection::vec(inner, 3)).prop_map(|(form, parts)| {
            let mut out = form.replace("{{", "\u{1}").replace("}}", "\u{2}");
            for part in parts {
                out = out.replacen("{}", &format!("({part})"), 1);
            }
            out.replace('\u{1}', "{").replace('\u{2}', "}")
        })
    })
}

fn statements() -> impl Strategy<Value = String> {
    let simple = prop_oneof![
        expression().prop_map(|value| format!("{{{{ {value} }}}}")),
        expression().prop_map(|value| format!("{{% set ns.x = {value} %}}")),
    ];
    simple.prop_recursive(3, 24, 3, |inner| {
        let body = proptest::collection::vec(inner, 1..4).prop_map(|parts| parts.concat());
        prop_oneof![
            (expression(), body.clone())
                .prop_map(|(list, body)| format!("{{% for i in {list} %}}{body}{{% endfor %}}")),
            body.clone().prop_map(|body| format!("{{% for i in range(99999) %}}{body}{{% endfor %}}")),
            (expression(), body.clone()).prop_map(|(it, body)| format!("{{% if {it} %}}{body}{{% endif %}}")),
            body.clone().prop_map(|body| format!("{{% set ns.x %}}{body}{{% endset %}}")),
            body.clone().prop_map(|body| format!("{{% filter upper %}}{body}{{% endfilter %}}")),
            body.prop_map(|body| format!(
                "{{% macro again(x) %}}{body}{{{{ again(x) }}}}{{% endmacro %}}{{{{ again(1) }}}}"
            )),
        ]
    })
}

/// A statement of a model that makes more of what there is.
fn growing() -> impl Strategy<Value = String> {
    proptest::sample::select(
        &[
            "{v} = text + text",
            "{v} = \"{{text}}{{text}}\"",
            "{v} = [many, many]",
            "{v} = [a for a in many for b in many]",
            "{v} = {\"a\": table, \"b\": table}",
            "{v} = std::sequence(1000000)",
            "{v} = std::replace(text, \"x\", text)",
            "{v} = std::format(\"{:>99999}\", text)",
            "{v} = std::json_dumps(table)",
            "{v} = std::split(text, \"x\")",
            "{v} = std::flatten([many, many])",
            "{v} = std::unique(many)",
            "{v} = f\"{text:>99999}\"",
        ][..],
    )
    .prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100,
        // Each step towards a smaller input compiles a model: the failure is told within the time that a suite may be silent.
        max_shrink_time: 120_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/bounds/random.seeds"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn whatever_a_template_nests_it_ends(
        template in proptest::collection::vec(statements(), 1..5),
        model in proptest::collection::vec(growing(), 0..4),
    ) {
        let limits = Limits { work: 400_000, memory: 48 << 20, ..Limits::default() };
        let mut text = String::from("many = std::sequence(999)\ntext = \"x x\"\ntable = {\"a\": many, \"b\": text}\n");
        for (nr, statement) in model.iter().enumerate() {
            text += &format!("{}\n", statement.replace("{v}", &format!("v{nr}")));
        }
        let head = "{% set ns = namespace(x='x') %}{% set i = 1 %}{% macro twice(x) %}{{ x }}{{ x }}{% endmacro %}";
        let ended = run_within(&text, &format!("{head}{}", template.concat()), limits);
        prop_assert!(ended.held < MOST_HELD / 5.0, "it held {} MiB: {:.200}", ended.held, ended.message);
    }
}
