// Plays the stages on a page: runs drawn attempt by attempt as the engine traced them. Those side by side share a clock
// and its controls. Stages that are put on the page later are found; what leaves the screen stops.

import { clientAt, draw, scene } from "./stage-draw.js";
import { lookOf } from "./stage-look.js";
import { drawRaster, rasterScene } from "./stage-raster.js";
import { last, run } from "./stage-run.js";
import { happened, now, story } from "./stage-words.js";
import { controls } from "./stage-controls.js";
import { brokenOff, request, waitBefore } from "./retry.js";

const tries = 5; // of a server that is busy
const wordsEvery = 100; // ms between changes of what is said beside a moving picture
const still = matchMedia("(prefers-reduced-motion: reduce)");

export const groups = new Map(); // by element

const nearby = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => stageOf(target)?.near(isIntersecting)), { rootMargin: "300px" });
const onScreen = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => stageOf(target)?.show(isIntersecting)));
const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => stageOf(target.closest(".stage"))?.resize()));

// find takes up the stages there are now, and lets go of those that have gone.
function find() {
  const roots = new Set(document.querySelectorAll(".stages"));
  for (const [root, group] of groups) {
    if (roots.has(root) && group.isCurrent()) continue;
    group.end();
    groups.delete(root);
    if (roots.has(root)) groups.set(root, new Group(root, group));
  }
  for (const root of roots) if (!groups.has(root)) groups.set(root, new Group(root));
}

// stageOf is the stage that plays in a figure.
export function stageOf(figure) {
  return groups.get(figure?.closest(".stages"))?.stages.find((stage) => stage.figure === figure);
}

// Group is one clock and the stages that follow it.
class Group {
  playing = false;

  // What the address does not say of a group is as it was in the one before: another run is watched the same way.
  constructor(root, before) {
    this.root = root;
    const figures = [...root.querySelectorAll("figure.stage")];
    this.stages = figures.map((figure) => new Stage(this, figure));
    this.length = Math.max(...figures.map((figure) => Number(figure.dataset.end)));
    const said = new URLSearchParams(root.dataset.player);
    this.time = Math.min(Number(said.get("at")), this.length); // s of the run
    this.speed = Number(said.get("speed") ?? before?.speed ?? 1);
    this.followed = said.has("client") ? said.get("client") - 1 : (before?.followed ?? -1);
    this.controls = controls(root.querySelector(".stage-controls"), this);
    this.keys = (event) => this.pressed(event);
    root.addEventListener("keydown", this.keys);
    this.refresh();
  }

  // isCurrent reports whether the group still shows what its figures ask for.
  isCurrent() {
    const figures = this.root.querySelectorAll("figure.stage");
    return figures.length === this.stages.length && this.stages.every((s, i) => s.figure === figures[i] && s.address === figures[i].dataset.trace);
  }

  end() {
    this.pause();
    clearTimeout(this.recording);
    this.root.removeEventListener("keydown", this.keys);
    this.stages.forEach((stage) => stage.end());
    this.controls.end();
  }

  get still() { return still.matches; }
  get ready() { return this.stages.every((stage) => stage.run); }
  get wait() { return Math.max(...this.stages.map((stage) => stage.run?.longestWait ?? 0), 1e-9); }
  get clients() { return Math.max(...this.stages.map((stage) => stage.run?.count ?? 0)); }

