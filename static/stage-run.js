// A traced run, made ready to be asked what there is at a time. It only looks up what the engine has written down.

// What a client is at.
export const idle = 0; // has no request
export const away = 1; // an attempt is under way
export const waiting = 2; // for its next attempt
export const served = 3;
export const failed = 4;

// run makes a run of what /api/v1/traces gives.
export function run(doc) {
  const { trace, scenario } = doc;
  const count = Math.min(scenario.clients.count, 1 + trace.client.reduce((a, b) => Math.max(a, b), 0));
  const attempts = trace.client.map(() => []);
  trace.client.forEach((c, i) => attempts[c].push(i));
  attempts.length = count;
  const next = following(trace);
  const back = trace.client.map((_, i) => i).filter((i) => answers(trace, i));
  back.sort((a, b) => trace.answeredSeconds[a] - trace.answeredSeconds[b]);
  const lives = attempts.map((of) => life(trace, of, next));
  return {
    doc, trace, count, attempts, next, lives, back,
    all: scenario.clients.count,
    longestOut: longest(trace.leftSeconds, trace.arrivedSeconds),
    longestBack: back.reduce((most, i) => Math.max(most, trace.seenSeconds[i] - trace.answeredSeconds[i]), 0),
    longestWait: next.reduce((most, j, i) => (j < 0 ? most : Math.max(most, trace.leftSeconds[j] - trace.seenSeconds[i])), 0),
    moments: moments(doc),
    forNobody: forNobody(trace),
  };
}

// answers reports whether the client takes the server's answer to an attempt.
function answers(trace, i) {
  return trace.answeredSeconds[i] !== null && trace.seenSeconds[i] !== null && trace.outcome[i] !== "timeout";
}

function longest(from, to) {
  return from.reduce((most, t, i) => (to[i] === null ? most : Math.max(most, to[i] - t)), 0);
}

// following is for each attempt the one that follows it in the same request, or -1.
function following(trace) {
  const next = trace.client.map(() => -1);
  const last = new Map();
  trace.client.forEach((c, i) => {
    const request = `${c} ${trace.request[i]}`;
    if (last.has(request)) next[last.get(request)] = i;
    last.set(request, i);
  });
  return next;
}

// life is what a client is at, from each of some times on: with several requests at once, a client is away if any
// attempt is, and waits for the first of those that will leave.
function life(trace, of, next) {
  const changes = []; // [time, away, waiting, ends as]
  for (const i of of) {
    const left = trace.leftSeconds[i];
    const seen = trace.seenSeconds[i] ?? Infinity;
    changes.push([left, 1, 0, 0]);
    if (seen === Infinity) continue;
    const ends = trace.outcome[i] === "ok" ? served : trace.failed[i] ? failed : 0;
    changes.push([seen, -1, ends ? 0 : 1, ends]);
    if (next[i] >= 0) changes.push([trace.leftSeconds[next[i]], 0, -1, 0]);
  }
  changes.sort((a, b) => a[0] - b[0]);
  const retries = of.filter((i) => trace.attempt[i] > 1).map((i) => trace.leftSeconds[i]);
  const found = { from: [-Infinity], kind: [idle], until: [0] };
  let [under, held, end, leaves] = [0, 0, idle, 0];
  changes.forEach(([at, out, wait, ends], k) => {
    under += out;
    held += wait;
    end = ends || end;
    if (changes[k + 1]?.[0] === at) return;
    while (retries[leaves] <= at) leaves++;
    found.from.push(at);
    found.kind.push(under > 0 ? away : held > 0 ? waiting : end);
    found.until.push(retries[leaves] ?? Infinity);
  });
  return found;
}

// moments are all times at which anything happens, each once.
function moments({ trace, run }) {
  const all = [trace.leftSeconds, trace.arrivedSeconds, trace.startedSeconds, trace.answeredSeconds, trace.seenSeconds].flat();
  for (const { from, to } of run.down) all.push(from, to);
  const sorted = Float64Array.from(all.filter((t) => t !== null)).sort();
  return sorted.filter((t, i) => i === 0 || t !== sorted[i - 1]);
}

// forNobody counts, from each of some times on, the attempts in the queue and in service whose clients have given up waiting.
function forNobody(trace) {
  const changes = [];
  trace.outcome.forEach((outcome, i) => {
    if (outcome !== "timeout" || trace.arrivedSeconds[i] === null) return;
    const gone = Math.max(trace.seenSeconds[i], trace.arrivedSeconds[i]);
    const done = trace.answeredSeconds[i] ?? Infinity;
    const started = trace.startedSeconds[i] ?? done;
    if (gone < started) changes.push([gone, 1, 0], [started, -1, 0]);
    if (Math.max(gone, started) < done) changes.push([Math.max(gone, started), 0, 1], [done, 0, -1]);
  });
  changes.sort((a, b) => a[0] - b[0]);
  const found = { at: [], queue: [], service: [] };
  let [queue, service] = [0, 0];
  for (const [at, q, s] of changes) {
    queue += q;
    service += s;
    found.at.push(at);
    found.queue.push(queue);
    found.service.push(service);
  }
  return found;
}

// last is the place of the last of sorted times that is at or before t, or -1. hint is where it was before.
export function last(times, t, hint = -1) {
  if (hint >= -1 && hint < times.length && (hint < 0 || times[hint] <= t)) {
    for (let i = hint; i < hint + 8; i++) if (!(times[i + 1] <= t)) return Math.min(i, times.length - 1);
  }
  let [lo, hi] = [0, times.length];
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (times[mid] <= t) lo = mid + 1;
    else hi = mid;
  }
  return lo - 1;
}

// capacityOf is how many workers and places there are on all nodes together.
export function capacityOf({ doc }) {
  const { workers = 0, queue = 0, nodes } = doc.scenario.server;
  const count = nodes?.count ?? 1;
  return { workers: workers * count, queue: queue * count };
}

// serverAt is what the server is at.
export function serverAt({ doc, trace, forNobody, count, all }, t, memory) {
  const log = trace.server;
  const i = (memory.work = last(log.atSeconds, t, memory.work ?? -1));
  const k = count < all ? -1 : (memory.nobody = last(forNobody.at, t, memory.nobody ?? -1)); // known only of those that are traced
  const at = { idleQueue: forNobody.queue[k] ?? 0, idleService: forNobody.service[k] ?? 0, inService: log.inService[i] ?? 0, queue: log.queue[i] ?? 0, busy: log.busy[i] ?? 0, down: null, back: 0, speed: 1 };
  for (const span of doc.run.down) {
    if (span.from > t) break;
    if (t >= span.to) continue;
    if (at.down !== "crash") at.down = span.why;
    at.back = Math.max(at.back, span.to);
  }
  at.nodes = doc.run.nodes?.map((node) => !node.down.some((span) => span.from <= t && t < span.to));
  const warm = at.down ? null : trace.server.warmups.findLast((w) => w.from <= t);
  if (warm && t < warm.to) at.speed = warm.speed + ((1 - warm.speed) * (t - warm.from)) / (warm.to - warm.from);
  return at;
}
