// Retained size as a flame graph that hangs down: a bar is what a bar above it keeps alive, by class.

const BAR_HEIGHT = 22;
const DEEPEST = 40;
const NARROWEST = 2; // pixels
let flameRoot = null, zoomed = null, flameSays = null, flameSvg = null;

// What keeps its own kind alive (the entries of a bucket, a list of nodes) is one bar with it.
function flameNode(name, members, above) {
  const all = [...members];
  for (const row of all) for (const child of childrenOf[row]) if (row !== 0 && nameOf(child) === name) all.push(child);
  return {
    name, members: all, above, below: null,
    total: members.reduce((bytes, row) => bytes + rows.totals[row], 0),
    objects: all.reduce((count, row) => count + rows.objects[row], 0),
  };
}

// Rows below the bar's rows, those of one name together, the largest first.
function flameBelow(node) {
  if (node.below === null) {
    const named = new Map();
    for (const row of node.members) for (const child of childrenOf[row]) {
      const name = nameOf(child);
      if (name === node.name && row !== 0) continue;
      if (!named.has(name)) named.set(name, []);
      named.get(name).push(child);
    }
    node.below = [...named].map(([name, members]) => flameNode(name, members, node)).sort((one, other) => other.total - one.total);
  }
  return node.below;
}

function drawFlame(into) {
  if (flameRoot === null) flameRoot = zoomed = flameNode("the heap", [0], null);
  flameSays = element("p", { class: "flame-says", role: "status" });
  flameSvg = drawn("svg", { class: "flame", role: "group", "aria-label": "Flame graph of retained size" });
  into.replaceChildren(flameSays, flameSvg);
  paintFlame();
}

function zoomTo(node, { focus = false } = {}) {
  zoomed = node;
  paintFlame();
  if (focus) flameSvg.querySelector(".bar[data-zoomed]")?.focus();
}

function paintFlame() {
  const width = Math.max(300, Math.round(flameSvg.parentElement.clientWidth));
  const bars = [];
  const above = [];
  for (let node = zoomed.above; node !== null; node = node.above) above.unshift(node);
  above.forEach((node, depth) => bars.push({ node, depth, x: 0, width, above: true }));
  let deepest = above.length;
  const lay = (node, depth, x, wide) => {
    bars.push({ node, depth, x, width: wide });
    deepest = Math.max(deepest, depth);
    if (depth - above.length >= DEEPEST) return;
    let at = x;
    for (const child of flameBelow(node)) {
      const part = (wide * child.total) / Math.max(1, node.total);
      if (part < NARROWEST) break; // the next ones are narrower
      lay(child, depth + 1, at, part);
      at += part;
    }
  };
  lay(zoomed, above.length, 0, width);
  const height = (deepest + 1) * BAR_HEIGHT;
  flameSvg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  flameSvg.replaceChildren(...bars.map(barOf));
  tellBar(zoomed);
}

function barOf({ node, depth, x, width, above }) {
  const text = `${shortName(node.name)} ${sizeText(node.total)}`;
  const fits = Math.floor((width - 8) / 7.2);
  const label = drawn("text", { x: x + 4, y: depth * BAR_HEIGHT + 15 });
  label.textContent = fits < 3 ? "" : text.length > fits ? `${text.slice(0, fits - 1)}\u2026` : text;
  const tip = drawn("title");
  tip.textContent = barText(node);
  const bar = drawn("g", {
    class: above ? "bar above" : "bar", tabindex: 0, role: "button", "aria-label": barText(node),
    onclick: () => zoomTo(node), onfocus: () => tellBar(node), onmouseenter: () => tellBar(node),
    onkeydown: (event) => keyOnBar(event, node),
  }, drawn("rect", { x, y: depth * BAR_HEIGHT, width: Math.max(0.5, width), height: BAR_HEIGHT - 1, class: colourOf(node.name) }), label, tip);
  if (node === zoomed) bar.setAttribute("data-zoomed", "");
  bar.flame = node;
  return bar;
}

const shortName = (name) => name.slice(name.replace(/[([<].*$/, "").lastIndexOf(".") + 1);
const barText = (node) => `${node.members[0] === 0 ? "" : `${countText(node.objects)} \u00d7 `}${node.name}: ${sizeText(node.total)}, ${shareText(node.total)} of the heap`;

// One colour for each package; grey for the JDK's.
function colourOf(name) {
  if (/^(java|javax|jdk|sun|com\.sun)\.|^[a-z]+\[|^</.test(name) || !name.includes(".")) return "plain";
  const of = name.split(".").slice(0, -1).slice(0, 3).join(".");
  let sum = 0;
  for (const letter of of) sum = (31 * sum + letter.charCodeAt(0)) % 6_000_011;
  return `c${sum % 6}`;
}

function tellBar(node) {
  const row = node.members[0];
  const link = node.members.length === 1 && row ? element("a", { href: `#row-${row}` }, "in the tree") : null;
  flameSays.replaceChildren(...[element("b", {}, barText(node)), link ? ", " : null, link].filter(Boolean));
}

function keyOnBar(event, node) {
  if (event.key === "Enter" || event.key === " ") zoomTo(node, { focus: true });
  else if (event.key === "Escape" && zoomed.above) zoomTo(zoomed.above, { focus: true });
  else if (event.key.startsWith("Arrow")) {
    const bars = [...flameSvg.querySelectorAll(".bar")];
    const beside = node.above ? flameBelow(node.above) : [node];
    const to = { ArrowUp: node.above, ArrowDown: flameBelow(node)[0], ArrowLeft: beside[beside.indexOf(node) - 1], ArrowRight: beside[beside.indexOf(node) + 1] }[event.key];
    bars.find((bar) => bar.flame === to)?.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}
