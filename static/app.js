// Keeps the compare page up to date while its controls move. The server renders the same page for everyone; this script
// asks it for the part that changes and puts that in place. Without the script the form is an ordinary one.

import { events } from "./events.js";
import { morph } from "./morph.js";
import { broken, brokenOff, request, waitBefore, waiting } from "./retry.js";
import { documents, taken as documentTaken } from "./documents.js";
import { shortcuts } from "./keys.js";
import { tabs } from "./tabs.js";
import "./share.js";
import { push, replace, undoing } from "./undo.js";

const typingPause = 200; // ms after a keystroke before asking
const patience = 300; // ms before a run that goes on is announced
const youth = 150; // ms that a request may take before a newer one replaces it

const $ = (id) => document.getElementById(id);

const commands = []; // buttons pressed that no answer has taken up yet
let posted = null; // a form with a document that no answer has taken up yet
let running = null; // the request under way: {abort, began, query, taken, moved, first}
let late = false; // something changed that no request carries
let gesture = false; // the history's last entry belongs to a change that is still going on
let committed = false; // …and has been let go of
let typing = 0; // timer of what is to be asked for soon; 0: nothing is
let failures = 0; // in a row

document.documentElement.classList.add("live");
document.addEventListener("input", changed);
document.addEventListener("change", letGo);
document.addEventListener("submit", submitted);
document.addEventListener("click", followed);
addEventListener("popstate", revisited);
documents(post, (why) => say(why, [["OK", hush]]));
undoing();
shortcuts((text) => {
  command(text);
  next();
});
dress();

// What happens to the controls

function changed(event) {
  const field = event.target;
  if (field.type === "range") {
    const input = $(field.dataset.for);
    input.value = field.dataset.stops.split(" ")[field.value];
    speak(field, input);
  } else if (!field.form || field.form.id !== "controls") {
    return;
  }
  clearTimeout(typing);
  if (field.nodeName === "SELECT" || field.type === "range") next();
  else typing = setTimeout(next, typingPause);
}

function letGo() {
  committed = true;
  if (typing || edits().length > 0) next(); // what was put back to what it was may have been asked for otherwise, or refused
  else if (!running) gesture = committed = false;
}

function submitted(event) {
  if (event.target.id !== "controls") return;
  event.preventDefault();
  const button = event.submitter;
  if (button?.name === "do") command(button.value);
  next();
}

// followed takes a link that stands for a button for one.
function followed(event) {
  const link = event.target.closest("a[data-do]");
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  command(link.dataset.do);
  next();
}

function command(text) {
  commands.push(text);
  committed = true;
  gesture = false;
}

// revisited shows what the history leads to; what was under way is no part of that.
function revisited() {
  commands.length = 0;
  posted = null;
  ask(location.search, { moved: true });
}

// edits are the controls that differ from what the server knows, and the buttons pressed.
function edits() {
  const fields = [...$("controls").elements].filter((e) => e.name && e.type !== "submit" && e.type !== "hidden" && differs(e));
  const ticked = new Set(fields.filter((e) => e.type === "checkbox").map((e) => e.name));
  return [
    ...fields.filter((e) => e.type !== "checkbox").map((e) => [e.name, e.value]),
    ...[...ticked].flatMap(boxes),
    ...commands.map((c) => ["do", c]),
  ];
}

// boxes are those of one name that are ticked, and an empty value, since that may be none.
function boxes(name) {
  const all = [...$("controls").elements].filter((e) => e.name === name && (e.type === "hidden" || e.checked));
  return all.map((e) => [name, e.value]);
}

function differs(field) {
  if (field.type === "checkbox") return field.checked !== field.defaultChecked;
  if (field.dataset.was !== undefined) return field.value !== field.dataset.was; // what was refused
  if (field.nodeName !== "SELECT") return field.value !== field.defaultValue;
  return ![...field.options].some((o) => o.defaultSelected && o.selected) && field.options.length > 1;
}

// Asking

// next asks for what the controls say now. A request that has only just left may arrive first, so that rows move while
// a slider is being dragged; an older one is given up.
function next() {
  clearTimeout(typing);
  typing = 0;
  const query = `?${changes()}`;
  if (running?.query === query) return (late = false); // a slider let go of where it was asked for
  const young = running ? running.began + youth - performance.now() : 0;
  if (young > 0) {
    late = true;
    typing = setTimeout(next, young);
    return;
  }
  ask(query, { taken: commands.length });
}

function changes() {
  return new URLSearchParams([["from", $("controls").elements.from.value], ...edits()]);
}

// post sends a document together with what the controls say, and again with what they say next until it is taken up.
function post(form) {
  posted = form;
  committed = true;
  gesture = false;
  ask(`?${changes()}`, { taken: commands.length });
}

