//! Comments that switch lints off: `# mclive: allow NAME` for the next statement, `# mclive: allow-file NAME` for the
//! file.

use super::words;
use crate::diag::codes::lint_named;
use crate::diag::{Code, Diagnostic};
use crate::hir::{Block, Module, StmtKind};
use crate::source::Source;
use crate::span::Span;

/// What the comments of one file switch off.
pub(super) struct Switches {
    /// The lint, or all of them, and where it is off.
    off: Vec<(Option<Code>, Span)>,
    unknown: Vec<Diagnostic>,
}

const MARK: &str = "mclive:";

impl Switches {
    pub(super) fn of(module: &Module, source: &Source) -> Switches {
        let mut switches = Switches { off: Vec::new(), unknown: Vec::new() };
        let mut statements: Option<Vec<Span>> = None;
        for comment in &module.comments {
            let text = String::from_utf8_lossy(&source.text[comment.start as usize..comment.end as usize]);
            let Some(text) = text.trim_start_matches('#').trim_start().strip_prefix(MARK) else { continue };
            let mut words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
            let reach = match words.next() {
                Some("allow") => {
                    let statements = statements.get_or_insert_with(|| spans(&module.root));
                    let next = statements.iter().filter(|span| span.start >= comment.end);
                    // Of those that begin there the outermost counts.
                    next.min_by_key(|span| (span.start, u32::MAX - span.end)).copied().unwrap_or(*comment)
                }
                Some("allow-file") => Span { start: 0, end: source.text.len() as u32, ..*comment },
                _ => {
                    switches.unknown.push(words::unknown_switch(*comment));
                    continue;
                }
            };
            for name in words {
                match lint_named(name) {
                    Some(lint) => switches.off.push((Some(lint.code), reach)),
                    None if name == "all" => switches.off.push((None, reach)),
                    None => switches.unknown.push(words::unknown_lint(name, *comment)),
                }
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
        super::is_lint(diagnostic)
            && self.off.iter().any(|(code, reach)| {
                code.is_none_or(|code| code == diagnostic.code)
                    && reach.start <= place.start
                    && place.start <= reach.end
            })
    }
}

/// The places of all statements, inner ones too.
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
    spans
}
