//! Resources, their items and edges. Language spec, 13.2.

use super::printer::Printer;
use crate::ast::{Half, Item, ItemKind, Resource};
use crate::ident::capitalized;

impl Printer<'_> {
    /// `kind NAME {}` if it is empty, otherwise one item per line.
    pub(super) fn resource(&mut self, resource: &Resource) {
        if resource.collect.is_some() {
            self.text("collect ");
        }
        self.text(&resource.kind);
        self.text(" ");
        self.expr(resource.name);
        self.text(" {");
        let close = self.end_row(resource.body_span);
        if resource.items.is_empty() && !self.comment_before(close) {
            self.closed_in(close);
        } else {
            self.open(self.start_row(resource.body_span));
            for item in &resource.items {
                self.begin_line(self.start_row(item.span));
                self.item(item);
                self.text(",");
                self.end_line(self.end_row(item.span));
            }
            self.begin_closing_line(close);
        }
        self.text("}");
    }

    fn item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Field { name, .. } => self.text(name),
            ItemKind::Edge { property, .. } => self.text(&capitalized(property)),
            ItemKind::Meta { property, .. } if **property == *"meta" => self.text("Meta"),
            ItemKind::Meta { property, .. } => {
                self.text("Meta:");
                self.text(property);
            }
            ItemKind::MetaStruct { .. } => self.text("Meta"),
        }
        self.text(" => ");
        if let Some(cond) = item.cond {
            self.expr(cond);
            self.text(" ?: ");
        }
        match &item.kind {
            ItemKind::Field { value, .. } | ItemKind::Meta { value, .. } | ItemKind::MetaStruct { value } => {
                self.expr(*value);
            }
            ItemKind::Edge { half, .. } => self.half(half),
        }
    }

    /// `Kind["name"]`, `Kind["name"].field`
    pub(super) fn half(&mut self, half: &Half) {
        self.text(&capitalized(&half.kind));
        self.text("[");
        self.expr(half.name);
        self.text("]");
        if let Some(field) = &half.field {
            self.text(".");
            self.text(&field.name);
        }
    }
}
