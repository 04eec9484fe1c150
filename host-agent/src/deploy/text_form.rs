//! Types that are a text wherever they are shown or stored.

/// Implements `Debug`, `Serialize` and `Deserialize` by the text of a type: its `Display`, and a function `parse` from a
/// text to an option. `expected`: what the error for any other text says.
macro_rules! text_form {
    ($type:ty, expected $what:literal) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$type, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(from)?;
                <$type>::parse(&text).ok_or_else(|| serde::de::Error::custom(concat!("expected ", $what)))
            }
        }
    };
}

pub(super) use text_form;
