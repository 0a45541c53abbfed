// Says in words what a stage shows.

import { away, capacityOf, failed, last, served, serverAt, waiting } from "./stage-run.js";

const longest = 12; // lines of a client's history

const clock = (t) => `${t.toFixed(3)} s`;
const things = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

// lasting writes a length of time.
export function lasting(t) {
  return t < 1 ? `${Number((t * 1000).toPrecision(3))} ms` : `${Number(t.toPrecision(3))} s`;
}

// now says what the server and the clients are at.
export function now({ run, group, figure }) {
  const t = group.time;
  const server = serverAt(run, t, {});
  const { workers, queue } = capacityOf(run);
  const at = [];
  if (server.down) at.push(`the server is ${server.down === "crash" ? "knocked over" : "down"}, back in ${lasting(server.back - t)}`);
  else {
    if (server.nodes) at.push(`${server.nodes.filter(Boolean).length} of ${things(server.nodes.length, "node")} up`);
    if (server.speed < 1) at.push(`the server warms up: ${Math.round(100 * server.speed)} % of its speed`);
    if (workers > 0) at.push(`${server.busy} of ${things(workers, "worker")} busy`);
    else if (server.inService > 0) at.push(`${server.inService} in service`);
    if (queue > 0) at.push(server.queue >= queue ? `the queue of ${queue} is full` : `${server.queue} in the queue`);
    const idle = server.idleQueue + server.idleService;
    if (idle > 0) at.push(`${idle} of them nobody waits for any more`);
  }
  const counts = new Array(5).fill(0);
  for (const life of run.lives) counts[life.kind[last(life.from, t)]]++;
  const clients = [[waiting, "waiting"], [away, "under way"], [served, "served"], [failed, "gave up"]].filter(([kind]) => counts[kind] > 0);
  const drawn = run.count < run.all ? `${run.count} clients drawn` : things(run.count, "client");
  return `${t.toFixed(2)} s: ${at.join(", ") || "the server is up"}. Of ${drawn}: ${clients.map(([kind, word]) => `${counts[kind]} ${word}`).join(", ") || "none has begun"}.`;
}

// label is what the key calls an outcome.
const label = ({ look }, outcome) => look.outcomes[outcome]?.label ?? outcome;

// happened says what happens at the very moment.
export function happened(stage, followed) {
  const { run, group } = stage;
  const { trace } = run;
  const t = group.time;
  if (followed >= 0) return story(stage)[0] ?? "";
  const parts = [];
  for (const { from, to, why } of run.doc.run.down) {
    if (from === t) parts.push(why === "crash" ? "the server is knocked over" : "the server goes down");
    if (to === t) parts.push("the server is back");
  }
  const count = (column, outcome) => column.reduce((n, at, i) => n + (at === t && (!outcome || trace.outcome[i] === outcome)), 0);
  for (const [column, one, many] of [
    [trace.leftSeconds, "attempt leaves", "attempts leave"], [trace.arrivedSeconds, "attempt arrives", "attempts arrive"],
    [trace.startedSeconds, "service begins", "services begin"],
  ]) {
    const n = count(column);
    if (n > 0) parts.push(things(n, one, many));
  }
  const answered = count(trace.answeredSeconds);
  if (answered > 0) parts.push(things(answered, "attempt is answered", "attempts are answered"));
  for (const outcome of Object.keys(stage.look.outcomes)) {
    const n = count(trace.seenSeconds, outcome);
    if (n > 0) parts.push(`${things(n, "client learns", "clients learn")}: ${label(stage, outcome)}`);
  }
  return parts.length > 0 ? `${clock(t)}: ${parts.join(", ")}.` : "";
}

// story is what the followed client has done so far, the latest first.
export function story(stage) {
  const { run, group, figure } = stage;
  const { trace } = run;
  const t = group.time;
  const client = group.followed;
  if (client >= run.count) return [`There is no client ${client + 1} here.`];
  const past = run.attempts[client].filter((i) => trace.leftSeconds[i] <= t).reverse();
  const lines = past.slice(0, longest).map((i) => attempt(stage, i, t, JSON.parse(figure.dataset.reasons)));
  if (past.length > longest) lines.push(`${things(past.length - longest, "attempt")} before that.`);
  return lines.length > 0 ? lines : [`Client ${client + 1} has not sent anything yet.`];
}

function attempt(stage, i, t, reasons) {
  const { trace, next } = stage.run;
  const [left, arrived, started, seen] = [trace.leftSeconds[i], trace.arrivedSeconds[i], trace.startedSeconds[i], trace.seenSeconds[i]];
  const told = `${clock(left)}: client ${trace.client[i] + 1}, attempt ${trace.attempt[i]}`;
  if (seen === null || t < seen) {
    if (arrived === null || t < arrived) return `${told} is on its way.`;
    if (started !== null && t >= started) return `${told} is being served since ${clock(started)}.`;
    const answered = trace.answeredSeconds[i];
    return answered !== null && t >= answered ? `${told} has been answered; the answer is on its way.` : `${told} has been at the server since ${clock(arrived)}.`;
  }
  const outcome = `${told}: ${label(stage, trace.outcome[i])} after ${lasting(seen - left)}`;
  if (trace.failed[i]) return `${outcome}. It gives up: ${reasons[trace.failed[i]]}.`;
  if (trace.outcome[i] === "ok") return `${outcome}.`;
  const wait = next[i] < 0 ? "" : ` ${lasting(trace.leftSeconds[next[i]] - seen)}`;
  const still = next[i] < 0 || t < trace.leftSeconds[next[i]];
  return `${outcome}. It ${still ? "waits" : "waited"}${wait || " until after the end"}.`;
}
