//! Comments that switch lints off: `# mclive: allow NAME` for the next statement, `# mclive: allow-file NAME` for the
//! file.

use super::words;
use crate::diag::codes::lint_named;
use crate::diag::{Code, Diagnostic};
use crate::hir::{Block, Module, StmtKind};
use crate::source::Source;
use crate::span::Span;
use std::collections::BTreeMap;

/// What the comments of one file switch off.
pub(super) struct Switches {
    /// The lint, or all of them, and where it is off: for each place where it begins to be, in that order, how far that
    /// and all before it reach.
    off: BTreeMap<Option<Code>, Vec<(u32, u32)>>,
    unknown: Vec<Diagnostic>,
}

const MARK: &str = "mclive:";

impl Switches {
    pub(super) fn of(module: &Module, source: &Source) -> Switches {
        let mut switches = Switches { off: BTreeMap::new(), unknown: Vec::new() };
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

    /// What is wrong with the comments themselves.
    pub(super) fn problems(&self) -> Vec<Diagnostic> {
        self.unknown.clone()
    }

    pub(super) fn allow(&self, diagnostic: &Diagnostic) -> bool {
        let Some(place) = diagnostic.judged_span() else { return false };
        let is_off = |code: Option<Code>| {
            let reaches = self.off.get(&code).map_or(&[][..], Vec::as_slice);
            let n_before = reaches.partition_point(|(start, _)| *start <= place.start);
            n_before > 0 && place.start <= reaches[n_before - 1].1
        };
        super::is_lint(diagnostic) && (is_off(None) || is_off(Some(diagnostic.code)))
    }
}

/// The places of all statements, inner ones too, by their start; of those that begin together the outermost is first.
fn spans(block: &Block) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut open = vec![block];
    while let Some(block) = open.pop() {
        for stmt in &block.stmts {
            spans.push(stmt.span);
            match &stmt.kind {
                StmtKind::If { then, otherwise, .. } => {
                    open.push(then);
                    open.extend(otherwise);
                }
                StmtKind::For(looped) => open.push(&looped.body),
                StmtKind::Class(class) => open.push(&class.body),
                StmtKind::Bind(_)
                | StmtKind::Resource(_)
                | StmtKind::Edge(_)
                | StmtKind::Func { .. }
                | StmtKind::Include(_)
                | StmtKind::Import(_)
                | StmtKind::Error => {}
            }
        }
    }
    spans.sort_by_key(|span| (span.start, u32::MAX - span.end));
    spans
}
