//! A table for each service: a program with `‸` at the cursor, and the expected result.

use super::*;
use crate::source::MemoryWorld;

/// The program without its marker, analysed, and the position of the marker.
fn program(text: &str) -> (Analysis, Position) {
    with_files(text, &[])
}

fn with_files(text: &str, files: &[(&str, &str)]) -> (Analysis, Position) {
    let offset = text.find('‸').unwrap_or(text.len());
    let mut world = MemoryWorld::single(&text.replace('‸', ""));
    for (path, text) in files {
        world.insert(path, text.as_bytes());
    }
    let analysis = Analysis::new(world, "/main.mcl", "host1");
    (analysis, Position { file: FileId(0), offset: offset as u32 })
}

#[track_caller]
fn check_hover(text: &str, head: &[&str], doc: &str) {
    let (analysis, at) = program(text);
    let hover = analysis.hover(at).unwrap_or_else(|| panic!("nothing to say in {text}"));
    assert_eq!(hover.head, head, "{text}");
    assert!(hover.doc.starts_with(doc), "{text}\n{}", hover.doc);
}

#[test]
fn hover_tells_types() {
    check_hover("# The answer.\n$na‸me = 42\n", &["$name int"], "The answer.");
    check_hover("$name = [1]\nprint \"x\" {\n\tmsg => \"${na‸me}\",\n}\n", &["$name []int"], "");
    check_hover("for $index, $v in [\"a\"] {\n\tprint \"${v‸}\" {}\n}\n", &["$v str"], "");
    check_hover("$s = struct{a => 1}\n$t = $s->a‸\n", &["a int"], "");
    check_hover(
        "$x = 1 +‸ 2\n",
        &["+ (a str, b str) str", "+ (a int, b int) int", "+ (a float, b float) float", "returns int here"],
        "Concatenates",
    );
}

#[test]
fn hover_tells_what_nothing_uses() {
    check_hover("class c($a int) {\n\t$b‸ = $a\n}\n", &["$b int"], "");
    check_hover("func f($a‸ str) {\n\t$a\n}\n", &["$a str"], "");
}

#[test]
fn hover_tells_documentation() {
    check_hover("import \"strings\"\n$x = strings.to_lo‸wer(\"A\")\n", &["strings.to_lower(a str) str"], "");
    check_hover("fi‸le \"/x\" {}\n", &["file"], "");
    check_hover("file \"/x\" {\n\tcont‸ent => \"\",\n}\n", &["content str, nullable"], "");
    check_hover("noop \"x\" {\n\tMeta:noo‸p => true,\n}\n", &["Meta:noop bool"], "Report changes without");
    check_hover(
        "noop \"x\" {\n\tBef‸ore => Noop[\"y\"],\n}\nnoop \"y\" {}\n",
        &["Before => Kind[\"name\"]"],
        "This resource",
    );
    check_hover("f‸or $i, $v in [1] {\n}\n", &["for"], "Repeats");
    check_hover(
        "# Twice.\nfunc double($x) {\n\t$x + $x\n}\n$y = dou‸ble(2)\n",
        &["func double($x)", "func(x int) int"],
        "Twice.",
    );
    check_hover("# Things.\nclass c($x) {\n}\ninclude c‸(1)\n", &["class c($x)"], "Things.");
    check_hover("$x = $const.res.file.st‸ate.exists\n", &["$const.res.file.state.exists str = \"exists\""], "");
}

#[test]
fn hover_works_in_a_broken_program() {
    check_hover("$na‸me = 42\n$y = (\nprint \"a\" {\n\tmsg => $name\n", &["$name int"], "");
    check_hover("import \"strings\"\n$x = strings.to_lo‸wer(\"A\") +\n", &["strings.to_lower(a str) str"], "");
}

