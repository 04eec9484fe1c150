// Sets the theme before the first paint: the visitor's own choice, else the system's.
try {
  const chosen = localStorage.getItem("mclive.theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be closed to us; the system's theme is good then.
}
