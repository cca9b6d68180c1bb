// Views and addresses: what stands behind the # is what is shown, so that a link shows the same.

const VIEWS = { tree: drawTree, flame: drawFlame, classes: drawClasses, threads: drawThreads };
const viewElement = document.getElementById("view");
const searchField = document.getElementById("q");
let view = null;

function show(name) {
  if (view === name) return;
  view = name;
  for (const link of document.querySelectorAll("nav#views a")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  VIEWS[name](viewElement);
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

function follow() {
  const [, kind, rest] = /^#([a-z]+)-?(.*)$/s.exec(location.hash) || [null, "", ""];
  if (Object.hasOwn(VIEWS, kind)) show(kind);
  else if (kind === "thread") { show("threads"); openThread(Number(rest)); }
  else if (kind === "row" && Number(rest) > 0 && Number(rest) < rowCount) { show("tree"); showRow(Number(rest)); }
  else {
    if (view === null) show("tree");
    if (kind === "object") showObject(decoded(rest).toLowerCase());
    else if (kind === "class") showClass(decoded(rest));
  }
}

function openThread(number) {
  const found = document.getElementById(`thread-${number}`);
  if (found) { found.open = true; found.scrollIntoView({ block: "start" }); found.querySelector("summary").focus(); }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = document.activeElement?.tagName === "INPUT";
  if (event.key === "Escape") {
    if (typing) searchField.blur();
    if (!panel.hidden) closePanel();
    else if (view === "flame" && zoomed.above) zoomTo(zoomed.above);
  } else if (typing) {
    if (event.key === "Enter") panel.querySelector("ul a")?.focus();
  } else if (event.key === "/") { searchField.focus(); event.preventDefault(); }
  else if (Object.keys(VIEWS)[Number(event.key) - 1]) location.hash = Object.keys(VIEWS)[Number(event.key) - 1];
});
searchField.addEventListener("input", () => search(searchField.value));
window.addEventListener("hashchange", follow);
window.addEventListener("resize", () => { if (view === "flame") paintFlame(); });
drawHolders();
document.body.dataset.busy = "false";
follow();
