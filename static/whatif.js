// Keeps "What if", the sweep under the rows, up to date: it asks when the section comes into view, when one of its
// controls changes and, after a pause, when the scenario has changed. The server sends the section again and again while
// points are finished; whoever stops it keeps those.

import { draw } from "./charts.js";
import { events } from "./events.js";
import { morph } from "./morph.js";
import { brokenOff, request, waitBefore, waiting } from "./retry.js";
import { push, replace } from "./undo.js";

const pause = 400; // ms after the rows have changed: whoever still moves a slider wants the rows
const keys = ["sweep", "measure", "runs"]; // of the address

const $ = (id) => document.getElementById(id);

let running = null; // AbortController of the request under way
let visible = false;
let dirty = false; // a control says what no answer has taken up
let stopped = false; // by the reader, who must ask for more
let timer = 0;
let failures = 0; // in a row
let notBefore = 0; // performance.now() when the server may be asked again after one

// whatIf follows the page: it is called when rows have been put in place; moved says that the address came first.
export function whatIf(moved = false) {
  const section = $("what-if");
  if (!section.dataset.live) start(section);
  if (moved) dirty = false;
  else if (own(section.dataset.state) !== own($("main").dataset.state)) dirty = true;
  stopped = false;
  running?.abort(); // it is for the rows of before
  running = null;
  later(pause);
}

function start(section) {
  section.dataset.live = "";
  section.addEventListener("submit", submitted);
  section.addEventListener("change", changed);
  document.addEventListener("input", (event) => {
    if (event.target.form?.id === "controls" || event.target.type === "range") running?.abort();
  });
  new IntersectionObserver(
    (entries) => {
      visible = entries.at(-1).isIntersecting;
      later(0);
    },
    { rootMargin: "0px 0px 300px 0px" },
  ).observe(section);
}

// own is the part of an address that is the section's.
function own(state) {
  const query = new URLSearchParams(state);
  return keys.map((key) => query.getAll(key).join("&")).join("&");
}

function submitted(event) {
  event.preventDefault();
  event.stopPropagation();
  ask(true);
}

function changed(event) {
  event.stopPropagation();
  ask(true);
}

function later(wait) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const section = $("what-if");
    const current = section.dataset.complete === "true" && section.dataset.state === $("main").dataset.state;
    if (!current) section.classList.add("old");
    if (visible && !stopped && !running && (dirty || !current)) ask(false);
  }, Math.max(wait, notBefore - performance.now()));
}

// ask requests the section for the scenario on the page. chosen says that the reader changed the section.
async function ask(chosen) {
  running?.abort();
  const abort = (running = new AbortController());
  dirty ||= chosen;
  stopped = false;
  let from = $("main").dataset.state;
  const query = new URLSearchParams(dirty ? new FormData($("what-if-form")) : {});
  query.set("from", from);
  const began = performance.now();
  say("Simulating every point", 0);
  try {
    const response = await request(`/what-if?${query}`, { headers: { Accept: "text/html;fragment=what-if, text/event-stream" }, signal: abort.signal }, "text/event-stream");
    for await (const { kind, data } of events(response)) {
      if (running !== abort || from !== $("main").dataset.state) return; // the rows have moved on
      if (kind === "page") from = show(data, chosen);
      else if (kind === "progress") say("Simulating every point", data.done / data.total, began);
    }
    if ($("what-if").dataset.complete !== "true") throw brokenOff();
    failures = 0;
    hush();
  } catch (error) {
    if (running !== abort || stopped) return;
    if (error.name !== "AbortError") return failed(error);
    hush(); // a control of the scenario moves
    later(3 * pause);
  } finally {
    if (running === abort) running = null;
  }
}

// show puts what has come in place, makes its address that of the page, and returns that.
function show(html, chosen) {
  const next = new DOMParser().parseFromString(html, "text/html").getElementById("what-if");
  const section = $("what-if");
  const focus = document.activeElement;
  dirty = false;
  section.dataset.state = next.dataset.state;
  section.dataset.complete = next.dataset.complete;
  section.classList.remove("old");
  for (const id of ["what-if-form", "what-if-problems"]) morph($(id), next.querySelector(`#${id}`), focus);
  const results = next.querySelector("#what-if-results");
  if (results.querySelector("figure") || !$("what-if-results").querySelector("figure")) morph($("what-if-results"), results);
  else section.classList.add("old");
  draw();
  const state = next.dataset.state;
  if (state === $("main").dataset.state) return state;
  $("main").dataset.state = state;
  $("controls").elements.from.value = state;
  const address = state ? `/?${state}` : "/";
  if (chosen) push(address);
  else replace(address);
  return state;
}

// say shows how far it is, with the time left once that can be told.
function say(text, share, began) {
  const status = $("what-if-status");
  if (status.dataset.text !== text) {
    status.dataset.text = text;
    const progress = Object.assign(document.createElement("progress"), { max: 1, value: 0 });
    progress.setAttribute("aria-label", "Points done");
    const left = document.createElement("span");
    left.setAttribute("aria-hidden", "true");
    fill(`${text} `, progress, left, button("Stop", stop));
  }
  status.querySelector("progress").value = share;
  const elapsed = (performance.now() - began) / 1000;
  const left = share > 0.02 && elapsed > 1 ? (elapsed / share) * (1 - share) : null;
  status.querySelector("span").textContent = left === null ? "" : `about ${Math.max(1, Math.round(left))} s left`;
}

function stop() {
  stopped = true;
  running?.abort();
  running = null;
  tell("Stopped. The points that are done stay.", ["Go on", again]);
}

// failed says what went wrong. Where it may pass, it tries again as long as the section is looked at.
function failed(error) {
  $("what-if").classList.add("old");
  if (!error.again) return tell(error.message, ["Try again", again]);
  const wait = waitBefore(error, failures++);
  const leave = () => {
    stopped = true;
    tell(error.message, ["Try again", again]);
  };
  tell(waiting(error, wait), ["Now", again], ["Stop trying", leave]);
  notBefore = performance.now() + wait;
  later(0);
}

function again() {
  ask(false);
}

function tell(text, ...buttons) {
  $("what-if-status").dataset.text = text;
  fill(`${text} `, ...buttons.map(([label, action]) => button(label, action)));
}

function hush() {
  delete $("what-if-status").dataset.text;
  fill();
}

// fill replaces what the status says. The focus stays there, or else goes to the controls.
function fill(...content) {
  const status = $("what-if-status");
  const focused = status.contains(document.activeElement);
  status.replaceChildren(...content);
  if (focused) (status.querySelector("button") ?? $("what-if-form").querySelector("select")).focus();
}

function button(label, action) {
  return Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: label, onclick: action });
}
