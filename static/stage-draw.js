// Draws a run at a time: the clients above, the server below, and what is on its way between them.

import { away, capacityOf, failed, idle, last, served, serverAt, waiting } from "./stage-run.js";

const tau = 2 * Math.PI;
const glow = 0.25; // s on the reader's clock for which a way stays visible after it has been gone
const shades = 4; // of what fades
const gap = 84; // between the clients and the server
const manyPlaces = 1200; // of a queue: more than that are a bar
const manyWorkers = 240;

// scene lays out a run in so many pixels across.
export function scene(run, width) {
  const n = run.count;
  const cell = Math.min(Math.max(Math.sqrt((width * 250) / n), 14), 44);
  const rows = Math.ceil(n / Math.max(1, Math.floor((width - cell / 2) / cell)));
  const columns = Math.ceil(n / rows);
  const left = (width - (columns - 1) * cell) / 2 - (rows > 1 ? cell / 4 : 0);
  const x = new Float64Array(n);
  const y = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const row = Math.floor(i / columns);
    x[i] = left + (i % columns) * cell + (row % 2) * (cell / 2);
    y[i] = cell / 2 + 4 + row * cell * 0.9;
  }
  const top = 4 + cell + (rows - 1) * cell * 0.9 + gap;
  const box = { width: Math.min(width - 2, 620), top };
  box.left = (width - box.width) / 2;
  const mouth = Math.min(box.width * 0.7, 320);
  const door = Float64Array.from(x, (at) => width / 2 + (at / width - 0.5) * mouth);
  const { workers, queue } = capacityOf(run);
  const waits = queue > 0 ? places(queue, Math.max(...run.trace.server.queue, 1), box.width - 24, 34, manyPlaces) : null;
  const works = run.doc.scenario.server.kind === "occ" ? null : places(workers, Math.max(...run.trace.server.busy, 1), box.width - 24, 26, manyWorkers);
  box.height = 34 + [waits, works].reduce((sum, p) => sum + (p ? p.height + 24 : 0), 0);
  return {
    run, width, height: top + box.height + 1, cell, x, y, door, box,
    dot: Math.min(Math.max(cell * 0.14, 2), 5), ring: cell * 0.5 - 1.5,
    waits, works,
    place: new Int32Array(n), // in each client's life
    lit: new Uint8Array(n), // clients that have something newer which fades: many attempts pass in a frame that is played fast
    memory: {}, counts: new Int32Array(5),
  };
}

// places are cells for so many in a box, as large as fit; a bar where they are too many to tell apart.
function places(limit, most, width, height, many) {
  const unlimited = !(limit > 0);
  if (unlimited || limit > many) return { limit, unlimited, most: unlimited || limit > 20 * most ? most : limit, height: 14, bar: true };
  const best = { limit, most: limit, size: 0, columns: 1 };
  for (let rows = 1; rows <= height / 2; rows++) {
    const columns = Math.ceil(limit / rows);
    const size = Math.min(width / columns, height / rows, 18);
    if (size > best.size) Object.assign(best, { size, columns, height: rows * size });
  }
  return best;
}

// draw draws a scene at a time. `look` has the colours and the marks, `wait` the longest wait that a ring stands for.
export function draw(ctx, s, t, speed, wait, look, followed) {
  ctx.clearRect(0, 0, s.width, s.height);
  ways(ctx, s, t, speed * glow, look, followed);
  clients(ctx, s, t, speed * glow, wait, look, followed);
  box(ctx, s, serverAt(s.run, t, s.memory), look, t);
}

