//! The classes and loops of a program, by which a graph that is too large to draw is folded.

use crate::graphs::groups;
use crate::worker::protocol::Around;
use mclive_base::shapes::{Place, ResourceVertex};
use mclive_base::span::Span;
use mclive_compiler::editor::{Services, SymbolKind};
use std::collections::BTreeMap;

/// The blocks of a program.
#[derive(Default)]
pub(super) struct Blocks {
    classes: Nested,
    loops: Nested,
}

/// Blocks of one kind, by file.
#[derive(Default)]
struct Nested(BTreeMap<String, Vec<Block>>);

/// A class or a loop.
struct Block {
    start: u32,
    end: u32,
    name: String,
    /// The position of the block around it.
    around: Option<usize>,
}

impl Blocks {
    pub(super) fn of(services: &dyn Services) -> Blocks {
        let mut blocks = Blocks::default();
        for (file, source) in services.sources().iter() {
            // In the order of the text, outer blocks before inner ones.
            for symbol in services.symbols(file) {
                match symbol.kind {
                    SymbolKind::Class => blocks.classes.add(&source.path, symbol.span, symbol.name),
                    SymbolKind::Loop => {
                        // Loops are named by their variables, which others may have, too.
                        let place = groups::line(&source.path, source.line_of(symbol.span.start));
                        blocks.loops.add(&source.path, symbol.span, format!("{place}: {}", symbol.name));
                    }
                    _ => {}
                }
            }
        }
        blocks
    }

    /// The innermost blocks around the declarations of resources.
    pub(super) fn around(&self, vertices: &[ResourceVertex]) -> Around {
        let all = |blocks: &Nested| {
            let names = vertices.iter().map(|vertex| blocks.around(vertex.place.as_ref()).unwrap_or_default());
            names.map(str::to_owned).collect()
        };
        Around { classes: all(&self.classes), loops: all(&self.loops) }
    }
}

impl Nested {
    fn add(&mut self, file: &str, span: Span, name: String) {
        if !self.0.contains_key(file) {
            self.0.insert(file.to_owned(), Vec::new());
        }
        let Some(blocks) = self.0.get_mut(file) else { return };
        let mut around = blocks.len().checked_sub(1);
        while let Some(at) = around.filter(|at| blocks[*at].end <= span.start) {
            around = blocks[at].around;
        }
        blocks.push(Block { start: span.start, end: span.end, name, around });
    }

    /// The innermost block around a place.
    fn around(&self, place: Option<&Place>) -> Option<&str> {
        let place = place?;
        let blocks = self.0.get(&place.file)?;
        let mut last = blocks.partition_point(|block| block.start <= place.start).checked_sub(1);
        while let Some(at) = last.filter(|at| blocks[*at].end <= place.start) {
            last = blocks[at].around;
        }
        Some(&blocks[last?].name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::protocol::ProgramFile;
    use crate::worker::session::Analysed;
    use mclive_compiler::language::{Editable, Inmanta, Mcl};
    use mclive_compiler::source::MemoryWorld;

    /// The innermost class and loop around each of these texts.
    fn around<const N: usize>(
        language: &dyn Editable,
        path: &str,
        text: &str,
        needles: [&str; N],
    ) -> [(Option<String>, Option<String>); N] {
        let files = vec![ProgramFile::new(path, text)];
        let world = MemoryWorld::of([(path, text.as_bytes())]);
        let analysed = Analysed { opened: language.open(world, path, "web1"), files, functions: None };
        let services = analysed.opened.services();
        let blocks = Blocks::of(services);
        let file = services.file(path).expect("it was read");
        needles.map(|needle| {
            let start = text.find(needle).expect("it is in the text") as u32;
            let place = Place::of(services.sources(), Span { file, start, end: start + 1 });
            let of = |blocks: &Nested| blocks.around(Some(&place)).map(str::to_owned);
            (of(&blocks.classes), of(&blocks.loops))
        })
    }

    #[test]
    fn a_place_is_in_the_innermost_class() {
        let text = "class a {\n\tprint \"1\" {}\n\tclass b {\n\t\tprint \"2\" {}\n\t}\n\tprint \"3\" {}\n}\nclass c {\n}\nprint \"4\" {}\n";
        let of = around(&Mcl, "/main.mcl", text, ["\"1\"", "\"2\"", "\"3\"", "\"4\""]);
        assert_eq!(of.map(|(class, _)| class), [Some("a".into()), Some("b".into()), Some("a".into()), None]);
        assert_eq!(Nested::default().around(None), None);
    }

    #[test]
    fn a_place_is_in_the_innermost_loop_and_loops_with_the_same_variables_differ() {
        let inner = "\tfor $j, $b in [\"2\"] {\n\t\tprint \"in$b\" {}\n\t}\n";
        let text = format!(
            "for $i, $a in [\"1\"] {{\n{inner}\tprint \"out$a\" {{}}\n}}\nclass c {{\n\tfor $i, $a in [\"3\"] {{\n\t\tprint \"c$a\" {{}}\n\t}}\n}}\nprint \"beside\" {{}}\n"
        );
        let of = around(&Mcl, "/main.mcl", &text, ["\"in$b", "\"out$a", "\"c$a", "\"beside"]);
        let name = |line: u32, variables: &str| Some(format!("main.mcl, line {line:>5}: for {variables}"));
        assert_eq!(of.clone().map(|(_, name)| name), [name(2, "$j, $b"), name(1, "$i, $a"), name(8, "$i, $a"), None]);
        assert_eq!(of.map(|(class, _)| class), [None, None, Some("c".into()), None]);
    }

    #[test]
    fn the_loops_of_a_model_are_told_too() {
        let text = "for x in [1, 2]:\n    print(x)\nend\nprint(3)\n";
        let of = around(&Inmanta, "/main.cf", text, ["print(x)", "print(3)"]);
        assert_eq!(of.map(|(_, name)| name), [Some("main.cf, line     1: for x".into()), None]);
    }
}
