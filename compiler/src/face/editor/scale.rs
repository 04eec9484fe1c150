//! Converts bytes to the unit of a query, and back.

use crate::editor::{self, Services};
use crate::source::Source;
use crate::span::{FileId, Span};
use mclive_base::shapes::editor::{At, Candidate, Edit, Range, Symbol, Token, Units};
use std::collections::BTreeMap;

/// Converters for each file of an answer.
pub(super) struct Scales<'a> {
    analysis: &'a dyn Services,
    units: Units,
    scales: BTreeMap<FileId, Scale>,
}

impl<'a> Scales<'a> {
    pub(super) fn new(analysis: &'a dyn Services, units: Units) -> Scales<'a> {
        Scales { analysis, units, scales: BTreeMap::new() }
    }

    pub(super) fn scale(&mut self, file: FileId) -> &Scale {
        let text = &self.analysis.sources().get(file).text;
        self.scales.entry(file).or_insert_with(|| Scale::new(text))
    }

    pub(super) fn unit(&mut self, file: FileId, byte: u32) -> u32 {
        match self.units {
            Units::Utf8 => byte,
            Units::Utf16 => self.scale(file).unit(byte),
        }
    }

    pub(super) fn byte(&mut self, file: FileId, unit: u32) -> u32 {
        match self.units {
            Units::Utf8 => unit,
            Units::Utf16 => self.scale(file).byte(unit),
        }
    }

    pub(super) fn offset(&mut self, file: FileId, source: &Source, at: At) -> u32 {
        match at {
            At::Offset(unit) => self.byte(file, unit),
            At::LineCol { line, col } => {
                let line = source.line(line.max(1));
                let start = line.as_ptr() as usize - source.text.as_ptr() as usize;
                // After the last line there is an empty slice from elsewhere.
                let start = if start > source.text.len() { source.text.len() } else { start };
                let text = String::from_utf8_lossy(line);
                let within: usize = text.chars().take(col.saturating_sub(1) as usize).map(char::len_utf8).sum();
                (start + within.min(line.len())) as u32
            }
        }
    }

    pub(super) fn range(&mut self, span: Span) -> Range {
        let place = self.analysis.sources().get(span.file);
        let at = place.line_col(span.start);
        let file = place.path.clone();
        let (from, to) = (self.unit(span.file, span.start), self.unit(span.file, span.end));
        Range { file, from, to, line: at.line, col: at.col }
    }

    pub(super) fn token(&mut self, token: editor::ColouredToken) -> Token {
        Token {
            from: self.unit(token.span.file, token.span.start),
            to: self.unit(token.span.file, token.span.end),
            is: token.colour.name().to_owned(),
            defines: token.defines,
            core: token.is_core,
            unused: token.is_unused,
        }
    }

    pub(super) fn edit(&mut self, edit: editor::TextEdit) -> Edit {
        Edit { range: self.range(edit.span), text: edit.text }
    }

    pub(super) fn candidate(&mut self, candidate: editor::Candidate) -> Candidate {
        Candidate {
            kind: candidate.kind.name().to_owned(),
            edits: candidate.edits.into_iter().map(|edit| self.edit(edit)).collect(),
            label: candidate.label,
            detail: candidate.detail,
            doc: candidate.doc,
            template: candidate.template,
            rank: candidate.rank,
        }
    }

    pub(super) fn symbol(&mut self, symbol: editor::Symbol) -> Symbol {
        Symbol {
            kind: symbol.kind.name().to_owned(),
            range: self.range(symbol.span),
            name_range: self.range(symbol.name_span),
            name: symbol.name,
            depth: symbol.depth,
        }
    }
}

/// Where the offsets in bytes and UTF-16 units diverge: after each non-ASCII character, its end in both.
pub(super) struct Scale {
    steps: Vec<(u32, u32)>,
}

impl Scale {
    pub(super) fn new(text: &[u8]) -> Scale {
        let (mut bytes, mut units) = (0, 0);
        let mut steps = Vec::new();
        for chunk in text.utf8_chunks() {
            for c in chunk.valid().chars() {
                bytes += c.len_utf8() as u32;
                units += c.len_utf16() as u32;
                if !c.is_ascii() {
                    steps.push((bytes, units));
                }
            }
            // Invalid UTF-8 was replaced by one replacement character.
            if !chunk.invalid().is_empty() {
                bytes += chunk.invalid().len() as u32;
                units += 1;
                steps.push((bytes, units));
            }
        }
        Scale { steps }
    }

    pub(super) fn unit(&self, byte: u32) -> u32 {
        match self.steps.partition_point(|(end, _)| *end <= byte).checked_sub(1).map(|at| self.steps[at]) {
            Some((end, units)) => units + (byte - end),
            None => byte,
        }
    }

    pub(super) fn byte(&self, unit: u32) -> u32 {
        match self.steps.partition_point(|(_, units)| *units <= unit).checked_sub(1).map(|at| self.steps[at]) {
            Some((end, units)) => end + (unit - units),
            None => unit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_go_both_ways() {
        let scale = Scale::new("aé𝄞b".as_bytes());
        assert_eq!([0, 1, 3, 7, 8].map(|byte| scale.unit(byte)), [0, 1, 2, 4, 5]);
        assert_eq!([0, 1, 2, 4, 5].map(|unit| scale.byte(unit)), [0, 1, 3, 7, 8]);
    }
}
