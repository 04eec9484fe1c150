//! Passwords that the host draws, and the token in which one is kept for the next run.

use super::subject::never;
use super::{Change, Effect, Listen, Look};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Fact }

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Token`: what is kept for the resource.
    Token,
    /// → `Drawn`: this many letters, each as likely as any other. Nothing is kept of it.
    Draw { length: u32 },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// `None`: nothing is kept.
    Token(Option<Secret>),
    Drawn(Secret),
}

/// Keeps a token for the resource: the password, or nothing but the fact that one was drawn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub token: Secret,
    /// It takes the place of another one.
    pub replaces: bool,
}

/// The token of a resource.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    pub name: String,
}

/// A text that is shown to nobody: it has no words, and a trace has another one in its place.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secret({} characters)", self.0.chars().count())
    }
}

/// What passwords are made of.
pub const LETTERS: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A password of random bytes. Those that would make some letters likelier than others are left out; `None` when not
/// enough are left.
pub fn password(length: u32, bytes: impl IntoIterator<Item = u8>) -> Option<Secret> {
    // The largest multiple of the letters that fits into a byte.
    let even = u8::try_from(256 / LETTERS.len() * LETTERS.len()).ok()?;
    let letters = bytes.into_iter().filter(|byte| *byte < even).map(|byte| LETTERS[usize::from(byte) % LETTERS.len()]);
    let text: String = letters.take(length as usize).map(char::from).collect();
    (text.len() == length as usize).then_some(Secret(text))
}

impl Look for Probe {
    type Finding = Finding;

    /// Another draw is another password.
    fn repeats(&self) -> bool {
        match self {
            Probe::Token => true,
            Probe::Draw { .. } => false,
        }
    }

    fn secrets(finding: &mut Finding) -> Vec<&mut Secret> {
        match finding {
            Finding::Token(token) => token.iter_mut().collect(),
            Finding::Drawn(password) => vec![password],
        }
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str(if self.replaces { "replace the password" } else { "generate a password" })
    }

    fn effect(&self) -> Effect {
        Effect::Host
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        write!(f, "the password token of {}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_as_likely_as_any_other() {
        let drawn = password(208, 0..=255).unwrap();
        let counts = LETTERS.map(|letter| drawn.0.bytes().filter(|other| *other == letter).count());
        assert_eq!(counts, [4; 52]);
        assert_eq!(password(209, 0..=255), None, "what would be likelier is left out");
        assert_eq!(password(0, []), Some(Secret::default()));
        assert_eq!(format!("{drawn:?}"), "Secret(208 letters)");
    }
}
