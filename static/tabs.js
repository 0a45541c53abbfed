// Makes tabs of the links that lead to the large charts: one of them is in the order of the tab key, and the arrow keys,
// Home and End go from one to the next and show it.

import { rasters } from "./raster.js";

export function tabs() {
  rasters();
  const list = document.getElementById("tabs");
  if (!list) return;
  list.setAttribute("role", "tablist");
  list.onkeydown = move;
  for (const link of list.children) {
    const shown = link.hasAttribute("aria-current");
    link.setAttribute("role", "tab");
    link.setAttribute("aria-controls", "panel");
    link.setAttribute("aria-selected", shown);
    link.tabIndex = shown ? 0 : -1;
    if (!shown) continue;
    const panel = document.getElementById("panel");
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", link.id);
  }
}

function move(event) {
  const all = [...event.currentTarget.children];
  const at = all.indexOf(event.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
  event.preventDefault();
  const next = all.at(to % all.length);
  next.focus();
  next.click();
}
