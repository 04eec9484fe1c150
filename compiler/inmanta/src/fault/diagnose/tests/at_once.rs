//! Several mistakes in one model: each is told, once, and none hides another.

use super::told;

#[test]
fn several_errors_are_reported_together() {
    assert_eq!(told("entity A:\nend\nA()\nA()\n").len(), 2);
    assert_eq!(told("x = = 1\nentity b:\nend\nentity c:\nend\n").len(), 3);
    // Statements and attributes, also inside of blocks; what is left of a broken one is not an error.
    let places = |text: &str| -> Vec<u32> {
        let lines = |span: mclive_base::span::Span| text[..span.start as usize].matches('\n').count() as u32 + 1;
        told(text).iter().filter_map(|found| Some(lines(found.primary.as_ref()?.span))).collect()
    };
    for (text, lines) in [
        ("entity A\n    string name\nend\nx = = 3\ny = [1, 2\nz = 3\nw = )\n", vec![2, 4, 6, 7]),
        ("entity A:\n    string Name\n    int n = = 1\n    bool b\nend\nx = = 1\n", vec![2, 3, 6]),
        (
            "implementation i for A:\n    x = = 1\n    if x = 2:\n        y = ]\n    end\n    z = )\nend\n",
            vec![2, 3, 6, 1],
        ),
        ("A(\nname = 1\nport = 2\n)\nx = = 1\n", vec![3, 5]),
        ("x = \"a\ny = 1\nz = \"b\n", vec![1, 3]),
        ("entity A:\n    string a\nentity B:\n    string b\nend\n", vec![3]),
        ("x = \"\"\"\ny = = 1\nprose (\n", vec![1]),
    ] {
        assert_eq!(places(text), lines, "{text}");
    }
    // Names of types, functions, attributes and variables, in statements that do not depend on each other.
    let types = told(
        "entity Site:\n    string name\nend\nimplement Site using std::none\nSite(nme=\"a\")\nSitee(name=\"b\")\nx = std::lenn([])\nif true:\n    y = Host()\n    z = nowhere::f()\nend\n",
    );
    let helps: Vec<_> = types.iter().map(|diagnostic| diagnostic.help.join(" ")).collect();
    assert_eq!(types.len(), 5, "{types:?}");
    for (help, meant) in helps.iter().zip(["`name`", "`Site`", "`std::len`", "`std::Host`", ""]) {
        assert!(help.contains(meant), "{helps:?}");
    }
    let variables = told("port = 80\na = prt + 1\nb = [pört, other]\nc = port > 1 ? port : nothing\n");
    assert_eq!(variables.len(), 2, "a bad character is an error of its own: {variables:?}");
    let variables = told("port = 80\na = prt + 1\nb = [other, f\"{prot}\"]\nc = port > 1 ? port : 2\n");
    let messages: Vec<_> = variables.iter().map(|diagnostic| &*diagnostic.message).collect();
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(variables.iter().any(|diagnostic| diagnostic.help.contains(&"did you mean `port`?".to_owned())));
}

/// Mistakes in values that do not depend on each other, each with the original's words.
#[test]
fn mistakes_in_values_are_reported_together() {
    let found = told(
        "entity A:\n    int n\nend\nimplement A using std::none\na = A(n=\"x\")\nb = std::at([1], 5)\nm = {\"k\": 1}\nc = m[\"l\"]\n\
         d = 1\nd = 2\nx = y\nz = a.n + 1\nif d:\nend\n",
    );
    let messages: Vec<_> = found.iter().map(|diagnostic| &*diagnostic.message).collect();
    for message in [
        "cannot set attribute `n` of `A`: expected `int`, found `\"x\"`",
        "function `std::at` failed: list index out of range",
        "cannot find key `l` in the dict",
        "two different values: `1` and `2`",
        "cannot find variable `y`",
    ] {
        assert_eq!(messages.iter().filter(|told| **told == message).count(), 1, "{message}: {messages:?}");
    }
    let noted = found.iter().find(|diagnostic| diagnostic.message.contains("variable")).map(|one| &one.notes[..]);
    assert_eq!(noted, Some(&["Inmanta reports: variable y not found".to_owned()][..]));
}

/// Two arguments of one constructor are two mistakes.
#[test]
fn a_mistake_in_a_loop_is_reported_once() {
    let found = told(
        "entity A:\n    string s\n    int n\nend\nimplement A using std::none\nfor i in [1, 2, 3]:\n    A(s=i, n=\"x\")\n    \
         std::length(i)\nend\n",
    );
    let mut messages: Vec<_> = found.iter().map(|diagnostic| &*diagnostic.message).collect();
    messages.sort_unstable();
    let [text, number, length] = &messages[..] else { panic!("three mistakes: {messages:?}") };
    assert!(text.starts_with("cannot set attribute `n` of `A`"), "{messages:?}");
    assert!(number.starts_with("cannot set attribute `s` of `A`"), "{messages:?}");
    assert!(length.starts_with("expected `string` for argument `value`"), "{messages:?}");
}

