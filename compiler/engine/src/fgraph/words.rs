//! The function graph in the program's own words: a variable is called by its name, everything else by its text.
//!
//! The complete graph ([`super::text`]) names the operations that compute a value. To a reader of the program, several of
//! them are one expression: a construct and its output, a called function, the parts of an interpolated string. They
//! become one vertex here. Constants without a name are omitted, because the text of their users contains them.
//!
//! Cost: linear in the graph, and in the number of definitions.

use super::graph::{FuncGraph, StmtInst, VertexId};
use super::op::Op;
use super::print::edges;
use crate::ident::Name;
use crate::index::IndexVec;
use crate::scope::Linked;
use crate::sort;
use crate::source::Sources;
use crate::span::{FileId, Span};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum number of characters of the text of an expression.
const MAX_TEXT: usize = 200;

/// A graph in words.
#[derive(Default, Debug)]
pub struct Words {
    /// By the id of the vertex that holds the value.
    pub vertices: Vec<(VertexId, String)>,
    /// Between indices of `vertices`, with the names of the arguments that they feed; sorted.
    pub edges: Vec<(usize, usize, String)>,
    /// What each statement reads, as indices of `vertices`, ascending; in source order.
    pub reads: Vec<(Span, Vec<usize>)>,
}

/// What the expressions of a program are called.
#[derive(Default, Debug)]
pub struct Phrases {
    /// The variable that is bound to the expression at each place.
    names: FxHashMap<Span, Name>,
    texts: IndexVec<FileId, Arc<[u8]>>,
}

impl Phrases {
    /// Those of a program. Cost: linear in its definitions and files.
    pub fn of(linked: &Linked, sources: &Sources) -> Phrases {
        Phrases {
            names: linked.defs.values().map(|def| (linked.nodes[def.value].span, def.name.clone())).collect(),
            texts: sources.iter().map(|(_, source)| source.text.clone()).collect(),
        }
    }

    /// The name of a variable, or the text of the expression on one line. An operation without a text in the program is
    /// shown by its label.
    pub fn phrase(&self, graph: &FuncGraph, id: VertexId) -> String {
        self.called(graph, id, |text| text.to_owned())
    }

    /// The same without the content of literal texts, for messages that are stored: a text may be a password.
    pub fn discreet(&self, graph: &FuncGraph, id: VertexId) -> String {
        self.called(graph, id, without_texts)
    }

    fn called(&self, graph: &FuncGraph, id: VertexId, shown: impl FnOnce(&str) -> String) -> String {
        let span = graph.at(id).span;
        if let Some(name) = self.names.get(&span) {
            return format!("${name}");
        }
        let text = self.texts.get(span.file).and_then(|text| text.get(span.start as usize..span.end as usize));
        let line = Phrases::line(&shown(&String::from_utf8_lossy(text.unwrap_or_default())));
        if line.is_empty() { graph.label(id) } else { line }
    }