/// The labels returned by completion; some must be present, others absent.
#[track_caller]
fn check_completion(text: &str, replaced: &str, has: &[&str], lacks: &[&str]) {
    let (analysis, at) =
        with_files(text, &[("/lib.mcl", "$shared = 1\nfunc helper($a) {\n\t$a\n}\nclass thing($b) {\n}\n")]);
    let found = analysis.complete(at);
    assert_eq!(String::from_utf8_lossy(analysis.sources().slice(found.replace)), replaced, "{text}");
    let labels: Vec<&str> = found.candidates.iter().map(|candidate| candidate.label.as_str()).collect();
    for label in has {
        assert!(labels.contains(label), "`{label}` is missing in {text}\n{labels:?}");
    }
    for label in lacks {
        assert!(!labels.contains(label), "`{label}` is too much in {text}");
    }
}

#[test]
fn completion_knows_the_scope() {
    check_completion("$one = 1\n$two = $o‸\n", "$o", &["$one", "$two", "$hostname"], &["file"]);
    check_completion("$one = 1\nclass c($p) {\n\t$q = $‸\n}\n", "$", &["$one", "$p", "$q"], &[]);
    check_completion("class c($p) {\n}\n$x = $‸\n", "$", &["$x"], &["$p"]);
    check_completion("func f($a, $b) {\n\t$‸\n}\n", "$", &["$a", "$b"], &[]);
    check_completion("for $i, $v in [1] {\n\tprint \"${‸\" {}\n}\n", "", &["i", "v"], &["$i"]);
    check_completion("class c {\n\t$inner = 1\n}\ninclude c as d\n$x = $d.‸\n", "", &["inner"], &[]);
    check_completion("func one() {\n\t1\n}\n$x = ‸\n", "", &["one", "len", "fmt", "if"], &["class", "file"]);
}

#[test]
fn completion_knows_modules() {
    check_completion("import \"strings\"\n$x = strings.to_‸\n", "to_", &["to_lower", "to_upper"], &["len"]);
    check_completion("import \"golang/strings\" as s\n$x = s.‸\n", "", &["to_upper"], &[]);
    check_completion("import \"lib.mcl\"\n$x = lib.‸\n", "", &["helper"], &["thing", "shared"]);
    check_completion("import \"lib.mcl\"\n$x = $lib.‸\n", "", &["shared"], &["helper"]);
    check_completion("import \"lib.mcl\"\ninclude ‸\n", "", &["lib.thing"], &[]);
    check_completion("import \"‸\"\n", "", &["fmt", "golang/strings", "lib.mcl"], &["main.mcl"]);
    check_completion("$x = $const.res.file.state.‸\n", "", &["exists", "absent"], &[]);
}

#[test]
fn completion_brings_the_import() {
    let (analysis, at) = program("# A program.\n\n$x = fmt.pr‸\n");
    let found = analysis.complete(at);
    let printf = found.candidates.iter().find(|candidate| candidate.label == "printf").unwrap();
    assert_eq!(printf.edits[0].text, "import \"fmt\"\n");
    assert_eq!(printf.edits[0].span.start, 13);
}

#[test]
fn completion_knows_resources() {
    check_completion("fi‸\n", "fi", &["file", "class", "import", "File"], &["$hostname"]);
    check_completion("http:ser‸\n", "http:ser", &["http:server"], &[]);
    check_completion("file \"/x\" {\n\tmode => \"\",\n\t‸\n}\n", "", &["content", "Before", "Meta"], &["mode", "len"]);
    check_completion("file \"/x\" {\n\tcontent => ‸\n}\n", "", &["len", "$hostname"], &["owner"]);
    check_completion("file \"/x\" {\n\tMeta:no‸\n}\n", "no", &["noop", "sema"], &["content"]);
    check_completion("file \"/x\" {\n\tMeta => struct{‸\n", "", &["noop"], &["content"]);
    check_completion("noop \"a\" {}\nfile \"/x\" {\n\tBefore => ‸\n}\n", "", &["Noop", "File"], &["len"]);
    check_completion("noop \"one\" {}\nfile \"/x\" {\n\tBefore => Noop[\"‸\"],\n}\n", "", &["one"], &["/x"]);
    check_completion("exec \"a\" {}\nExec[\"a\"].‸\n", "", &["output", "cmd"], &[]);
}

