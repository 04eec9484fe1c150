//! Hostile and damaged models: each ends with a sentence, none with a trap.

use crate::case::{Case, stderr};
use std::fs;

/// A project file that is not a regular file does not count as missing.
#[test]
fn what_stands_in_the_place_of_a_file_is_reported() {
    let case = Case::new("models-odd-files", "");
    case.write("main.cf", "std::print(1)\n");
    for name in ["project.yml", "functions.json"] {
        let place = case.path(name);
        rustix::fs::mknodat(rustix::fs::CWD, &place, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        let output = case.run(&["check", "main.cf"]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(&format!("{name}`: not a regular file")), "{}", stderr(&output));
        fs::remove_file(&place).unwrap();
    }
    assert!(case.run(&["check", "main.cf"]).status.success());
}

/// Hostile models stay within the sandbox's limits: none of these ends in a trap.
#[test]
fn hostile_models_end_with_a_diagnostic() {
    let case = Case::new("models-hostile", "");
    let doubling =
        |next: &dyn Fn(usize) -> String| (1..60).map(|nr| format!("x{nr} = {}\n", next(nr - 1))).collect::<String>();
    let entity = "entity A:\nend\nA.x [0:] -- A.y [0:]\nimplement A using std::none\n";
    let many = "std::sequence(20000)";
    let programs = [
        ("text", "x0 = \"0123456789\"\n".to_string() + &doubling(&|nr| format!("f\"{{x{nr}}}{{x{nr}}}\""))),
        ("loops", format!("l = {many}\nfor a in l:\n    for b in l:\n        c = a\n    end\nend\n")),
        ("relations", format!("{entity}l = [A() for i in {many}]\nm = [A(x=l) for i in {many}]\n")),
        (
            "dicts",
            "x0 = {}\n".to_string() + &doubling(&|nr| format!("{{\"a\": x{nr}, \"b\": x{nr}}}")) + "y = x59 == x59\n",
        ),
        (
            "instances",
            format!("{entity}implementation m for A:\n    self.x += [A(), A()]\nend\nimplement A using m\nA()\n"),
        ),
        ("statements", "a ".repeat(2_000_000)),
        ("tokens", format!("x = [{}]\n", "1,".repeat(4_100_000))),
        (
            "pattern",
            format!("typedef t as string matching /(a*)*b/\nentity B:\n    t s\nend\nB(s=\"{}\")\n", "a".repeat(5_000)),
        ),
    ];
    for (name, text) in programs {
        case.write("hostile.cf", &text);
        let output = case.run(&["check", "hostile.cf"]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{name}: {said:.300}");
        assert!(said.contains("error[E11") && !said.contains("the compiler crashed"), "{name}: {said:.300}");
    }
}

/// The sandbox limits the texts that template operators join, and the results of filters in advance.
#[test]
fn hostile_templates_end_with_a_sentence() {
    let case = Case::new("models-templates", "");
    fs::create_dir_all(case.path("m/libs/m/model")).unwrap();
    fs::create_dir_all(case.path("m/libs/m/templates")).unwrap();
    case.write("m/libs/m/model/_init.cf", "");
    case.write("m/main.cf", "import m\nstd::print(std::template(\"m/t\"))\n");
    let too_much = "creates more than 256 MiB of strings and lists";
    let templates = [
        ("{{ 'aaaaaaaaaaaaaaaaaa'|replace('a', 'a' * 10000)|replace('a', 'a' * 10000)|length }}", too_much),
        ("{{ range(900)|join('a' * 100000) }}", "the model needs more than 512 MiB of memory"),
        ("{{ 'a'|indent(1000000000) }}", too_much),
        ("{{ '%1000000000d'|format(3) }}{{ '{:>1000000000}'.format(1) }}", too_much),
        ("{{ '{:>1000000000}'.format(1) }}", too_much),
        ("{{ [1]|batch(1000000000, 0)|list|length }}", too_much),
        ("{{ 'a'.ljust(1000000000) }}", too_much),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recursion limit exceeded"),
        ("{% set n = namespace(a='aa') %}{% for i in range(40) %}{% set n.a = n.a ~ n.a %}{% endfor %}", too_much),
        ("{{ [1] * 100000000 }}", too_much),
        (
            "{% for i in range(99999) %}{% for j in range(99999) %}{% if j > i %}{% endif %}{% endfor %}{% endfor %}",
            "exceeds the work limit",
        ),
    ];
    for (template, reason) in templates {
        case.write("m/libs/m/templates/t", template);
        let output = case.command(&["check", "m/main.cf"]).env("MCLIVE_MEMORY_MIB", "256").output().unwrap();
        let said = stderr(&output);
        assert!(output.status.code() == Some(1) && said.contains(reason), "{template}: {said:.600}");
    }
}
