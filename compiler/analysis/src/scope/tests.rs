//! Tests of whole programs and their names.

mod bounds;

use super::*;
use crate::diag::Diags;
use crate::front::read_module;
use crate::source::{MemoryWorld, Source, Sources};

struct Outcome {
    linked: Linked,
    /// `E0301 2:6`, in the order reported; other files with their path.
    errors: Vec<String>,
    diags: Diags,
}

fn outcome_with(files: &[(&str, &str)], limits: Limits) -> Outcome {
    let mut world = MemoryWorld::default();
    for (path, text) in files {
        world.insert(path, text.as_bytes());
    }
    let (mut sources, mut diags) = (Sources::default(), Diags::default());
    let input = input::locate(&world, "/").expect("a main file");
    let file = sources.add(Source::new(input.path.clone(), input.text.clone()));
    let entry = read_module(sources.get(file), file, &mut diags);
    let setup = Setup { world: &world, hostname: "h1", modules_dir: MODULES_DIR, limits, aside: false };
    let (linked, _) = resolve(setup, &mut sources, entry, &input, &mut diags);
    let place = |label: &crate::diag::Label| {
        let source = sources.get(label.span.file);
        let at = source.line_col(label.span.start);
        let path = if source.path == "/main.mcl" { String::new() } else { format!("{} ", source.path) };
        format!(" {path}{}:{}", at.line, at.col)
    };
    let errors = diags.iter().map(|d| format!("{}{}", d.code, d.primary.as_ref().map(place).unwrap_or_default()));
    Outcome { linked, errors: errors.collect(), diags }
}

fn outcome(files: &[(&str, &str)]) -> Outcome {
    outcome_with(files, Limits::default())
}

/// The program is valid and links to this.
fn check(src: &str, expect: &str) {
    check_files(&[("/main.mcl", src)], expect);
}

fn check_files(files: &[(&str, &str)], expect: &str) {
    let outcome = outcome(files);
    assert_eq!(outcome.errors, Vec::<String>::new(), "{:?}", outcome.diags);
    assert_eq!(dump(&outcome.linked).trim(), expect.trim());
}

/// The program is refused with these errors, in this order.
fn refuse(src: &str, expect: &[&str]) {
    refuse_files(&[("/main.mcl", src)], expect);
}

fn refuse_files(files: &[(&str, &str)], expect: &[&str]) {
    assert_eq!(outcome(files).errors, expect);
}

/// The help lines of all errors.
fn helps(src: &str) -> Vec<String> {
    outcome(&[("/main.mcl", src)]).diags.iter().flat_map(|d| d.help.clone()).collect()
}

#[test]
fn definitions_have_no_order() {
    check("test $x {}\n$x = $y\n$y = \"a\"\n", "test $x#d0\ndef $x#d0 = $y#d1\ndef $y#d1 = \"a\"");
}

#[test]
fn the_three_name_spaces_do_not_collide() {
    let src = "$a = \"v\"\nfunc a() { $a }\nclass a($a) {\n\ttest [a(), $a] {}\n}\ninclude a($a)\n";
    check(
        src,
        "include a($a#d0)\n  test [a#f0(), $a#d0]\ndef $a#d0 = $a#d1 argument\ndef $a#d1 = \"v\"\nfunc a#f0 = func() { $a#d1 }",
    );
}

#[test]
fn inner_blocks_hide_outer_names() {
    let src = "$x = \"outer\"\nif true {\n\t$x = \"inner\"\n\ttest $x {}\n}\ntest $x {}\n";
    check(src, "if true\n  test $x#d0\ntest $x#d1\ndef $x#d0 = \"inner\"\ndef $x#d1 = \"outer\"");
    refuse("$x = 1\nif true {\n\t$x = $x + 1\n}\n", &["E0306 3:7"]);
}

#[test]
fn each_call_of_a_function_has_a_copy_and_binds_are_shared() {
    check(
        "$k = \"k\"\nfunc f($x) { [$x, $k] }\ntest [f(1), f(2)] {}\n",
        "test [f#f0(1), f#f1(2)]\n\
         func f#f0 = func($x#p0) { [$x#p0, $k#d0] }\n\
         def $k#d0 = \"k\"\n\
         func f#f1 = func($x#p1) { [$x#p1, $k#d0] }",
    );
}