#[test]
fn completion_knows_types_and_when_to_be_silent() {
    check_completion("$x ‸ = 1\n", "", &["int", "str", "map"], &["len"]);
    check_completion("func f($x in‸) {\n\t$x\n}\n", "in", &["int"], &["$x"]);
    check_completion("func f($x) ‸ {\n\t$x\n}\n", "", &["int"], &[]);
    check_completion("$x = 1 ‸\n", "", &["and", "or", "in"], &["len"]);
    check_completion("$x = \"plain te‸xt\"\n", "te", &[], &["len", "$x"]);
    check_completion("# a com‸ment\n", "com", &[], &["class"]);
    check_completion("class na‸\n", "na", &[], &["name", "file"]);
}

#[track_caller]
fn check_signature(text: &str, label: &str, active: &str) {
    let (analysis, at) = program(text);
    let help = analysis.signature(at).unwrap_or_else(|| panic!("no signature in {text}"));
    assert_eq!(help.forms[0].label, label, "{text}");
    let (from, to) = help.forms[0].params[help.active];
    assert_eq!(&label[from as usize..to as usize], active, "{text}");
}

#[test]
fn signatures_follow_the_cursor() {
    check_signature(
        "func f($a int, $b map{str: int}) str {\n\t\"\"\n}\n$x = f(1, ‸\n",
        "f($a int, $b map{str: int}) str",
        "$b map{str: int}",
    );
    check_signature("import \"math\"\n$x = math.mod(‸)\n", "math.mod(int, int) int", "int");
    check_signature("import \"math\"\n$x = math.mod([1, 2], ‸\n", "math.mod(int, int) int", "int");
    check_signature("class c($one, $two) {\n}\ninclude c(1, ‸)\n", "c($one, $two)", "$two");
    check_signature("import \"math\"\n$x = math.mod(math.mod(1, ‸2), 3)\n", "math.mod(int, int) int", "int");
    assert_eq!(program("$x = 1 + ‸\n").0.signature(program("$x = 1 + ‸\n").1), None);
}

/// The text of a definition's span, with its line.
fn defined(text: &str) -> Option<String> {
    let (analysis, at) = with_files(text, &[("/lib.mcl", "$shared = 1\nfunc helper($a) {\n\t$a\n}\n")]);
    let span = analysis.definition(at)?;
    let source = analysis.sources().get(span.file);
    Some(format!(
        "{}:{} {}",
        source.path,
        source.line_of(span.start),
        String::from_utf8_lossy(analysis.sources().slice(span))
    ))
}

#[test]
fn definitions_are_found() {
    assert_eq!(defined("$a = 1\n$b = $‸a\n").as_deref(), Some("/main.mcl:1 $a"));
    assert_eq!(defined("$a = \"\"\n$b = \"x ${‸a}\"\n").as_deref(), Some("/main.mcl:1 $a"));
    assert_eq!(defined("func f($x) {\n\t$x‸\n}\n").as_deref(), Some("/main.mcl:1 $x"));
    assert_eq!(defined("$y = f‸(1)\nfunc f($x) {\n\t$x\n}\n").as_deref(), Some("/main.mcl:2 f"));
    assert_eq!(defined("include c‸\nclass c {\n}\n").as_deref(), Some("/main.mcl:2 c"));
    assert_eq!(defined("import \"lib.mcl\"\n$y = lib.hel‸per(1)\n").as_deref(), Some("/lib.mcl:2 helper"));
    assert_eq!(defined("import \"lib.mcl\"\n$y = li‸b.helper(1)\n").as_deref(), Some("/main.mcl:1 import \"lib.mcl\""));
    assert_eq!(defined("import \"l‸ib.mcl\"\n").as_deref(), Some("/lib.mcl:1 "));
    assert_eq!(defined("noop \"a\" {}\nNo‸op[\"a\"] -> Noop[\"a\"]\n").as_deref(), Some("/main.mcl:1 noop \"a\""));
    assert_eq!(defined("class never($p) {\n\t$b = $p‸\n}\n").as_deref(), Some("/main.mcl:1 $p"));
    assert_eq!(defined("$x = len‸([1])\n"), None);
}