// ask requests a page and shows it. Whatever was asked before is given up, and its answer never shown.
async function ask(query, { taken = 0, moved = false } = {}) {
  clearTimeout(retry);
  clearTimeout(typing);
  typing = 0;
  running?.abort.abort();
  const body = posted;
  const me = { abort: new AbortController(), began: performance.now(), query: body ? undefined : query, taken, moved };
  running = me;
  late = false;
  document.body.classList.remove("preview");
  const announce = setTimeout(() => say("Simulating…", [["Stop", stop]], 0), patience);
  try {
    const main = await fetchMain(query, body, me).catch(broken);
    if (me !== running) return;
    failures = 0;
    hush();
    show(main, me);
  } catch (error) {
    if (me !== running) return;
    if (error.name === "AbortError") return;
    if (!error.again) posted = null; // it would spoil every further change
    failed(error, () => {
      posted = body;
      ask(query, { taken, moved });
    });
  } finally {
    clearTimeout(announce);
    if (me === running) {
      running = null;
      if (late) next();
    }
  }
}

// fetchMain returns the main element of the answer. A run that takes longer is answered by events.
async function fetchMain(query, body, me) {
  const options = {
    method: body ? "POST" : "GET",
    body,
    headers: { Accept: "text/html;fragment=main, text/event-stream" },
    signal: me.abort.signal,
  };
  const response = await request(`/${query}`, options, "text/html", "text/event-stream");
  if (response.headers.get("Content-Type").startsWith("text/event-stream")) return readEvents(response, me);
  return parse(await response.text());
}

async function readEvents(response, me) {
  for await (const { kind, data } of events(response)) {
    if (kind === "page") return parse(data);
    if (kind === "error") throw Object.assign(new Error(data.detail), { again: data.status >= 500 });
    if (me !== running) continue;
    if (kind === "preview") preview((me.first = parse(data)));
    else say("Simulating…", [["Stop", stop]], data.done / data.total);
  }
  throw brokenOff();
}

function parse(html) {
  return new DOMParser().parseFromString(html, "text/html").getElementById("main");
}

// stop gives the run up. If there are first rows, what they are of has been taken up.
function stop() {
  const { abort, first, taken, moved } = running;
  abort.abort();
  running = null;
  late = false;
  clearTimeout(typing);
  typing = 0;
  if (first) show(first, { taken, moved });
  document.body.classList.add("stale");
  const kept = first ? "from fewer runs than asked for" : "those of the settings before";
  say(`Stopped. The figures are ${kept}.`, [["Simulate", moved ? revisited : next]]);
}

// failed says what went wrong. Where it may pass, it tries again.
function failed(error, again) {
  document.body.classList.add("stale");
  if (!error.again) {
    say(error.message, [["Try again", again]]);
    return;
  }
  const wait = waitBefore(error, failures++);
  const timer = setTimeout(again, wait);
  const now = () => {
    clearTimeout(timer);
    again();
  };
  const leave = () => {
    clearTimeout(timer);
    say(error.message, [["Try again", again]]);
  };
  say(waiting(error, wait), [["Now", now], ["Stop trying", leave]]);
  retry = timer;
}

// Showing

let retry = 0; // timer of the next try, if there is one

function say(text, buttons, share) {
  clearTimeout(retry);
  const status = $("status");
  if (share !== undefined && status.dataset.text === text) {
    status.querySelector("progress").value = share;
    return;
  }
  const focused = status.contains(document.activeElement);
  status.dataset.text = text;
  status.replaceChildren(Object.assign(document.createElement("span"), { textContent: text }));
  if (share !== undefined) {
    document.body.classList.add("stale");
    const progress = Object.assign(document.createElement("progress"), { max: 1, value: share });
    progress.setAttribute("aria-label", "Replications done");
    status.append(progress);
  }
  for (const [label, action] of buttons) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: label, onclick: action });
    status.append(button);
  }
  status.hidden = false;
  if (focused) status.querySelector("button").focus();
}

function hush() {
  clearTimeout(retry);
  if ($("status").contains(document.activeElement)) document.querySelector(".policy")?.focus();
  $("status").hidden = true;
  delete $("status").dataset.text;
  document.body.classList.remove("stale", "preview");
}

// show puts an answer in place. While newer changes wait to be asked for, it leaves the controls alone.
function show(main, { taken, moved }) {
  const focus = document.activeElement;
  const around = partsAround(focus);
  const row = focus?.closest?.(".policy");
  const place = row ? [...row.parentNode.querySelectorAll(".policy")].indexOf(row) : -1;
  const edited = $("editor")?.dataset.id;
  const done = late ? [] : commands.slice(0, taken);
  if (!main.querySelector("#results .policies")) keepFigures(main.querySelector("#results"));
  if (late) {
    morph($("verdict"), main.querySelector("#verdict"));
    keepingControls(main, () => morph($("results"), main.querySelector("#results")));
  } else {
    commands.splice(0, taken);
    record(main, moved);
    morph($("main"), main, moved ? null : focus);
    if (posted) documentTaken();
    posted = null;
    document.title = `${document.querySelector("h1").textContent} · Stampede`;
  }
  dress(moved);
  if (place >= 0 && !row.isConnected) focusRow(place);
  else refocus(around);
  follow(done, edited);
  if (moved) speakUp(document.title);
}