/// Definitions that are broken in their own ways, with no errors that follow from them.
#[test]
fn mistakes_in_definitions_are_reported_together() {
    let found = told(
        "typedef t as strng matching self == \"\"\nentity A extends Aa:\n    strin name\n    int n\n    int n\nend\n\
         entity B:\n    t s\nend\nA.b [0:] -- Bb.a [1]\nindex A(name)\nindex A(other)\nindex B(b)\nindex B(sss)\n\
         implement A using i\nimplement B using std::nonee\nB(s=\"\", a=A())\nB(s=\"\", z=1)\nx = std::lenn([])\n",
    );
    let messages: Vec<_> = found.iter().map(|diagnostic| &*diagnostic.message).collect();
    let expected = [
        "cannot find type `strng`",
        "cannot find entity `Aa`",
        "cannot find type `strin`",
        "duplicate attribute `n` of `A`",
        "cannot find entity `Bb`",
        "cannot find attribute `sss` of `B`",
        "cannot find implementation `i`",
        "cannot find implementation `std::nonee`",
        "cannot find attribute `z` of `B`",
        "cannot find function `std::lenn`",
    ];
    assert_eq!(messages, expected);
    let help = |nr: usize| found[nr].help.join(" ");
    assert!(help(0).contains("`string`") && help(7).contains("`std::none`") && help(9).contains("`std::len`"));
}

/// A module that does not exist is told once for each import, not at each use.
#[test]
fn a_missing_module_hides_no_other_mistake() {
    let found = told(
        "import nowhere\nimport other as o\nentity A extends nowhere::B:\n    o::t name\n    int n\nend\nimplement A using nowhere::i\n\
         index A(inherited)\na = nowhere::f(1)\nb = o::x + a\nc = A(n=1, more=2)\nd = std::lenn([])\ne = third::f()\n",
    );
    let messages: Vec<_> = found.iter().map(|diagnostic| &*diagnostic.message).collect();
    let expected = [
        "cannot find module `nowhere`",
        "cannot find module `other`",
        "cannot find function `std::lenn`",
        "module `third` is not imported in this file",
    ];
    assert_eq!(messages, expected);
    // Values are looked at if no definition depends on the module.
    let found = told("import nowhere\na = nowhere::f(1)\nb = a + 1\nc = 1\nc = 2\n");
    let messages: Vec<_> = found.iter().map(|diagnostic| &*diagnostic.message).collect();
    assert_eq!(messages, ["cannot find module `nowhere`", "two different values: `1` and `2`"]);
}

/// Names of types and functions, and mistakes in values of other statements.
#[test]
fn mistakes_of_all_stages_are_reported_together() {
    let found = told(
        "entity A:\n    int n = \"x\"\n    int m = 1\nend\nimplement A using std::none\na = A()\nb = A(o=1)\nc = b.p\nd = 1\nd = 2\n\
         e = std::lenn([])\nf = e + 1\nif nothing == 1:\n    g = A(m=\"y\")\nend\nif d == 1:\n    h = A(q=1)\n    i = A(m=\"z\")\nend\n",
    );
    let mut messages: Vec<_> = found.iter().map(|diagnostic| &*diagnostic.message).collect();
    messages.sort_unstable();
    let expected = [
        "cannot find attribute `o` of `A`",
        "cannot find attribute `q` of `A`",
        "cannot find function `std::lenn`",
        "cannot find variable `nothing`",
        "cannot set attribute `m` of `A`: expected `int`, found `\"z\"`",
        "expected `int`, found `\"x\"`",
        "two different values: `1` and `2`",
    ];
    assert_eq!(messages, expected);
}

/// The place of the first is the operator.
#[test]
fn a_variable_of_a_statement_is_reported_once() {
    assert_eq!(told("x == 1\n").len(), 1);
    assert_eq!(told("x == y\n").len(), 2);
}

/// Without its body there are fewer values, but no other ones.
#[test]
fn an_unknown_implementation_hides_no_mistakes_in_values() {
    let head = "entity A:\n    int n\nend\nimplement A using nothing\n";
    let found = told(&format!("{head}a = A(n=\"x\")\nb = 1 + \"a\"\nc = d\n"));
    let mut messages: Vec<&str> = found.iter().map(|found| &*found.message).collect();
    assert_eq!(messages[0], "cannot find implementation `nothing`");
    messages.sort_unstable();
    let expected = [
        "cannot apply `+` to an integer and a string",
        "cannot find implementation `nothing`",
        "cannot find variable `d`",
        "cannot set attribute `n` of `A`: expected `int`, found `\"x\"`",
    ];
    assert_eq!(messages, expected);
    // What the body would set is not missed.
    assert_eq!(told(&format!("{head}a = A()\nb = a.n + 1\n")).len(), 1);
}