    fn line(text: &str) -> String {
        let text = match text.split_once('{') {
            // The condition of `if` and the head of a loop; the branches are separate.
            Some((head, _)) if ["if ", "for ", "forkv "].iter().any(|word| head.starts_with(word)) => head,
            _ => text,
        };
        let mut line = String::new();
        for word in text.split_whitespace() {
            if line.len() > MAX_TEXT {
                break;
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.extend(word.chars().take(MAX_TEXT));
        }
        line
    }
}

/// A part of a program with `…` for what literal texts contain; interpolated variables stay.
fn without_texts(source: &str) -> String {
    let mut out = String::new();
    let mut rest = source;
    let mut is_in_text = false;
    while let Some(first) = rest.chars().next() {
        let n_bytes = match first {
            '"' => {
                is_in_text = !is_in_text;
                1
            }
            '$' if is_in_text && rest.starts_with("${") => rest.find('}').map_or(rest.len(), |end| end + 1),
            _ if is_in_text => {
                if !out.ends_with('…') {
                    out.push('…');
                }
                let escaped = rest.strip_prefix('\\').and_then(|after| after.chars().next());
                rest = &rest[first.len_utf8() + escaped.map_or(0, char::len_utf8)..];
                continue;
            }
            '#' => {
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
                continue;
            }
            other => other.len_utf8(),
        };
        let (kept, after) = rest.split_at(n_bytes);
        out.push_str(kept);
        rest = after;
    }
    out
}

/// The graph in words, for the program from which it was built.
pub fn words(graph: &FuncGraph, phrases: &Phrases) -> Words {
    let stands_for = representatives(graph, &phrases.names);
    let shown: Vec<VertexId> = graph.ids().filter(|id| stands_for.get(id) == Some(&Some(*id))).collect();
    let index_of: FxHashMap<VertexId, usize> = shown.iter().copied().zip(0..).collect();
    let of = |id| stands_for.get(&id).copied().flatten().and_then(|id| index_of.get(&id).copied());
    let mut joined: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    // The arguments of a call are held by it until its function is known, and not connected.
    let arguments = graph.ids().flat_map(|id| match &graph.at(id).op {
        Op::Call { args } => args.iter().map(|from| (*from, id, String::new())).collect(),
        _ => Vec::new(),
    });
    for (from, to, label) in edges(graph).into_iter().chain(arguments) {
        let (Some(start), Some(end)) = (of(from), of(to)) else { continue };
        if start != end {
            let labels = joined.entry((start, end)).or_default();
            if !label.is_empty() && !labels.contains(&label) {
                labels.push(label);
            }
        }
    }
    let reads = reads(graph).map(|(span, read)| {
        let mut read: Vec<usize> = read.into_iter().filter_map(of).collect();
        read.sort_unstable();
        read.dedup();
        (span, read)
    });
    let reads = reads.filter(|(_, read)| !read.is_empty()).collect();
    let vertices = shown.iter().map(|id| (*id, phrases.phrase(graph, *id))).collect();
    let edge = |((from, to), labels): ((usize, usize), Vec<String>)| (from, to, labels.join(", "));
    Words { vertices, edges: joined.into_iter().map(edge).collect(), reads }
}

/// The vertices that the statements for resources read, in source order. A construct reads the vertex that builds its
/// statements.
pub fn reads(graph: &FuncGraph) -> impl Iterator<Item = (Span, Vec<VertexId>)> {
    graph.root.stmts.iter().filter_map(|id| match graph.stmt(*id) {
        inst @ StmtInst::Resource { stmt, .. } => Some((stmt.span, inst.reads().to_vec())),
        StmtInst::Parts(vertex) => Some((graph.span(*vertex), vec![*vertex])),
        StmtInst::Edge { .. } => None,
    })
}

/// The vertex that is shown for each vertex; `None` if it is omitted.
fn representatives(graph: &FuncGraph, names: &FxHashMap<Span, Name>) -> FxHashMap<VertexId, Option<VertexId>> {
    // Readers have higher levels, so they are decided first.
    let mut order: Vec<VertexId> = graph.ids().collect();
    sort::by_key(&mut order, |id| (std::cmp::Reverse(graph.at(*id).level), *id));
    let mut stands_for: FxHashMap<VertexId, Option<VertexId>> = FxHashMap::default();
    for id in order {
        let vertex = graph.at(id);
        let mut readers = vertex.outs.iter().map(|out| out.to);
        let first = readers.next();
        let only = first.filter(|first| readers.all(|reader| reader == *first));
        // `$const` belongs to the language: like a literal, it is read in the text of its users.
        let is_named = names.get(&vertex.span).is_some_and(|name| !name.starts_with("const."));
        let shown = match &vertex.op {
            Op::Gone => None,
            Op::Const { .. } if !is_named => None,
            // A called function is named by its call.
            Op::FuncValue(_) if first.is_none() => None,
            Op::FuncValue(_) if vertex.outs.iter().all(|out| matches!(graph.at(out.to).op, Op::Call { .. })) => {
                only.and_then(|only| stands_for.get(&only).copied().flatten())
            }
            _ => match (only, output_of(graph, id)) {
                (_, Some(output)) => stands_for.get(&output).copied().flatten(),
                (Some(only), None) if graph.at(only).span == vertex.span && vertex.readers.is_empty() => {
                    stands_for.get(&only).copied().flatten()
                }
                _ => Some(id),
            },
        };
        stands_for.insert(id, shown);
    }
    stands_for
}

/// The vertex with the result of a construct.
fn output_of(graph: &FuncGraph, id: VertexId) -> Option<VertexId> {
    let mut readers = graph.at(id).outs.iter().map(|out| out.to);
    readers.find(|reader| {
        let reader = graph.at(*reader);
        matches!(reader.op, Op::Output(_)) && reader.inputs.first().is_some_and(|input| input.from == id)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Setup, compile};
    use crate::source::MemoryWorld;

    /// Vertices and edges, one per line.
    fn shown(program: &str) -> String {
        let compiled = compile(&MemoryWorld::single(program), "/main.mcl", Setup { hostname: "web1" });
        let program = compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diags));
        let graph = program.graph().expect("a small graph");
        let words = words(&graph, &Phrases::of(&program.linked, &compiled.sources));
        let name = |at: usize| words.vertices[at].1.as_str();
        let mut lines: Vec<String> = words.vertices.iter().map(|(_, label)| label.clone()).collect();
        lines.extend(words.edges.iter().map(|(from, to, label)| format!("{} -> {}: {label}", name(*from), name(*to))));
        lines.sort();
        lines.join("\n")
    }

