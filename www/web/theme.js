// Sets the theme before the first paint: the visitor's own choice, else the system's. In a frame, whoever embeds it chooses.
try {
  const asked = new URLSearchParams(location.hash.slice(1)).get("theme");
  const chosen = document.documentElement.dataset.embed === undefined ? localStorage.getItem("mclive.theme") : asked;
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be closed to us; the system's theme is good then.
}