// ways draws what is under way, and fading lines where something has just gone.
function ways(ctx, s, t, after, look, followed) {
  const { trace, back, longestOut, longestBack } = s.run;
  const fading = new Map();
  const heads = new Path2D();
  const tails = new Path2D();
  s.lit.fill(0);
  for (let i = last(trace.leftSeconds, t); i >= 0 && trace.leftSeconds[i] >= t - longestOut - after; i--) {
    const arrived = trace.arrivedSeconds[i];
    const c = trace.client[i];
    if (arrived === null || c >= s.run.count) continue;
    if (t >= arrived) {
      if (s.lit[c]) continue;
      s.lit[c] = 1;
      const [from, to] = [s.x[c], s.door[c]];
      line(shade(fading, look.ink, (t - arrived) / after), from, s.y[c] + s.dot, to, s.box.top);
      continue;
    }
    const p = (t - trace.leftSeconds[i]) / (arrived - trace.leftSeconds[i]);
    const [x, y] = along(s, c, p);
    const [x0, y0] = along(s, c, Math.max(0, p - 0.3));
    line(tails, x0, y0, x, y);
    heads.moveTo(x + 2.5, y);
    heads.arc(x, y, 2.5, 0, tau);
  }
  const marks = [];
  const times = s.answered ?? (s.answered = back.map((i) => trace.answeredSeconds[i]));
  s.lit.fill(0);
  for (let k = last(times, t); k >= 0 && times[k] >= t - longestBack - after; k--) {
    const i = back[k];
    const c = trace.client[i];
    const seen = trace.seenSeconds[i];
    const outcome = trace.outcome[i];
    if (t >= seen) {
      if (s.lit[c]) continue;
      s.lit[c] = 1;
      line(shade(fading, look.outcomes[outcome].colour, (t - seen) / after), s.door[c], s.box.top, s.x[c], s.y[c] + s.dot);
      continue;
    }
    const p = 1 - (t - times[k]) / (seen - times[k]);
    const [x, y] = along(s, c, p);
    const [x0, y0] = along(s, c, Math.min(1, p + 0.3));
    line(shade(fading, look.outcomes[outcome].colour, 0), x0, y0, x, y);
    marks.push(outcome, x, y);
  }
  ctx.lineWidth = 1;
  for (const [colour, paths] of fading) {
    ctx.strokeStyle = colour;
    paths.forEach((path, k) => {
      ctx.globalAlpha = 0.5 * (1 - k / shades);
      ctx.stroke(path);
    });
  }
  ctx.globalAlpha = 0.6;
  ctx.strokeStyle = ctx.fillStyle = look.ink;
  ctx.stroke(tails);
  ctx.globalAlpha = 1;
  ctx.fill(heads);
  for (let k = 0; k < marks.length; k += 3) mark(ctx, look.outcomes[marks[k]], marks[k + 1], marks[k + 2]);
  if (followed >= 0 && followed < s.run.count) {
    const path = new Path2D();
    line(path, s.x[followed], s.y[followed] + s.ring + 3, s.door[followed], s.box.top);
    ctx.setLineDash([2, 3]);
    stroke(ctx, path, look.link, 1.25);
    ctx.setLineDash([]);
  }
}

function along(s, c, p) {
  return [s.x[c] + (s.door[c] - s.x[c]) * p, s.y[c] + (s.box.top - s.y[c]) * p];
}

function line(path, x0, y0, x, y) {
  path.moveTo(x0, y0);
  path.lineTo(x, y);
}

// shade is the path of all that has faded so far in a colour.
function shade(fading, colour, age) {
  let paths = fading.get(colour);
  if (!paths) fading.set(colour, (paths = Array.from({ length: shades }, () => new Path2D())));
  return paths[Math.min(Math.floor(age * shades), shades - 1)] ?? paths[shades - 1];
}

// mark draws an outcome's mark, as the key does.
function mark(ctx, outcome, x, y) {
  ctx.strokeStyle = outcome.colour;
  ctx.lineWidth = outcome.width;
  ctx.lineCap = outcome.cap;
  ctx.translate(x - 7, y - 7);
  ctx.stroke(outcome.path);
  ctx.translate(7 - x, 7 - y);
  ctx.lineCap = "butt";
}

// clients draws each client by what it is at.
function clients(ctx, s, t, after, wait, look, followed) {
  s.sprites ??= sprites(s, look);
  const { picture, pixels, size, rings } = s.sprites;
  s.counts.fill(0);
  for (let c = 0; c < s.run.count; c++) {
    const life = s.run.lives[c];
    const at = (s.place[c] = last(life.from, t, s.place[c]));
    const kind = life.kind[at];
    s.counts[kind]++;
    let sprite = rings + kind;
    if (kind === waiting && life.until[at] < Infinity) sprite = Math.round((rings - 1) * Math.sqrt(Math.min((life.until[at] - t) / wait, 1)));
    ctx.drawImage(picture, sprite * pixels, 0, pixels, pixels, s.left[c], s.top[c], size, size);
  }
  seen(ctx, s, t, after * 1.5, look);
  if (followed >= 0 && followed < s.run.count) {
    const path = new Path2D();
    circle(path, s.x[followed], s.y[followed], s.ring + 3);
    stroke(ctx, path, look.link, 2.5);
  }
}

