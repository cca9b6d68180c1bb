// Search: in the names of classes, in fields, texts and addresses of the tree, in threads.

const CLASSES_FOUND = 12, ROWS_FOUND = 30, THREADS_FOUND = 8;

function search(words) {
  const text = words.trim().toLowerCase();
  if (!text) { closePanel(); return; }
  asked++;
  const classes = picture.classes.filter((each) => each.name.toLowerCase().includes(text)).sort((one, other) => other.retained_bytes - one.retained_bytes);
  const found = [];
  const names = rows.names.map((name) => name.toLowerCase().includes(text));
  for (let row = 1; row < rowCount; row++) {
    if (names[rows.classes[row]] || rows.says[row].toLowerCase().includes(text) || rows.by[row].toLowerCase().includes(text) || rows.ids[row].startsWith(text)) found.push(row);
  }
  found.sort((one, other) => rows.totals[other] - rows.totals[one]);
  const threads = picture.threads.map((thread, number) => [thread, number]).filter(([thread]) => thread.name.toLowerCase().includes(text));
  const address = /^(0x)?[0-9a-f]{6,16}$/.test(text) ? `0x${text.replace(/^0x0*/, "")}` : null;
  showPanel(
    element("h2", {}, "Found"),
    element("p", { role: "status" }, `${counted(found.length, "row")} of the tree, ${countText(classes.length)} ${classes.length === 1 ? "class" : "classes"}, ${counted(threads.length, "thread")}`),
    address && (picture.live || knownObjects.has(address)) ? element("p", {}, element("a", { href: toObject(address) }, `the object at ${address}`)) : null,
    classes.length ? [element("h3", {}, "Classes"), element("ul", {}, classes.slice(0, CLASSES_FOUND).map((each) => element("li", {}, element("b", {}, sizeText(each.retained_bytes)), " ", element("a", { href: toClass(each.name) }, className(each.name)), " ", textIn("note", counted(each.objects, "object")))))] : null,
    found.length ? [element("h3", {}, "Rows of the tree"), element("ul", {}, found.slice(0, ROWS_FOUND).map((row) => element("li", {}, element("b", {}, sizeText(rows.totals[row])), " ", byText(rows.by[row]), rowLine(row))))] : null,
    threads.length ? [element("h3", {}, "Threads"), element("ul", {}, threads.slice(0, THREADS_FOUND).map(([thread, number]) => element("li", {}, element("b", {}, sizeText(thread.retained_bytes)), " ", element("a", { href: `#thread-${number}` }, thread.name))))] : null,
  );
}
