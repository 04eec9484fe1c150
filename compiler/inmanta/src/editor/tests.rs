//! The services on a small model. `|` marks the position.

use super::Analysis;
use mclive_base::source::MemoryWorld;
use mclive_base::span::FileId;
use mclive_ide::{Colour, Position, Services};
use proptest::prelude::*;

const MODEL: &str = r#"import fs
typedef port as int matching self > 0
entity Site:
    """ Something on a host. """
    string name
    port port = 80
end
Site.host [1] -- std::Host.sites [0:]
index Site(host, name)
implementation files for Site:
    conf = fs::File(host=host, path="/etc/{{name}}", content=std::upper(name))
    conf.requires = self.requires
end
implement Site using files
web = std::Host(name="web1", os=std::linux, ip="10.0.0.1")
shop = Site(host=web, name="shop")
"#;

/// The model with an appended line, and the position of the bar in it.
fn asked(more: &str) -> (Analysis, Position) {
    let text = format!("{MODEL}{more}");
    let offset = text.find('|').expect("a place");
    let text = text.replacen('|', "", 1);
    let analysis = Analysis::new(MemoryWorld::of([("/main.cf", text.as_bytes())]), "/main.cf");
    (analysis, Position { file: FileId(0), offset: offset as u32 })
}

fn hover(more: &str) -> String {
    let (analysis, at) = asked(more);
    analysis.hover(at).map(|hover| format!("{} {}", hover.head.join("; "), hover.doc)).unwrap_or_default()
}

fn labels(more: &str) -> Vec<String> {
    let (analysis, at) = asked(more);
    analysis.complete(at).candidates.into_iter().map(|candidate| candidate.label).collect()
}

#[test]
fn names_tell_what_they_are() {
    assert!(hover("x = Si|te[host=web, name=\"shop\"]").contains("entity Site extends std::Entity;"));
    assert!(hover("x = shop.po|rt").starts_with("Site: "));
    assert!(hover("x = Si|te[host=web, name=\"shop\"]").contains("Something on a host."));
    assert!(hover("x = shop.po|rt").contains("port port = 80"));
    assert!(hover("x = s|hop").contains("shop = Site["));
    assert!(hover("x = shop.ho|st").contains("host [1] -- std::Host"));
    assert!(
        hover("x = std::up|per(\"a\")").contains("std::upper(") || hover("x = std::up|per(\"a\")").contains("upper(")
    );
    assert!(hover("y = 6 * 7\nz = |y").contains("y = 42"));
    assert!(hover("import st|d::testing").contains("module std"));
}

#[test]
fn built_in_names_have_a_page_of_the_manual() {
    let page = |more: &str| {
        let (analysis, at) = asked(more);
        analysis.hover(at).and_then(|hover| hover.page)
    };
    for (more, name) in [
        ("x = std::Ho|st(name=\"b\", os=std::linux)\n", "std::Host"),
        ("entity Own:\n    std::po|rt http\nend\n", "std::port"),
        ("x = fs::File(host=web, pa|th=\"/b\", content=\"\")\n", "fs::File"),
        ("x = std::up|per(\"a\")\n", "std::upper"),
    ] {
        assert_eq!(page(more).as_deref(), Some(name), "{more}");
        assert!(crate::manual::page(name).is_some(), "{name}");
    }
    for more in ["x = shop.po|rt\n", "entity Own:\n    po|rt http\nend\n", "implement Host using std::no|ne\n"] {
        assert_eq!(page(more), None, "{more}");
    }
}

#[test]
fn what_could_be_typed_depends_on_the_place() {
    let has = |more: &str, label: &str| {
        let found = labels(more);
        assert!(found.iter().any(|found| found == label), "{more}: {found:?}");
    };
    has("x = shop.|", "port");
    has("x = fs::|", "File");
    has("Site(host=web, |", "name");
    has("import |", "exec");
    has("import std::|", "testing");
    has("implement Site using |", "files");
    has("x = |", "shop");
    assert!(!labels("Site(host=web, |").contains(&"host".to_owned()));
    assert!(labels("# a comment |").is_empty());
    // A line that does not parse yet does not affect the others.
    has("if shop.\nfor x in web.|", "sites");
}

