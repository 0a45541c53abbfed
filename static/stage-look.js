// What a stage is drawn with: the page's colours, and the marks of its key.

export function lookOf(figure) {
  const style = getComputedStyle(figure);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const outcomes = {};
  for (const path of figure.querySelectorAll(".stage-key [data-outcome] path")) {
    const { outcome, label } = path.closest("[data-outcome]").dataset;
    const dot = outcome === "ok";
    outcomes[outcome] = { label, path: new Path2D(path.getAttribute("d")), colour: getComputedStyle(path).stroke, width: dot ? 7 : 1.75, cap: dot ? "round" : "butt" };
  }
  const family = style.fontFamily;
  return {
    outcomes,
    ink: colour("ink"), ink2: colour("ink-2"), ground: colour("ground"), raised: colour("raised"), line: colour("line"), edge: colour("edge"),
    link: colour("link"), harm: colour("harm"), refused: colour("refused"), served: colour("served"), waits: colour("stage-waits"),
    policy: colour("mark"), casing: colour("casing"), hatch: hatch(colour("down"), colour("down-line")),
    font: `13px ${family}`, large: `650 20px ${family}`,
  };
}

// hatch is the pattern of a server that is down, as in the strips.
function hatch(ground, lines) {
  const tile = Object.assign(document.createElement("canvas"), { width: 9, height: 9 });
  const ctx = tile.getContext("2d");
  ctx.fillStyle = ground;
  ctx.fillRect(0, 0, 9, 9);
  ctx.strokeStyle = lines;
  ctx.lineWidth = 2;
  for (const at of [-9, 0, 9]) {
    ctx.moveTo(at - 1, 10);
    ctx.lineTo(at + 10, -1);
  }
  ctx.stroke();
  return ctx.createPattern(tile, "repeat");
}
