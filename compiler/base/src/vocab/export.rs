//! Exported resources with secrets: as the brain and a host exchange them, and as a store contains them. World
//! specification, 18.
//!
//! ```text
//! brain <> host: RECORD 0 TEXT 0 TEXT                 the record without its secrets, and then these
//! in the store:  RECORD with "sealed" as its last field
//! host > brain:  RECORD with "unopened" as its last field: why this host cannot read the secrets
//! ```
//!
//! Only hosts have keys. A record is JSON: it ends with `}`, and has no byte 0. Secrets are not encoded, so that a
//! recording can replace them.

use super::Datum;
use super::password::Secret;

/// The version of records with secrets. Earlier versions of mclive leave them out.
pub const WITH_SECRETS: u32 = 2;
/// The shortest secret that is exported: a shorter one cannot be hidden in recordings. Units: bytes.
pub const SHORTEST: usize = Secret::SHORTEST_HIDDEN;

/// The beginning of records with secrets.
const BEGIN: &[u8] = b"{\"version\":2,";
const SEALED: &[u8] = b",\"sealed\":";
const UNOPENED: &[u8] = b",\"unopened\":";

/// An export with these secrets.
pub fn join(record: &[u8], secrets: &[u8]) -> Vec<u8> {
    [record, b"\0", secrets].concat()
}

/// The record and the secrets of an export. `None`: it has no secrets.
pub fn split(export: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(0, export)?;
    Some((&export[..at], &export[at + 1..]))
}

/// The texts of secrets.
pub fn texts(secrets: &[u8]) -> impl Iterator<Item = &[u8]> {
    secrets.split(|byte| *byte == 0)
}

/// The stored form of an export with secrets. `sealed`: the secrets, as JSON that only the receiver can open.
pub fn seal(record: &[u8], sealed: &[u8]) -> Vec<u8> {
    with(record, SEALED, sealed)
}

/// The record of a stored export, and its sealed secrets. `None`: it has none.
pub fn sealed(stored: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    if !stored.starts_with(BEGIN) {
        return None;
    }
    let at = memchr::memmem::rfind(stored, SEALED)?;
    let sealed = stored[at + SEALED.len()..].strip_suffix(b"}")?;
    Some(([&stored[..at], b"}"].concat(), sealed))
}

/// An export whose secrets this host cannot read.
pub fn unopened(record: &[u8], why: &str) -> Vec<u8> {
    with(record, UNOPENED, serde_json::Value::from(why).to_string().as_bytes())
}

/// Opens what is sealed in the value of a [`Fact::Exported`](super::store::Fact::Exported). `open` gets the name, the
/// host, the record and the sealed secrets of a resource. Its errors: why this host cannot read them, a sentence without a
/// full stop.
pub fn open_all(exported: &mut Datum, mut open: impl FnMut(&str, &str, &[u8], &[u8]) -> Result<Vec<u8>, String>) {
    let Datum::List(entries) = exported else { return };
    for entry in entries {
        let Datum::Struct(fields) = entry else { continue };
        let Some(opened) = opened(fields, &mut open) else { continue };
        if let Some((_, data)) = fields.iter_mut().find(|(field, _)| field == "data") {
            *data = Datum::Bytes(opened);
        }
    }
}

/// `None`: nothing is sealed.
fn opened(
    fields: &[(String, Datum)],
    open: &mut impl FnMut(&str, &str, &[u8], &[u8]) -> Result<Vec<u8>, String>,
) -> Option<Vec<u8>> {
    let bytes = |name: &str| {
        let (_, value) = fields.iter().find(|(field, _)| field == name)?;
        if let Datum::Bytes(bytes) = value { Some(&bytes[..]) } else { None }
    };
    let (record, sealed) = sealed(bytes("data")?)?;
    let [name, host] = ["name", "host"].map(|name| bytes(name).map(String::from_utf8_lossy).unwrap_or_default());
    Some(match open(&name, &host, &record, sealed) {
        Ok(secrets) => join(&record, &secrets),
        Err(why) => unopened(&record, &why),
    })
}

fn with(record: &[u8], name: &[u8], value: &[u8]) -> Vec<u8> {
    [record.strip_suffix(b"}").unwrap_or(record), name, value, b"}"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &[u8] = br#"{"version":2,"name":",\"sealed\":{}"}"#;

    #[test]
    fn secrets_stand_after_their_record() {
        let export = join(RECORD, b"hush-hush\0hush again");
        let (record, secrets) = split(&export).unwrap();
        assert_eq!(record, RECORD);
        assert!(texts(secrets).eq([&b"hush-hush"[..], b"hush again"]));
        assert_eq!(split(RECORD), None);
    }

    #[test]
    fn what_is_sealed_comes_back_from_the_store() {
        let stored = seal(RECORD, br#"{"v":1}"#);
        assert_eq!(stored, br#"{"version":2,"name":",\"sealed\":{}","sealed":{"v":1}}"#);
        assert_eq!(sealed(&stored), Some((RECORD.to_vec(), &br#"{"v":1}"#[..])));
        let earlier = String::from_utf8(stored).unwrap().replacen('2', "1", 1);
        for other in [RECORD, earlier.as_bytes(), b"nonsense", b""] {
            assert_eq!(sealed(other), None);
        }
        let why = unopened(RECORD, "it is for \"db1\"");
        assert!(why.ends_with(br#"","unopened":"it is for \"db1\""}"#));
    }

    #[test]
    fn what_is_sealed_is_opened_in_a_fact() {
        let stored = seal(RECORD, br#"{"v":1}"#);
        let fact = |of_a: &[u8]| {
            let entry = |name: &str, data: &[u8]| {
                let fields = [("name", name.as_bytes()), ("host", b"db1".as_slice()), ("data", data)];
                Datum::Struct(fields.map(|(name, value)| (name.to_owned(), Datum::Bytes(value.to_vec()))).to_vec())
            };
            Datum::List(vec![entry("a", of_a), entry("b", b"{}")])
        };
        for (told, expect) in [
            (Ok(b"hush-hush".to_vec()), join(RECORD, b"hush-hush")),
            (Err("it was changed".to_owned()), unopened(RECORD, "it was changed")),
        ] {
            let mut exported = fact(&stored);
            open_all(&mut exported, |name, host, record, sealed| {
                assert_eq!((name, host, record, sealed), ("a", "db1", RECORD, &br#"{"v":1}"#[..]));
                told.clone()
            });
            assert_eq!(exported, fact(&expect));
        }
    }
}
