//! Tricky patterns, and invalid ones.

use super::parser;
use super::search::Search;
use crate::corelib::Work;

/// In one go, and in pieces of a character each, which must come to the same.
fn is_match(pattern: &str, text: impl AsRef<[u8]>) -> bool {
    let search = || match parser::parse(pattern.as_bytes()) {
        Ok(program) => Search::new(program, text.as_ref().into()),
        Err(error) => panic!("{pattern}: {error}"),
    };
    let work = Work::new(u64::MAX);
    let found = search().search(&work).unwrap().expect("nothing interrupts it");
    let (mut pieces, mut in_pieces) = (search(), None);
    while in_pieces.is_none() {
        work.begin_slice(1);
        in_pieces = pieces.search(&work).unwrap();
    }
    assert_eq!(in_pieces, Some(found), "{pattern} over {:?}", text.as_ref());
    found
}

fn error(pattern: &str) -> String {
    parser::parse(pattern.as_bytes()).map_or_else(|error| error.to_string(), |_| format!("{pattern} is a pattern"))
}

#[test]
fn patterns_match_as_those_of_re2() {
    let yes = [
        ("c$", "abc"),
        ("(?m)^b$", "a\nb\nc"),
        ("(?s)a.b", "a\nb"),
        ("^.$", "☺"),
        ("[^a]", "\n"),
        ("(?i)k", "\u{212a}"),
        ("(?i)ß", "ẞ"),
        ("(?i)[a-z]", "\u{17f}"),
        ("(?i)\\p{Lu}", "é"),
        ("(?i)σ", "ς"),
        ("a(?i)b|c", "C"),
        ("(?U)a+?b", "aab"),
        ("(?)a", "a"),
        ("(?ii)a", "A"),
        ("a(?i)*$", "aa"),
        ("^[\\pL\\d_]+$", "é1_"),
        ("\\p{uppercase letter}", "A"),
        ("\\p{^Greek}", "a"),
        ("\\PL", "1"),
        ("\\pLu", "au"),
        ("\\p{Old_Italic}", "\u{10300}"),
        ("\\p{Cn}", "\u{378}"),
        ("[[:^alpha:]]", "é"),
        ("[\\d-z]", "-"),
        ("[]a]", "]"),
        ("[^]a]", "x"),
        ("^[[.a.]]$", "a]"),
        ("[a&&b]", "&"),
        ("[a-]", "-"),
        ("[--/]", "."),
        ("^x{2$", "x{2"),
        ("^a{,2}$", "a{,2}"),
        ("^a{02}$", "a{02}"),
        ("^a{0}b$", "b"),
        ("^a{2,}$", "aaa"),
        ("^a{2,4}$", "aaaa"),
        ("^(ab|c){2}$", "cab"),
        ("^(a{1,2}b){2,3}$", "abaabab"),
        ("(a*)*b", "b"),
        ("^*", "a"),
        ("\\b+", "a"),
        ("(|a)+$", "aa"),
        ("a||b", "c"),
        ("^(a|ab)(c|bcd)$", "abcd"),
        ("^\\Qa.*\\E+$", "a.**"),
        ("\\Q.*", ".*"),
        ("^x\\b{start}$", "x{start}"),
        ("^\\x41\\x{41}\\101$", "AAA"),
        ("\\400", "Ā"),
        ("^\\08$", "\u{0}8"),
        ("^\\.\\-\\_\\<\\/$", ".-_</"),
        ("(?P<1>a)(?<n>b)(?<n>c)", "abc"),
        ("a{1000}", &"a".repeat(1000)),
        ("^(a{31}){32}$", &"a".repeat(992)),
        ("\\x{fffd}", "\u{fffd}"),
    ];
    for (pattern, text) in yes {
        assert!(is_match(pattern, text), "{pattern} {text:?}");
    }
    let no = [
        ("^b", "abc"),
        ("c$", "abc\n"),
        ("a\\z", "a\n"),
        ("a.b", "a\nb"),
        ("(?s-s:a.)", "a\n"),
        ("(?i)ss", "ß"),
        ("(?i)[^a]", "A"),
        ("(?i)İ", "i"),
        ("(?i)i", "ı"),
        ("((?i)a)b", "AB"),
        ("(?i)a(?-i)b", "AB"),
        ("\\d", "٣"),
        ("\\w", "é"),
        ("\\s", "\u{a0}"),
        ("\\s", "\u{b}"),
        ("\\bé", "é"),
        ("\\p{ASCII}", "é"),
        ("\\p{Cn}", "a"),
        ("^a{2,4}$", "aaaaa"),
        ("^a{2}$", "aaa"),
        ("^(a{500}b{500}){2}$", "x"),
        ("\\<a", "a"),
    ];
    for (pattern, text) in no {
        assert!(!is_match(pattern, text), "{pattern} {text:?}");
    }
}

