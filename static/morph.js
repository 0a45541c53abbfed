// Makes a tree on the page equal to a new one by changing as little as possible, so that the focus, what is being
// typed, unfolded details and drawn charts stay.

// morph changes `old` into `next`. Elements with data-keep belong to a script and keep their attributes and content; so
// does what data-kept says is the same as before; the field in `busy` keeps its value.
export function morph(old, next, busy) {
  if (old.nodeType !== next.nodeType || old.nodeName !== next.nodeName || old.id !== next.id) {
    old.replaceWith(next);
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== next.data) old.data = next.data;
    return;
  }
  if (next.hasAttribute("data-kept") || old.hasAttribute("data-keep") && next.hasAttribute("data-keep")) return;
  if (old.isEqualNode(next) && !holdsField(next)) return; // most of a page, and fast
  attributes(old, next);
  value(old, next, busy);
  if (old.nodeName !== "TEXTAREA") children(old, next, busy);
}

// holdsField reports whether there may be more to an element than its markup says.
function holdsField(element) {
  const fields = "input, select, textarea";
  return element.matches(fields) || element.querySelector(fields) !== null;
}

function attributes(old, next) {
  for (const name of next.getAttributeNames()) {
    const value = next.getAttribute(name);
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const name of old.getAttributeNames()) {
    // Whoever unfolded something decides when it is folded again.
    const folded = name === "open" && old.nodeName === "DETAILS";
    if (!next.hasAttribute(name) && !folded) old.removeAttribute(name);
  }
}

// A control's value is not an attribute. It follows the answer unless someone is at it; the default always does, for
// what differs from it is what has been changed.
function value(old, next, busy) {
  if (old.type === "checkbox") {
    if (old !== busy) old.checked = next.checked;
  } else if (old.nodeName === "INPUT" && old.type !== "range") {
    if (old !== busy && old.value !== next.value) old.value = next.value;
  } else if (old.nodeName === "TEXTAREA") {
    old.defaultValue = next.defaultValue;
    if (old !== busy && old.value !== next.value) old.value = next.value;
  } else if (old.nodeName === "SELECT") {
    const chosen = old.value;
    children(old, next, busy);
    old.value = old === busy ? chosen : next.value;
  }
}

function children(old, next, busy) {
  let named = null; // the old children that have an id: needed only where something has come, gone or moved
  let at = old.firstChild;
  for (let child = next.firstChild, following; child; child = following) {
    following = child.nextSibling; // the child may be moved
    const after = at?.nextSibling;
    if (at && at.id === child.id && at.nodeName === child.nodeName) {
      morph(at, child, busy);
      at = after;
      continue;
    }
    named ??= new Map([...old.children].map((element) => [element.id, element]));
    const same = child.id ? named.get(child.id) : null;
    if (!same) {
      old.insertBefore(child, at);
      continue;
    }
    if (same === at) at = after;
    else old.insertBefore(same, at);
    morph(same, child, busy);
  }
  while (at) {
    const after = at.nextSibling;
    at.remove();
    at = after;
  }
}
