// Draws the charts whose options the page carries as data. Here is what data cannot say: the look that all charts share,
// which follows the theme, and the functions that options name as "@name".

import { init } from "./vendor/echarts.js";

const drawn = new Map(); // element → {chart, source}
const dashes = { solid: "solid", dashed: [8, 4], dotted: [2, 3] };

// draw brings the charts on the page up to date with their options; `again` redraws those that have not changed.
export function draw(again = false) {
  for (const [element, { chart }] of drawn) {
    if (element.isConnected) continue;
    chart.dispose();
    resized.unobserve(element);
    drawn.delete(element);
  }
  for (const element of document.querySelectorAll("[data-chart]")) {
    const source = document.getElementById(element.dataset.chart).textContent;
    const before = drawn.get(element);
    if (before && before.source === source && !again) continue;
    element.hidden = false;
    const option = JSON.parse(source);
    if (option.yAxis[0].data) element.style.height = `${Math.max(option.yAxis[0].data.length, 3) * 30 + 56}px`;
    const chart = before?.chart ?? init(element, null, { renderer: "svg" });
    if (!before && element.classList.contains("points")) chart.on("click", open);
    if (before && before.height !== element.clientHeight) chart.resize();
    chart.setOption(complete(option, element.clientWidth), true);
    drawn.set(element, { chart, source, width: element.clientWidth, height: element.clientHeight });
    resized.observe(element);
  }
}

// chartIn is the chart in a figure, if it has been drawn.
export function chartIn(figure) {
  return drawn.get(figure.querySelector("[data-chart]"))?.chart;
}

const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const known = drawn.get(target);
    if (!known || (known.width === target.clientWidth && known.height === target.clientHeight)) continue;
    known.chart.resize();
    known.chart.setOption(complete(JSON.parse(known.source), target.clientWidth), true);
    known.width = target.clientWidth;
    known.height = target.clientHeight;
  }
});

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(true));

// complete adds the shared look to an option.
function complete(option, width) {
  option = resolve(option);
  const text = { color: css("--ink-2"), fontSize: 12, fontFamily: getComputedStyle(document.body).fontFamily };
  const narrow = width < 560;
  const axis = {
    nameLocation: "middle",
    nameTextStyle: text,
    axisLabel: { ...text, hideOverlap: true },
    axisLine: { show: true, lineStyle: { color: css("--edge") } },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: css("--line") } },
  };
  option.xAxis = option.xAxis.map((x) => ({ ...x, ...axis, nameGap: 28, splitLine: { show: false } }));
  option.yAxis = option.yAxis.map((y) => ({ ...y, ...axis, nameGap: 34 }));
  const boxes = option.yAxis[0].type === "category";
  option.grid = { left: 52, right: boxes || narrow ? 16 : 176, top: narrow && !boxes ? 32 : 12, bottom: 44 };
  option.animation = false;
  option.backgroundColor = "transparent";
  option.textStyle = text;
  option.legend = {
    show: narrow && !boxes,
    top: 0,
    left: 0,
    itemWidth: 20,
    textStyle: text,
    data: strong(option.series).map((s) => s.name),
  };
  option.tooltip = {
    ...option.tooltip,
    renderMode: "richText",
    confine: true,
    backgroundColor: css("--raised"),
    borderColor: css("--edge"),
    borderWidth: 1,
    padding: 8,
    textStyle: { ...text, color: css("--ink"), lineHeight: 18 },
    axisPointer: { type: "line", lineStyle: { color: css("--edge") } },
  };
  if (!boxes) part(strong(option.series));
  option.series = option.series.flatMap((s) => (s.type === "line" ? lines(s, text, narrow) : [s]));
  return option;
}

// strong are the lines to look at; thin ones are there for comparison.
function strong(series) {
  return series.filter((s) => s.type === "line" && s.lineStyle.width >= 2);
}

// open follows the link in the table that belongs to a point of a sweep.
function open({ value }) {
  document.querySelector(`[data-point="${value?.at(-1)}"]`)?.click();
}

// part moves the labels at the ends of two lines apart where they would meet.
function part([one, other]) {
  if (!other || !one.data.length || !other.data.length) return;
  const end = (s) => s.data.at(-1).value[1];
  const all = [one, other].flatMap((s) => s.data.map((d) => d.value[1]));
  if (Math.abs(end(one) - end(other)) > Math.max(...all) * 0.07) return;
  const up = end(one) >= end(other) ? -8 : 8;
  one.shift = up;
  other.shift = -up;
}

