// Holders, classes and threads.

const HOLDERS_SHOWN = 8;
const CLASSES_AT_ONCE = 100;
let order = "retained_bytes";

// The same words as in the terminal (mprof.heap.words).
function contentsText(holder) {
  const [one, many] = /^java\.lang\.(String|StringBuilder|StringBuffer)$/.test(holder.class) ? ["character", "characters"] : holder.element_class === "byte" ? ["byte", "bytes"] : ["entry", "entries"];
  const of = many === "entries" && holder.element_class ? ` of ${holder.element_class}` : "";
  return `${countText(holder.length)} ${holder.length === 1 ? one : many}${of}${holder.frames > 1 || holder.copies > 1 ? " in the largest" : ""}`;
}

function drawHolders() {
  const into = document.getElementById("holders");
  const shown = picture.holders.filter((each) => each.share >= 0.01);
  const line = (each) => {
    const place = each.site ? `${each.site.class}.${each.site.method}${each.site.file ? ` (${each.site.file}${each.site.line ? `:${each.site.line}` : ""})` : ""}` : "";
    const holds = [each.class, each.length ? contentsText(each) : "", each.content ? `${countText(each.content.objects)} objects of ${each.content.class} in all` : ""].filter(Boolean).join(", ");
    return element("div", { class: "holder" },
      element("b", { class: "size" }, sizeText(each.bytes)), element("span", { class: "percent" }, shareText(each.bytes)),
      element("span", {}, each.id ? element("a", { href: toObject(each.id) }, each.name) : each.name,
        each.threads > 1
          ? ` in ${countText(each.threads)} threads`
          : each.frames > 1
            ? ` in ${countText(each.frames)} frames`
            : null,
        element("br"), textIn("note", [holds, place, each.thread ? `thread "${each.thread}"` : ""].filter(Boolean).join("; "))));
  };
  if (!shown.length) { into.append(element("p", { class: "note" }, "No static field, field or local of the program's holds a hundredth of the heap.")); return; }
  into.append(...shown.slice(0, HOLDERS_SHOWN).map(line));
  if (shown.length > HOLDERS_SHOWN) into.append(element("details", {}, element("summary", {}, `${countText(shown.length - HOLDERS_SHOWN)} more`), shown.slice(HOLDERS_SHOWN).map(line)));
}

const COLUMNS = [["objects", "objects"], ["shallow_bytes", "shallow"], ["retained_bytes", "retained"], [null, "share"], ["name", "class"]];

function drawClasses(into, most = CLASSES_AT_ONCE) {
  const sorted = [...picture.classes].sort((one, other) => (order === "name" ? (one.name < other.name ? -1 : 1) : other[order] - one[order]));
  const head = element("tr", {}, COLUMNS.map(([key, text]) => element("th", { scope: "col", class: key === "name" ? null : "number", "aria-sort": key === order ? (key === "name" ? "ascending" : "descending") : null },
    key === null ? text : element("button", { type: "button", onclick: () => { order = key; drawClasses(into, most); into.querySelector(`th[aria-sort] button`).focus(); } }, text))));
  const body = sorted.slice(0, most).map((each) => element("tr", {},
    element("td", { class: "number" }, countText(each.objects)), element("td", { class: "number" }, sizeText(each.shallow_bytes)), element("td", { class: "number" }, sizeText(each.retained_bytes)),
    element("td", { class: "number" }, shareText(each.retained_bytes)), element("td", {}, element("a", { href: toClass(each.name) }, className(each.name)))));
  into.replaceChildren(
    element("div", { class: "scrolls" }, element("table", { class: "classes" }, element("thead", {}, head), element("tbody", {}, body))),
    ...(sorted.length > most ? [element("button", { type: "button", onclick: () => drawClasses(into, most + 5 * CLASSES_AT_ONCE) }, `${countText(sorted.length - most)} more classes`)] : []),
    ...(picture.other_classes ? [element("p", { class: "note" }, `${countText(picture.other_classes)} smaller classes are not in the page.`)] : []));
}

function drawThreads(into) {
  into.replaceChildren(
    ...picture.threads.map((thread, number) => {
      const head = element("summary", {}, element("b", {}, sizeText(thread.retained_bytes)), ` ${thread.name || "(no name)"} `, textIn("note", counted(thread.frame_count, "frame")), thread.ran_out_of_memory ? textIn("died", " ran out of memory") : null);
      const made = element("details", { class: "thread", id: `thread-${number}`, open: thread.ran_out_of_memory || number === 0 }, head);
      const fill = () => { if (made.open && made.children.length === 1) made.append(...framesOf(thread)); };
      made.addEventListener("toggle", fill);
      fill();
      return made;
    }),
    ...(picture.thread_count > picture.threads.length ? [element("p", { class: "note" }, `${counted(picture.thread_count - picture.threads.length, "thread")} that retain less are not in the page.`)] : []));
}

function framesOf(thread) {
  const shown = thread.frames.map((frame) => element("div", { class: "frame" },
    element("b", {}, frame.name), " ", textIn("note", `${frame.place}; its locals retain ${sizeText(frame.reachable_bytes)}`),
    frame.locals.length ? element("ul", {}, frame.locals.map((local) => element("li", {}, objectLine(local))),
      frame.local_count > frame.locals.length ? element("li", { class: "note" }, `${countText(frame.local_count - frame.locals.length)} more`) : null) : null));
  const own = thread.id ? [element("p", { class: "frame" }, element("a", { href: toObject(thread.id) }, "the thread's object"))] : [];
  return [...own, ...shown, ...(thread.frame_count > thread.frames.length ? [element("p", { class: "frame note" }, `${counted(thread.frame_count - thread.frames.length, "more frame")} below these`)] : [])];
}