#[test]
fn definitions_uses_and_new_names() {
    let (analysis, at) = asked("x = s|hop.name");
    let definition = analysis.definition(at).expect("a definition");
    assert_eq!(analysis.sources().slice(definition), b"shop");
    assert_eq!(analysis.uses(at).len(), 2);
    assert_eq!(analysis.rename(at, "store").expect("it can be renamed").len(), 2);
    assert!(analysis.rename(at, "web").is_err() && analysis.rename(at, "Shop").is_err());
    // Strings that mention it are changed too.
    let (analysis, at) = asked("x = shop.na|me");
    let edits = analysis.rename(at, "title").expect("it can be renamed");
    let in_text = MODEL.find("{{name}}").expect("a text") as u32 + 2;
    assert!(edits.iter().any(|edit| edit.span.start == in_text), "{edits:?}");
    let (analysis, at) = asked("x = Si|te[host=web, name=\"shop\"]");
    assert_eq!(analysis.rename(at, "Shop").expect("it can be renamed").len(), analysis.uses(at).len());
    let (analysis, at) = asked("x = std::up|per(\"a\")");
    assert!(analysis.definition(at).is_none() && analysis.renamable(at).is_none());
}

#[test]
fn tokens_symbols_and_signatures() {
    let (analysis, at) = asked("x = Site(host=web, |");
    let help = analysis.signature(at).expect("a constructor");
    assert!(help.forms[0].label.starts_with("Site(") && help.forms[0].label.contains("string name"));
    assert_eq!(help.active, 1);
    let (analysis, _) = asked("|");
    let symbols = analysis.symbols(FileId(0));
    assert!(
        symbols.iter().any(|symbol| symbol.name == "files for Site") && symbols.iter().any(|symbol| symbol.depth == 1)
    );
    let end = MODEL.len() as u32;
    let tokens = analysis.tokens(mclive_base::span::Span { file: FileId(0), start: 0, end });
    let colour = |word: &str| {
        let at = MODEL.find(word).expect("a word") as u32;
        tokens.iter().find(|token| token.span.start == at).map(|token| token.colour)
    };
    assert_eq!(
        (colour("entity"), colour("Site:"), colour("80")),
        (Some(Colour::Keyword), Some(Colour::Class), Some(Colour::Number))
    );
}

#[test]
fn each_block_has_variables_of_its_own() {
    let more = r#"
for x in web.sites:
    if x.port > 1:
        note = x.name
    else:
        note = "none"
    end
end
ports = [x.port for x in web.sites for y in [x] if y.port > x.port]
x = 5
z = x
|"#;
    let (analysis, _) = asked(more);
    let text = format!("{MODEL}{more}").replace('|', "");
    let at = |word: &str, shift: usize| Position {
        file: FileId(0),
        offset: (text.find(word).expect("it is in the text") + shift) as u32,
    };
    let defined = |word: &str, shift: usize| analysis.definition(at(word, shift)).map(|span| span.start);
    assert_eq!(defined("x.port > 1", 0), Some(at("for x in web.sites:", 4).offset));
    assert_eq!(defined("x.port for", 0), Some(at("x in web.sites for", 0).offset));
    assert_eq!(defined("[x]", 1), Some(at("x in web.sites for", 0).offset));
    assert_eq!(defined("z = x", 4), Some(at("x = 5", 0).offset));
    let uses = |word: &str| analysis.uses(at(word, 0)).len();
    assert_eq!((uses("x.port > 1"), uses("x.port for"), uses("y in [x]"), uses("x = 5")), (3, 4, 2, 2));
    // The two notes are separate variables.
    assert_eq!(uses("note = x.name"), 1);
    assert_eq!(defined("y.port", 2), Some(at("port port", 5).offset));
    assert!(analysis.rename(at("y in [x]", 0), "inner").is_ok_and(|edits| edits.len() == 2));
    let found = labels("for each in [1]:\n    inner = 2\n    v = |each\nend\n");
    assert!(["each", "inner"].iter().all(|name| found.contains(&(*name).to_owned())), "{found:?}");
}

