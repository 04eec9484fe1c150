//! How much a value takes when it is written out, each shared part as often as it occurs.

use super::Value;

/// What a number or an empty text costs, in any of the forms that it takes on its way out.
pub const PART: u64 = 64;

impl Value {
    /// The size in bytes. Cost: one visit per part, so only for values within bounds.
    pub fn written_size(&self) -> u64 {
        self.written_size_within(u64::MAX).unwrap_or(u64::MAX)
    }

    /// The size in bytes; `None` when it is above the bound. Cost: bounded by the bound.
    pub fn written_size_within(&self, max: u64) -> Option<u64> {
        let mut size = 0u64;
        let mut work = vec![self];
        while let Some(value) = work.pop() {
            size += PART;
            if let Value::Str(bytes) = value {
                size += bytes.len() as u64;
            }
            // Not even the list of what is left to look at may grow out of bounds.
            if size.saturating_add(PART * work.len() as u64) > max {
                return None;
            }
            match value {
                Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Func(_) | Value::Str(_) => {}
                Value::List(items) => work.extend(items.iter()),
                Value::Map(map) => work.extend(map.iter().flat_map(|(key, value)| [key, value])),
                Value::Struct(parts) => work.extend(parts.fields.iter().map(|(_, value)| value)),
            }
        }
        Some(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_counts_each_time() {
        let pair = |part: Value| Value::list([part.clone(), part]);
        let deep = (0..200).fold(Value::Int(1), |part, _| pair(part));
        assert_eq!(deep.written_size_within(96 << 20), None);
        let flat = (0..3).fold(Value::Int(1), |part, _| pair(part));
        assert_eq!(flat.written_size(), 15 * PART);
    }
}
