// Keeps a page that is worked out from its form up to date while its controls move: it asks the server for the page that
// the form would lead to, and takes from it what has changed. Without the script the form is an ordinary one.

import { draw } from "./charts.js";
import "./export.js";
import { morph } from "./morph.js";
import { broken, request } from "./retry.js";
import { say } from "./say.js";
import { push, replace, undoing } from "./undo.js";

const typingPause = 200; // ms after a keystroke before asking

const $ = (id) => document.getElementById(id);

let running = null; // AbortController of the request under way
let typing = 0; // timer
let gesture = 1; // number of the change under way: from the first keystroke in a field until it is let go of
let recorded = 0; // the one that the history's last entry belongs to
let field = ""; // in which it is; empty: let go of

document.documentElement.classList.add("live");
document.addEventListener("input", (event) => {
  if (event.target.form?.id !== "controls") return;
  if (event.target.name !== field) gesture++;
  field = event.target.name;
  clearTimeout(typing);
  typing = setTimeout(() => ask(asked()), event.target.nodeName === "INPUT" && event.target.type !== "checkbox" ? typingPause : 0);
});
document.addEventListener("change", () => (field = ""));
document.addEventListener("submit", (event) => {
  if (event.target.id !== "controls") return;
  event.preventDefault();
  clearTimeout(typing);
  if (event.submitter?.name) gesture++;
  ask(asked(event.submitter));
});
addEventListener("popstate", () => {
  field = "";
  recorded = 0;
  ask(location.search, true);
});
undoing();
draw();

function asked(button = null) {
  return `?${new URLSearchParams(new FormData($("controls"), button))}`;
}

// ask requests a page and shows it. Whatever was asked before is given up.
async function ask(query, moved = false) {
  running?.abort();
  const abort = (running = new AbortController());
  try {
    const response = await request(`${location.pathname}${query}`, { signal: abort.signal }, "text/html");
    const page = new DOMParser().parseFromString(await response.text().catch(broken), "text/html");
    if (running === abort) show(page.getElementById("main"), moved);
  } catch (error) {
    if (running === abort && error.name !== "AbortError") say(error.message, () => ask(query, moved));
  }
}

// show puts an answer in place. The control in use keeps what is in it.
function show(main, moved) {
  say();
  const url = main.dataset.state ? `${location.pathname}?${main.dataset.state}` : location.pathname;
  if (!moved && url !== location.pathname + location.search) {
    if (gesture === recorded) replace(url);
    else push(url);
    recorded = gesture;
  }
  morph($("main"), main, moved ? null : document.activeElement);
  document.title = `${document.querySelector("h1").textContent} · Stampede`;
  draw();
}
