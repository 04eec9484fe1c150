"use strict";

const state = document.getElementById("state");
const controls = new Map();

for (const form of document.querySelectorAll("form.control")) {
  const { id, value } = form.elements;
  const output = form.querySelector("output");
  let held = value.value;

  const show = () => {
    if (value.type === "range") output.value = value.value;
  };
  const save = async () => {
    const sent = value.value;
    try {
      const body = new URLSearchParams({ id: id.value, value: sent });
      const answer = await fetch("save/", { method: "POST", body });
      const why = answer.ok ? "" : (await answer.json()).error;
      if (answer.ok) held = sent;
      state.textContent = answer.ok ? `Saved ${id.value}.` : `Not saved: ${why}.`;
    } catch {
      state.textContent = "Not saved: the server does not answer.";
    }
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });
  value.addEventListener("input", show);
  if (value.type === "range") value.addEventListener("change", save);
  // What somebody is typing is theirs until they save it.
  controls.set(id.value, (now) => {
    if (value.value === held) value.value = now;
    held = now;
    show();
  });
}

const events = new EventSource("events");
events.addEventListener("message", ({ data }) => {
  const { id, value } = JSON.parse(data);
  controls.get(id)?.(value);
});
events.addEventListener("page", ({ data }) => {
  if (data !== document.querySelector("main").dataset.edition) location.reload();
});
