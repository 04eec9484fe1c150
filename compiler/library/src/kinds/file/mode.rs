//! The mode of a file: an octal number, or symbolic assignments (`u=rwx,g=rx,o=`). Resource spec,
//! 2.1.

/// A wanted mode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mode {
    kind: ModeKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum ModeKind {
    Octal(u32),
    Symbolic(Vec<Assignment>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Assignment {
    /// Of `u`, `g`, `o`.
    who: [bool; 3],
    /// Of `r`, `w`, `x` as bits.
    rwx: u32,
    set_id: bool,
    sticky: bool,
}

impl Mode {
    /// Parses a mode. Errors: the part that is invalid.
    pub(crate) fn parse(text: &str) -> Result<Mode, String> {
        let octal = !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
        if octal && let Ok(bits) = u32::from_str_radix(text, 8) {
            return Ok(Mode { kind: ModeKind::Octal(bits) });
        }
        let is_decimal = text.contains(['8', '9']) && text.bytes().all(|byte| byte.is_ascii_digit());
        let assignments = symbolic(text).map_err(|why| {
            let why = if is_decimal { "octal digits are 0 to 7".to_owned() } else { why };
            format!("`mode` must be octal (`0644`) or symbolic (`u=rw,g=r,o=r`), not `{text}`: {why}")
        })?;
        Ok(Mode { kind: ModeKind::Symbolic(assignments) })
    }

    /// Whether it leaves some bits unchanged.
    pub(crate) fn is_partial(&self) -> bool {
        match &self.kind {
            ModeKind::Octal(_) => false,
            ModeKind::Symbolic(assignments) => {
                !(0..3).all(|who| assignments.iter().any(|assignment| assignment.who[who]))
            }
        }
    }

    /// The twelve permission bits for a file with these bits; a new file has none.
    pub(crate) fn of(&self, current: u32) -> u32 {
        match &self.kind {
            ModeKind::Octal(bits) => bits & 0o7777,
            ModeKind::Symbolic(assignments) => {
                assignments.iter().fold(current & 0o7777, |bits, assignment| assignment.apply(bits))
            }
        }
    }
}

impl Assignment {
    fn apply(&self, mut bits: u32) -> u32 {
        // For each class the shift of its three bits, and its set-id bit; others have none.
        for (who, (shift, set_id)) in self.who.iter().zip([(6, 0o4000), (3, 0o2000), (0, 0)]) {
            if *who {
                bits &= !(0o7 << shift | set_id);
                bits |= self.rwx << shift;
                bits |= if self.set_id { set_id } else { 0 };
            }
        }
        // Assigning to others never clears the sticky bit.
        bits | if self.sticky { 0o1000 } else { 0 }
    }
}

fn symbolic(text: &str) -> Result<Vec<Assignment>, String> {
    let mut taken = [false; 3];
    let mut assignments = Vec::new();
    let n_items = text.split(',').count();
    for item in text.split(',') {
        if item.is_empty() && n_items > 1 {
            return Err("one of the items is empty".into());
        }
        let (who, what) = item.split_once('=').ok_or_else(|| format!("`{item}` has no `=`"))?;
        if what.contains('=') {
            return Err(format!("`{item}` has two `=`"));
        }
        let everyone = who.bytes().all(|byte| byte == b'a');
        if everyone && n_items > 1 {
            return Err(format!("`{item}` means everyone, so it must be the only item"));
        }
        let who = if everyone { [true; 3] } else { subjects(who)? };
        for (taken, who) in taken.iter_mut().zip(who) {
            if *taken && who {
                return Err("each of `u`, `g` and `o` may appear only once in a symbolic mode".into());
            }
            *taken |= who;
        }
        assignments
            .push(assignment(who, what).ok_or_else(|| format!("`{what}` is not made of `r`, `w`, `x`, `s` and `t`"))?);
    }
    Ok(assignments)
}

fn subjects(who: &str) -> Result<[bool; 3], String> {
    let mut subjects = [false; 3];
    for letter in who.chars() {
        if letter == 'a' {
            return Err("`a` means everyone, so it cannot be combined with other letters".into());
        }
        let at = "ugo".find(letter).ok_or_else(|| format!("`{letter}` is not `u`, `g`, `o` or `a`"))?;
        if std::mem::replace(&mut subjects[at], true) {
            return Err("each of `u`, `g` and `o` may appear only once in a symbolic mode".into());
        }
    }
    Ok(subjects)
}

fn assignment(who: [bool; 3], what: &str) -> Option<Assignment> {
    let mut assignment = Assignment { who, rwx: 0, set_id: false, sticky: false };
    for letter in what.chars() {
        match letter {
            'r' => assignment.rwx |= 4,
            'w' => assignment.rwx |= 2,
            'x' => assignment.rwx |= 1,
            's' => assignment.set_id = true,
            't' => assignment.sticky = true,
            _ => return None,
        }
    }
    Some(assignment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, current: u32, expect: u32) {
        assert_eq!(Mode::parse(text).map(|mode| mode.of(current)), Ok(expect), "{text}");
    }

    #[test]
    fn octal_is_the_mode_itself() {
        check("0644", 0, 0o644);
        check("4755", 0o777, 0o4755);
        check("100644", 0, 0o644);
    }

    #[test]
    fn symbolic_starts_from_the_current_mode() {
        check("u=rwx,g=rx,o=", 0o7777, 0o1750);
        check("u=", 0o777, 0o077);
        check("=r", 0o777, 0o444);
        check("aaa=r", 0o777, 0o444);
        check("u=rr", 0, 0o400);
        check("ug=s", 0o777, 0o6007);
        check("u=t", 0, 0o1000);
        check("o=s", 0o007, 0);
    }

    #[test]
    fn partial_modes_name_not_everybody() {
        for (text, expect) in [("644", false), ("u=rwx,g=rx", true), ("u=rwx,g=rx,o=", false), ("=r", false)] {
            assert_eq!(Mode::parse(text).map(|mode| mode.is_partial()), Ok(expect), "{text}");
        }
    }

    #[test]
    fn a_malformed_mode_is_reported_with_its_reason() {
        for (text, expect) in [
            ("u=r,", "one of the items is empty"),
            ("au=r", "`a` means everyone, so it cannot be combined with other letters"),
            ("z=r", "`z` is not `u`, `g`, `o` or `a`"),
        ] {
            let error = Mode::parse(text).unwrap_err();
            assert!(error.ends_with(expect), "{error}");
        }
    }

    #[test]
    fn malformed_modes() {
        for text in
            ["", "888", "0o644", "u+x", "uu=r", "a=r,o=", "u=r,u=w", "u=r g=r", "x=r", "u=q", "u=r,", "40000000000"]
        {
            assert!(Mode::parse(text).is_err(), "{text}");
        }
    }
}
