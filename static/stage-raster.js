// The still picture of a run, for those who want nothing to move: a line a client, time across, the mark of its outcome where
// each of its attempts left, and a line at the time.

export function rasterScene(run, width, end) {
  const line = Math.min(Math.max(300 / run.count, 1), 12);
  return { run, width, end, line, height: Math.ceil(line * run.count) + 1, counts: new Int32Array(5) };
}

export function drawRaster(ctx, s, t, look, followed) {
  const { trace, doc } = s.run;
  const x = (at) => (at / s.end) * s.width;
  ctx.clearRect(0, 0, s.width, s.height);
  ctx.fillStyle = look.hatch;
  for (const { from, to } of doc.run.down) ctx.fillRect(x(from), 0, x(Math.min(to, s.end)) - x(from), s.height);
  if (followed >= 0) {
    ctx.fillStyle = look.link;
    ctx.globalAlpha = 0.35;
    ctx.fillRect(0, followed * s.line, s.width, s.line);
    ctx.globalAlpha = 1;
  }
  const paths = {};
  const scale = Math.min(Math.max(s.line, 7), 14) / 14; // a mark is drawn 14 across
  trace.client.forEach((c, i) => {
    const mark = look.outcomes[trace.outcome[i]];
    if (c >= s.run.count || !mark) return;
    const path = (paths[trace.outcome[i]] ??= new Path2D());
    path.addPath(mark.path, new DOMMatrix([scale, 0, 0, scale, x(trace.leftSeconds[i]) - 7 * scale, (c + 0.5) * s.line - 7 * scale]));
  });
  for (const [outcome, path] of Object.entries(paths)) {
    const mark = look.outcomes[outcome];
    ctx.strokeStyle = mark.colour;
    ctx.lineWidth = Math.max(mark.width * scale, 1);
    ctx.lineCap = mark.cap;
    ctx.stroke(path);
  }
  ctx.lineCap = "butt";
  ctx.fillStyle = look.ink;
  ctx.fillRect(x(t) - 0.5, 0, 1, s.height);
}
