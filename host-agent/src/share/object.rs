//! JSON objects from outside. Derived readers would also accept arrays, and their errors would mention Rust's types.

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

/// Reads a value that is an object. Errors: what is wrong, in words of JSON.
pub(crate) fn read<'de, T: Deserialize<'de>>(json: &'de [u8]) -> Result<T, String> {
    let mut from = serde_json::Deserializer::from_slice(json);
    let read = object(&mut from).and_then(|read| from.end().map(|()| read));
    read.map_err(|error| error.to_string().replace("expected u8", "expected a small number"))
}

/// The same for a part of another value.
pub(super) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    struct Object<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    from.deserialize_map(Object(PhantomData))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize, Debug)]
    struct Pair {
        #[expect(dead_code, reason = "only its type matters")]
        small: u8,
    }

    #[test]
    fn only_objects_are_read_and_faults_are_told_in_words_of_json() {
        assert!(read::<Pair>(br#"{"small":1}"#).is_ok());
        for (json, why) in [
            ("[1]", "invalid type: sequence, expected an object"),
            ("null", "invalid type: null, expected an object"),
            ("\"x\"", "expected an object"),
            ("{}", "missing field `small`"),
            (r#"{"small":300}"#, "expected a small number"),
            (r#"{"small":1} x"#, "trailing characters"),
            ("", "EOF while parsing"),
        ] {
            let said = read::<Pair>(json.as_bytes()).unwrap_err();
            assert!(said.contains(why), "{json}: {said}");
        }
    }
}
