//! The classes of a program, by which a graph that is too large to draw is folded.

use mclive_base::shapes::Place;
use mclive_compiler::editor::{Services, SymbolKind};
use std::collections::BTreeMap;

/// The blocks of classes, by file.
#[derive(Default)]
pub(super) struct Classes(BTreeMap<String, Vec<Block>>);

/// The definition of a class.
struct Block {
    start: u32,
    end: u32,
    name: String,
    /// The position of the block around it.
    around: Option<usize>,
}

impl Classes {
    pub(super) fn of(services: &dyn Services) -> Classes {
        let mut files = BTreeMap::new();
        for (file, source) in services.sources().iter() {
            let classes = services.symbols(file).into_iter().filter(|symbol| symbol.kind == SymbolKind::Class);
            // In the order of the text, outer blocks before inner ones.
            let mut blocks: Vec<Block> = Vec::new();
            for class in classes {
                let mut around = blocks.len().checked_sub(1);
                while let Some(at) = around.filter(|at| blocks[*at].end <= class.span.start) {
                    around = blocks[at].around;
                }
                blocks.push(Block { start: class.span.start, end: class.span.end, name: class.name, around });
            }
            files.insert(source.path.clone(), blocks);
        }
        Classes(files)
    }

    /// The innermost class around a place.
    pub(super) fn around(&self, place: Option<&Place>) -> Option<&str> {
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
    use crate::worker::desk::Analysed;
    use crate::worker::protocol::ProgramFile;
    use mclive_compiler::language::{Editable, Mcl};
    use mclive_compiler::source::MemoryWorld;

    #[test]
    fn a_place_is_in_the_innermost_class() {
        let text = "class a {\n\tprint \"1\" {}\n\tclass b {\n\t\tprint \"2\" {}\n\t}\n\tprint \"3\" {}\n}\nclass c {\n}\nprint \"4\" {}\n";
        let files = vec![ProgramFile { path: "/main.mcl".into(), text: text.into() }];
        let world = MemoryWorld::of([("/main.mcl", text.as_bytes())]);
        let analysed = Analysed { opened: Mcl.open(world, "/main.mcl", "web1"), files, functions: None };
        let services = analysed.opened.services();
        let classes = Classes::of(services);
        let sources = services.sources();
        let around = |needle: &str| {
            let start = text.find(needle).expect("it is in the text") as u32;
            let file = services.file("/main.mcl").expect("it was read");
            let span = mclive_compiler::span::Span { file, start, end: start + 1 };
            classes.around(Some(&Place::of(sources, span))).map(str::to_owned)
        };
        let of = ["\"1\"", "\"2\"", "\"3\"", "\"4\""].map(around);
        assert_eq!(of, [Some("a".into()), Some("b".into()), Some("a".into()), None]);
        assert_eq!(classes.around(None), None);
    }
}
