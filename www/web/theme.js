// What a page needs before its own script: its theme, and a word if that script does not come.

// The theme before the first paint: the visitor's own choice, else the system's. In a frame, whoever embeds it chooses.
try {
  const asked = new URLSearchParams(location.hash.slice(1)).get("theme");
  const chosen = document.documentElement.dataset.embed === undefined ? localStorage.getItem("mclive.theme") : asked;
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be closed to us; the system's theme is good then.
}

/** Why an error keeps the page from starting, and what to do; undefined if it does not. */
function reason({ target, error }) {
  // The line may fail, or the script be gone with an old release.
  if (target instanceof HTMLScriptElement) return "its script could not be loaded. Check the connection, and reload the page.";
  // Nothing of a script runs if a browser does not know some of its words.
  if (error instanceof SyntaxError) return "this browser does not understand its script. Use a newer browser.";
  return undefined;
}

addEventListener("error", (event) => {
  const shell = document.getElementById("loading");
  const why = reason(event);
  if (!shell || why === undefined) return;
  shell.dataset.failed = "";
  shell.textContent = `The page failed to start: ${why}`;
}, true);
