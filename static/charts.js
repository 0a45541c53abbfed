// Draws the charts whose options the page carries as data. Here is what data cannot say: the look that all charts share,
// which follows the theme, and the functions that options name as "@name".

import { init } from "./vendor/echarts.js";
import { least, zoomable } from "./zoom.js";

const drawn = new Map(); // element → {chart, source}
const plotHeight = 440; // px, of charts with plots one over the other
const labelWidth = 164; // px, at the end of a line
const pen = document.createElement("canvas").getContext("2d"); // to measure text with
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
    const rows = option.yAxis[0].data?.length;
    element.style.height = rows ? `${Math.max(rows, 3) * 30 + 56}px` : option.xAxis.length > 1 ? `${plotHeight}px` : "";
    const chart = before?.chart ?? init(element, null, { renderer: "svg" });
    if (!before && element.classList.contains("points")) chart.on("click", open);
    if (before && before.height !== element.clientHeight) chart.resize();
    show(chart, option, element.clientWidth, before?.source === source);
    drawn.set(element, { chart, source, width: element.clientWidth, height: element.clientHeight });
    resized.observe(element);
  }
}

// chartIn is the chart in a figure, if it has been drawn.
export function chartIn(figure) {
  return drawn.get(figure.querySelector("[data-chart]"))?.chart;
}

// show draws an option; what has been drawn of the same data before keeps its view.
function show(chart, option, width, same) {
  option = complete(option, width);
  if (same && option.dataZoom) {
    const { start, end } = chart.getOption().dataZoom[0];
    for (const zoom of option.dataZoom) Object.assign(zoom, { start, end });
  }
  chart.setOption(option, true);
  label(chart, option, width);
  if (option.dataZoom) zoomable(chart, chart.getDom().closest("figure"), () => part(chart, option));
  else part(chart, option);
}

const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const known = drawn.get(target);
    if (!known || (known.width === target.clientWidth && known.height === target.clientHeight)) continue;
    known.chart.resize();
    show(known.chart, JSON.parse(known.source), target.clientWidth, true);
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
  const named = strong(option.series);
  const axis = {
    nameLocation: "middle",
    nameTextStyle: text,
    axisLabel: { ...text, hideOverlap: true },
    axisLine: { show: true, lineStyle: { color: css("--edge") } },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: css("--line") } },
  };
  option.xAxis = option.xAxis.map((x) => ({ ...x, ...axis, nameGap: 28, splitLine: { show: false } }));
  const left = option.yAxis.length === 1 ? 72 : Math.max(72, numbersOf(option.series) + 36); // one plot alone makes room itself
  option.yAxis = option.yAxis.map((y) => ({ ...y, ...axis, nameGap: left - 16, nameMoveOverlap: option.yAxis.length === 1 }));
  option.grid = grids(option.xAxis.length, {
    left,
    right: capped(option.series) ? 52 : named.length === 0 || narrow ? 16 : 176,
    top: (narrow ? 20 * keyRows(named, width) : 0) + (option.series.some((s) => s.markArea || s.markLine) ? 28 : 12), // for labels over the plot
    bottom: option.dataZoom ? 92 : 44,
  });
  option.animation = false;
  option.backgroundColor = "transparent";
  option.textStyle = text;
  option.legend = { show: narrow && named.length > 0, top: 0, left: 0, itemWidth: 20, textStyle: text, data: named.map((s) => s.name) };
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
  option.axisPointer = { link: [{ xAxisIndex: "all" }] };
  option.dataZoom = option.dataZoom?.map((zoom) => zooms(zoom, option.xAxis.length, text));
  const crossed = option.series.some((s) => s.markLine); // whose labels need the place
  for (const { markArea } of option.series) {
    const place = crossed ? { position: "insideTop", distance: 28 } : { position: "top" }; // below the label of a line at the top
    const label = { show: !(narrow && crossed), ...place, ...text };
    if (markArea) Object.assign(markArea, { silent: true, itemStyle: { color: css("--down") }, label });
  }
  option.series = option.series.flatMap((s) => (s.stack ? [band(s)] : s.type === "line" ? lines(s, text, narrow) : [{ ...s, z: 4 }]));
  return option;
}

