// Says what failed, on the pages whose answers come quickly.

// say shows a text with a way to try again; nothing if all is well.
export function say(text, again) {
  document.body.classList.toggle("stale", Boolean(text));
  const status = document.getElementById("status");
  status.hidden = !text;
  if (!text) return;
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Try again", onclick: again });
  status.replaceChildren(Object.assign(document.createElement("span"), { textContent: text }), button);
}
