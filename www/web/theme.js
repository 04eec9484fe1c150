// What a page needs before its own script: its theme, and a word if that script does not come.

// The theme before the first paint: the visitor's own choice, else the system's. In a frame, whoever embeds it chooses.
try {
  const asked = new URLSearchParams(location.hash.slice(1)).get("theme");
  const chosen = document.documentElement.dataset.embed === undefined ? localStorage.getItem("mclive.theme") : asked;
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be closed to us; the system's theme is good then.
}

// The line may fail, or the script be gone with an old release.
addEventListener("error", ({ target }) => {
  const shell = document.getElementById("loading");
  if (!shell || !(target instanceof HTMLScriptElement)) return;
  shell.dataset.failed = "";
  shell.textContent = "The page failed to start: its script could not be loaded. Check the connection, and reload the page.";
}, true);