#[test]
fn names_in_texts_have_places_of_their_own() {
    let more = r#"
n = 5
w = 3
d = shop
a = f"\t{n:{ w }d} {d.name!r:>9} { d . port }"
b = "é\n{{n}} {{ d.name }}"
c = f"{ \x6e }"
|"#;
    let (analysis, _) = asked(more);
    let text = format!("{MODEL}{more}").replace('|', "");
    let at = |word: &str, shift: usize| Position {
        file: FileId(0),
        offset: (text.find(word).expect("it is in the text") + shift) as u32,
    };
    for (word, shift, name) in [
        ("{n:", 1, "n"),
        ("{ w }", 2, "w"),
        ("{d.name!", 1, "d"),
        ("{d.name!", 3, "name"),
        (" d . port", 5, "port"),
        ("{{n}}", 2, "n"),
        ("{{ d.name", 5, "name"),
    ] {
        let (span, found) = analysis.renamable(at(word, shift)).unwrap_or_else(|| panic!("a name at {word}"));
        assert_eq!((span.start, found.as_str()), (at(word, shift).offset, name), "{word}");
    }
    let uses: Vec<u32> = analysis.uses(at("n = 5", 0)).iter().map(|span| span.start).collect();
    assert_eq!(uses, [at("n = 5", 0).offset, at("{n:", 1).offset, at("{{n}}", 2).offset]);
    // The name written with an escape does not occur literally; all others are changed.
    assert!(analysis.renamable(at("\\x6e", 1)).is_none());
    assert_eq!(analysis.rename(at("w = 3", 0), "width").expect("it can be renamed").len(), 2);
    assert!(analysis.rename(at("d = shop", 0), "store").expect("it can be renamed").len() == 4);
}

const PART: &str = r#"import fs
import shop
web = std::Host(name="web1", os=std::linux, ip="10.0.0.1")
wiki = fs::File(host=web, path="/etc/wiki", content=shop::text)
std::ResourceSet(name="wiki", resources=[wiki])
"#;

