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
        // The result of nearly every call is such a value, and needs no work list.
        let size_of_one = match self {
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Func(_) => Some(PART),
            Value::Str(bytes) => Some(PART + bytes.len() as u64),
            Value::List(_) | Value::Map(_) | Value::Struct(_) => None,
        };
        if let Some(size) = size_of_one {
            return (size <= max).then_some(size);
        }
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
    fn a_value_without_parts_is_measured_like_a_part() {
        for value in [Value::Bool(true), Value::Int(1), Value::Float(0.5), Value::str(""), Value::str("four")] {
            let size = value.written_size();
            assert_eq!(Value::list([value.clone()]).written_size(), PART + size);
            assert_eq!(value.written_size_within(size), Some(size));
            assert_eq!(value.written_size_within(size - 1), None);
        }
    }

    #[test]
    fn what_is_shared_counts_each_time() {
        let pair = |part: Value| Value::list([part.clone(), part]);
        let deep = (0..200).fold(Value::Int(1), |part, _| pair(part));
        assert_eq!(deep.written_size_within(96 << 20), None);
        let flat = (0..3).fold(Value::Int(1), |part, _| pair(part));
        assert_eq!(flat.written_size(), 15 * PART);
    }
}
