// The still picture of a run, for those who want nothing to move: a line a client, time across, a mark where each of its
// attempts left, and a line at the time.

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
  const half = Math.min(Math.max(s.line * 0.4, 1), 4);
  trace.client.forEach((c, i) => {
    if (c >= s.run.count) return;
    const path = (paths[trace.outcome[i]] ??= new Path2D());
    path.rect(x(trace.leftSeconds[i]) - 0.75, (c + 0.5) * s.line - half, 1.5, 2 * half);
  });
  for (const outcome of Object.keys(look.outcomes)) {
    ctx.fillStyle = look.outcomes[outcome].colour;
    if (paths[outcome]) ctx.fill(paths[outcome]);
  }
  ctx.fillStyle = look.ink;
  ctx.fillRect(x(t) - 0.5, 0, 1, s.height);
}
