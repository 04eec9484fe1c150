// What is different about the keys of a Mac.

/** Whether the key of commands is Cmd. Ctrl with a click opens a menu there. */
export const isMac = /^(Mac|iP)/.test(navigator.platform);

/** A shortcut such as `Ctrl+Alt+T` as the keys are labelled. */
export const labels = (shortcut) => (isMac ? shortcut.replace("Ctrl+", "Cmd+").replace("Alt+", "Option+") : shortcut);