#[test]
fn inside_of_a_loop_all_calls_share_one_function() {
    check(
        "for $i, $v in [1] {\n\tfunc f($x) { $x + $v }\n\t$b = $i\n\ttest [f(1), f($b)] {}\n}\n",
        "for l0 $i#p0, $v#p1 in [1]\n  test [f#f0(1), f#f0($b#d0)]\n\
         def $b#d0 = $i#p0 per iteration of l0\n\
         func f#f0 = func($x#p2) { _operator(\"+\", $x#p2, $v#p1) } per iteration of l0",
    );
}

#[test]
fn a_function_from_outside_of_the_loop_is_copied() {
    check(
        "func f() { 1 }\nforkv $k, $v in {1 => 2} {\n\ttest [f(), f()] {}\n}\n",
        "forkv l0 $k#p0, $v#p1 in {1 => 2}\n  test [f#f0(), f#f1()]\nfunc f#f0 = func() { 1 }\nfunc f#f1 = func() { 1 }",
    );
}

#[test]
fn a_class_body_is_copied_and_sees_its_definition_site() {
    check(
        "class c($n) {\n\t$own = $x\n\ttest [$own, $n] {}\n}\n$x = \"site\"\nif true {\n\t$x = \"use\"\n\tinclude c($x)\n\tinclude c(\"b\")\n}\n",
        "if true\n  include c($n#d0)\n    test [$own#d1, $n#d0]\n  include c($n#d2)\n    test [$own#d3, $n#d2]\n\
         def $n#d0 = $x#d4 argument\ndef $own#d1 = $x#d5\ndef $n#d2 = \"b\" argument\ndef $own#d3 = $x#d5\n\
         def $x#d4 = \"use\"\ndef $x#d5 = \"site\"",
    );
}

#[test]
fn what_a_class_in_a_loop_defines_is_iterated() {
    check(
        "class c($n) {\n\t$own = $n\n\ttest $own {}\n}\nfor $i, $v in [\"a\"] {\n\tinclude c($v)\n}\n",
        "for l0 $i#p0, $v#p1 in [\"a\"]\n  include c($n#d0)\n    test $own#d1\n\
         def $n#d0 = $v#p1 argument per iteration of l0\ndef $own#d1 = $n#d0 per iteration of l0",
    );
}

#[test]
fn include_as_brings_all_that_the_class_sees() {
    let src = "import \"fmt\"\n$o = \"o\"\nclass c($p) {\n\t$own = $o\n\tclass inner {\n\t\ttest $own {}\n\t}\n\tfunc f() { 1 }\n}\n\
               test [$k.own, $k.o, $k.p, $k.hostname, k.fmt.printf(\"x\")] {}\ntest [k.f()] {}\ninclude k.inner\ninclude c(\"p\") as k\n";
    check(
        src,
        "test [$own#d0, $o#d1, $p#d2, \"h1\", fmt.printf(\"x\")]\ntest [k.f#f0()]\ninclude k.inner()\n  test $own#d0\ninclude c($p#d2)\n\
         def $own#d0 = $o#d1\ndef $o#d1 = \"o\"\ndef $p#d2 = \"p\" argument\nfunc f#f0 = func() { 1 }",
    );
}

#[test]
fn constants_are_shared_and_the_host_name_is_not() {
    check(
        "test [$hostname, $hostname] {}\ntest [$const.res.file.state.exists, $const.res.file.state.exists] {}\n",
        "test [\"h1\", \"h1\"]\ntest [$const.res.file.state.exists#d0, $const.res.file.state.exists#d0]\n\
         def $const.res.file.state.exists#d0 = \"exists\"",
    );
}

#[test]
fn parameters_hide_and_the_last_of_a_name_counts() {
    check(
        "$f = func($x, $x) { $x }\ntest [$f(1, 2)] {}\n",
        "test [$f#d0(1, 2)]\ndef $f#d0 = func($x#p0, $x#p1) { $x#p1 }",
    );
}

#[test]
fn unknown_names() {
    refuse("test $nope {}\n", &["E0301 1:6"]);
    refuse("$x = $nope(1)\n", &["E0301 1:6"]);
    refuse("$x = nope(1)\n", &["E0302 1:6"]);
    refuse("include nope\n", &["E0303 1:9"]);
    refuse("class c($a) {}\ninclude c\n", &["E0304 2:1"]);
    refuse("class c {\n\ttest $nope {}\n}\n", &[]);
    refuse("func f() { $nope }\n", &["E0301 1:12"]);
}

#[test]
fn the_first_error_is_the_languages() {
    refuse("$zz = $nope1\n$aa = $nope2\n", &["E0301 2:7", "E0301 1:7"]);
    refuse("class c($x) {\n\ttest $a {}\n}\ninclude c($b)\n", &["E0301 4:11", "E0301 2:7"]);
    refuse("$x = if $a { 1 } else { $c }\n", &["E0301 1:25", "E0301 1:9"]);
}