// sprites are what a client can look like, side by side: waiting, with the ring from its smallest to its largest, then one
// for each kind. To draw hundreds of circles anew in each frame takes ten times as long as to copy them.
function sprites(s, look) {
  const pixels = Math.ceil(2 * (s.ring + 3) * s.scale);
  const size = pixels / s.scale;
  const rings = Math.ceil(4 * (s.ring - s.dot));
  const picture = Object.assign(document.createElement("canvas"), { width: pixels * (rings + 5), height: pixels });
  const ctx = picture.getContext("2d");
  ctx.scale(s.scale, s.scale);
  const put = (sprite, draw) => {
    ctx.save();
    ctx.translate((sprite + 0.5) * size, size / 2);
    draw();
    ctx.restore();
  };
  const dot = () => {
    disc(ctx, s.dot, look.policy);
    ring(ctx, s.dot, look.casing, 0.75);
  };
  for (let i = 0; i < rings; i++) {
    put(i, () => {
      const r = s.dot + 1 + ((s.ring - s.dot - 1) * i) / Math.max(rings - 1, 1);
      ring(ctx, r, look.casing, 2.75, 0.45);
      ring(ctx, r, look.policy, 1.75);
      dot();
    });
  }
  put(rings + idle, () => disc(ctx, 1.25, look.edge));
  put(rings + away, () => {
    disc(ctx, s.dot, look.raised);
    ring(ctx, s.dot, look.ink, 1.25);
  });
  put(rings + waiting, () => { // beyond the end
    ctx.setLineDash([3, 3]);
    ring(ctx, s.ring, look.edge, 1.25);
    ctx.setLineDash([]);
    dot();
  });
  put(rings + served, () => {
    const r = s.dot + 1.5;
    disc(ctx, r, look.served);
    stroke(ctx, new Path2D(`M${-r * 0.5} 0L${-r * 0.1} ${r * 0.45}L${r * 0.55} ${-r * 0.4}`), look.ground, 1.5);
  });
  put(rings + failed, () => {
    const r = s.dot + 0.5;
    stroke(ctx, new Path2D(`M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}`), look.harm, 2);
  });
  // Copied to whole pixels of the screen they stay sharp, and cost nothing to resample.
  const whole = (x) => Math.round((x - size / 2) * s.scale) / s.scale;
  s.left = s.x.map(whole);
  s.top = s.y.map(whole);
  return { picture, pixels, size, rings };
}

function disc(ctx, r, colour) {
  const path = new Path2D();
  circle(path, 0, 0, r);
  fill(ctx, path, colour);
}

function ring(ctx, r, colour, width, alpha) {
  const path = new Path2D();
  circle(path, 0, 0, r);
  stroke(ctx, path, colour, width, alpha);
}

// seen marks what clients have just learnt of their attempts, other than that they are served.
function seen(ctx, s, t, after, look) {
  const { trace } = s.run;
  const order = s.seenOrder ?? (s.seenOrder = trace.client.map((_, i) => i).filter((i) => trace.seenSeconds[i] !== null && trace.outcome[i] !== "ok")
    .sort((a, b) => trace.seenSeconds[a] - trace.seenSeconds[b]));
  const times = s.seenTimes ?? (s.seenTimes = order.map((i) => trace.seenSeconds[i]));
  s.lit.fill(0);
  for (let k = last(times, t); k >= 0 && times[k] > t - after; k--) {
    const c = trace.client[order[k]];
    if (c >= s.run.count || s.lit[c]) continue;
    s.lit[c] = 1;
    ctx.globalAlpha = 1 - (t - times[k]) / after;
    mark(ctx, look.outcomes[trace.outcome[order[k]]], s.x[c], s.y[c]);
  }
  ctx.globalAlpha = 1;
}

function circle(path, x, y, r) {
  path.moveTo(x + r, y);
  path.arc(x, y, r, 0, tau);
}

function fill(ctx, path, colour) {
  ctx.fillStyle = colour;
  ctx.fill(path);
}

function stroke(ctx, path, colour, width, alpha = 1) {
  ctx.globalAlpha = alpha;
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.stroke(path);
  ctx.globalAlpha = 1;
}

// box draws the server: what it is, the queue, and its workers below.
function box(ctx, s, server, look, t) {
  const { left, top, width, height } = s.box;
  const full = s.waits && server.queue >= s.waits.limit;
  ctx.fillStyle = server.down ? look.hatch : look.raised;
  ctx.strokeStyle = server.down || full ? look.harm : look.ink2;
  ctx.lineWidth = server.down || full ? 2 : 1;
  ctx.beginPath();
  ctx.roundRect(left, top, width, height, 6);
  ctx.fill();
  ctx.stroke();
  if (server.down) {
    const text = server.down === "crash" ? "Knocked over" : "Down";
    sign(ctx, s, look, text, `back in ${Math.max(0.1, server.back - t).toFixed(1)} s`);
    return;
  }
  ctx.font = look.font;
  ctx.textBaseline = "middle";
  const x = left + 12;
  let y = top + 16;
  ctx.fillStyle = look.ink2;
  const right = left + width - 12 - nodes(ctx, server.nodes, look, left + width - 12, y);
  if (server.speed < 1) {
    label(ctx, look, x, y, `Warming up: ${Math.round(100 * server.speed)} % of its speed`);
    const room = Math.min(120, right - x - 216);
    if (room > 40) {
      ctx.fillStyle = look.line;
      ctx.fillRect(right - room, y - 4, room, 8);
      ctx.fillStyle = look.ink2;
      ctx.fillRect(right - room, y - 4, room * server.speed, 8);
    }
  } else label(ctx, look, x, y, s.title, right - x, s.title.split(",")[0]);
  y += 14;
  if (s.waits) {
    cells(ctx, s.waits, x, y, width - 24, [[server.queue - server.idleQueue, look.waits], [server.idleQueue, look.edge]], look);
    y += s.waits.height + 10;
    const idle = nobody(server.idleQueue);
    label(ctx, look, x, y, `Queue: ${server.queue}${s.waits.bar ? "" : ` of ${s.waits.limit}`}${full ? ", full: the next is turned away" : ""}${idle}`,
      width - 24, `Queue: ${server.queue}${full ? ", full" : ""}${idle}`);
    y += 14;
  }
  if (!s.works) return;
  const refusing = server.busy - server.inService;
  cells(ctx, s.works, x, y, width - 24, [[server.inService - server.idleService, look.served], [server.idleService, look.edge], [refusing, look.refused]], look);
  const of = s.works.unlimited ? `In service: ${server.inService}` : `Workers busy: ${server.busy} of ${s.works.limit}`;
  label(ctx, look, x, y + s.works.height + 10, `${of}${refusing > 0 ? `, ${refusing} with saying no` : ""}${nobody(server.idleService)}`);
}