  play() {
    if (this.still || !this.ready) return;
    if (this.time >= this.length) this.time = 0;
    this.playing = true;
    this.say("");
    this.wake();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.refresh();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  // wake starts the clock if it should go, from this moment on.
  wake() {
    cancelAnimationFrame(this.frame);
    this.before = undefined;
    if (this.playing && !document.hidden && this.stages.some((stage) => stage.shown)) this.frame = requestAnimationFrame((at) => this.tick(at));
    this.refresh();
  }

  tick(at) {
    if (this.before !== undefined) this.time = Math.min(this.time + ((at - this.before) / 1000) * this.speed, this.length);
    this.before = at;
    if (this.time >= this.length) this.playing = false;
    this.refresh(at);
    if (this.playing) this.frame = requestAnimationFrame((next) => this.tick(next));
  }

  // seek puts the clock to a time.
  seek(time) {
    this.time = Math.min(Math.max(time, 0), this.length);
    this.before = undefined;
    this.refresh();
  }

  // step goes on to the next moment at which anything happens, or back to the one before; of the client that is followed,
  // if there is one.
  step(by) {
    this.playing = false;
    const times = this.stages.map((stage) => stage.next(this.time, by, this.followed)).filter((t) => t !== undefined);
    if (times.length === 0) return this.seek(by > 0 ? this.length : 0);
    this.seek(by > 0 ? Math.min(...times) : Math.max(...times));
    this.say(this.stages.map((stage) => stage.happened(this.stages.length > 1)).filter(Boolean).join(" "));
  }

  follow(client) {
    this.followed = Number.isInteger(client) && client >= 0 && client < this.clients ? client : -1;
    this.refresh();
  }

  say(text) { this.controls.say(text); }

  // refresh draws everything as it is now.
  refresh(at) {
    const words = at === undefined || !this.playing || !(at - this.worded < wordsEvery);
    if (words) this.worded = at;
    for (const stage of this.stages) stage.refresh(words);
    if (words || this.playing) this.controls.refresh(words);
    if (this.ready && "player" in this.root.dataset) this.record();
  }

  // record keeps the address a link to what is shown, with some delay: browsers bear few changes a second.
  record() {
    this.recording ??= setTimeout(() => {
      this.recording = undefined;
      const url = new URL(location.href);
      for (const [key, value] of [["at", this.time > 0 && Number(this.time.toFixed(3))], ["speed", this.speed !== 1 && this.speed], ["client", this.followed >= 0 && this.followed + 1]]) {
        if (value) url.searchParams.set(key, value);
        else url.searchParams.delete(key);
      }
      history.replaceState(null, "", url);
    }, 500);
  }

  restyle() {
    if (this.still) this.playing = false;
    this.stages.forEach((stage) => stage.restyle());
    this.refresh();
  }

  pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, summary, a") || (event.key === " " && event.target.closest("button"))) return;
    const action = { " ": () => this.toggle(), ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), Home: () => this.seek(0), End: () => this.seek(this.length) }[event.key];
    if (!action || !this.ready) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}

// Stage is one figure.
class Stage {
  shown = false;
  drawn = null; // at what time, and how many clients were at what

  constructor(group, figure) {
    this.group = group;
    this.figure = figure;
    this.address = figure.dataset.trace;
    this.view = figure.querySelector(".stage-view");
    this.cursor = figure.querySelector(".stage-cursor");
    this.strip = figure.querySelector(".stage-strip .strip");
    this.abort = new AbortController();
    this.tell("Loading the run…");
    this.view.hidden = false;
    nearby.observe(figure);
    onScreen.observe(figure);
    this.strip.onpointerdown = (event) => this.scrub(event);
    this.strip.onpointermove = (event) => event.buttons && this.scrub(event);
  }

  end() {
    this.abort.abort();
    for (const observer of [nearby, onScreen]) observer.unobserve(this.figure);
    if (this.canvas) sizes.unobserve(this.view);
  }

  near(yes) {
    if (!yes || this.asked) return;
    this.asked = true;
    this.load(0);
  }

  async load(failures) {
    this.tell("Loading the run…");
    let doc, error;
    try {
      const response = await request(this.address, { signal: this.abort.signal }, "application/json");
      doc = await response.json().catch(() => {
        throw brokenOff();
      });
    } catch (thrown) {
      error = thrown;
    }
    if (this.abort.signal.aborted) return;
    if (!error) this.take(doc);
    else if (error.status === 503 && failures + 1 < tries) {
      setTimeout(() => this.abort.signal.aborted || this.load(failures + 1), waitBefore(error, failures));
    } else {
      const again = made("button", "quiet", "Try again");
      again.type = "button";
      again.onclick = () => this.load(0);
      this.tell(`The run cannot be shown: ${error.message} `, again);
    }
  }

  // tell says why there is nothing to play.
  tell(text, ...more) {
    this.view.replaceChildren(made("p", "stage-loading", text), ...more);
  }

