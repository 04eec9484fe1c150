//! [`Id`]: the name of a stored program, a prefix of the SHA-256 of its bytes.
//!
//! Five bits per character, in an alphabet without look-alikes. Every character is a lower-case letter or a digit, so
//! no chat program mistakes the last one for punctuation and omits it from the link.

use mclive_base::hash::sha256;
use mclive_base::short::{self, ALPHABET};
use std::fmt;

/// A name of at least [`Id::SHORTEST`] characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Id(String);

/// A whole hash in the alphabet of IDs. Each of its prefixes is a possible ID.
pub(crate) struct Spelled([u8; Id::LONGEST]);

impl Id {
    /// 50 bits: with a million programs the probability of a collision is one in two thousand, and then the second
    /// program gets a longer ID.
    pub(crate) const SHORTEST: usize = short::SHORTEST;
    /// All complete characters of a hash.
    pub(crate) const LONGEST: usize = short::LONGEST;

    /// `None`: not a valid ID.
    pub(crate) fn parse(text: &str) -> Option<Id> {
        short::is_id(text).then(|| Id(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of its folder in a file store.
    pub(crate) fn shelf(&self) -> &str {
        &self.0[..2]
    }

    /// Every possible shelf.
    pub(crate) fn shelves() -> impl Iterator<Item = String> {
        let letters = || ALPHABET.iter().map(|byte| char::from(*byte));
        letters().flat_map(move |first| letters().map(move |second| format!("{first}{second}")))
    }

    /// Whether this is an ID of these bytes.
    pub(crate) fn names(&self, content: &[u8]) -> bool {
        Spelled::of(content).text().starts_with(&self.0)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Spelled {
    pub(crate) fn of(content: &[u8]) -> Spelled {
        let hash = sha256(content);
        let bit = |at: usize| usize::from(hash[at / 8] >> (7 - at % 8) & 1);
        let digit = |at: usize| (at * 5..at * 5 + 5).fold(0, |digit, at| digit << 1 | bit(at));
        Spelled(std::array::from_fn(|at| ALPHABET[digit(at)]))
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.0).expect("the alphabet is ASCII")
    }

    /// The possible IDs of these bytes, shortest first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Id> {
        self.ids_from(Id::SHORTEST)
    }

    /// The same from another length on: tests need short ones, which collide.
    pub(super) fn ids_from(&self, shortest: usize) -> impl Iterator<Item = Id> {
        (shortest..=Id::LONGEST).map(|length| Id(self.text()[..length].to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_start_of_the_hash() {
        // e3b0c442… in groups of five bits: 11100 01110 11000 01100 01000 …
        let spelled = Spelled::of(b"");
        assert!(spelled.text().starts_with("wgsea"), "{}", spelled.text());
        let ids: Vec<Id> = spelled.ids().collect();
        assert_eq!((ids.len(), ids[0].as_str().len(), ids[41].as_str().len()), (42, 10, 51));
        assert!(ids.iter().all(|id| id.names(b"") && !id.names(b"a") && Id::parse(id.as_str()).as_ref() == Some(id)));
    }

    #[test]
    fn what_looks_alike_is_no_id() {
        assert!(Id::parse("abcdefghij").is_some() && Id::parse(&"z".repeat(51)).is_some());
        for text in
            ["", "abcdefghi", "abcdefghi0", "abcdefghi1", "abcdefghil", "abcdefghio", "ABCDEFGHIJ", "abcde/../x"]
        {
            assert_eq!(Id::parse(text), None, "{text}");
        }
        assert_eq!(Id::parse(&"z".repeat(52)), None);
        assert!(ALPHABET.iter().all(u8::is_ascii_alphanumeric), "chat programs cut nothing off");
        assert_eq!(Id::shelves().collect::<std::collections::BTreeSet<_>>().len(), 1024);
    }
}