// strong are the lines to look at; thin ones are there for comparison.
function strong(series) {
  return series.filter((s) => s.type === "line" && s.name && s.lineStyle.width >= 2);
}

// keyRows is how many rows the names of lines take above a narrow chart.
function keyRows(named, width) {
  let [rows, used] = [Math.min(named.length, 1), 0];
  for (const { name } of named) {
    const w = 20 + 5 + widthOf(name) + 10; // the mark, a gap, and one after it
    if (used > 0 && used + w > width) [rows, used] = [rows + 1, 0];
    used += w;
  }
  return rows;
}

// numbersOf is about the width of the numbers on the axes of lines.
function numbersOf(series) {
  const highest = Math.max(...series.filter((s) => s.name).flatMap((s) => s.data.map(([, y]) => y)));
  return widthOf(Math.ceil(highest * 1.25).toLocaleString("en"));
}

// open follows the link in the table that belongs to a point of a sweep.
function open({ value }) {
  document.querySelector(`[data-point="${value?.at(-1)}"]`)?.click();
}

// grids are as many plots one over the other as there are axes, within margins; more than one must not make room for
// their labels each on its own, or their times would not be in line.
function grids(count, { left, right, top, bottom }) {
  if (count === 1) return { left, right, top, bottom };
  const each = (plotHeight - top - bottom - 36 * (count - 1)) / count;
  return Array.from({ length: count }, (_, i) => ({ left, right, top: top + i * (each + 36), height: each, outerBoundsMode: "none" }));
}

// zooms is a slider under the plots, or the wheel and pinch over them; the wheel alone scrolls the page.
function zooms(zoom, axes, text) {
  const all = { ...zoom, minSpan: least, xAxisIndex: Array.from({ length: axes }, (_, i) => i) };
  if (zoom.type === "inside") return { ...all, zoomOnMouseWheel: "ctrl", moveOnMouseMove: false, moveOnMouseWheel: false };
  return {
    ...all,
    bottom: 8,
    height: 24,
    showDetail: false,
    brushSelect: false,
    borderColor: css("--line"),
    fillerColor: "rgb(128 128 128 / 0.2)",
    dataBackground: { lineStyle: { color: css("--edge") }, areaStyle: { color: css("--line") } },
    handleStyle: { color: css("--raised"), borderColor: css("--edge") },
    textStyle: text,
  };
}

// part moves the labels at the ends of lines apart, where they would meet each other or the numbers of the axis below.
function part(chart, option) {
  const until = option.dataZoom ? chart.getOption().dataZoom[0].endValue : Infinity;
  const plots = option.xAxis.map(() => []);
  for (const series of option.series) {
    const plot = series.yAxisIndex ?? 0;
    const add = (label, value, rows) => plots[plot].push({ label, at: chart.convertToPixel({ yAxisIndex: plot }, value), half: 8 * rows });
    const last = series.endLabel?.show && series.data.map((d) => d.value ?? d).findLast(([x]) => x <= until);
    if (last) add(series.endLabel, last[1], Math.ceil(widthOf(series.name) / labelWidth) + (series.endLabel.formatter.includes("\n") ? 1 : 0));
    for (const mark of series.markLine?.data ?? []) if (mark.label?.position === "end") add(mark.label, mark.yAxis, 1);
  }
  plots.forEach((labels, i) => spread(labels, floorOf(chart, [option.grid].flat()[i])));
  if (!plots.flat().some(({ label, at, y }) => (label.shift ?? 0) !== y - at)) return;
  for (const { label, at, y } of plots.flat()) {
    label.shift = y - at;
    label.offset = [0, label.shift]; // of the end of a line
    label.padding = label.shift > 0 ? [2 * label.shift, 0, 0, 0] : [0, 0, -2 * label.shift, 0]; // of a line across, which knows no offset
  }
  chart.setOption({ series: option.series.map(({ endLabel, markLine }) => ({ endLabel, markLine })) });
}

