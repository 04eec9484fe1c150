// How the keys of a Mac differ.

/** Whether the modifier of shortcuts is Cmd. There, Ctrl with a click opens a menu. */
export const isMac = /^(Mac|iP)/.test(navigator.platform);

/** A shortcut such as `Ctrl+Alt+T` with the labels of the keys. */
export const labels = (shortcut) => (isMac ? shortcut.replace("Ctrl+", "Cmd+").replace("Alt+", "Option+") : shortcut);
