//! The blocks inside a statement.

use super::{Block, StmtKind};

impl StmtKind {
    /// The blocks directly inside it, in source order.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        let (first, second) = match self {
            StmtKind::If { then, otherwise, .. } => (Some(then), otherwise.as_ref()),
            StmtKind::For(looped) => (Some(&looped.body), None),
            StmtKind::Class(class) => (Some(&class.body), None),
            StmtKind::Bind(_)
            | StmtKind::Resource(_)
            | StmtKind::Edge(_)
            | StmtKind::Func { .. }
            | StmtKind::Include(_)
            | StmtKind::Import(_)
            | StmtKind::Error => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The same, to change them.
    pub fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Block> {
        let (first, second) = match self {
            StmtKind::If { then, otherwise, .. } => (Some(then), otherwise.as_mut()),
            StmtKind::For(looped) => (Some(&mut looped.body), None),
            StmtKind::Class(class) => (Some(&mut class.body), None),
            StmtKind::Bind(_)
            | StmtKind::Resource(_)
            | StmtKind::Edge(_)
            | StmtKind::Func { .. }
            | StmtKind::Include(_)
            | StmtKind::Import(_)
            | StmtKind::Error => (None, None),
        };
        first.into_iter().chain(second)
    }
}
