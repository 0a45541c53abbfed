// Lessons: a guess or a control that moves asks the server for the page that its form would lead to, and takes from it
// what has changed. Arrow keys turn the screens on a projector. What was seen is kept in the browser. Without the
// script, forms and links do the same.

import { morph } from "./morph.js";
import { broken, request } from "./retry.js";
import { say } from "./say.js";
import "./share.js";

const $ = (id) => document.getElementById(id);
const seenKey = "stampede-seen"; // in the browser's storage: ids of screens

let running = null; // AbortController of the request under way

document.documentElement.classList.add("live");
document.addEventListener("change", (event) => {
  if (event.target.form?.id === "switchboards") follow(event.target.form);
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-live]")) return;
  event.preventDefault();
  follow(event.target);
});
document.addEventListener("click", (event) => {
  const projector = event.target.closest?.("a.projector");
  if (projector) projector.search = projected(); // the stages have moved on since the page was made
  const link = event.target.closest?.(".question a");
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  ask(link.getAttribute("href"));
});
document.addEventListener("keydown", turn);
addEventListener("popstate", () => ask(location.pathname + location.search, true));
progress();

// projected is the query of what is shown, on a projector or no longer on one.
function projected() {
  const query = new URLSearchParams(location.search);
  if (!query.has("projector")) query.set("projector", 1);
  else query.delete("projector");
  return query;
}

function follow(form) {
  ask(`${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`);
}

// ask requests a page and shows it. Whatever was asked before is given up.
async function ask(url, moved = false) {
  running?.abort();
  const abort = (running = new AbortController());
  document.body.classList.add("stale");
  try {
    const response = await request(url, { signal: abort.signal }, "text/html");
    const page = new DOMParser().parseFromString(await response.text().catch(broken), "text/html");
    if (running === abort) show(page, new URL(response.url), moved);
  } catch (error) {
    if (running === abort && error.name !== "AbortError") say(error.message, () => ask(url, moved));
  }
}

// show puts an answer in place. Where a question has just been answered, that is what is read next.
function show(page, url, moved) {
  say();
  const main = page.getElementById("main");
  const answered = !$("said") && main.querySelector("#said");
  const asking = $("said") && !main.querySelector("#said");
  if (!moved && url.pathname + url.search !== location.pathname + location.search) history.pushState(null, "", url);
  document.body.className = page.body.className;
  morph($("main"), main, moved ? null : document.activeElement);
  document.title = page.title;
  progress();
  if (answered) $("said").focus({ preventScroll: true });
  else if (asking) $("question").querySelector("input[type=radio]").focus();
  else $("spoken").textContent = "The figures are up to date.";
}

// turn goes to another screen: by the arrow keys and those of a presenter's remote control, on a projector alone and
// where the focus does not need them: a choice that was made needs the arrows only. Escape leaves the projector.
function turn(event) {
  if (!document.body.classList.contains("projected") || event.defaultPrevented) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const choice = event.key.startsWith("Arrow") ? "input" : "input:not([type=radio])";
  if (event.target.closest(`${choice}, select, textarea, .scroll`)) return;
  const link = {
    ArrowRight: "#turn .next", PageDown: "#turn .next", ArrowLeft: "#turn .back", PageUp: "#turn .back", Escape: ".projector",
  }[event.key];
  const to = link && document.querySelector(link);
  if (!to) return;
  event.preventDefault();
  to.click();
}

// progress marks what was seen. A screen is once its question, if there is one, is answered.
function progress() {
  const seen = read();
  const screen = document.querySelector("main.lesson")?.dataset.screen;
  if (screen && !document.querySelector("form.question")) {
    seen.add(screen);
    write(seen);
  }
  const marks = [...document.querySelectorAll("[data-screen]:is(li)")];
  for (const mark of marks) {
    const known = seen.has(mark.dataset.screen);
    mark.classList.toggle("seen", known);
    if (known && !mark.querySelector(".mark-seen")) {
      mark.querySelector("a").append(Object.assign(document.createElement("span"), { className: "unseen mark-seen", textContent: " (seen)" }));
    } else if (!known) {
      mark.querySelector(".mark-seen")?.remove();
    }
  }
  const told = $("progress");
  if (!told) return;
  const count = marks.filter((mark) => mark.classList.contains("seen")).length;
  told.hidden = count === 0;
  told.querySelector("span").textContent = `You have seen ${count} of ${marks.length} screens.`;
  told.querySelector("button").onclick = () => {
    write(new Set());
    progress();
    document.querySelector("main a").focus();
  };
}

function read() {
  try {
    return new Set(JSON.parse(localStorage.getItem(seenKey)) ?? []);
  } catch {
    return new Set(); // no storage, or someone else's
  }
}

function write(seen) {
  try {
    localStorage.setItem(seenKey, JSON.stringify([...seen]));
  } catch {
    // a browser that keeps nothing
  }
}
