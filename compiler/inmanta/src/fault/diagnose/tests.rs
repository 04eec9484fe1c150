use super::*;
use crate::{Setup, compile};
use mclive_base::source::MemoryWorld;

fn told(text: &str) -> Vec<Diagnostic> {
    let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
    compile(&world, "/main.cf", &Setup::default()).faults.iter().flat_map(|fault| diagnose(fault)).collect()
}

#[test]
fn causes_become_places() {
    let found = told("entity A:\n    int n\nend\nimplement A using std::none\na = A(n=1)\na.n = 2\n");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code.to_string(), "E1117");
    assert!(found[0].message.contains("two different values"), "{:?}", found[0].message);
    assert!(found[0].secondary.iter().any(|label| label.text.contains("first value")));
}

#[test]
fn a_place_is_labelled_once() {
    let found = told("entity A:\n    int n\nend\nimplement A using std::none\na = A()\n");
    let labels: Vec<_> = found[0].primary.iter().chain(&found[0].secondary).collect();
    assert_eq!(labels.len(), 2, "{labels:?}");
}

/// Mistakes of newcomers, each with the help of the first error.
#[test]
fn common_mistakes_have_an_answer() {
    for (text, answer) in [
        ("\u{feff}x = 1\n", "byte order mark"),
        ("x = “a”\n", "straight quotes"),
        ("x\u{a0}= 1\n", "U+00A0"),
        ("x = \"a\ny = 2\n", "unclosed string"),
        ("x = 1;\n", "do not end with `;`"),
        ("x = $a\n", "without `$`"),
        ("x = a && b\n", "`and`"),
        ("x = !a\n", "`not`"),
        ("// a comment\nx = 1\n", "begin with `#`"),
        ("x = 1 // a comment\n", "begin with `#`"),
        ("/* a comment */\n", "begin with `#`"),
        ("x = True\n", "`true`"),
        ("x = [None]\n", "`null`"),
        ("-- a comment\nx = 1\n", "begin with `#`"),
        ("x = 1 -- a comment\n", "begin with `#`"),
        ("x = 2 – 1\n", "written `-`"),
        ("entity Café:\nend\n", "`a` to `z`"),
        ("entity A:\nend\nrelation A.b [0:] -- A\n", "without a keyword"),
        ("entity A:\nend\nA.b [0..*] -- A\n", "`[0:]`"),
        ("entity A:\n    int n = 1,\nend\n", "without a comma"),
        ("x = 'a\n", "unexpected character `'`"),
        ("x = 1 if true else 2\n", "`condition ? value : other`"),
        ("entity A:\n    list l = [1, x]\nend\n", "must be a constant"),
        ("entity A:\n    int n = x\nend\n", "must be a constant"),
        (
            "entity A:\n    string name\nend\nimplement A using std::none\nd = {\"other\": 1}\nA(**d)\n",
            "its only attribute is `name`",
        ),
        ("class Site:\nend\n", "`entity Name:`"),
        ("class Site {\n}\n", "`entity Name:`"),
        ("if true then\nend\n", "begins with `:`"),
        ("while true:\nend\n", "`for item in list:`"),
        ("if true:\nelsif false:\nend\n", "`elif condition:`"),
        ("let x = 1\n", "without a keyword"),
        ("y := 1\n", "assigned with `=`"),
        ("a = 1\nx = 3 * -a\n", "`0 - x`"),
        ("import ip.services\n", "`::`"),
        ("a = 1\nb = a is null\n", "compared with `==`"),
        ("x = std::Host(\"a\")\n", "`Entity(name=value)`"),
        ("x = std::Host(name=\"a\").name\n", "only names have attributes"),
        ("if x = 1:\nend\n", "`==`"),
        ("if true {\n}\n", "`end`"),
        ("a = 5\nb = a-1\n", "`a - 1`"),
        ("x = 1e9\n", "exponent"),
        ("l = [1, 2]\nx = l[0]\n", "std::at"),
        ("import nowhere\n", "libs/nowhere/model/_init.cf"),
        ("import files\n", "use `fs::File`"),
        ("import std::fs\n", "did you mean `fs`?"),
        ("entity A:\n    str n\nend\n", "`string`"),
        ("entity A:\n    boolean n\nend\n", "`bool`"),
        ("entity A:\n    map n\nend\n", "`dict`"),
        ("entity A:\n    array n\nend\n", "`list`"),
        ("x = std::host(name=\"a\")\n", "did you mean `std::Host`?"),
        ("entity Site:\nend\nx = site()\n", "did you mean `Site`?"),
        ("x = std::file(\"motd\")\n", "libs/shop/files/motd"),
        ("x = std::template(\"site\")\n", "libs/shop/templates/site.tmpl"),
        ("if true:\n    x = 1\nend\ny = x\n", "only visible in the block"),
        ("for n in [1]:\nend\ny = n\n", "only visible in the block"),
        ("typedef t as int matching selff > 1\n", "must refer to `self`"),
        ("typedef t as string matching /(/\n", "invalid regular expression"),
        ("import mitogn\n", "did you mean `mitogen`?"),
        ("x = (-8) ** 0.5\n", "not a real"),
        ("x = std::replace(\"a\")\n", "string: string, old: string"),
        ("entity A\n    string name\nend\n", "line 1 must end with `:`"),
        ("if true\n    x = 1\nend\n", "line 1 must end with `:`"),
        ("x = 1\ny = [1,\n    2\nz = 3\n", "`[` in line 2 is not closed"),
        ("x = {a: 1}\n", "keys of a dict are strings"),
        ("x = {\"a\" = 1}\n", "separated by `:`"),
        ("entity A:\n    string name,\nend\n", "without a comma"),
        ("entity A:\n    name: string\nend\n", "`string name`"),
        ("entity A:\n    list l = {\"a\": 1}\nend\n", "type `dict`"),
        ("entity A:\nend\nA.b [0;] -- A\n", "`[0:]`"),
        ("for i in range(3):\nend\n", "`std::sequence`"),
        ("h = std::Host(name=\"a\", os=std::linx)\n", "`std::linux`"),
        ("h = std::Host(name=\"a\", os=std::ubuntu)\n", "the variables of `std` are"),
        ("h = std::Host(name=\"a\", os=std::ubuntu)\n", "cannot find variable `std::ubuntu`"),
        ("entity A:\n    bool b = True\nend\n", "`true`"),
        ("entity A:\n    string? b = None\nend\n", "`null`"),
        ("entity A:\nend\nA.b [0:*] -- A\n", "`[0:]`"),
        ("entity A:\nend\nA.b [0:] - A\n", "joined by `--`"),
        ("entity site:\nend\n", "`Site`"),
        ("entity A extends std::host:\nend\n", "`std::Host`"),
        ("entity A:\n    string Name\nend\n", "`name`"),
        ("entity A:\n    string end\nend\n", "keyword"),
        ("x = \"a\" + 1\n", "`string(...)`"),
        ("x = 1 + \"a\"\n", "`int(...)`"),
        ("x = [1] + [2]\n", "`[a, b]`"),
        ("x = \"a\" < \"b\"\n", "`==`"),
        ("d = {\"port\": 1}\nx = d[\"prt\"]\n", "did you mean `port`?"),
        ("d = {\"port\": 1}\nx = d[\"name\"]\n", "its keys are `port`"),
        ("d = {\"port\": 1}\nx = d.port\n", "`d[\"port\"]`"),
        ("l = [1]\nx = l.port\n", "`[x.port for x in l]`"),
        ("x = \"a\"\nif x:\nend\n", "`bool(...)`"),
        ("for x in 3:\nend\n", "`[x]`"),
        ("entity A:\n    int n\nend\nimplement A using std::none\nA(n=\"80\")\n", "without quotes"),
        ("entity A:\n    string n\nend\nimplement A using std::none\nA(n=80)\n", "`\"80\"`"),
        ("entity A:\n    bool n\nend\nimplement A using std::none\nA(n=\"yes\")\n", "`true`"),
        ("entity A:\n    int n\nend\nimplement A using std::none\nA(n=null)\n", "`int?`"),
        ("entity A:\n    float n\nend\nimplement A using std::none\nA(n=8)\n", "`8.0`"),
        ("entity A:\n    int n\nend\nimplement A using std::none\nA(n=4 / 2)\n", "`int(...)`"),
        ("entity A:\n    string[] n\nend\nimplement A using std::none\nA(n=\"a\")\n", "`[\"a\"]`"),
        ("entity A:\nend\nimplement A using std::none\nA.b [1] -- A\nA(b=\"a\")\n", "an instance of `A`"),
        ("entity A:\n    list l\nend\nimplement A using std::none\na = A(l=[])\nA(l=[a])\n", "hold no instances"),
        (
            "entity A:\n    dict d\nend\nimplement A using std::none\na = A(d={})\nA(d={\"a\": a})\n",
            "expected a plain value",
        ),
        (
            "entity A:\nend\nimplement A using std::none\nA.b [0:1] -- A\na = A(b=null)\na.b = A(b=null)\n",
            "`b` is either null or has values",
        ),
        (
            "entity A:\nend\nimplement A using std::none\nA.b [0:] -- A\na = A(b=null)\na.b = A(b=null)\n",
            "`b` is either null or has values",
        ),
        ("import fs\nfs::Symlink(source=\"/a\")\n", "`src`"),
        (
            "entity A:\n    std::ipv4_address ip\nend\nimplement A using std::none\nA(ip=\"10.0.0.256\")\n",
            "expected an IPv4 address, found `\"10.0.0.256\"`",
        ),
        (
            "entity A:\n    string n\nend\nimplement A using std::none\nfor i in [80]:\n    A(n=i)\nend\n",
            "convert a variable with `string(...)`",
        ),
        ("entity A:\n    int n\nend\nimplement A using std::none\nx = A[n=1]\n", "`index A(n)`"),
        ("entity A:\n    A? parent\nend\n", "`Entity.parent [0:1] -- A`"),
        ("entity A:\n    std::Host host\nend\n", "`Entity.host [1] -- std::Host`"),
        ("entity A:\n    A[] parts\nend\n", "`Entity.parts [0:] -- A`"),
        ("entity A:\n    list[string] tags\nend\n", "`string[]`"),
        ("entity A:\n    dict[string, int] d\nend\n", "written `dict`"),
        ("entity A:\n    string s = \"a\" + \"b\"\nend\n", "must be a constant"),
        ("entity A:\nend\nA.b [*] -- A\n", "`[0:]`"),
        ("entity A:\nend\nA.b -- A.c [1]\n", "has bounds"),
        ("entity A:\n    string s\nend\nindex A.s\n", "`index Entity(name)`"),
        ("typedef t = int matching self > 3\n", "`typedef name as int matching self > 0`"),
        ("typedef t as int where self > 3\n", "`typedef name as int matching self > 0`"),
        ("implementation i of A:\nend\n", "`implementation name for Entity:`"),
        ("implement A with i\n", "`implement Entity using name`"),
        ("for i in 1..3:\nend\n", "`std::sequence(3)`"),
        ("x = std::Host(name: \"a\")\n", "`name=value`"),
    ] {
        let found = told(text);
        let told = format!("{} {}", found[0].message, found[0].help.join(" "));
        assert!(told.contains(answer), "{text:?}: {told}");
    }
}