const nobody = (n) => (n > 0 ? `; ${n} nobody waits for` : "");

// nodes draws which nodes are up, up to a place on the right, and returns how much room that takes.
function nodes(ctx, up, look, right, y) {
  if (!up || up.length > 40) return 0;
  const size = Math.min(16, 160 / up.length);
  const from = right - up.length * size;
  up.forEach((is, i) => {
    const [x, side] = [from + i * size + 1, size - 3];
    ctx.beginPath();
    ctx.rect(x, y - side / 2, side, side);
    if (!is) {
      ctx.moveTo(x, y - side / 2);
      ctx.lineTo(x + side, y + side / 2);
      ctx.moveTo(x, y + side / 2);
      ctx.lineTo(x + side, y - side / 2);
    } else {
      ctx.fillStyle = look.served;
      ctx.fill();
    }
    ctx.lineWidth = 1;
    ctx.strokeStyle = is ? look.ink2 : look.harm;
    ctx.stroke();
  });
  return up.length * size + 12;
}

// cells fills places, one kind after the other.
function cells(ctx, p, x, y, width, kinds, look) {
  if (p.bar) {
    let at = x;
    ctx.fillStyle = look.line;
    ctx.fillRect(x, y, width, p.height);
    for (const [n, colour] of kinds) {
      const w = Math.min((n / p.most) * width, x + width - at);
      ctx.fillStyle = colour;
      ctx.fillRect(at, y, w, p.height);
      at += w;
    }
    return;
  }
  const inset = p.size > 6 ? 1.5 : 0.5;
  const paths = [...kinds.map(() => new Path2D()), new Path2D()];
  let [kind, left] = [0, kinds[0][0]];
  for (let i = 0; i < p.limit; i++) {
    while (kind < kinds.length && left <= 0) left = kinds[++kind]?.[0] ?? 0;
    paths[kind].rect(x + (i % p.columns) * p.size + inset, y + Math.floor(i / p.columns) * p.size + inset, p.size - 2 * inset, p.size - 2 * inset);
    left--;
  }
  kinds.forEach(([, colour], k) => fill(ctx, paths[k], colour));
  fill(ctx, paths[kinds.length], look.line);
}

// label writes a text, or another one where there is no room for it.
function label(ctx, look, x, y, text, room = Infinity, brief = text) {
  ctx.textAlign = "left";
  ctx.fillStyle = look.ink;
  ctx.fillText(ctx.measureText(text).width <= room ? text : brief, x, y);
}

// sign says in large letters why nothing is served.
function sign(ctx, s, look, text, below) {
  const { left, top, width, height } = s.box;
  const x = left + width / 2;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillStyle = look.raised;
  ctx.beginPath();
  ctx.roundRect(x - 92, top + height / 2 - 28, 184, 56, 6);
  ctx.fill();
  ctx.fillStyle = look.harm;
  ctx.font = look.large;
  ctx.fillText(text, x, top + height / 2 - 10);
  ctx.fillStyle = look.ink;
  ctx.font = look.font;
  ctx.fillText(below, x, top + height / 2 + 14);
}

// clientAt is the client at a place of the scene, or -1.
export function clientAt(s, x, y) {
  let [best, nearest] = [-1, (s.cell * 0.6) ** 2];
  for (let c = 0; c < s.run.count; c++) {
    const distance = (s.x[c] - x) ** 2 + (s.y[c] - y) ** 2;
    if (distance < nearest) [best, nearest] = [c, distance];
  }
  return best;
}
