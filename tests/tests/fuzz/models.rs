//! Inmanta models: nothing panics, no fault is one of the compiler's own, a layout settles, pictures are drawn.

use crate::hunt::Target;
use crate::text;
use mclive_base::layout::INMANTA;
use mclive_compiler::diag::{Diags, Severity, render_text::Shown};
use mclive_compiler::language::{self, Asked, Format, Picture, Undrawn};
use mclive_compiler::lint::Levels;
use mclive_compiler::source::MemoryWorld;
use std::sync::Arc;

pub(crate) static TARGET: Target = Target {
    name: "models",
    ending: "txtar",
    seeds: || text::seeds(&FOLDERS, &["cf"]),
    make: |dice, seeds| text::mutate(dice, seeds, PIECES),
    check: holds,
};

const FOLDERS: [&str; 6] = [
    "compiler/inmanta/tests/golden/cases",
    "playground/examples",
    "tests/models",
    "tests/scenarios",
    "tests/findings",
    "../shared/inmanta",
];

/// Words and signs of the language, some of them where it has none.
const PIECES: &[&[u8]] = &[
    b"\n",
    b":",
    b"\nend\n",
    b"\"",
    b"\"\"\"",
    b"f\"{a}\"",
    b"r\"",
    b"{{ a }}",
    b"(",
    b")",
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b"#",
    b"\\",
    b"\t",
    b"    ",
    b"1",
    b"-",
    b"0.5",
    b"1e999",
    b"99999999999999999999",
    b"null",
    b"true",
    b"not ",
    b" and ",
    b" in ",
    b" is defined",
    b" if a else b",
    b"?",
    b"[]",
    b"=",
    b"+=",
    b"==",
    b"<",
    b" when ",
    b"::",
    b".",
    b"**kw",
    b"[0:] -- ",
    b" [1] ",
    b" extends ",
    b"parents",
    b"self",
    b"std::",
    b"import a\n",
    b"entity A:\n    int x = 1\nend\n",
    b"entity B extends A, B:\nend\n",
    b"implementation i for A:\n    self.x = 1\nend\n",
    b"implement A using i\n",
    b"implement A using i, parents when self.x > 1\n",
    b"index A(x)\n",
    b"A.b [0:1] -- B.a [1]\n",
    b"A.c [0:] -- A.d [0:]\n",
    b"typedef t as int matching self > 0\n",
    b"typedef u as string matching /a+(b|c)*$/\n",
    b"a = A(x=1)\n",
    b"a.b += B()\n",
    b"for i in [1, 2]:\n    A(x=i)\nend\n",
    b"[i for i in a if i > 1]",
    b"A[x=1]",
    b"if a:\n    b = 1\nelif b:\nelse:\nend\n",
    b"std::template(\"a\")",
    b"std::print(a)\n",
    b"string? a = null\n",
    b"dict d = {\"a\": [1, {}]}\n",
    b"int[] l = []\n",
    b"std::Host(name=\"h\", os=std::linux, ip=\"1\")\n",
    b"\xff",
    "é".as_bytes(),
    "\u{2028}".as_bytes(),
];

fn no_bug(diags: &Diags) {
    let bug = diags.iter().find(|diagnostic| diagnostic.severity == Severity::Bug);
    assert!(bug.is_none(), "{bug:?}");
}

fn holds(input: &[u8]) {
    let files = text::program(input);
    let world = Arc::new(MemoryWorld::of(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))));
    let model = language::of_file(INMANTA.main);
    for (_, text) in &files {
        match model.format(text) {
            Ok(once) => {
                let twice = model.format(&once).ok();
                assert!(twice.as_ref() == Some(&once), "the layout does not settle");
            }
            Err(diags) => no_bug(&diags),
        }
    }
    for host in [None, Some("host1")] {
        let asked = Asked { world: &world, entry: "/main.cf", host, environment: &[] };
        no_bug(&model.check(&asked, &Levels::default()).diags);
        for picture in [Picture::Model, Picture::Resources] {
            if let Err(Undrawn::Refused(said)) = model.graph(&asked, Some(picture), Format::Json, None, Shown::PLAIN) {
                no_bug(&said.diags);
            }
        }
    }
}
