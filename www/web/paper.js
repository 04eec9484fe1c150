// A graph has another size on paper than on the screen: what its window shows is scaled to fit there.
const canvases = () => document.querySelectorAll(".graph > .canvas");

addEventListener("beforeprint", () => {
  for (const canvas of canvases()) {
    const { width, height } = canvas.getBoundingClientRect();
    if (width > 0 && height > 0) canvas.setAttribute("viewBox", `0 0 ${width} ${height}`);
  }
});

addEventListener("afterprint", () => {
  for (const canvas of canvases()) canvas.removeAttribute("viewBox");
});