#[test]
fn several_errors_are_told_at_once() {
    assert_eq!(told("entity A:\nend\nA()\nA()\n").len(), 2);
    assert_eq!(told("x = = 1\nentity b:\nend\nentity c:\nend\n").len(), 3);
    // Statements and attributes, also inside of blocks; what is left of a broken one is no error.
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
fn mistakes_in_values_are_told_at_once() {
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
fn a_mistake_in_a_loop_is_told_once() {
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

/// Definitions that are broken in ways of their own, with no errors that follow from them.
#[test]
fn mistakes_in_definitions_are_told_at_once() {
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
fn mistakes_of_all_stages_are_told_at_once() {
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
fn a_variable_of_a_statement_is_told_once() {
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

#[test]
fn the_key_of_a_lookup_is_told_as_models_write_it() {
    let found = told("entity A:\n    bool b\n    string s\nend\nindex A(b, s)\nx = A[s=\"it's\", b=true]\n");
    let messages: Vec<&str> = found.iter().map(|found| &*found.message).collect();
    assert_eq!(messages, ["cannot find an instance of `A` with b=true, s=\"it's\""]);
}

#[test]
fn a_command_is_not_taken_for_an_attribute() {
    assert!(told("print x, y\n")[0].help.is_empty());
    assert_eq!(told("entity A:\n    int x,\nend\n")[0].help, ["an attribute ends without a comma"]);
}

/// Any other letter would be as near.
#[test]
fn a_single_letter_has_no_suggestion() {
    assert!(told("f = 1\ny = w\n")[0].help.is_empty());
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

#[test]
fn attributes_are_suggested_in_implementations() {
    let found = told(
        "entity A:\n    string comment\nend\nimplementation i for A:\n    x = coment\nend\nimplement A using i\na = A(comment=\"\")\n",
    );
    assert_eq!(found[0].help, ["did you mean `comment`?"]);
    let found =
        told("entity A:\n    string comment\nend\nimplement A using std::none\na = A(comment=\"\")\nx = a.coment\n");
    assert!(found[0].help.contains(&"did you mean `comment`?".to_owned()), "{:?}", found[0]);
}
