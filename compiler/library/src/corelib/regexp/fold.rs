//! Characters that differ only by case: Unicode's simple folding.

use crate::unicode;

/// The character, and those that differ from it only by case.
pub(super) fn cases(char: u32) -> impl Iterator<Item = u32> {
    let mut out = [Some(char), None, None, None];
    if let Some(known) = char::from_u32(char) {
        // Most texts are ASCII, where only these two letters are special.
        let is_plain = known.is_ascii() && !matches!(known, 'K' | 'k' | 'S' | 's');
        let group = if is_plain { None } else { GROUPS.iter().find(|group| group.contains(known)) };
        match group {
            Some(group) => {
                for (place, char) in out.iter_mut().zip(group.chars()) {
                    *place = Some(char.into());
                }
            }
            None => {
                out[1] = Some(unicode::to_lower(known).into()).filter(|other| *other != char);
                out[2] = Some(unicode::to_upper(known).into()).filter(|other| *other != char);
            }
        }
    }
    out.into_iter().flatten()
}

/// Groups in which a small and a capital letter are not exactly each other's mapping.
static GROUPS: [&str; 30] = [
    "Kk\u{212a}",
    "Ss\u{17f}",
    "\u{b5}\u{39c}\u{3bc}",
    "\u{c5}\u{e5}\u{212b}",
    "\u{df}\u{1e9e}",
    "\u{130}",
    "\u{131}",
    "\u{1c4}\u{1c5}\u{1c6}",
    "\u{1c7}\u{1c8}\u{1c9}",
    "\u{1ca}\u{1cb}\u{1cc}",
    "\u{1f1}\u{1f2}\u{1f3}",
    "\u{345}\u{399}\u{3b9}\u{1fbe}",
    "\u{392}\u{3b2}\u{3d0}",
    "\u{395}\u{3b5}\u{3f5}",
    "\u{398}\u{3b8}\u{3d1}\u{3f4}",
    "\u{39a}\u{3ba}\u{3f0}",
    "\u{3a0}\u{3c0}\u{3d6}",
    "\u{3a1}\u{3c1}\u{3f1}",
    "\u{3a3}\u{3c2}\u{3c3}",
    "\u{3a6}\u{3c6}\u{3d5}",
    "\u{3a9}\u{3c9}\u{2126}",
    "\u{412}\u{432}\u{1c80}",
    "\u{414}\u{434}\u{1c81}",
    "\u{41e}\u{43e}\u{1c82}",
    "\u{421}\u{441}\u{1c83}",
    "\u{422}\u{442}\u{1c84}\u{1c85}",
    "\u{42a}\u{44a}\u{1c86}",
    "\u{462}\u{463}\u{1c87}",
    "\u{1c88}\u{a64a}\u{a64b}",
    "\u{1e60}\u{1e61}\u{1e9b}",
];