  take(doc) {
    this.run = run(doc);
    this.canvas = made("canvas", "stage-canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${this.figure.querySelector("figcaption bdi").textContent}: the run in motion. Space plays and pauses, the arrow keys step. What is seen is said below.`);
    this.canvas.onclick = (event) => this.clicked(event);
    this.ctx = this.canvas.getContext("2d");
    this.now = made("p", "stage-now");
    this.log = made("ol", "stage-log");
    this.log.hidden = true;
    this.view.replaceChildren(this.canvas, this.now, this.log);
    sizes.observe(this.view);
    this.restyle();
    this.group.wake();
  }

  show(yes) {
    this.shown = yes;
    this.group.wake();
  }

  resize() {
    const width = this.view.clientWidth;
    if (width === 0 || !this.run) return;
    const make = this.group.still ? rasterScene : scene;
    const scale = devicePixelRatio * (this.view.currentCSSZoom ?? 1);
    if (this.scene?.width === width && this.scene.make === make && this.scale === scale) return;
    this.scale = scale;
    this.scene = Object.assign(make(this.run, width, this.group.length), { make, scale: this.scale, title: this.figure.dataset.server });
    this.canvas.width = Math.round(width * this.scale);
    this.canvas.height = Math.round(this.scene.height * this.scale);
    this.canvas.style.height = `${this.scene.height}px`;
    this.refresh(true);
  }

  restyle() {
    if (!this.run) return;
    this.look = lookOf(this.figure);
    this.scene = null;
    this.resize();
  }

  refresh(words) {
    const { time, followed } = this.group;
    this.cursor.hidden = false;
    this.cursor.style.transform = `translateX(${(time / Number(this.figure.dataset.end)) * this.strip.clientWidth}px)`;
    if (!this.scene || (this.group.playing && !this.shown)) return;
    this.paint();
    if (!words) return;
    this.now.textContent = now(this);
    this.log.hidden = followed < 0;
    if (followed >= 0) this.log.replaceChildren(...story(this).map((text) => made("li", "", text)));
  }

  // paint draws the picture at the group's time.
  paint() {
    const { time, speed, wait, followed, still } = this.group;
    this.ctx.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    if (still) drawRaster(this.ctx, this.scene, time, this.look, followed);
    else draw(this.ctx, this.scene, time, speed, wait, this.look, followed);
    this.drawn = { time, counts: this.scene.counts };
  }

  next(time, by, followed) {
    const times = followed >= 0 && followed < this.run.count ? this.moments(followed) : this.run.moments;
    const at = last(times, time);
    return by > 0 ? times[at + 1] : times[times[at] === time ? at - 1 : at];
  }

  // moments are those of one client.
  moments(client) {
    const { trace, attempts } = this.run;
    const all = attempts[client].flatMap((i) => [trace.leftSeconds[i], trace.arrivedSeconds[i], trace.startedSeconds[i], trace.answeredSeconds[i], trace.seenSeconds[i]]);
    return [...new Set(all.filter((t) => t !== null))].sort((a, b) => a - b);
  }

  happened(named) {
    const text = happened(this, this.group.followed);
    return text && named ? `${this.figure.querySelector("figcaption bdi").textContent}: ${text}` : text;
  }

  clicked(event) {
    const box = this.canvas.getBoundingClientRect();
    const part = this.scene.width / box.width;
    const client = this.group.still ? -1 : clientAt(this.scene, (event.clientX - box.left) * part, (event.clientY - box.top) * part);
    if (client >= 0) this.group.follow(client === this.group.followed ? -1 : client);
    else this.group.toggle();
  }

  scrub(event) {
    event.preventDefault();
    const box = this.strip.getBoundingClientRect();
    this.group.pause();
    this.group.seek(((event.clientX - box.left) / box.width) * Number(this.figure.dataset.end));
  }
}

function made(name, className, text = "") {
  return Object.assign(document.createElement(name), { className, textContent: text });
}

document.documentElement.classList.add("staged");
new MutationObserver(find).observe(document.documentElement, { childList: true, subtree: true, attributeFilter: ["data-trace"] });
for (const media of [still, matchMedia("(prefers-color-scheme: dark)")]) {
  media.addEventListener("change", () => groups.forEach((group) => group.restyle()));
}
document.addEventListener("visibilitychange", () => groups.forEach((group) => group.wake()));
find();
