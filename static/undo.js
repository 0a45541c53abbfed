// Every change is an entry of the browser's history, so back and forward are undo and redo. This keeps count of where in
// it the page is, so that undoing never leaves the page.

let at = history.state?.at ?? 0;
let last = at;

export function push(url) {
  history.pushState({ at: ++at }, "", url);
  last = at;
  show();
}

export function replace(url) {
  history.replaceState({ at }, "", url);
}

// undoing makes the buttons work.
export function undoing() {
  document.getElementById("undoing").hidden = false;
  document.getElementById("undo").onclick = undo;
  document.getElementById("redo").onclick = redo;
  addEventListener("popstate", (event) => {
    at = event.state?.at ?? 0;
    last = Math.max(last, at);
    show();
  });
  show();
}

export function undo() {
  if (at > 0) history.back();
}

export function redo() {
  if (at < last) history.forward();
}

function show() {
  document.getElementById("undo").disabled = at === 0;
  document.getElementById("redo").disabled = at === last;
}