/// It is left out, as one that does not exist.
#[test]
fn an_implementation_of_another_entity_hides_no_mistakes_in_values() {
    let head = "entity A:\n    int n\nend\nentity B:\n    int m = 1\nend\nimplementation i for B:\n    m = 2\nend\n\
                implement A using i\nimplement B using std::none\n";
    let found = told(&format!("{head}a = A(n=\"x\")\nb = B()\nc = d\n"));
    let mut messages: Vec<&str> = found.iter().map(|found| &*found.message).collect();
    messages.sort_unstable();
    let expected = [
        "cannot find variable `d`",
        "cannot set attribute `n` of `A`: expected `int`, found `\"x\"`",
        "implementation `i` is for `B`, not for `A`",
    ];
    assert_eq!(messages, expected);
    assert_eq!(told(&format!("{head}a = A()\nb = a.n + 1\n")).len(), 1);
}

/// Both arguments of the first, and what the second does with the instance of the first.
#[test]
fn a_wrong_argument_hides_no_other_mistake() {
    let found = told(
        "entity A:\n    int n\n    int m\nend\nA.next [0:1] -- A\nimplement A using std::none\n\
         a = A(n=\"x\", m=\"y\")\nb = A(n=1, m=true, next=a)\na.other = 1\nc = A(n=b.n, m=\"z\", next=a)\n",
    );
    let mut messages: Vec<_> = found.iter().map(|diagnostic| &*diagnostic.message).collect();
    messages.sort_unstable();
    let expected = [
        "cannot find attribute `other` of `A`",
        "cannot set attribute `m` of `A`: expected `int`, found `\"y\"`",
        "cannot set attribute `m` of `A`: expected `int`, found `\"z\"`",
        "cannot set attribute `n` of `A`: expected `int`, found `\"x\"`",
    ];
    assert_eq!(messages, expected);
    let labels = found.iter().flat_map(|diagnostic| &diagnostic.secondary);
    assert!(labels.filter(|label| label.text.contains("this value")).count() >= 3, "{found:?}");
}

/// A line of another language is one mistake, whatever its words could mean.
#[test]
fn a_foreign_line_is_reported_once() {
    for head in ["def f():", "while true:", "try:", "function area(a, b) {"] {
        let found = told(&format!("a = 1\n{head}\nb = a\n"));
        let messages: Vec<_> = found.iter().map(|diagnostic| &*diagnostic.message).collect();
        assert_eq!(messages.len(), 1, "{head}: {messages:?}");
        assert!(!found[0].help.is_empty(), "{head}: {messages:?}");
    }
    // Names that are assigned are names.
    assert_eq!(told("def = 1\nwhile = def + )\nx = while\n").len(), 1);
}

/// A value that no statement could set is reported together with other mistakes, once for each constructor.
#[test]
fn missing_values_are_reported_with_other_mistakes() {
    let sorted = |text: &str| {
        let mut messages: Vec<String> = told(text).into_iter().map(|found| found.message).collect();
        messages.sort_unstable();
        messages
    };
    let head = "entity A:\n    int n\n    string s = \"\"\nend\nentity B:\nend\nA.one [1] -- B\nA.two [2:] -- B\n\
                implement A using std::none\n";
    let expected = [
        "attribute `one` of `A` is not set",
        "cannot find variable `c`",
        "cannot set attribute `n` of `A`: expected `int`, found `\"x\"`",
        "no implementation is selected for this `B`",
        "relation `two` of `A` requires 2 values, but none is set",
    ];
    assert_eq!(sorted(&format!("{head}for i in [1, 2]:\n    A(n=\"x\")\nend\nB()\nb = c\n")), expected);
    assert_eq!(sorted("entity A:\n    int n\nend\nimplement A using std::none\nA()\nx = Host()\n").len(), 2);
    let expected = [
        "attribute `group` of `std::File` is not set",
        "attribute `os` of `std::Host` is not set",
        "cannot set attribute `mode` of `std::File`: expected `int`, found `\"644\"`",
    ];
    let text = "h = std::Host(name=\"a\")\nf = std::File(host=h, path=\"/a\", owner=\"root\", mode=\"644\", content=\"\")\n\
                d = std::Directory(host=h, path=\"/b\", owner=\"root\", group=\"root\", mode=755)\n";
    assert_eq!(sorted(text), expected);
    // A failed statement could have set it.
    let head = "entity A:\n    string k\n    int n\nend\nindex A(k)\nimplement A using std::none\na = A(k=\"1\")\n";
    assert_eq!(sorted(&format!("{head}a.n = d\n")), ["cannot find variable `d`"]);
    assert_eq!(sorted(&format!("{head}A(k=\"1\", n=d)\n")), ["cannot find variable `d`"]);
    assert_eq!(sorted(&format!("{head}a.m = 1\n")), ["cannot find attribute `m` of `A`"]);
}

/// The constructor adds it to the relation from the other side.
#[test]
fn an_excess_value_is_reported_once() {
    let found = told(
        "entity S:\nend\nentity P:\n    int port\nend\nS.ports [0:2] -- P.srv [1]\nindex P(srv, port)\n\
         implement S using std::none\nimplement P using std::none\ns = S(ports=[P(port=1), P(port=2)])\ns.ports += P(port=3)\n",
    );
    assert_eq!(found.len(), 1, "{found:?}");
}
