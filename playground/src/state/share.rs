//! Links: what stands behind the `#` of the address. The shape is `c=` and base64url of a version
//! byte and, from version 1 on, the raw deflated text. Deflating is the browser's.

/// The version that new links get. Every older one must open for ever.
pub const VERSION: u8 = 1;

/// What an address asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    Nothing,
    /// The packed program; still to be inflated.
    Program(String),
    /// An example by its name.
    Example(String),
}

/// Reads the part of an address behind the `#`, with or without it.
pub fn asked(fragment: &str) -> Asked {
    let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
    let parts = || fragment.split('&').filter_map(|part| part.split_once('='));
    if let Some((_, packed)) = parts().find(|(name, _)| *name == "c") {
        return Asked::Program(packed.to_owned());
    }
    match parts().find(|(name, _)| *name == "example") {
        Some((_, name)) => Asked::Example(name.to_owned()),
        None => Asked::Nothing,
    }
}

/// The fragment of a packed program.
pub fn fragment(packed: &str) -> String {
    format!("#c={packed}")
}

/// Can this page open links of this version? `Err` is a sentence for people.
pub fn check_version(version: i32) -> Result<(), String> {
    match version {
        1 => Ok(()),
        2.. => Err("this link was made by a newer version of the playground".into()),
        _ => Err("this link is damaged: it does not begin like one of ours".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_read() {
        assert_eq!(asked(""), Asked::Nothing);
        assert_eq!(asked("#c=AbC-_"), Asked::Program("AbC-_".into()));
        assert_eq!(asked("#example=clock"), Asked::Example("clock".into()));
        assert_eq!(asked("#other"), Asked::Nothing);
        assert_eq!(asked(&fragment("xyz")), Asked::Program("xyz".into()));
    }

    #[test]
    fn versions_are_told_apart() {
        assert!(check_version(i32::from(VERSION)).is_ok());
        assert!(check_version(9).is_err() && check_version(0).is_err() && check_version(-1).is_err());
    }
}