// lines gives a line its dash, a label at its end, and a casing that sets pale colours off from a pale ground.
function lines(series, text, narrow) {
  const type = dashes[series.lineStyle.type] ?? "solid";
  series.lineStyle = { ...series.lineStyle, type, cap: "butt" };
  series.z = 3;
  const thin = series.lineStyle.width < 2;
  series.endLabel = { show: !narrow && !thin, formatter: "{a}", ...text, color: css("--ink"), width: 164, overflow: "break", distance: 6, offset: [0, series.shift ?? 0] };
  if (series.markArea) {
    series.markArea = {
      ...series.markArea,
      silent: true,
      itemStyle: { color: css("--down") },
      label: { show: true, position: "insideTop", ...text },
    };
  }
  const casing = {
    type: "line",
    data: series.data,
    silent: true,
    symbol: "none",
    z: 2,
    lineStyle: { color: css("--casing"), width: series.lineStyle.width + 1.25, type, cap: "butt" },
    tooltip: { show: false },
  };
  return [casing, series];
}

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// resolve replaces the names of colours and functions in an option.
function resolve(value) {
  if (Array.isArray(value)) return value.map(resolve);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, resolve(v)]));
  }
  if (typeof value !== "string") return value;
  const colour = /^var\((--[\w-]+)\)$/.exec(value);
  if (colour) return css(colour[1]);
  return functions[value] ?? value;
}

const functions = {
  "@over time": (items) => {
    const own = items.filter((item) => item.seriesIndex % 2 === 1); // not the casings
    return [`${brief(own[0].value[0])} s`, ...own.map((i) => `${i.seriesName}: ${brief(i.value[1])}`)].join("\n");
  },
  "@delay": (item) => {
    const [row, least, p5, p25, p50, p75, p95, most] = item.value;
    return [
      `Retry ${row + 1}, ${item.seriesName}`,
      `median ${wait(p50)}`,
      `half of them ${wait(p25)} to ${wait(p75)}`,
      `90 % of them ${wait(p5)} to ${wait(p95)}`,
      `all of them ${wait(least)} to ${wait(most)}`,
    ].join("\n");
  },
  "@point": (item) => item.name,
  "@whisker": (params, api) => whisker(api),
  "@heat good": (params, api) => cell(params, api, "--served"),
  "@heat bad": (params, api) => cell(params, api, "--refused"),
  "@box exact": (params, api) => box(api, 0),
  "@box observed": (params, api) => box(api, 1),
};

// box draws one distribution in the upper or lower half of its row: a line from least to most, a pale box from 5 to
// 95 %, a full one from 25 to 75 %, and a bar at the median.
function box(api, half) {
  const row = api.value(0);
  const [least, p5, p25, p50, p75, p95, most] = [1, 2, 3, 4, 5, 6, 7].map((i) => api.coord([api.value(i), row])[0]);
  if (Number.isNaN(least)) return null;
  const band = api.size([0, 1])[1];
  const y = api.coord([0, row])[1] + (half === 0 ? -0.22 : 0.2) * band;
  const high = (half === 0 ? 0.36 : 0.22) * band;
  const colour = api.visual("color");
  const ink = css("--ink");
  const bar = (from, to, height, style) => ({
    type: "rect",
    shape: { x: from, y: y - height / 2, width: Math.max(to - from, 1), height },
    style,
  });
  return {
    type: "group",
    children: [
      bar(least, most, 1.5, { fill: ink }),
      bar(p5, p95, high, { fill: colour, opacity: 0.4 }),
      bar(p25, p75, high, { fill: colour, stroke: css("--casing"), lineWidth: 0.5 }),
      bar(p50 - 1, p50 + 1, high + 3, { fill: ink }),
    ],
  };
}

// whisker draws an interval.
function whisker(api) {
  const [x, low] = api.coord([api.value(0), api.value(1)]);
  const high = api.coord([api.value(0), api.value(2)])[1];
  const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: css("--ink"), lineWidth: 1.25 } });
  return { type: "group", silent: true, children: [line(x, low, x, high), line(x - 4, low, x + 4, low), line(x - 4, high, x + 4, high)] };
}

// cell draws one cell of a heat map: the stronger, the more of a colour over the ground, so little that ink stays legible.
function cell(params, api, colour) {
  const [x, y] = api.coord([api.value(0), api.value(1)]);
  const [width, height] = api.size([1, 1]);
  const strength = api.value(2);
  const known = strength !== null && !Number.isNaN(strength);
  const rect = { type: "rect", shape: { x: x - width / 2, y: y - height / 2, width, height } };
  const label = width >= 32 ? String(api.value(3) ?? "") : "";
  return {
    type: "group",
    children: [
      { ...rect, style: { fill: css("--raised"), stroke: css("--line"), lineWidth: 1 } },
      { ...rect, style: { fill: known ? css(colour) : "none", opacity: 0.6 * strength } },
      { type: "text", style: { text: label, x, y, align: "center", verticalAlign: "middle", fill: css("--ink"), fontSize: 12 } },
    ],
  };
}

function wait(seconds) {
  return seconds < 0.9995 && seconds > 0 ? `${brief(seconds * 1000)} ms` : `${brief(seconds)} s`;
}

// brief writes a number with three significant digits.
function brief(x) {
  return Number(x.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 6, useGrouping: false });
}
