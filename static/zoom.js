// The buttons that zoom into a chart's time, for fingers and keys: the slider under the plots is for the mouse alone.

export const least = 1; // % of the time that shows at least

// views are where the buttons lead from what shows: [its middle, its width], in %.
const views = {
  in: (middle, width) => [middle, width / 2],
  out: (middle, width) => [middle, width * 2],
  earlier: (middle, width) => [middle - width / 2, width],
  later: (middle, width) => [middle + width / 2, width],
  all: () => [50, 100],
};

// zoomable makes a figure's buttons work on its chart; it says what shows, now and whenever that changes, and calls changed.
export function zoomable(chart, figure, changed) {
  const row = figure.querySelector(".zoom");
  const shown = () => chart.getOption().dataZoom[0];
  const tell = () => {
    const [from, to] = [shown().startValue, shown().endValue].map((s) => Number(s.toPrecision(3)));
    row.querySelector("output").textContent = `${from} to ${to} s`;
    changed();
  };
  row.hidden = false;
  row.onclick = ({ target }) => {
    const view = views[target.value];
    if (!view) return;
    const { start, end } = shown();
    const [middle, wanted] = view((start + end) / 2, end - start);
    const width = Math.min(Math.max(wanted, least), 100);
    const at = Math.min(Math.max(middle - width / 2, 0), 100 - width);
    chart.dispatchAction({ type: "dataZoom", start: at, end: at + width });
  };
  chart.off("datazoom");
  chart.on("datazoom", tell);
  tell();
}
