use super::*;

fn shown(node: &Yaml) -> String {
    match &node.kind {
        Kind::Null => "null".to_owned(),
        Kind::Text { text, quoted: true } => format!("{text:?}"),
        Kind::Text { text, quoted: false } => text.clone(),
        Kind::List(items) => format!("[{}]", items.iter().map(|item| shown(item)).collect::<Vec<_>>().join(", ")),
        Kind::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{key}: {}", shown(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

fn check(text: &str, expect: &str) {
    let read = read(text).map_or_else(|problem| problem.to_string(), |node| shown(&node));
    assert_eq!(read, expect, "{text}");
}

#[test]
fn block_mappings_and_lists() {
    check("a: 1\nb:\n  c: x y\n  d:\n    - 1\n    - 2\n", "{a: 1, b: {c: x y, d: [1, 2]}}");
    check("a:\n- 1\n- b: 2\n  c: 3\n-\n  - x\nd:\n", "{a: [1, {b: 2, c: 3}, [x]], d: null}");
    check("- - 1\n  - 2\n- a\n", "[[1, 2], a]");
    check("\"a b\": 1\n'c': 2\n", "{a b: 1, c: 2}");
    check("a: http://x/y#z\nb: c:d # e\n", "{a: http://x/y#z, b: c:d}");
    check("%YAML 1.2\n---\na: 1\n...\nb: 2\n", "{a: 1}");
    check("--- # start\na: 1\n---\nb: 2\n", "{a: 1}");
    check("\u{feff}a: 1\r\nb: 'x'\r\n", "{a: 1, b: \"x\"}");
    check("a:   # nothing\n\nb: ~\n", "{a: null, b: null}");
    check("just text\n", "just text");
    check("", "null");
}

#[test]
fn flow() {
    check("{\"a\":1, b: [x, 'y', {c: d}], e,}", "{a: 1, b: [x, \"y\", {c: d}], e: null}");
    check("a: [1,\n  2, # two\n  3\n]\nb: {\n  c: 4\n}\n", "{a: [1, 2, 3], b: {c: 4}}");
    check("[a: 1, b]", "[{a: 1}, b]");
    check("{a: x:y, b: http://z}", "{a: x:y, b: http://z}");
    check("[]", "[]");
    check("{a: }", "{a: null}");
}

#[test]
fn texts() {
    check(r#"a: "x\ty\u00e9\x41\n\"\\" # c"#, r#"{a: "x\tyéA\n\"\\"}"#);
    check("a: 'it''s # one'", r#"{a: "it's # one"}"#);
    check("a: \"one\n  two\n\n  three \\\n  four\"", r#"{a: "one two\nthree four"}"#);
    check("a: one\n  two\n\n  three\nb: 1", "{a: one two\nthree, b: 1}");
    check("a: |\n  one\n    two\n\n  three\n\nb: 1", r#"{a: "one\n  two\n\nthree\n", b: 1}"#);
    check("a: >\n  one\n  two\n\n  three\nb: >-\n  x\n  y\n", r#"{a: "one two\nthree\n", b: "x y"}"#);
    check("a: |+\n  x\n\nb: |2\n    y\n", r#"{a: "x\n\n", b: "  y\n"}"#);
    check("a: >\n  x\n    y\n  z\n", r#"{a: "x\n  y\nz\n"}"#);
    check("- |\n a\n- b", r#"["a\n", b]"#);
    check("a: !!str 5\nb: !!int 6", r#"{a: "5", b: 6}"#);
}

#[test]
fn anchors_and_merges() {
    check("a: &x 1\nb: *x\n", "{a: 1, b: 1}");
    check("a: &x\n  k: 1\n  l: 2\nb:\n  <<: *x\n  l: 3\n", "{a: {k: 1, l: 2}, b: {l: 3, k: 1}}");
    check("a: [&x 1, *x]", "{a: [1, 1]}");
}

#[test]
fn refused() {
    check("a: 1\nb\n", "line 2: expected `key: value`");
    check("a: 1\n  b: 2\n", "line 2: unexpected indentation");
    check(
        "a: b: c\n",
        "line 1: unexpected second `:` in a line: quote the text, or write the mapping on separate lines",
    );
    check("a: 1\na: 2\n", "line 2: duplicate key `a`");
    check("a:\n\tb: 1\n", "line 2: indent with spaces, not tabs");
    check("x: 1\na: \"x\n", "line 2: missing closing quote");
    check("a: 'x' y\n", "line 1: unexpected text after the value");
    check("a: [1, 2\nb: 3\n", "line 1: missing closing `]`");
    check("a: [1, 'x' y]", "line 1: expected a comma between the elements of a list");
    check("a:\n  - 1\n  b: 2\n", "line 3: unexpected indentation");
    check("a: {b: 1\n", "line 1: missing closing `}`");
    check("a: [1 2", "line 1: missing closing `]`");
    check("a: *x\n", "line 1: unknown anchor `&x`");
    check("? a\n: b\n", "line 1: complex keys (`?`) are not supported");
    check("a: !own 1\n", "line 1: the tag `!own` is not supported");
    check("a: \"\\q\"\n", "line 1: unknown escape `\\q`");
    check("a: \"\\x4\"\n", "line 1: expected 2 hexadecimal digits after `\\x`");
    check("a: `x\n", "line 1: a string that begins like this must be quoted");
    check("- 1\na: 2\n", "line 2: this line does not belong to anything above it");
    check("[1] x", "line 1: this line does not belong to anything above it");
}

#[test]
fn depth_is_bounded_and_aliases_share() {
    check(&"[".repeat(100_000), "line 1: values nest deeper than 100 levels");
    check(&"- ".repeat(100_000), "line 1: values nest deeper than 100 levels");
    let bomb: String = (1..60).map(|n| format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1)).collect();
    assert!(read(&format!("a0: &a0 x\n{bomb}")).is_ok());
}

#[test]
fn large_texts_take_no_time() {
    let keys: String = (0..5_000).map(|n| format!("k{n}: [{n}, 'x']\n")).collect();
    assert!(read(&keys).is_ok());
    let flow: String = (0..5_000).map(|n| format!("k{n}: {{a: {n}}}, ")).collect();
    assert!(read(&format!("{{{flow}}}")).is_ok());
}

#[test]
fn no_cut_or_change_of_a_text_panics() {
    let text = "a: &x \"\\u00e9\"\nb: |2-\n   é\n\n  y\nc: [1, {d: 'e'}, *x] # z\nf: >\n g\n- h\n<<: *x\n? k\n";
    for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
        let _ = read(&text[..at]);
        let _ = read(&text[at..]);
        for piece in ["\n", "\t", ":", " ", "é", "\"", "- ", "\r"] {
            let _ = read(&format!("{}{piece}{}", &text[..at], &text[at..]));
        }
    }
}
