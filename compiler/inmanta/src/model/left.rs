//! [`Model`]: what is left of a model after later partial exports.

use super::View;
use crate::compile::Compilation;
use crate::value::{InstId, Value};
use std::collections::BTreeSet;

/// The whole model of a program, or that of a partial export.
#[derive(Clone, Copy)]
pub struct Model<'c> {
    /// The finished model.
    pub compilation: &'c Compilation,
    /// The instances that later exports replace or delete; `None`: none of them.
    pub gone: Option<&'c BTreeSet<InstId>>,
}

impl<'c> Model<'c> {
    /// A program without partial exports.
    pub fn only(compilation: &'c Compilation) -> Model<'c> {
        Model { compilation, gone: None }
    }

    /// Read access.
    pub fn view(self) -> View<'c> {
        View { compilation: self.compilation }
    }

    /// The instances that are left, in order of construction, without those of built-in modules.
    pub fn instances(self) -> impl Iterator<Item = InstId> {
        let view = self.view();
        view.instances().filter(move |instance| self.has(*instance) && !view.is_builtin(*instance))
    }

    /// Whether an instance is left.
    fn has(self, instance: InstId) -> bool {
        self.gone.is_none_or(|gone| !gone.contains(&instance))
    }

    /// The members of an end that are left.
    pub(super) fn members(self, values: Vec<Value>) -> impl Iterator<Item = Value> {
        values.into_iter().filter(move |value| !matches!(value, Value::Instance(instance) if !self.has(*instance)))
    }

    /// The path of its main file, without a leading slash.
    pub(super) fn main(self) -> &'c str {
        let program = &self.compilation.program;
        let main = program.by_name.get("__config__").map(|ns| program.namespaces[*ns].file);
        main.map_or("", |file| self.compilation.sources.short_path(file))
    }
}