#[test]
fn uses_are_found_everywhere() {
    let (analysis, at) = program("$‸a = 1\n$b = $a\nclass never {\n\t$c = \"${a}\"\n}\nfunc f() {\n\t$a\n}\n");
    assert_eq!(analysis.uses(at).iter().map(|span| span.start).collect::<Vec<_>>(), [0, 12, 38, 56]);
}

/// The main file after renaming, or why it is refused.
fn renamed(text: &str, name: &str) -> Result<String, String> {
    let (analysis, at) = with_files(text, &[("/lib.mcl", "$shared = 1\n$twice = $shared + $shared\n")]);
    let edits = analysis.rename(at, name).map_err(|refused| refused.0)?;
    let world = super::rename::apply(&analysis, &edits);
    let file =
        |path: &str| String::from_utf8_lossy(&crate::source::ProgramFiles::read(&world, path).unwrap()).into_owned();
    let lib = file("/lib.mcl");
    Ok(if lib.contains("$shared") { file("/main.mcl") } else { format!("{}---\n{lib}", file("/main.mcl")) })
}

#[test]
fn renaming_goes_everywhere() {
    assert_eq!(
        renamed("$‸a = \"\"\n$b = \"${a}\"\nprint $a {}\n", "long_name").unwrap(),
        "$long_name = \"\"\n$b = \"${long_name}\"\nprint $long_name {}\n"
    );
    assert_eq!(
        renamed("func f($x) {\n\t$x‸ + $x\n}\n$x = f(1)\n", "y").unwrap(),
        "func f($y) {\n\t$y + $y\n}\n$x = f(1)\n"
    );
    assert_eq!(
        renamed("class a {\n}\nclass a:b {\n}\ninclude a‸ as z\ninclude z.b\n", "q").unwrap(),
        "class q {\n}\nclass q:b {\n}\ninclude q as z\ninclude z.b\n"
    );
    assert_eq!(
        renamed("import \"lib.mcl\"\n$x = $lib.sha‸red\n", "common").unwrap(),
        "import \"lib.mcl\"\n$x = $lib.common\n---\n$common = 1\n$twice = $common + $common\n"
    );
    assert_eq!(
        renamed("import \"fmt\"\n$x = f‸mt.printf(\"\")\n", "text").unwrap(),
        "import \"fmt\" as text\n$x = text.printf(\"\")\n"
    );
    assert_eq!(
        renamed("class c {\n\t$v = 1\n}\ninclude c as ‸d\n$x = $d.v\n", "e").unwrap(),
        "class c {\n\t$v = 1\n}\ninclude c as e\n$x = $e.v\n"
    );
}

#[test]
fn renaming_refuses_clashes_and_bad_names() {
    let why = |text, name| renamed(text, name).unwrap_err();
    assert!(why("$‸a = 1\n$b = 2\n", "b").contains("more than once"));
    assert!(why("$‸a = 1\n$b = 2\nclass c {\n\t$x = $b\n}\n", "if").contains("is a keyword"));
    assert!(why("$a = 1\nfunc f($‸x) {\n\t$a + $x\n}\n", "a").contains("already has a different meaning"));
    assert!(why("$‸a = 1\n", "Big").contains("lower case"));
    assert!(why("$‸a = 1\n", "a__b").contains("underscores"));
    assert!(why("$x = le‸n([1])\n", "count").contains("core library"));
    assert!(why("fi‸le \"/x\" {}\n", "count").contains("resource kinds and their fields"));
    assert!(why("$‸a = 1\n$b = (\n", "c").contains("syntax errors"));
}

#[test]
fn symbols_are_nested() {
    let (analysis, _) = program(
        "import \"fmt\"\nclass c($p) {\n\t$x = $p\n\tfile \"/a\" {}\n}\nfor $i, $v in [1] {\n\tprint \"${v}\" {}\n}\ninclude c(1) as d\nfunc f() {\n\t1\n}\n",
    );
    let shown: Vec<String> = analysis
        .symbols(FileId(0))
        .iter()
        .map(|symbol| format!("{}{} {}", "  ".repeat(symbol.depth as usize), symbol.kind.name(), symbol.name))
        .collect();
    assert_eq!(
        shown,
        [
            "import fmt",
            "class c",
            "  variable $x",
            "  resource file[/a]",
            "loop for $i, $v",
            "  resource print[${v}]",
            "include c as d",
            "function f"
        ]
    );
}