/// A program with a partial export.
fn with_part(whole: &str, part: &str) -> Analysis {
    let files = [
        ("/main.cf", whole),
        ("/partial/parts.json", r#"{"parts": [{"main": "1/main.cf"}, {"main": "2/main.cf"}]}"#),
        ("/partial/1/main.cf", part),
        ("/partial/1/libs/shop/model/_init.cf", "text = \"wiki\"\n"),
        ("/partial/2/main.cf", "web = 7\n"),
    ];
    Analysis::new(MemoryWorld::of(files.map(|(path, text)| (path, text.as_bytes()))), "/main.cf")
}

/// The position of a word in a file.
fn place(analysis: &Analysis, path: &str, word: &str) -> Position {
    let file = analysis.file(path).expect("it is a file of the program");
    let text = String::from_utf8_lossy(&analysis.sources().get(file).text).into_owned();
    Position { file, offset: text.find(word).expect("it is in the text") as u32 }
}

#[test]
fn each_partial_export_is_a_model_with_names_of_its_own() {
    let analysis = with_part(MODEL, PART);
    assert!(!analysis.understood.diags.has_errors());
    let part = "/partial/1/main.cf";
    let at = |path: &str, word: &str| place(&analysis, path, word);
    let head = |path: &str, word: &str| analysis.hover(at(path, word)).map(|hover| hover.head.join("; "));
    let uses = |path: &str, word: &str| {
        let found = analysis.uses(at(path, word)).into_iter();
        found.map(|span| analysis.sources().get(span.file).path.clone()).collect::<Vec<_>>()
    };
    assert!(head("/main.cf", "web =").is_some_and(|head| head.starts_with("web = std::Host[")));
    assert!(head(part, "web =").is_some_and(|head| head.starts_with("web = std::Host[")));
    assert_eq!(head("/partial/2/main.cf", "web =").as_deref(), Some("web = 7"));
    assert!(head(part, "wiki =").is_some_and(|head| head.starts_with("wiki = fs::File[")));
    assert_eq!(uses("/main.cf", "web ="), ["/main.cf", "/main.cf"]);
    assert_eq!(uses(part, "web ="), [part, part]);
    let module = "/partial/1/libs/shop/model/_init.cf";
    let text = Position { offset: at(part, "shop::text").offset + 6, ..at(part, "shop::text") };
    let definition = analysis.definition(text).expect("a definition");
    assert_eq!(analysis.sources().get(definition.file).path, module);
    // In its own model, and nowhere else.
    let mut edits = analysis.rename(text, "words").expect("it can be renamed");
    edits.sort_by_key(|edit| edit.span.file);
    let edited: Vec<&str> = edits.iter().map(|edit| &*analysis.sources().get(edit.span.file).path).collect();
    assert_eq!(edited, [part, module]);
    assert_eq!(analysis.rename(at(part, "web ="), "host").expect("it can be renamed").len(), 2);
    let has_shop = |at| analysis.complete(at).candidates.iter().any(|candidate| candidate.label == "shop");
    assert!(has_shop(at(part, "shop\n")) && !has_shop(at("/main.cf", "fs\n")));
    let file = analysis.file(part).expect("it is a file of the program");
    assert!(analysis.symbols(file).iter().any(|symbol| symbol.name == "wiki"));
    let range = mclive_base::span::Span { file, start: 0, end: PART.len() as u32 };
    let wiki = at(part, "wiki =").offset;
    assert!(analysis.tokens(range).iter().any(|token| token.span.start == wiki && token.defines));
    assert!(analysis.renamable(at(part, "Host")).is_none());
}

/// A torn line of one model hides nothing of the others, nor the rest of its own.
#[test]
fn models_beside_a_broken_one_are_known() {
    for (whole, part) in [
        (format!("{MODEL}x = = 3\n"), PART.to_owned()),
        (MODEL.to_owned(), format!("{PART}x = = 3\n")),
        (format!("{MODEL}x = nothing\n"), PART.to_owned()),
    ] {
        let analysis = with_part(&whole, &part);
        assert!(analysis.understood.diags.has_errors());
        for (path, word) in [("/main.cf", "shop ="), ("/partial/1/main.cf", "wiki ="), ("/partial/2/main.cf", "web =")]
        {
            let at = place(&analysis, path, word);
            let head = analysis.hover(at).map(|hover| hover.head.join("; ")).unwrap_or_default();
            assert!(head.starts_with(word.trim_end_matches(" =")), "{path}: {head}");
            assert!(analysis.rename(at, "other").is_err_and(|why| why.0.contains("the model has errors")));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every piece of a model, cut anywhere, is handled.
    #[test]
    fn any_place_of_any_text_is_answered(from in 0usize..400, len in 0usize..400, at in 0u32..500) {
        let end = (from + len).min(MODEL.len());
        let text = MODEL.get(from.min(end)..end).unwrap_or_default();
        let analysis = Analysis::new(MemoryWorld::of([("/main.cf", text.as_bytes())]), "/main.cf");
        let at = Position { file: FileId(0), offset: at };
        analysis.hover(at);
        analysis.complete(at);
        analysis.signature(at);
        analysis.definition(at);
        let _ = analysis.rename(at, "other");
        analysis.symbols(FileId(0));
        analysis.tokens(mclive_base::span::Span { file: FileId(0), start: 0, end: 500 });
    }

    /// A model with hostile text inserted anywhere: every position is handled, and everything renamable is a name.
    #[test]
    fn all_places_of_broken_models_are_answered(
        cut in 0usize..560,
        len in 0usize..24,
        bits in proptest::collection::vec(proptest::sample::select(BITS.to_vec()), 0..3),
    ) {
        let end = (cut + len).min(MODEL.len());
        let text = format!("{}{}{}", &MODEL[..cut.min(end)], bits.concat(), &MODEL[end..]);
        let analysis = Analysis::new(MemoryWorld::of([("/main.cf", text.as_bytes())]), "/main.cf");
        for offset in (0..text.len() as u32 + 2).step_by(5) {
            let at = Position { file: FileId(0), offset };
            analysis.hover(at);
            analysis.complete(at);
            analysis.signature(at);
            analysis.definition(at);
            let Some((_, word)) = analysis.renamable(at) else { continue };
            prop_assert!(word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'), "{word}");
            for span in analysis.uses(at) {
                prop_assert_eq!(analysis.sources().slice(span), word.as_bytes());
            }
        }
        analysis.symbols(FileId(0));
        analysis.tokens(mclive_base::span::Span { file: FileId(0), start: 0, end: text.len() as u32 + 9 });
    }
}

/// Fragments that break a text.
const BITS: [&str; 24] = [
    "\"",
    "'",
    "\"\"\"",
    "{{",
    "}}",
    "f\"{name} {host.name}\"",
    "\\",
    "(",
    "]",
    "::",
    ".",
    "end ",
    "for x in [1]: y = x ",
    "\u{feff}",
    "\0",
    "\r",
    "é",
    "\u{202e}",
    "😀",
    "matching /(/",
    "[x for x in ",
    "**",
    "import no::such",
    "#",
];
