//! Shortcuts with the key labels of the visitor's keyboard.

/// The labels of shortcuts such as `Mod+S, Alt+N`, where `Mod` is Cmd on a Mac and Ctrl elsewhere. If a Mac has other shortcuts,
/// they follow a bar: `Alt+Left | Ctrl+-`.
pub fn labels(shortcuts: &str, is_mac: bool) -> String {
    let (general, mac) = shortcuts.split_once(" | ").unwrap_or((shortcuts, shortcuts));
    match is_mac {
        true => mac.replace("Mod+", "Cmd+").replace("Alt+", "Option+"),
        false => general.replace("Mod+", "Ctrl+"),
    }
}

#[cfg(test)]
mod tests {
    use super::labels;

    #[test]
    fn a_mac_has_other_labels_and_a_few_other_shortcuts() {
        for (shortcuts, general, mac) in [
            ("Mod+Shift+Enter", "Ctrl+Shift+Enter", "Cmd+Shift+Enter"),
            ("Alt+N, Alt+P", "Alt+N, Alt+P", "Option+N, Option+P"),
            ("Ctrl+Space", "Ctrl+Space", "Ctrl+Space"),
            ("Alt+Left | Ctrl+-", "Alt+Left", "Ctrl+-"),
            ("F12, Mod+click", "F12, Ctrl+click", "F12, Cmd+click"),
        ] {
            assert_eq!((labels(shortcuts, false).as_str(), labels(shortcuts, true).as_str()), (general, mac));
        }
    }
}