#[test]
fn colours_tell_what_names_are() {
    let colour = |text: &str| {
        let (analysis, at) = program(text);
        let token = super::tokens::colour_at(&analysis, at).unwrap();
        let more = [(token.defines, "+"), (token.is_core, "core"), (token.is_unused, "unused")];
        let more: Vec<&str> = more.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
        format!("{} {}", token.colour.name(), more.join(" ")).trim().to_owned()
    };
    assert_eq!(colour("‸$a = 1\n"), "variable + unused");
    assert_eq!(colour("‸$a = 1\n$b = $a\n"), "variable +");
    assert_eq!(colour("func f($x) {\n\t‸$x\n}\n"), "parameter");
    assert_eq!(colour("$a = ‸len([1])\n"), "function core");
    assert_eq!(colour("import \"fmt\"\n$a = f‸mt.printf(\"\")\n"), "module");
    assert_eq!(colour("import \"fmt\"\n$a = fmt.p‸rintf(\"\")\n"), "function core");
    assert_eq!(colour("$a = \"\"\n$b = \"x${‸a}y\"\n"), "variable");
    assert_eq!(colour("$b = \"x‸y\"\n"), "string");
    assert_eq!(colour("file \"/x\" {\n\tcon‸tent => \"\",\n}\n"), "field");
    assert_eq!(colour("# he‸llo\n"), "comment");
}

#[test]
fn no_place_is_out_of_reach() {
    let (analysis, _) = program("$é = \"𝄞\"\nfile \"${x");
    for offset in 0..80 {
        let at = Position { file: FileId(0), offset };
        analysis.hover(at);
        analysis.complete(at);
        analysis.signature(at);
        analysis.uses(at);
        let _ = analysis.rename(at, "other");
    }
}

/// The program with its hints in `⟨⟩`.
fn hinted(text: &str) -> String {
    let (analysis, _) = program(text);
    let mut out = text.to_owned();
    for hint in analysis.hints(Span { file: FileId(0), start: 0, end: u32::MAX }).into_iter().rev() {
        out.insert_str(hint.at as usize, &format!("⟨{}⟩", hint.text));
    }
    out
}

#[test]
fn hints_tell_types_that_are_not_written() {
    assert_eq!(hinted("$a = 1\n$b str = \"x\"\n"), "$a⟨ int⟩ = 1\n$b str = \"x\"\n");
    assert_eq!(
        hinted("for $i, $v in [\"a\"] {\n\tprint \"${v}\" {}\n}\n"),
        "for $i⟨ int⟩, $v⟨ str⟩ in [\"a\"] {\n\tprint \"${v}\" {}\n}\n"
    );
    // The copies of a function differ, and so do broken lines.
    let text = "func f($x) {\n\t$x + $x\n}\n$a = f(1)\n$b = f(\"\")\n";
    assert_eq!(hinted(text), text.replace("$a", "$a⟨ int⟩").replace("$b", "$b⟨ str⟩"));
    assert_eq!(hinted("$a = \n$b = 2\n"), "$a = \n$b⟨ int⟩ = 2\n");
}

#[test]
fn hints_name_the_parameters_of_literals() {
    assert_eq!(
        hinted("func area($width, $height) {\n\t$width * $height\n}\n$w int = 2\n$a int = area($w, 3)\n"),
        "func area($width⟨ int⟩, $height⟨ int⟩) {\n\t$width * $height\n}\n$w int = 2\n$a int = area($w, ⟨height: ⟩3)\n"
    );
    // One argument and the operands of an operator need no name.
    let text = "$a int = 1 + 2\n$b int = len([1])\n";
    assert_eq!(hinted(text), text);
}
