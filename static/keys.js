// Single keys for what is done most; "?" lists them. They act only while the focus is in no field, no other key is held
// and they are not switched off, so that they are in nobody's way.

import { redo, undo } from "./undo.js";

const $ = (id) => document.getElementById(id);
const off = "stampede-keys-off"; // in the browser's storage

let press; // carries out a button's command
let row = ""; // id of the row that was used last

const actions = {
  j: () => step(1),
  k: () => step(-1),
  c: () => button("show"),
  e: () => button("edit"),
  d: () => command("copy"),
  x: () => button("remove"),
  "[": () => command("up"),
  "]": () => command("down"),
  a: add,
  u: undo,
  r: redo,
  "/": () => document.querySelector("#controls input:not([type=hidden])").focus(),
  "?": list,
};

export function shortcuts(carryOut) {
  press = carryOut;
  $("keys").hidden = false;
  $("keys").onclick = list;
  $("keys-on").checked = !isOff();
  $("keys-on").onchange = (event) => localStorage.setItem(off, event.target.checked ? "" : "1");
  document.addEventListener("keydown", pressed);
  document.addEventListener("focusin", (event) => (row = rowOf(event.target)?.id ?? row));
}

function isOff() {
  return localStorage.getItem(off) === "1";
}

function pressed(event) {
  const action = Object.hasOwn(actions, event.key) && actions[event.key];
  if (!action || event.defaultPrevented || event.repeat && !"jk".includes(event.key)) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input, textarea, select, [contenteditable], dialog")) return;
  if (isOff() && event.key !== "?") return;
  event.preventDefault();
  action();
}

function list() {
  $("shortcuts").showModal();
}

function rowOf(element) {
  const editor = element.closest("#editor");
  return editor ? $(`policy-${editor.dataset.id}`) : element.closest(".policy");
}

// current is the row that keys are about: the one with the focus, or the last that had it.
function current() {
  return rowOf(document.activeElement) ?? $(row);
}

function step(by) {
  const rows = [...document.querySelectorAll(".policy")];
  const at = rows.indexOf(current());
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(at + by, rows.length - 1));
  rows[next]?.focus();
}

function button(name) {
  const here = current();
  if (!here) return step(1);
  here.querySelector(`[id^="${name}-"]`).click();
}

function command(verb) {
  const here = current();
  if (!here) return step(1);
  press(`${verb}:${here.id.replace("policy-", "")}`);
}

function add() {
  $("adding").open = true;
  $("adding").querySelector("summary").focus();
}
