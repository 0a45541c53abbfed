// Searches without leaving the page: it asks for the main part, which comes again and again as policies are found. Whoever
// stops it keeps those. Without the script the form is an ordinary one, and its answer takes as long as the search.

import { events } from "./events.js";
import { morph } from "./morph.js";
import { brokenOff, request } from "./retry.js";

const $ = (id) => document.getElementById(id);

let running = null; // AbortController of the request under way

document.addEventListener("submit", (event) => {
  if (event.target.id !== "controls") return;
  event.preventDefault();
  ask(`?${new URLSearchParams(new FormData($("controls")))}`, true);
});
document.addEventListener("input", (event) => {
  if (event.target.form?.id === "controls") document.body.classList.add("stale");
});
addEventListener("popstate", () => ask(location.search, false));
if ($("main").dataset.complete !== "true") ask(location.search, false);

// ask searches, and shows what comes; chosen says that the address is to follow.
async function ask(query, chosen) {
  running?.abort();
  const abort = (running = new AbortController());
  say("Searching", 0);
  document.body.classList.remove("stale");
  try {
    const response = await request(`/tune${query}`, { headers: { Accept: "text/html;fragment=main, text/event-stream" }, signal: abort.signal }, "text/event-stream");
    for await (const { kind, data } of events(response)) {
      if (running !== abort) return;
      if (kind === "page") {
        show(data, chosen);
        chosen = false;
      } else if (kind === "progress") say("Searching", data.done / Math.max(data.total, 1));
    }
    if ($("main").dataset.complete !== "true") throw brokenOff();
    $("tune-status").replaceChildren();
    delete $("tune-status").dataset.text;
  } catch (error) {
    if (running !== abort) return;
    if (error.name !== "AbortError") tell(error.message, "Try again", query);
  } finally {
    if (running === abort) running = null;
  }
}

function show(html, chosen) {
  const next = new DOMParser().parseFromString(html, "text/html").getElementById("main");
  const state = next.dataset.state;
  const url = state ? `/tune?${state}` : "/tune";
  if (chosen && !next.querySelector("#problems") && url !== location.pathname + location.search) history.pushState({}, "", url);
  morph($("main"), next, document.activeElement);
}

// say shows how far it is.
function say(text, share) {
  const status = $("tune-status");
  if (status.dataset.text !== text) {
    status.dataset.text = text;
    const progress = Object.assign(document.createElement("progress"), { max: 1, value: 0 });
    progress.setAttribute("aria-label", "Policies run");
    status.replaceChildren(`${text} `, progress, button("Stop", stop));
  }
  status.querySelector("progress").value = share;
}

function stop() {
  running?.abort();
  running = null;
  tell("Stopped. What was found stays.", "Search again", location.search);
}

function tell(text, label, query) {
  $("tune-status").dataset.text = text;
  $("tune-status").replaceChildren(`${text} `, button(label, () => ask(query, false)));
}

function button(label, action) {
  return Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: label, onclick: action });
}
