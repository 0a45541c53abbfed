// Saves a chart as it stands, as SVG or PNG, with what it needs to be understood elsewhere: its title and note, the
// scenario in a line, and the link that it came from. The buttons stand in the figures' captions.

import { chartIn } from "./charts.js";
import { drawn } from "./drawn.js";

const margin = 20;
const sharpness = 2; // pixels of a PNG for each of the chart
const blank = document.createElement("canvas").getContext("2d"); // to measure text with

document.documentElement.classList.add("saves");
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-save]");
  const figure = button?.closest("figure");
  const plot = figure && plotIn(figure);
  if (!plot) return;
  const [scenario, link] = [...(document.getElementById("source")?.children ?? [])].map((e) => e.textContent);
  const caption = figure.querySelector("figcaption");
  const picture = pictureOf(plot, caption.querySelector("b").textContent, caption.querySelector(":scope > span:not(.saving)")?.textContent ?? "", scenario ?? "", link || location.href);
  const kind = button.dataset.save;
  const blob = kind === "png" ? await png(picture) : new Blob([picture.svg], { type: "image/svg+xml" });
  save(blob, `stampede-${figure.id.replace(/[^\w-]/g, "")}.${kind}`);
});

// On paper charts are as wide as it is: a picture that has a view box scales.
addEventListener("beforeprint", () => {
  for (const svg of document.querySelectorAll("[data-chart] svg")) {
    svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
  }
  document.documentElement.classList.toggle("dark", matchMedia("(prefers-color-scheme: dark)").matches);
});
addEventListener("afterprint", () => {
  for (const svg of document.querySelectorAll("[data-chart] svg")) svg.removeAttribute("viewBox");
});

// plotIn is what a figure draws: {inner, width, height}; undefined while that is not there yet.
function plotIn(figure) {
  if (figure.querySelector(".raster")) return drawn(figure);
  const chart = chartIn(figure);
  if (!chart) return undefined;
  // ECharts puts the names of fonts into attributes as they are, quotes and all.
  const inner = chart.renderToSVGString().replaceAll(getComputedStyle(document.body).fontFamily, font());
  return { inner, width: chart.getWidth(), height: chart.getHeight() };
}

// pictureOf returns a plot with what belongs to it as an SVG document, and its size.
function pictureOf(plot, title, note, scenario, link) {
  const width = plot.width + 2 * margin;
  const parts = [];
  let y = margin;
  const write = (text, size, weight, colour) => {
    for (const line of wrapped(text, `${weight} ${size}px ${font()}`, plot.width)) {
      y += Math.round(size * 1.4);
      parts.push(
        `<text x="${margin}" y="${y - Math.round(size * 0.3)}" font-size="${size}" font-weight="${weight}" fill="${css(colour)}">${escaped(line)}</text>`,
      );
    }
  };
  write(title, 16, 600, "--ink");
  write(note, 12, 400, "--ink-2");
  y += 8;
  parts.push(`<g transform="translate(${margin} ${y})">${plot.inner}</g>`);
  y += plot.height;
  write(scenario, 12, 400, "--ink");
  write(link, 11, 400, "--ink-2");
  const height = y + margin;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escaped(font())}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" fill="${css("--ground")}"/>`,
    ...parts,
    "</svg>",
  ].join("\n");
  return { svg, width, height };
}

// png draws a picture's SVG on a canvas.
async function png({ svg, width, height }) {
  const image = new Image(width, height);
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: width * sharpness, height: height * sharpness });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// wrapped breaks text into lines of a width: between words, or within one that is longer than a line, such as a link.
function wrapped(text, style, width) {
  blank.font = style;
  const fits = (line) => blank.measureText(line).width <= width;
  const lines = [];
  let line = "";
  for (let word of text.split(" ")) {
    if (fits(`${line} ${word}`.trim())) {
      line = `${line} ${word}`.trim();
      continue;
    }
    if (line) lines.push(line);
    while (!fits(word)) {
      let n = word.length - 1;
      while (n > 1 && !fits(word.slice(0, n))) n--;
      lines.push(word.slice(0, n));
      word = word.slice(n);
    }
    line = word;
  }
  return line ? [...lines, line] : lines;
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function font() {
  return getComputedStyle(document.body).fontFamily.replaceAll('"', "'");
}