// spread gives labels heights y, near where they belong, at which they do not meet.
function spread(labels, floor) {
  labels.sort((a, b) => b.at - a.at);
  for (const label of labels) label.y = label.at;
  for (let round = 0; round < 12; round++) {
    for (const label of labels) label.y = Math.min(label.y, floor - label.half);
    for (let i = 1; i < labels.length; i++) {
      const [low, high] = [labels[i - 1], labels[i]];
      const over = Math.max(0, low.half + high.half - (low.y - high.y)) / 2;
      low.y += over;
      high.y -= over;
    }
  }
}

// floorOf is where the numbers of the axis below a plot begin.
function floorOf(chart, { top, height, bottom }) {
  return (height === undefined ? chart.getHeight() - bottom : top + height) + 8;
}

// lines gives a line its dash, a label at its end, and a casing that sets pale colours off from a pale ground.
function lines(series, text, narrow) {
  const type = dashes[series.lineStyle.type] ?? "solid";
  const marks = series.markLine?.data ?? [];
  const gap = marks.find(Array.isArray)?.[0].name;
  const thin = series.lineStyle.width < 2;
  series.lineStyle = { ...series.lineStyle, type, cap: "butt", width: series.step ? 1 : series.lineStyle.width };
  series.showSymbol ??= false;
  series.z = 3;
  series.endLabel = {
    show: !narrow && !thin,
    formatter: gap ? `{a}\n${gap}` : "{a}",
    ...text,
    color: css("--ink"),
    width: labelWidth,
    overflow: "break",
    distance: 6,
    lineHeight: 16,
  };
  if (marks.length > 0) {
    series.markLine = {
      silent: true,
      symbol: "none",
      lineStyle: { color: css("--edge"), width: 1, type: [2, 2] },
      data: marks.map((mark) => (Array.isArray(mark) ? bracket(mark, series) : { ...mark, label: across(mark, text, narrow) })),
    };
  }
  const casing = {
    type: "line",
    data: series.data,
    xAxisIndex: series.xAxisIndex,
    yAxisIndex: series.yAxisIndex,
    step: series.step,
    silent: true,
    symbol: "none",
    z: 2,
    lineStyle: { color: css("--casing"), width: series.lineStyle.width + 1.25, type, cap: "butt" },
    tooltip: { show: false },
  };
  return [casing, series];
}

// across labels a line from side to side: a share at its start, where a line of shares is still low; others at their end,
// or over it where there is no room beside the plot.
function across(mark, text, narrow) {
  const share = mark.name.endsWith("%");
  const position = share ? "insideStartTop" : !narrow ? "end" : mark.name.startsWith("peak") ? "insideEndTop" : "insideStartTop";
  const ground = position === "end" ? {} : { backgroundColor: css("--ground"), padding: [0, 2] }; // it may lie on the data
  return { ...text, ...ground, formatter: "{b}", position };
}

// bracket is what is missing at a line's end.
function bracket([from, to], series) {
  const lineStyle = { color: series.lineStyle.color, width: 4, type: "solid", opacity: 0.5 };
  return [{ ...from, lineStyle, label: { show: false } }, to];
}

// band is half of a pale area: its lower edge, which does not show, or what lies over that.
function band(series) {
  const over = bands.has(series.stack);
  if (over) bands.delete(series.stack);
  else bands.add(series.stack);
  return {
    ...series,
    symbol: "none",
    silent: true,
    z: 1,
    lineStyle: { width: 0 },
    areaStyle: over ? { color: series.itemStyle.color, opacity: 0.22 } : { opacity: 0 },
    stackStrategy: "all",
  };
}

const bands = new Set(); // stacks whose lower half has been seen

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

// own are a tooltip's lines that have a name, each with the numbers of its band, if there is one: [name, value, low, high].
// The halves of a band come before the line and its casing.
function own(items) {
  const named = items.filter((i) => i.componentSubType === "line" && !i.seriesName.startsWith("series\0"));
  return named.map(({ seriesName, seriesIndex, value }) => {
    const [low, spread] = [3, 2].map((before) => items.find((i) => i.seriesIndex === seriesIndex - before)?.value[1]);
    return [unstyled(seriesName), value[1], low, low + spread];
  });
}