#[test]
fn bytes_that_are_no_text_count_as_characters() {
    assert!(is_match("^.$", b"\xff"));
    assert!(is_match("^..$", b"\xe2\x98"));
    assert!(is_match("\\x{fffd}", b"\xff") && is_match("[^a]", b"\xff"));
    assert!(is_match("\\xff", "ÿ") && !is_match("\\xff", b"\xff"));
}

#[test]
fn an_invalid_pattern_is_reported_with_its_part() {
    let wrong = [
        ("a(?=b)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?x)a", "invalid or unsupported Perl syntax: `(?x`"),
        ("(?P=n)", "invalid or unsupported Perl syntax: `(?P`"),
        ("(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"),
        ("(?i--s)", "invalid or unsupported Perl syntax: `(?i--`"),
        ("a(?", "invalid or unsupported Perl syntax: `(?`"),
        ("(?<=x)", "invalid named capture: `(?<=x)`"),
        ("(?P<a-b>x)", "invalid named capture: `(?P<a-b>`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
        ("(a)\\1", "invalid escape sequence: `\\1`"),
        ("\\18", "invalid escape sequence: `\\1`"),
        ("\\u0041", "invalid escape sequence: `\\u`"),
        ("\\x{110000}", "invalid escape sequence: `\\x{110000`"),
        ("\\é", "invalid escape sequence: `\\é`"),
        ("\\E", "invalid escape sequence: `\\E`"),
        ("[a-\\d]", "invalid escape sequence: `\\d`"),
        ("[\\b]", "invalid escape sequence: `\\b`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a???", "invalid nested repetition operator: `???`"),
        ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a{2,1}", "invalid repeat count: `{2,1}`"),
        ("(a{2,}){600}", "invalid repeat count: `{600}`"),
        ("(a", "missing closing ): `(a`"),
        ("a)", "unexpected ): `a)`"),
        ("a|*", "missing argument to repetition operator: `*`"),
        ("(?i)*", "missing argument to repetition operator: `*`"),
        ("{2}", "missing argument to repetition operator: `{2}`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        ("[a--x]", "invalid character class range: `a--`"),
        ("\\p{Foo}", "invalid character class range: `\\p{Foo}`"),
        ("\\p{Lowercase}", "invalid character class range: `\\p{Lowercase}`"),
        ("\\p", "invalid character class range: `\\p`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        ("[[:perl_space:]]", "invalid character class range: `[:perl_space:]`"),
        ("[a", "missing closing ]: `[a`"),
        ("[]", "missing closing ]: `[]`"),
        ("a\\", "trailing backslash at end of expression: ``"),
    ];
    for (pattern, says) in wrong {
        assert_eq!(error(pattern), says, "{pattern}");
    }
    assert!(parser::parse(b"\xff").is_err());
}

#[test]
fn hostile_patterns_end_soon() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert!(is_match(&nested(999), "a"));
    assert!(error(&nested(1000)).starts_with("expression nests too deeply"));
    assert!(error(&"(".repeat(100_000)).starts_with("missing closing )"));
    assert!(error(&"a{1000}".repeat(5000)).starts_with("expression too large"));
    assert!(!is_match("^(a*)*(a*)*(a|aa)*b$", "a".repeat(5000)));
    assert!(is_match(&"\\pL?".repeat(5000), ""));
    assert!(is_match("^(a*){1000}$", "aa"));
}
