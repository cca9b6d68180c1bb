// The dominator tree, which unfolds. A row is made when it is first shown.

const SHOWN_AT_ONCE = 40;
const DEEPEST_AT_ONCE = 24;
let treeElement = null;
const lines = new Map(); // of a row that is shown: its line
let current = null; // the line that the keyboard is on

function drawTree(into) {
  if (treeElement === null) {
    treeElement = element("div", { class: "tree", role: "tree", "aria-label": "Dominator tree" });
    treeElement.addEventListener("keydown", keyInTree);
    treeElement.append(lineOf(0, 1));
    unfold(0);
    let row = childrenOf[0][0], steps = 0;
    while (row !== undefined && rows.totals[row] > whole / 2 && steps++ < DEEPEST_AT_ONCE) { unfold(row); row = childrenOf[row][0]; }
    goTo(lines.get(0), { focus: false });
  }
  into.replaceChildren(treeElement);
}

function lineOf(row, level) {
  const size = rows.totals[row];
  const gauge = element("i");
  gauge.style.width = `${Math.max(1, (100 * size) / whole)}%`;
  const more = rows.objects[row] > 1 || !rows.alone[row];
  const subject = rows.ids[row] ? element("a", { href: toObject(rows.ids[row]), tabindex: -1 }, className(nameOf(row)))
    : element("a", { href: row ? `#row-${row}` : "#tree", tabindex: -1 }, className(nameOf(row)));
  const line = element("div", {
    role: "treeitem", class: more ? "row together" : "row", tabindex: -1, "aria-level": level, "data-row": row,
    "aria-expanded": isLeaf(row) ? null : "false",
  },
    element("span", { class: "twisty", "aria-hidden": "true" }, isLeaf(row) ? "" : "\u25b8"),
    element("span", { class: "size" }, sizeText(size)),
    element("span", { class: "percent" }, shareText(size)),
    element("span", { class: "gauge", "aria-hidden": "true" }, gauge),
    element("span", { class: "what" },
      byText(rows.by[row]), more && row ? `${countText(rows.objects[row])} ${hasSiblings(row) ? "more " : ""}` : null, subject,
      rows.says[row] ? " " : null, textIn("says", rows.says[row]), rows.ids[row] ? " " : null, textIn("id", rows.ids[row])));
  indent(line, level);
  line.addEventListener("click", (event) => {
    goTo(line, { focus: event.target.tagName !== "A" });
    if (event.target.tagName !== "A" && !event.target.closest("a")) toggle(row);
  });
  lines.set(row, line);
  return line;
}

// Others of its class stand beside it, alone.
const hasSiblings = (row) => childrenOf[rows.parents[row]].some((other) => other !== row && rows.alone[other] && rows.classes[other] === rows.classes[row]);

function indent(line, level) {
  const narrow = window.matchMedia("(max-width: 520px)").matches;
  line.style.paddingLeft = `${Math.min(level - 1, 30) * (narrow ? 5 : 14)}px`;
}

const isLeaf = (row) => childrenOf[row].length === 0 && leftOutBelow(row).objects <= 0;
const isUnfolded = (row) => lines.get(row)?.getAttribute("aria-expanded") === "true";

function unfold(row) {
  const line = lines.get(row);
  if (isLeaf(row) || isUnfolded(row)) return;
  line.setAttribute("aria-expanded", "true");
  line.querySelector(".twisty").textContent = "\u25be";
  line.after(...linesBelow(row, 0, Number(line.getAttribute("aria-level")) + 1));
}

function linesBelow(row, first, level) {
  const below = childrenOf[row];
  const shown = below.slice(first, first + SHOWN_AT_ONCE).map((child) => lineOf(child, level));
  const next = first + SHOWN_AT_ONCE;
  const rest = leftOutBelow(row);
  if (below.length > next) {
    const hidden = below.slice(next);
    const sum = hidden.reduce((bytes, child) => bytes + rows.totals[child], 0) + rest.bytes;
    shown.push(noteLine(row, level, sum, hiddenText(hidden), (line) => {
      const more = linesBelow(row, next, level);
      line.replaceWith(...more);
      goTo(more[0]);
    }));
  } else if (rest.objects > 0) {
    shown.push(noteLine(row, level, rest.bytes, `${counted(rest.objects, "smaller object")}, each group below what is listed`, null));
  }
  return shown;
}