#[test]
fn copies_say_the_same_only_once() {
    refuse("class c {\n\ttest $nope {}\n}\ninclude c\ninclude c\n", &["E0301 2:7"]);
    refuse("func f() { $nope }\ntest [f(), f()] {}\n", &["E0301 1:12"]);
}

#[test]
fn doubled_names() {
    refuse("$a = 1\n$a = 2\n$a = 3\n", &["E0305 2:1", "E0305 3:1"]);
    refuse("func f() { 1 }\nfunc f() { 2 }\n", &["E0305 2:1"]);
    refuse("import \"fmt\" as k\nclass c {}\ninclude c as k\n", &["E0305 3:1"]);
    refuse("import \"golang/math\"\nclass c {}\ninclude c as math\n", &["E0311 3:1"]);
}

#[test]
fn recursion() {
    refuse("$a = $b\n$b = $a\n$c = $a\n", &["E0306 1:6"]);
    refuse("func f($n) { f($n) }\n", &["E0306 1:14"]);
    refuse("class a {\n\tinclude b\n}\nclass b {\n\tinclude a\n}\ninclude a\n", &["E0306 2:2"]);
    refuse("if true {\n\t$a = $a\n}\n$b = $b\n", &["E0306 2:7", "E0306 4:6"]);
}

#[test]
fn recursion_through_another_file() {
    let main = "class outer {\n\timport \"lib.mcl\"\n\tinclude lib.inner\n}\ninclude outer\n";
    let lib = "class inner {\n\tinclude outer\n}\n";
    let errors = outcome(&[("/main.mcl", main), ("/lib.mcl", lib)]).errors;
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].starts_with("E0315"), "{errors:?}");
}

#[test]
fn recursion_that_only_an_alias_shows() {
    let main = "class c {\n\timport \"lib.mcl\"\n}\ninclude c as k\ninclude k.lib.d as m\n$y = $m.v\ntest $y {}\n";
    let lib = "class d {\n\t$v = $y\n}\n";
    assert_eq!(outcome(&[("/main.mcl", main), ("/lib.mcl", lib)]).errors, ["E0306 6:6"]);
}

#[test]
fn imports() {
    refuse("import \"/x\"\n", &["E0307 1:8"]);
    refuse("import \"nonsense\"\n$x = nonsense.f()\n", &["E0308 1:1"]);
    refuse("import \"nope.mcl\"\n$x = nope.f($nope.y)\n", &["E0309 1:1"]);
    refuse("import \"nope.mcl\" as *\n$x = f($y)\n", &["E0309 1:1"]);
    refuse("import \"fmt\"\nimport \"fmt\" as f\n", &["E0310 2:1"]);
    refuse("import \"https://example.com/x/\"\n", &["E0309 1:1"]);
    refuse("import \"main.mcl\"\n", &["E0313 1:1"]);
}

#[test]
fn errors_of_a_module_are_reported_there() {
    let main = "import \"a.mcl\"\n";
    refuse_files(&[("/main.mcl", main), ("/a.mcl", "$x = \n$y = 1\n")], &["E0201 /a.mcl 1:6"]);
    refuse_files(&[("/main.mcl", main), ("/a.mcl", "$x = $nope\n")], &["E0301 /a.mcl 1:6"]);
    refuse_files(&[("/main.mcl", main), ("/a.mcl", "$x = 1\nnoop \"x\" {}\n")], &["E0314 /a.mcl 2:1"]);
    refuse_files(&[("/main.mcl", main), ("/a.mcl", "import \"b.mcl\"\n")], &["E0309 /a.mcl 1:1"]);
}

#[test]
fn modules_are_not_shared_and_see_their_surroundings() {
    let files = [
        ("/main.mcl", "import \"lib/\"\nimport \"lib/main.mcl\" as again\ntest [$lib.v, $again.v, $lib.hostname] {}\n"),
        ("/lib/main.mcl", "$v = $hostname\n"),
    ];
    check_files(&files, "test [$v#d0, $v#d1, \"h1\"]\ndef $v#d0 = \"h1\"\ndef $v#d1 = \"h1\"");
}

