//! Secrets of exported resources in the simulated store: anyone who looks at the store sees that they are sealed, and
//! only their receiver can read them. This is not encryption, since a simulation has no secrets: the same secrets for the
//! same host always look the same.

use crate::vocab::export;

/// What the store gets of an export, under this key. `None`: it has no secrets.
pub(crate) fn seal(key: &str, clear: &[u8]) -> Option<Vec<u8>> {
    let (record, secrets) = export::split(clear)?;
    let checked = [&sum(&[secrets]).to_be_bytes()[..], secrets].concat();
    let digits: String = mixed(key, record, &checked).iter().map(|byte| format!("{byte:02x}")).collect();
    Some(export::seal(record, format!("\"{digits}\"").as_bytes()))
}

/// The secrets of a record. `None`: they were not sealed with it, or for another key.
pub(crate) fn open(key: &str, record: &[u8], closed: &[u8]) -> Option<Vec<u8>> {
    let digits: String = serde_json::from_slice(closed).ok()?;
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes = digits.as_bytes().chunks(2).map(byte).collect::<Option<Vec<u8>>>()?;
    let checked = mixed(key, record, &bytes);
    let (check, secrets) = checked.split_at_checked(size_of::<u64>())?;
    (check == sum(&[secrets]).to_be_bytes()).then(|| secrets.to_vec())
}

/// The export with its secrets, as its host wrote it under this key. `None`: nothing in it is sealed, or it was changed.
pub(crate) fn opened(key: &str, stored: &[u8]) -> Option<Vec<u8>> {
    let (record, closed) = export::sealed(stored)?;
    Some(export::join(&record, &open(key, &record, closed)?))
}

/// Bytes that look like others; twice, they are as before.
fn mixed(key: &str, record: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut state = sum(&[key.as_bytes(), record]) | 1;
    let mix = |byte: &u8| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        byte ^ state.to_le_bytes()[4]
    };
    bytes.iter().map(mix).collect()
}

/// FNV-1a, with a byte 0 after each part.
fn sum(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter().copied().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "exported/web1/db1/test/a";
    const RECORD: &[u8] = br#"{"version":2,"name":"a"}"#;

    #[test]
    fn what_is_sealed_is_read_under_its_key_with_its_record_only() {
        let clear = export::join(RECORD, b"hush-hush");
        let stored = seal(KEY, &clear).unwrap();
        let text = String::from_utf8(stored.clone()).unwrap();
        assert!(text.starts_with(r#"{"version":2,"name":"a","sealed":""#) && !text.contains("hush"), "{text}");
        assert_eq!(opened(KEY, &stored), Some(clear.clone()));
        assert_eq!(seal(KEY, &clear), Some(stored.clone()));
        assert_eq!(opened("exported/web2/db1/test/a", &stored), None);
        let changed = text.replacen("\"a\"", "\"b\"", 1);
        assert_eq!(opened(KEY, changed.as_bytes()), None);
        assert_eq!((seal(KEY, RECORD), opened(KEY, RECORD)), (None, None));
    }
}
