mod at_once;

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
fn a_repeated_attribute_is_reported_at_the_second_one() {
    let found = told("entity A:\n    int n\n    string n\nend\nimplement A using std::none\n");
    let labels = found[0].primary.iter().chain(&found[0].secondary);
    assert_eq!(labels.map(|label| label.span.start).collect::<Vec<_>>(), [31, 18]);
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
    let mut others = Vec::new();
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
        ("x = 2 – 1\n", "the sign as `-`"),
        ("entity Café:\nend\n", "`a` to `z`"),
        ("entity A:\nend\nrelation A.b [0:] -- A\n", "without a keyword"),
        ("entity A:\nend\nA.b [0..*] -- A\n", "`[0:]`"),
        ("entity A:\nend\nA.b [] -- A\n", "`[0:]`"),
        ("entity A:\n    int n\nend\nimplement A using std::none\nA(n=0o644)\n", "decimal"),
        ("x = 1 > 2 ? 3 4\n", "`condition ? value : other`"),
        ("x = 1 +\ny = 2\n", "ends without a value"),
        ("entity A:\nend\nA.b [1] -- A.c\nimplement A using std::none\n", "has bounds"),
        ("h = 1\nx = std::Host(h, 1)\n", "`Entity(name=value)`"),
        ("import std::File\n", "import only the module"),
        ("for i in [1]:\n    x = i\n", "begins in line 1 is not closed"),
        ("end\n", "no block is open"),
        ("entity A:\n    int n = 1,\nend\n", "does not end with a comma"),
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
        ("d = {name: 1}\n", "keys of a dict are strings"),
        ("d = {1: 2}\n", "keys of a dict are strings"),
        ("d = {true: 2}\n", "keys of a dict are strings"),
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
        ("x = {\"a\": 1, \"b\"}\n", "needs a value"),
        ("x = {\"a\", \"b\"}\n", "needs a value"),
        ("x = - 5\n", "as in `-5`"),
        ("X = 1\n", "lower-case letter"),
        ("for X in [1]:\nend\n", "lower-case letter"),
        ("import std as S\n", "lower-case letter"),
        ("import fs as files\nx = fs::File(path=\"/a\")\n", "this file imports `fs` as `files`"),
        ("File file [1:] -- [1] Service service\n", "`A.b [0:] -- B.a [1]`"),
        ("x = std::count\n", "`std::count` is a function"),
        ("x = {\"{{ a }}\": 1}\n", "`r\"...\"`"),
        ("entity A:\n    dict d = null\nend\n", "cannot be null: write `dict? d = null`"),
        ("entity A:\n    string name,\nend\n", "does not end with a comma"),
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
        ("entity A:\n    list l\nend\nimplement A using std::none\na = A(l=[])\nA(l=[a])\n", "cannot hold instances"),
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
        ("entity A:\n    dict[string, int] d\nend\n", "write the type of a dict as `dict`"),
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
        ("if true:\n    x = 1\nelse if false:\n    x = 2\nend\n", "`elif condition:`"),
        ("else if x:\n", "`elif condition:`"),
        ("x = null ?? 3\n", "`x == null ? other : x`"),
        ("x = \"a\" . \"b\"\n", "joined with `+`"),
        ("x = \"a\".upper()\n", "`std::upper(text)`"),
        ("try:\n    x = 1\nend\n", "cannot be caught"),
    ] {
        let found = told(text);
        let told = format!("{} {}", found[0].message, found[0].help.join(" "));
        if !told.contains(answer) {
            others.push(format!("{text:?}: {told}"));
        }
    }
    assert!(others.is_empty(), "{}:\n{}", others.len(), others.join("\n"));
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
    assert_eq!(told("entity A:\n    int x,\nend\n")[0].help, ["an attribute does not end with a comma"]);
}

/// Any other letter would be as near.
#[test]
fn a_single_letter_has_no_suggestion() {
    assert!(told("f = 1\ny = w\n")[0].help.is_empty());
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
