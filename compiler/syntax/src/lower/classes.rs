//! Classes with colons: `class a:b` moves into the body of `class a` of the same block. Language
//! spec, 5.3.

use super::{Lowering, refuse};
use crate::ast::{Block, StmtId, StmtKind};
use crate::ident::Name;
use crate::span::Span;
use std::collections::BTreeMap;

/// A statement of a block, and the new name of a moved class.
#[derive(Clone)]
pub(super) struct BlockStmt {
    pub(super) id: StmtId,
    pub(super) renamed: Option<Name>,
}

/// The statements of a block as written.
pub(super) fn entries(block: &Block) -> Vec<BlockStmt> {
    block.stmts.iter().map(|id| BlockStmt { id: *id, renamed: None }).collect()
}

/// A block after moving colon classes: the remaining statements, and the classes moved into each class.
pub(super) struct Nested {
    pub(super) stays: Vec<BlockStmt>,
    pub(super) moved: BTreeMap<StmtId, Vec<BlockStmt>>,
}

impl Lowering<'_> {
    /// Reports duplicate classes, then moves the colon classes, from last to first.
    pub(super) fn nest_classes(&mut self, entries: Vec<BlockStmt>) -> Nested {
        let mut by_name: BTreeMap<Name, (StmtId, Span)> = BTreeMap::new();
        let mut has_colons = false;
        for entry in &entries {
            let Some((name, span)) = self.class_name(entry) else { continue };
            has_colons |= name.contains(':');
            match by_name.get(&name) {
                Some((_, first)) => self.diags.push(refuse::duplicate_class(&name, span, *first)),
                None => {
                    by_name.insert(name, (entry.id, span));
                }
            }
        }
        let mut moved: BTreeMap<StmtId, Vec<BlockStmt>> = BTreeMap::new();
        if !has_colons {
            return Nested { stays: entries, moved };
        }
        let mut stays = Vec::with_capacity(entries.len());
        for entry in entries.into_iter().rev() {
            let name = self.class_name(&entry).map(|(name, _)| name);
            let split = name.as_deref().and_then(|name| name.split_once(':'));
            let parent = split.and_then(|(first, rest)| Some((by_name.get(first)?.0, rest)));
            match parent {
                Some((parent, rest)) => {
                    let renamed = Some(self.name(rest));
                    moved.entry(parent).or_default().push(BlockStmt { id: entry.id, renamed });
                }
                None => stays.push(entry),
            }
        }
        stays.reverse();
        Nested { stays, moved }
    }

    fn class_name(&self, entry: &BlockStmt) -> Option<(Name, Span)> {
        match &self.tree.stmts[entry.id].kind {
            StmtKind::Class { name, name_span, .. } => {
                Some((entry.renamed.clone().unwrap_or_else(|| name.clone()), *name_span))
            }
            StmtKind::Bind { .. }
            | StmtKind::Panic { .. }
            | StmtKind::Resource(_)
            | StmtKind::Edge { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::Func { .. }
            | StmtKind::Include { .. }
            | StmtKind::Import { .. }
            | StmtKind::Error => None,
        }
    }
}