    #[test]
    fn variables_and_expressions_are_called_as_the_program_calls_them() {
        let program = "import \"datetime\"\nimport \"math\"\n$now = datetime.now()\n\
            $mood = if math.mod($now, 10) < 5 {\n\t\"awake\"\n} else {\n\t\"asleep\"\n}\n\
            print \"x\" {\n\tmsg => \"I am ${mood}!\",\n}\n";
        assert_eq!(
            shown(program),
            "\"I am ${mood}!\"\n\
            $mood\n\
            $mood -> \"I am ${mood}!\": a\n\
            $now\n\
            $now -> math.mod($now, 10): 0\n\
            math.mod($now, 10)\n\
            math.mod($now, 10) -> math.mod($now, 10) < 5: a\n\
            math.mod($now, 10) < 5\n\
            math.mod($now, 10) < 5 -> $mood: condition"
        );
    }

    #[test]
    fn a_stored_message_has_no_literal_text() {
        let told = |source: &str| without_texts(source);
        assert_eq!(told("\"http://u:secret@h/${path}?k=v\" + f(\"\", 7)"), "\"…${path}…\" + f(\"\", 7)");
        assert_eq!(told("a # it's \"\n+ \"x\\\"secret\\\\\" + $b"), "a \n+ \"…\" + $b");
        // A span may end anywhere.
        assert_eq!(told("\"é\\"), "\"…");
        assert_eq!(told("\"${x"), "\"${x");
    }

    #[test]
    fn only_constants_with_a_name_are_shown() {
        assert_eq!(shown("print \"x\" {\n\tmsg => \"y\",\n}\n"), "");
        assert_eq!(shown("file \"/x\" {\n\tstate => $const.res.file.state.exists,\n}\n"), "");
        assert_eq!(shown("$a = \"y\"\nprint \"x\" {\n\tmsg => $a,\n}\n"), "$a");
    }

    #[test]
    fn the_arguments_of_a_call_lead_to_it() {
        let program = "import \"sys\"\nfunc k($x) {\n\t$x + \"!\"\n}\n$a = sys.hostname()\n$v = k($a)\n\
            print \"x\" {\n\tmsg => $v,\n}\n";
        let shown = shown(program);
        assert!(shown.contains("$a -> $v: "), "{shown}");
    }

    #[test]
    fn a_statement_reads_what_its_fields_show() {
        let program = "import \"datetime\"\n$now = datetime.now()\n\
            $text = if $now > 9 {\n\t\"late\"\n} else {\n\t\"early\"\n}\n\
            file \"/x\" {\n\tstate => \"exists\",\n\tcontent => $text,\n}\n\
            if $now > 5 {\n\tprint \"x\" {}\n}\nprint \"y\" {}\n";
        let compiled = compile(&MemoryWorld::single(program), "/main.mcl", Setup { hostname: "web1" });
        let sound = compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diags));
        let words = words(&sound.graph().expect("a small graph"), &Phrases::of(&sound.linked, &compiled.sources));
        let told = words.reads.iter().map(|(span, read)| {
            let source = &program[span.start as usize..span.end as usize];
            let read: Vec<&str> = read.iter().map(|at| words.vertices[*at].1.as_str()).collect();
            (source.split('{').next().unwrap_or_default().trim(), read)
        });
        assert_eq!(told.collect::<Vec<_>>(), [("file \"/x\"", vec!["$text"]), ("if $now > 5", vec!["if $now > 5"])]);
    }

    #[test]
    fn a_statement_is_named_by_its_head() {
        let program = "import \"datetime\"\n$odd = datetime.now() > 5\nif $odd {\n\tprint \"x\" {}\n}\n";
        let shown = shown(program);
        assert!(shown.contains("$odd -> if $odd"), "{shown}");
    }
}
