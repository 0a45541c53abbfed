// Takes a picture of what stands in a figure as SVG and text. The page's styles would not come along, so what they come
// to is written into each element.

const styles = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "paint-order", "opacity", "font-size", "text-anchor", "vector-effect"];
const parts = ".raster-name, .key > span, .rastered > svg, .axis-title";

// drawn returns {inner, width, height}: the elements of an SVG document, and the size that they take.
export function drawn(figure) {
  const all = [...figure.querySelectorAll(parts)];
  const boxes = all.map((part) => part.getBoundingClientRect());
  const left = Math.min(...boxes.map((b) => b.left));
  const top = Math.min(...boxes.map((b) => b.top));
  const inner = all.flatMap((part) => (part.matches("svg") ? [picture(part, left, top)] : [...[...part.querySelectorAll("svg")].map((svg) => picture(svg, left, top)), words(part, left, top)]));
  return { inner: inner.join(""), width: figure.clientWidth, height: Math.max(...boxes.map((b) => b.bottom)) - top };
}

// picture is an SVG of the page at its place.
function picture(svg, left, top) {
  const { x, y, width, height } = svg.getBoundingClientRect();
  const copy = styled(svg);
  for (const [name, value] of Object.entries({ x: x - left, y: y - top, width, height, overflow: getComputedStyle(svg).overflow })) copy.setAttribute(name, value);
  return new XMLSerializer().serializeToString(copy);
}

// styled is a copy that looks the same anywhere, without what does not show.
function styled(element) {
  const copy = element.cloneNode(true);
  const originals = [element, ...element.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((e, i) => {
    const style = getComputedStyle(originals[i]);
    if (style.display === "none") return e.remove();
    for (const name of styles) e.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "id", "aria-label", "aria-hidden", "role"]) e.removeAttribute(name);
  });
  return copy;
}

// words are an element's text at its place.
function words(element, left, top) {
  const range = document.createRange();
  const nodes = [...element.querySelectorAll("b"), element].map((e) => [...e.childNodes].find((n) => n.nodeType === Node.TEXT_NODE && n.data.trim()));
  const node = nodes.find(Boolean);
  if (!node) return "";
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  const style = getComputedStyle(node.parentNode);
  const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
  const at = { x: box.left - left, y: box.top - top + box.height * 0.78, fill: style.color, "font-size": style.fontSize, "font-weight": style.fontWeight };
  for (const [name, value] of Object.entries(at)) text.setAttribute(name, value);
  text.textContent = node.data.trim();
  return new XMLSerializer().serializeToString(text);
}