// unstyled keeps "{style|text}" in a name from being taken for what it is in a tooltip.
function unstyled(name) {
  return name.replaceAll("{", "{\u2060");
}

// tip says what a box shows when it is pointed at.
function tip(what) {
  return (item) => {
    const [row, least, p5, p25, p50, p75, p95, most, atCap] = item.value;
    return [
      `${what} ${row + 1}, ${unstyled(item.seriesName)}`,
      `median ${wait(p50)}`,
      `half of them ${wait(p25)} to ${wait(p75)}`,
      `90 % of them ${wait(p5)} to ${wait(p95)}`,
      `all of them ${wait(least)} to ${wait(most)}`,
      ...(atCap > 0 ? [`${brief(atCap * 100)} % of them exactly ${wait(most)}, the cap`] : []),
    ].join("\n");
  };
}

const functions = {
  "@over time": (items) => {
    return [`${brief(items[0].value[0])} s`, ...own(items).map(([name, y]) => `${name}: ${brief(y)}`)].join("\n");
  },
  "@over share": (items) => {
    return [`${brief(items[0].value[0])} % fail`, ...own(items).map(([name, y]) => `${name}: ${brief(y)}`)].join("\n");
  },
  "@load": (items) => {
    const said = own(items).map(([name, y, low, high]) => `${name}: ${brief(y)}/s, in 80 % of the runs ${brief(low)} to ${brief(high)}`);
    return [`from ${brief(items[0].value[0])} s`, ...said].join("\n");
  },
  "@waited": (items) => {
    const said = own(items).map(([name, y, low, high]) => `${name}: ${wait(y)} on average, ${wait(low)} to ${wait(high)}`);
    return [`by retry ${items[0].value[0]}`, ...said].join("\n");
  },
  "@work": ({ seriesName, value: [x, y] }) => `${unstyled(seriesName)}\n${brief(y)} attempts a request at ${brief(x)}`,
  "@cross": cross,
  "@delay": tip("Retry"),
  "@moment": tip("Attempt"),
  "@point": (item) => unstyled(item.name),
  "@whisker": whisker,
  "@heat good": (params, api) => cell(params, api, "--served"),
  "@heat bad": (params, api) => cell(params, api, "--refused"),
  "@box exact": (params, api) => box(api, 0),
  "@box observed": (params, api) => box(api, 1),
};

// cross draws the intervals of a point.
function cross({ coordSys }, api) {
  const [x, y, left, right, low, high] = [0, 1, 2, 3, 4, 5].map((i) => api.value(i));
  const arms = [[[left, y], [right, y]], [[x, low], [x, high]]];
  const style = { stroke: css("--ink-2"), lineWidth: 1.25 };
  return { type: "group", children: arms.flatMap(([from, to]) => reach(api.coord(from), api.coord(to), coordSys, style, 0)) };
}

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
      ...(api.value(8) > 0 ? column(api.value(8), most, y, high + 6, colour) : []),
    ],
  };
}

// whisker draws an interval: a line with a stop at either end.
function whisker({ coordSys }, api) {
  const [low, high] = [1, 2].map((i) => api.coord([api.value(0), api.value(i)]));
  return { type: "group", silent: true, children: reach(low, high, coordSys, { stroke: css("--ink"), lineWidth: 1.25 }, 4) };
}

// reach draws a line along an axis from one place to another, with stops so long at its ends. Where it leaves the plot an
// arrow says that it does.
function reach(from, to, plot, style, stop) {
  const ends = [from, to].map(([x, y]) => [within(x, plot.x, plot.width), within(y, plot.y, plot.height)]);
  const line = ([x1, y1], [x2, y2]) => ({ type: "line", shape: { x1, y1, x2, y2 }, style });
  const heads = [from, to].flatMap((place, i) => {
    const [x, y] = ends[i];
    const [dx, dy] = [Math.sign(place[0] - x), Math.sign(place[1] - y)];
    if (dx || dy) return [-1, 1].map((side) => line([x, y], [x - 6 * dx + 4 * side * dy, y - 6 * dy + 4 * side * dx]));
    if (!stop) return [];
    return [from[0] === to[0] ? line([x - stop, y], [x + stop, y]) : line([x, y - stop], [x, y + stop])];
  });
  return [line(...ends), ...heads];
}

