//! The written size of a value, with shared parts counted every time they occur.

use super::Value;

/// The cost of a number or an empty text, in any serialised form.
pub const PART: u64 = 64;

impl Value {
    /// The size in bytes. Cost: one visit per part, so use it only for bounded values.
    pub fn written_size(&self) -> u64 {
        self.written_size_within(u64::MAX).unwrap_or(u64::MAX)
    }

    /// The size in bytes; `None` above the maximum. Cost: proportional to the maximum.
    pub fn written_size_within(&self, max: u64) -> Option<u64> {
        let mut size = 0u64;
        let mut work = vec![self];
        while let Some(value) = work.pop() {
            size += PART;
            if let Value::Str(bytes) = value {
                size += bytes.len() as u64;
            }
            // The work list must be bounded too.
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