#[test]
fn the_later_star_import_wins() {
    let files = [
        ("/main.mcl", "import \"a.mcl\" as *\nimport \"b.mcl\" as *\ntest $x {}\n"),
        ("/a.mcl", "$x = \"a\"\n"),
        ("/b.mcl", "$x = \"b\"\n"),
    ];
    check_files(&files, "test $x#d0\ndef $x#d0 = \"b\"");
    let clash = [("/main.mcl", "import \"a.mcl\" as *\nimport \"fmt\"\n"), ("/a.mcl", "import \"fmt\"\n")];
    refuse_files(&clash, &["E0312 2:1"]);
}

#[test]
fn remote_modules_are_searched_by_metadata() {
    let remote = "import \"https://example.com/m/\"\ntest $m.v {}\n";
    let found = |files: &[(&str, &str)]| dump(&outcome(files).linked).contains("\"own\"");
    let own = ("/vendor/example.com/m/main.mcl", "$v = \"own\"\n");
    let global = ("/modules/example.com/m/main.mcl", "$v = \"global\"\n");
    let yaml = [("/vendor/example.com/m/metadata.yaml", ""), ("/modules/example.com/m/metadata.yaml", "")];
    let files = [("/main.mcl", remote), own, global, yaml[0], yaml[1], ("/metadata.yaml", "path: vendor/\n")];
    assert!(found(&files));
    assert!(!found(&files[..5]));
}

#[test]
fn calls_know_the_directory_of_their_file() {
    let files = [
        ("/main.mcl", "import \"lib/\"\ntest [lib.f(), len(\"\")] {}\n"),
        ("/lib/main.mcl", "func f() { len(\"\") }\n"),
    ];
    let linked = outcome(&files).linked;
    let mut dirs: Vec<&str> = linked
        .nodes
        .values()
        .filter_map(|node| match &node.kind {
            linked::NodeKind::Call(call) if &*call.name == "len" => Some(&*linked.dirs[call.dir]),
            _ => None,
        })
        .collect();
    dirs.sort_unstable();
    assert_eq!(dirs, ["/", "/lib/"]);
}

#[test]
fn suggestions() {
    assert_eq!(helps("$colour = 1\n$x = $color\n"), ["did you mean `$colour`?"]);
    assert_eq!(helps("$x = fmt.printf(\"a\")\n"), ["add `import \"fmt\"` at the top of the file"]);
    assert_eq!(helps("func f() { 1 }\n$x = $f()\n"), ["a function has this name: call it with `f(…)`"]);
    assert_eq!(helps("import \"fmt\"\n$x = fmt.prinft(\"a\")\n"), ["did you mean `fmt.printf`?"]);
    let of_class = "`web` is a class, not a value: write its variables as `$c.name`, after `include web as c`";
    assert_eq!(helps("class web {\n}\n$x = $web\n"), [of_class]);
    let of_taken = "it is defined in `strings`: add `import \"strings\" as core_strings` at the top of the file and write \
                    `core_strings.split`";
    assert_eq!(helps("import \"golang/strings\"\n$x = strings.split(\"a,b\", \",\")\n"), [of_taken]);
}

#[test]
fn broken_text_does_not_cascade() {
    assert_eq!(outcome(&[("/main.mcl", "$x = \ntest $x {}\n")]).errors.len(), 1);
}

#[test]
fn what_was_refused_is_not_missed() {
    refuse("import \"fmt\"\nimport \"fmt\" as f\n$x = f.printf(\"a\")\n", &["E0310 2:1"]);
    refuse("import \"./lib.mcl\"\n$x = $lib.y\n", &["E0307 1:8"]);
    refuse("class c {}\nclass d {\n\t$v = 1\n}\ninclude c as k\ninclude d as k\n$x = $k.v\n", &["E0305 6:1"]);
    refuse("class c($a) {\n\t$v = 1\n}\ninclude c as k\n$x = $k.v\n", &["E0304 4:1"]);
}

#[test]
fn uses_lead_to_definitions() {
    let linked = outcome(&[("/main.mcl", "$a = 1\nfunc f($p) { $p + $a }\ntest [f(1), f(2)] {}\n")]).linked;
    let uses: Vec<(&str, u32, u32)> =
        linked.uses.iter().map(|used| (&*used.name, used.span.start, used.definition.start)).collect();
    assert_eq!(uses, [("p", 20, 14), ("a", 25, 0), ("f", 36, 12), ("f", 42, 12)]);
}

#[test]
fn the_arguments_of_an_include_come_before_its_imports() {
    let src = "class c($n) {\n\timport \"nope.mcl\"\n\ttest $n {}\n}\ninclude c($missing)\n";
    refuse(src, &["E0301 5:11", "E0309 2:2"]);
}