function within(at, start, size) {
  return Math.min(Math.max(at, start), start + size);
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

// capped reports whether there is a column at the cap, whose share stands beside it.
function capped(series) {
  return series.some((s) => s.type === "custom" && s.data?.some((d) => d.value?.length === 9 && d.value[8] > 0));
}

// column draws the share that waits exactly the cap: a frame at the cap, filled from below to that share.
function column(share, x, y, height, colour) {
  const rect = (from, style) => ({ type: "rect", shape: { x: x - 3, y: y + height / 2 - height * from, width: 6, height: height * from }, style });
  return [
    rect(1, { fill: css("--ground"), stroke: css("--ink"), lineWidth: 1 }),
    rect(share, { fill: colour, stroke: css("--ink"), lineWidth: 1 }),
    { type: "text", style: { text: `${brief(share * 100)} %`, x: x + 7, y: y - 6, fill: css("--ink"), fontSize: 12 } },
  ];
}

// label writes the names of points beside them, where there is room: right, left, over or under, near or a little away;
// clear of marks, other names and, if that can be, intervals. Where it is narrow the key under the chart says what is what.
function label(chart, option, width) {
  const points = option.series.filter((s) => s.type === "scatter");
  if (width < 560 || points.length === 0 || option.series.some((s) => s.type === "line")) return;
  const pixel = (place) => chart.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, place);
  const at = points.map((s) => pixel(s.data[0]));
  const floor = floorOf(chart, option.grid);
  const taken = at.map(([x, y]) => ({ x: x - 8, y: y - 8, w: 16, h: 16 }));
  const crossed = option.series.filter((s) => s.type === "custom").flatMap((s) => arms(s.data[0], pixel));
  const order = points.map((_, i) => i).sort((a, b) => at[b][0] - at[a][0]); // from the right, where there is least room
  const labels = new Map(
    order.flatMap((i) => {
      const w = widthOf(points[i].name);
      const free = places(at[i], w).filter((b) => b.x > 72 && b.x + w < width && b.y > 0 && b.y + b.h < floor && !taken.some((t) => meet(t, b)));
      const box = free.find((b) => !crossed.some((c) => meet(c, b))) ?? free[0];
      if (!box) return [];
      taken.push(box);
      const position = [box.x - at[i][0] + 5.5, box.y - at[i][1] + 5.5];
      return [[points[i], { show: true, formatter: "{a}", position, color: css("--ink"), fontSize: 12 }]];
    }),
  );
  chart.setOption({ series: option.series.map((s) => (labels.has(s) ? { label: labels.get(s) } : {})) });
}

// widthOf is the width of a text in a chart.
function widthOf(text) {
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

// arms are the boxes of a cross's two lines.
function arms([x, y, left, right, low, high], pixel) {
  const [[fromX, atY], [toX], [atX, fromY], [, toY]] = [[left, y], [right, y], [x, low], [x, high]].map(pixel);
  return [{ x: fromX, y: atY - 1, w: toX - fromX, h: 2 }, { x: atX - 1, y: toY, w: 2, h: fromY - toY }];
}

function places([x, y], w) {
  const box = (dx, dy) => ({ x: x + dx, y: y + dy, w, h: 14 });
  return [8, 20, 34, 50].flatMap((away) => [
    box(10, away === 8 ? -7 : -away), box(-10 - w, away === 8 ? -7 : -away), box(10, away), box(-10 - w, away), box(-w / 2, -away - 14), box(-w / 2, away),
  ]);
}

function meet(a, b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

function wait(seconds) {
  return seconds < 0.9995 && seconds > 0 ? `${brief(seconds * 1000)} ms` : `${brief(seconds)} s`;
}

// brief writes a number with three significant digits.
function brief(x) {
  return Number(x.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 6, useGrouping: false });
}
