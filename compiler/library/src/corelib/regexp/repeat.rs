//! Repetitions: `*`, `+`, `?`, `{2,3}`.

use super::error::{BAD_COUNT, BAD_REPEAT, NO_REPEATED, PatternError};
use super::parser::Parser;
use super::program::Inst;

/// The maximum count, also of the product of nested ones.
const MAX_COUNT: u64 = 1000;

/// `{min,max}`; `max` is `None` if unlimited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    min: u64,
    max: Option<u64>,
    /// The length of its text.
    len: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn repeat_sign(&mut self, last: Option<&'a str>) -> Result<(), PatternError> {
        let sign = self.rest.as_bytes()[0];
        let start = self.repeat_start(1, last)?;
        match sign {
            b'*' => self.any_number(start),
            b'+' => self.at_least_one(start),
            _ => self.optional(start),
        }
        self.deeper()
    }

    pub(super) fn repeat_counts(&mut self, counts: Counts, last: Option<&'a str>) -> Result<(), PatternError> {
        let text = self.rest;
        let start = self.repeat_start(counts.len, last)?;
        let Counts { min, max, .. } = counts;
        if let Some(atom) = &mut self.atom {
            // A part repeated zero times does not count.
            let repeats = if max == Some(0) { 0 } else { atom.measure.repeats };
            let product = max.unwrap_or(min).max(1) * repeats;
            if max.unwrap_or(min) >= 2 && product > MAX_COUNT {
                return Err(PatternError::new(BAD_COUNT, &text[..text.len() - self.rest.len()]));
            }
            atom.measure.repeats = product.max(1);
        }
        let part = self.program.code[start..].to_vec();
        self.check_size((part.len() + 1).saturating_mul(max.unwrap_or(min) as usize))?;
        self.program.code.truncate(start);
        let n_certain = if max.is_none() { min.saturating_sub(1) } else { min };
        for _ in 0..n_certain {
            self.program.code.extend_from_slice(&part);
        }
        match max {
            None => {
                let last = self.program.code.len();
                self.program.code.extend_from_slice(&part);
                if min == 0 { self.any_number(last) } else { self.at_least_one(last) }
            }
            Some(max) => {
                // Each of the optional copies can be the last.
                let (len, n_others) = (part.len() + 1, max - min);
                for at in 0..n_others as usize {
                    self.program.code.push(Inst::Split((len * (n_others as usize - at)) as i32));
                    self.program.code.extend_from_slice(&part);
                }
            }
        }
        self.deeper()
    }

    /// Reads the operator, whose length is given, and a `?` after it. Returns the start of its operand.
    fn repeat_start(&mut self, len: usize, last: Option<&'a str>) -> Result<usize, PatternError> {
        let before = self.rest;
        self.rest = &before[len..];
        self.rest = self.rest.strip_prefix('?').unwrap_or(self.rest);
        let end = self.rest.len();
        if let Some(last) = last {
            return Err(PatternError::new(BAD_REPEAT, &last[..last.len() - end]));
        }
        let Some(atom) = self.atom else {
            return Err(PatternError::new(NO_REPEATED, &before[..before.len() - end]));
        };
        self.last_repeat = Some(before);
        Ok(atom.start)
    }

    /// The repetition is a new part, one level above its operand.
    fn deeper(&mut self) -> Result<(), PatternError> {
        self.check_size(0)?;
        let Some(mut atom) = self.atom.take() else { return Ok(()) };
        atom.measure.height += 1;
        self.begin_atom(atom.start, atom.measure)
    }

    fn any_number(&mut self, start: usize) {
        let code = &mut self.program.code;
        let len = (code.len() - start) as i32;
        code.insert(start, Inst::Split(len + 2));
        code.push(Inst::Jump(-len - 1));
    }

    fn at_least_one(&mut self, start: usize) {
        let code = &mut self.program.code;
        code.push(Inst::Split(start as i32 - code.len() as i32));
    }

    fn optional(&mut self, start: usize) {
        let code = &mut self.program.code;
        let len = (code.len() - start) as i32;
        code.insert(start, Inst::Split(len + 1));
    }

    /// The counts at the start of the text; `None`: the brace is literal.
    pub(super) fn counts(&self) -> Result<Option<Counts>, PatternError> {
        let Some((min, mut rest)) = number(&self.rest[1..]) else { return Ok(None) };
        let mut max = Some(min);
        if let Some(behind) = rest.strip_prefix(',') {
            (max, rest) = (None, behind);
            if !behind.starts_with('}') {
                let Some((number, behind)) = number(behind) else { return Ok(None) };
                (max, rest) = (Some(number), behind);
            }
        }
        let Some(rest) = rest.strip_prefix('}') else { return Ok(None) };
        let len = self.rest.len() - rest.len();
        if min > MAX_COUNT || max.is_some_and(|max| max > MAX_COUNT || max < min) {
            return Err(PatternError::new(BAD_COUNT, &self.rest[..len]));
        }
        Ok(Some(Counts { min, max, len }))
    }
}

/// A decimal number without leading zeros; saturates if it is too big.
fn number(text: &str) -> Option<(u64, &str)> {
    let len = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(len);
    let is_number = len > 0 && (len == 1 || !digits.starts_with('0'));
    is_number.then(|| (digits.parse().unwrap_or(u64::MAX), rest))
}
