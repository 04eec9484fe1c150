//! Comments that disable lints: `# mclive: allow NAME` for the next statement, `# mclive: allow-file NAME` for the
//! file.

use super::{Levels, words};
use crate::diag::codes::lint_named;
use crate::diag::{Code, Diagnostic};
use crate::gather;
use crate::hir::{Block, Module};
use crate::source::{Source, Sources};
use crate::span::{FileId, Span};
use std::collections::BTreeMap;

/// The comments of all files.
#[derive(Default)]
pub struct Switches {
    files: BTreeMap<FileId, FileSwitches>,
}

impl Switches {
    /// Reads the comments of all files.
    pub fn of(modules: &[Module], sources: &Sources) -> Switches {
        let switches = |module: &Module| (module.file, FileSwitches::of(module, sources.get(module.file)));
        Switches { files: gather::map(modules.iter().map(switches)) }
    }

    /// Problems with the comments of a file themselves.
    pub(super) fn problems(&self, file: FileId) -> Vec<Diagnostic> {
        self.files.get(&file).map(|switches| switches.unknown.clone()).unwrap_or_default()
    }

    /// The diagnostic at its level; `None` if it is a lint that a comment or the levels allow.
    pub(super) fn hear(&self, diagnostic: Diagnostic, levels: &Levels) -> Option<Diagnostic> {
        if !super::is_lint(&diagnostic) {
            return Some(diagnostic);
        }
        let is_off = |place: Span| self.files.get(&place.file).is_some_and(|file| file.allow(&diagnostic, place));
        if diagnostic.judged_span().is_some_and(is_off) { None } else { levels.apply(diagnostic) }
    }
}

/// The comments of one file.
struct FileSwitches {
    /// By lint (`None`: all lints) the ranges in which it is disabled: each start, ascending, with the furthest end of
    /// it and all before.
    off: BTreeMap<Option<Code>, Vec<(u32, u32)>>,
    unknown: Vec<Diagnostic>,
}

const MARK: &str = "mclive:";

impl FileSwitches {
    fn of(module: &Module, source: &Source) -> FileSwitches {
        let mut switches = FileSwitches { off: BTreeMap::new(), unknown: Vec::new() };
        let mut statements: Option<Vec<Span>> = None;
        for comment in &module.comments {
            let text = String::from_utf8_lossy(&source.text[comment.start as usize..comment.end as usize]);
            let Some(text) = text.trim_start_matches('#').trim_start().strip_prefix(MARK) else { continue };
            let mut words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
            let reach = match words.next() {
                Some("allow") => {
                    let statements = statements.get_or_insert_with(|| spans(&module.root));
                    let next = statements.partition_point(|span| span.start < comment.end);
                    statements.get(next).copied().unwrap_or(*comment)
                }
                Some("allow-file") => Span { start: 0, end: source.text.len() as u32, ..*comment },
                _ => {
                    switches.unknown.push(words::unknown_switch(*comment));
                    continue;
                }
            };
            for name in words {
                let code = match lint_named(name) {
                    Some(lint) => Some(lint.code),
                    None if name == "all" => None,
                    None => {
                        switches.unknown.push(words::unknown_lint(name, *comment));
                        continue;
                    }
                };
                switches.off.entry(code).or_default().push((reach.start, reach.end));
            }
        }
        for reaches in switches.off.values_mut() {
            reaches.sort_unstable();
            let mut furthest = 0;
            for (_, end) in reaches {
                furthest = furthest.max(*end);
                *end = furthest;
            }
        }
        switches
    }

    fn allow(&self, diagnostic: &Diagnostic, place: Span) -> bool {
        let is_off = |code: Option<Code>| {
            let reaches = self.off.get(&code).map_or(&[][..], Vec::as_slice);
            let n_before = reaches.partition_point(|(start, _)| *start <= place.start);
            n_before > 0 && place.start <= reaches[n_before - 1].1
        };
        is_off(None) || is_off(Some(diagnostic.code))
    }
}

/// The spans of all statements, nested ones too, by their start; of those with equal starts the outermost is first.
fn spans(block: &Block) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut open = vec![block];
    while let Some(block) = open.pop() {
        for stmt in &block.stmts {
            spans.push(stmt.span);
            open.extend(stmt.kind.blocks());
        }
    }
    spans.sort_by_cached_key(|span| span.outermost_first());
    spans
}
