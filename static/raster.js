// Points out clients in the rasters: the one under the pointer is marked in all of them and its fate shown, and a click
// asks for its log, as its number in the field below does.

export function rasters() {
  for (const raster of document.querySelectorAll(".raster")) {
    raster.onpointermove = (event) => point(clientAt(raster, event));
    raster.onpointerleave = () => point(null);
    raster.onclick = (event) => choose(clientAt(raster, event));
  }
}

function clientAt(raster, event) {
  const box = raster.getBoundingClientRect();
  const count = Number(raster.dataset.clients);
  return Math.min(Math.max(Math.floor(((event.clientY - box.top) / raster.clientHeight) * count), 0), count - 1);
}

function point(client) {
  document.querySelectorAll(".raster").forEach((raster, place) => {
    const line = raster.querySelector(".pointed");
    const fate = raster.querySelector(".fate");
    line.toggleAttribute("hidden", client === null);
    fate.textContent = "";
    if (client === null) return;
    const y = (client / Number(raster.dataset.clients)) * raster.clientHeight;
    line.setAttribute("y", y);
    fate.setAttribute("y", y < 24 ? y + 20 : y - 6);
    const [attempts, end] = [...document.querySelectorAll(`#numbers-clients tbody tr:nth-child(${client + 1}) td`)].slice(2 * place);
    fate.textContent = `client ${client + 1}: ${attempts.textContent} attempts, ${end.textContent}`;
  });
}

function choose(client) {
  const field = document.getElementById("in-client");
  field.value = client + 1;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
}
