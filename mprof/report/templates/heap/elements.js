// Elements are made of texts and attributes; nothing of the heap becomes markup.

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(9).filter((each) => each !== null && each !== undefined && each !== ""));
  return made;
}

function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const textIn = (style, text) => (text ? element("span", { class: style }, text) : null);

// How it is referred to, before what is.
const byText = (text) => (text ? [element("span", { class: "by" }, text), " "] : null);

// java.util. in grey, HashMap in black.
function className(name) {
  const cut = name.replace(/[([<].*$/, "").lastIndexOf(".") + 1;
  return [textIn("package", name.slice(0, cut)), element("span", {}, name.slice(cut))];
}

const toObject = (id) => `#object-${id}`;
const toClass = (name) => `#class-${encodeURIComponent(name)}`;

// An object in a line: its class as a link, what it says, its address.
function objectLine(row, { withSize = true } = {}) {
  const name = row.id ? element("a", { href: toObject(row.id) }, className(row.class)) : element("span", {}, className(row.class));
  return [
    withSize ? element("b", {}, sizeText(row.retained_bytes)) : null, withSize ? " " : null,
    name, row.says ? " " : null, textIn("says", row.says), row.id ? " " : null, textIn("id", row.id),
  ];
}

function table(heads, body, { numbers = [] } = {}) {
  const cell = (kind) => (each, at) => element(kind, { class: numbers.includes(at) ? "number" : null, scope: kind === "th" ? "col" : null }, each);
  return element("div", { class: "scrolls" }, element("table", {},
    element("thead", {}, element("tr", {}, heads.map(cell("th")))),
    element("tbody", {}, body.map((line) => element("tr", {}, line.map(cell("td")))))));
}
