// The reference's search: the list of entries follows what is typed, best first. The arrows move through
// it, Enter goes to an entry, `/` comes back to the search, Escape empties it. The entry or section that the address names can be
// saved as a picture.
import { saveArticle } from "./article.js";

const field = document.getElementById("find");
const list = document.getElementById("entries");
const status = document.getElementById("found");
const items = [...list.children];
const groups = items.filter((item) => item.classList.contains("group"));

/** The entries with what is searched: the name apart, since a hit in it counts more. */
const entries = items.filter((item) => !item.classList.contains("group")).map((item) => {
  const link = item.querySelector("a");
  const article = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  const name = link.textContent.toLowerCase();
  return { item, name, last: name.split(/[./:]/).at(-1), text: article.textContent.toLowerCase() };
});

/** How well an entry answers, less is better; Infinity: not at all. */
function rank({ name, last, text }, words) {
  let sum = 0;
  for (const word of words) {
    if (name === word || last === word) sum += 0;
    else if (last.startsWith(word)) sum += 1;
    else if (name.startsWith(word)) sum += 2;
    else if (name.includes(word)) sum += 3;
    else if (text.includes(word)) sum += 9;
    else return Infinity;
  }
  return sum;
}

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.classList.toggle("searching", words.length > 0);
  if (words.length === 0) {
    for (const item of items) item.hidden = false;
    list.replaceChildren(...items);
    status.textContent = "";
    return;
  }
  const ranked = entries.map((entry) => ({ entry, rank: rank(entry, words) }));
  // Sorting keeps the page's order among equals.
  const hits = ranked.filter((one) => one.rank < Infinity).sort((a, b) => a.rank - b.rank).map((one) => one.entry.item);
  const none = Object.assign(document.createElement("li"), { className: "none", textContent: "No matches." });
  list.replaceChildren(...(hits.length ? hits : [none]));
  list.scrollTop = 0;
  status.textContent = hits.length === 1 ? "1 entry" : `${hits.length} entries`;
}

function move(step) {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement) + step;
  if (at < 0) field.focus();
  else links[Math.min(at, links.length - 1)]?.focus();
}

field.addEventListener("input", search);
document.querySelector(".finder").addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") move(1);
  else if (event.key === "ArrowUp") move(-1);
  else if (event.key === "Enter" && event.target === field) list.querySelector("a")?.click();
  else if (event.key === "Escape") {
    field.value = "";
    search();
    field.focus();
  } else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target === field || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
  field.select();
});

/** The button that saves an entry or a section as a picture; it is in the one that the address names. */
const pictures = document.createElement("div");
pictures.className = "pictures";
pictures.setAttribute("role", "group");
const failed = document.createElement("span");
failed.setAttribute("role", "status");
for (const form of ["SVG", "PNG"]) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: form });
  button.addEventListener("click", async () => {
    failed.textContent = "";
    try {
      await saveArticle(pictures.closest("article, section"), form);
    } catch (why) {
      failed.textContent = `Cannot save the picture: ${why}.`;
    }
  });
  pictures.append(button);
}
pictures.append(failed);

/** Says what they save. */
function namePictures(what) {
  pictures.setAttribute("aria-label", `Save this ${what} as a picture`);
  for (const button of pictures.querySelectorAll("button")) {
    button.setAttribute("aria-label", `Save this ${what} as ${button.textContent}`);
    button.title = `Save this ${what} as a picture (${button.textContent})`;
  }
}

/** Shows which entry the address names; a page of the manual may be a kind or a module too. */
function arrive() {
  let name = "";
  try {
    name = decodeURIComponent(location.hash.slice(1));
  } catch {
    // An address that was cut in the middle of a character names nothing.
  }
  if (!name) return;
  const place = ["", "kind:", "module:"].map((kind) => document.getElementById(kind + name)).find(Boolean);
  for (const old of document.querySelectorAll(".arrived")) old.classList.remove("arrived");
  pictures.remove();
  if (!place) return;
  place.classList.add("arrived");
  const title = place.matches("section > h2") ? place : place.matches("article") && place.querySelector("h3");
  if (title) {
    namePictures(title === place ? "section" : "entry");
    title.after(pictures);
  }
  if (place.id !== name) place.scrollIntoView();
  for (const link of list.querySelectorAll("a[aria-current]")) link.removeAttribute("aria-current");
  const link = items.map((item) => item.firstElementChild).find((link) => decodeURIComponent(link.hash.slice(1)) === place.id);
  link?.setAttribute("aria-current", "true");
  // Only the list scrolls, not the page.
  if (link && !list.classList.contains("searching")) list.scrollTop = link.offsetTop - list.clientHeight / 3;
  // The next Tab continues from there.
  if (list.contains(document.activeElement) || document.activeElement === field) {
    place.querySelector("a")?.focus({ preventScroll: true });
  }
  // On a small screen the list would lie over the place.
  if (matchMedia("(max-width: 760px)").matches && field.value) {
    field.value = "";
    search();
  }
}
addEventListener("hashchange", arrive);

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("mclive.theme", root.dataset.theme);
  } catch {
    // Storage may be closed to us; the choice lasts as long as the page.
  }
});

if (field.value) search();
arrive();