// "1,962 more rows: 1,960 shop.Walk.descend, 2 java.lang.String"
function hiddenText(hidden) {
  const named = new Map();
  for (const row of hidden) named.set(nameOf(row), (named.get(nameOf(row)) ?? 0) + 1);
  const largest = [...named].sort((one, other) => other[1] - one[1]).slice(0, 3).map(([name, count]) => `${countText(count)} ${name}`);
  return `${countText(hidden.length)} more rows: ${largest.join(", ")}${named.size > 3 ? ", \u2026" : ""}`;
}

function noteLine(row, level, bytes, text, act) {
  const line = element("div", { role: "treeitem", class: "row together", tabindex: -1, "aria-level": level, "data-rest": row },
    element("span", { class: "twisty", "aria-hidden": "true" }, act ? "\u2026" : ""),
    element("span", { class: "size" }, sizeText(bytes)), element("span", { class: "percent" }, shareText(bytes)),
    element("span", { class: "gauge", "aria-hidden": "true" }),
    element("span", { class: "what note" }, text));
  indent(line, level);
  line.act = act;
  line.addEventListener("click", () => { goTo(line); if (act) act(line); });
  return line;
}

function fold(row) {
  const line = lines.get(row);
  if (!isUnfolded(row)) return;
  const level = Number(line.getAttribute("aria-level"));
  while (line.nextElementSibling && Number(line.nextElementSibling.getAttribute("aria-level")) > level) {
    const next = line.nextElementSibling;
    if (next.dataset.row !== undefined) lines.delete(Number(next.dataset.row));
    next.remove();
  }
  line.setAttribute("aria-expanded", "false");
  line.querySelector(".twisty").textContent = "\u25b8";
}

// Unfolds a row, and below it what keeps nearly all of it, until the way parts.
function unfoldFar(row) {
  let steps = 0;
  unfold(row);
  for (let child = childrenOf[row][0]; child !== undefined && rows.totals[child] > 0.9 * rows.totals[row] && steps++ < DEEPEST_AT_ONCE; child = childrenOf[row][0]) {
    unfold(child);
    row = child;
  }
}

function toggle(row) {
  if (isUnfolded(row)) fold(row);
  else unfoldFar(row);
}

// Unfolds all that is above a row, so that it is shown, and goes there.
function reveal(row) {
  const above = [];
  for (let at = row; at !== 0; at = rows.parents[at]) above.push(rows.parents[at]);
  for (const parent of above.reverse()) {
    unfold(parent);
    const child = above.length ? [...childrenOf[parent]].find((one) => one === row || isAbove(one, row)) : undefined;
    while (child !== undefined && !lines.has(child)) {
      const note = treeElement.querySelector(`[data-rest="${parent}"]`);
      if (!note?.act) break;
      note.act(note);
    }
  }
  const line = lines.get(row);
  if (line) { goTo(line, { focus: false }); line.scrollIntoView({ block: "center" }); }
}

function isAbove(one, row) {
  for (let at = row; at !== 0; at = rows.parents[at]) if (at === one) return true;
  return false;
}

function goTo(line, { focus = true } = {}) {
  if (!line) return;
  if (current) { current.tabIndex = -1; current.setAttribute("aria-selected", "false"); }
  current = line;
  line.tabIndex = 0;
  line.setAttribute("aria-selected", "true");
  if (focus) line.focus();
}

function keyInTree(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !current) return;
  const row = current.dataset.row === undefined ? null : Number(current.dataset.row);
  const keys = {
    ArrowDown: () => goTo(current.nextElementSibling),
    ArrowUp: () => goTo(current.previousElementSibling),
    Home: () => goTo(treeElement.firstElementChild),
    End: () => goTo(treeElement.lastElementChild),
    ArrowRight: () => { if (row === null) current.act?.(current); else if (isUnfolded(row)) goTo(current.nextElementSibling); else unfoldFar(row); },
    ArrowLeft: () => { if (row !== null && isUnfolded(row)) fold(row); else goTo(lines.get(row === null ? Number(current.dataset.rest) : rows.parents[row])); },
    Enter: () => { if (row === null) current.act?.(current); else if (row) location.hash = rows.ids[row] ? toObject(rows.ids[row]) : `#row-${row}`; },
    " ": () => { if (row !== null) toggle(row); },
  };
  if (keys[event.key]) { keys[event.key](); event.preventDefault(); event.stopPropagation(); }
}