// keepFigures puts the figures there are, marked as old, into results that have none. What can be changed is the answer's.
function keepFigures(results) {
  document.body.classList.add("stale");
  if (!document.querySelector(".policies")) return;
  const kept = $("results").cloneNode(true);
  const [before, editor] = [kept, results].map((part) => part.querySelector("#editor"));
  const above = before ?? (editor && kept.querySelector(`[id="policy-${editor.dataset.id}"]`)) ?? kept.querySelector(".policies").lastElementChild;
  if (editor) above.after(editor);
  before?.remove();
  kept.querySelector("#adding").replaceWith(results.querySelector("#adding"));
  results.replaceWith(kept);
}

// preview puts rows from the first replications in place, while the verdict waits for the rest.
function preview(main) {
  const around = partsAround(document.activeElement);
  const rest = main.cloneNode(true); // for stop
  keepingControls(rest, () => morph($("results"), rest.querySelector("#results")));
  refocus(around);
  document.body.classList.add("preview");
  dress();
}

// keepingControls leaves the editor, what can be added and the choice of a client alone as the other controls are, although
// they stand among the results.
function keepingControls(main, update) {
  const kept = [document, main].flatMap((page) => [...page.querySelectorAll("#editor, #adding, .picker")]);
  for (const controls of kept) controls.toggleAttribute("data-keep", true);
  update();
  for (const controls of kept) controls.removeAttribute("data-keep");
}

// follow puts the focus where buttons lead: into the editor, or back from it. It says what cannot be seen.
function follow(done, edited) {
  const verb = done.at(-1)?.split(":")[0];
  const editor = $("editor");
  if (verb === "edit" || verb === "copy") {
    (editor?.querySelector("[tabindex]") ?? $(`edit-${edited}`))?.focus();
  } else if (verb === "up" || verb === "down") {
    const row = $(`policy-${done.at(-1).slice(verb.length + 1)}`);
    if (row) speakUp(`Place ${row.dataset.place} of ${document.querySelectorAll(".policy").length}`);
  }
}

// speakUp says something to those who do not see the page.
function speakUp(text) {
  $("spoken").textContent = text;
}

// focusRow keeps the focus near a row that has gone.
function focusRow(place) {
  const rows = document.querySelectorAll(".policy");
  const row = rows[Math.min(place, rows.length - 1)];
  (row?.querySelector("[id^=remove]:enabled") ?? row?.querySelector("button:enabled") ?? $("adding").querySelector("summary")).focus();
}

// partsAround are an element of the main part and what it is in, from inside out.
function partsAround(element) {
  const parts = [];
  for (let part = element; $("main").contains(part); part = part.parentElement) parts.push(part);
  return parts;
}

// refocus puts the focus back where an answer moved or took away what had it: on that, or on the first that takes it in
// what is left around.
function refocus(around) {
  if (document.activeElement === (around[0] ?? document.activeElement)) return;
  for (const part of around.filter((part) => part.isConnected)) {
    for (const one of [part, ...part.querySelectorAll("input, select, textarea, button, a, summary, [tabindex]")]) {
      one.focus();
      if (document.activeElement === one) return;
    }
  }
}

// record makes the address that of the answer. One change is one entry, however many answers it takes.
function record(main, moved) {
  const url = address(main);
  if (moved) {
    gesture = committed = false;
    return;
  }
  if (url !== location.pathname + location.search) {
    if (gesture) replace(url);
    else push(url);
    gesture = true;
  }
  if (committed) gesture = committed = false;
}

function address(main) {
  const state = main.dataset.state;
  return state ? `/?${state}` : "/";
}

// dress brings what only the script knows up to date: sliders, tabs, charts, and which scenario of the gallery, which no
// answer has, is shown.
function dress(moved) {
  tabs();
  for (const link of document.querySelectorAll("#starts a")) {
    if (link.getAttribute("href") === $("main").dataset.start) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  for (const slider of document.querySelectorAll("input.slider")) {
    const input = $(slider.dataset.for);
    const stops = slider.dataset.stops.split(" ").map(Number);
    slider.hidden = false;
    slider.max = stops.length - 1;
    if (slider !== document.activeElement) slider.value = nearest(stops, parseFloat(input.value));
    speak(slider, input);
  }
  requestAnimationFrame(() => setTimeout(async () => {
    (await import("./charts.js")).draw();
    (await import("./whatif.js")).whatIf(moved);
    if (document.querySelector(".stage")) import("./stage.js");
    import("./export.js");
  }));
}

function speak(slider, input) {
  const unit = input.parentNode.querySelector(".unit")?.textContent ?? "";
  slider.setAttribute("aria-valuetext", `${input.value} ${unit}`.trim());
}

function nearest(stops, value) {
  let best = 0;
  stops.forEach((stop, i) => {
    if (Math.abs(stop - value) < Math.abs(stops[best] - value)) best = i;
  });
  return best;
}
