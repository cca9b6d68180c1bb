// All about one object, one class, or one row of the tree.

const panel = document.getElementById("panel");
const work = document.querySelector(".work");
let asked = 0;

function showPanel(...children) {
  panel.hidden = false;
  work.classList.add("with-panel");
  const close = element("button", { class: "close", type: "button", "aria-label": "Close", onclick: closePanel }, "\u00d7");
  panel.replaceChildren(close, ...children.flat(9).filter((each) => each !== null && each !== undefined && each !== ""));
  if (view === "flame") paintFlame();
  if (window.matchMedia("(max-width: 1000px)").matches) panel.scrollIntoView({ block: "start" });
  else panel.scrollTop = 0;
}

function closePanel() {
  panel.hidden = true;
  work.classList.remove("with-panel");
  if (/^#(object|class|row)-/.test(location.hash)) history.pushState(null, "", `#${view}`);
  if (view === "flame") paintFlame();
}

// Shows what a promise brings, unless something else was asked for meanwhile.
async function showAnswer(question, parameters, show, otherwise) {
  const mine = ++asked;
  document.body.dataset.busy = "true";
  try {
    const answer = await ask(question, parameters);
    if (mine === asked) show(answer);
  } catch (error) {
    if (mine === asked) otherwise(error);
  } finally {
    if (mine === asked) document.body.dataset.busy = "false";
  }
}

const ROWS = 30, MORE_ROWS = 600;

// Whatever is longer than what is shown, in full, as far as the server gives it out.
function moreButton(shown, all, act) {
  return picture.live && shown < all && shown < MORE_ROWS ? element("p", {}, element("button", { type: "button", onclick: act }, `Show ${countText(Math.min(all, MORE_ROWS))}`)) : null;
}

function showObject(id, wanted = ROWS) {
  asked++;
  const known = knownObjects.get(id);
  const row = rowOfId.get(id);
  if (view === "tree" && row !== undefined) reveal(row);
  if (picture.live) {
    showAnswer("object", { id, rows: wanted }, (answer) => objectPanel(answer), (error) => showPanel(element("h2", {}, id), element("p", {}, error.message)));
  } else if (known) objectPanel(known);
  else if (row !== undefined) showRow(row);
  else showPanel(element("h2", {}, id), element("p", {}, "This object is too small to stand in the page."), elsewhere(id));
}

const elsewhere = (id) => element("p", { class: "note" }, "All about it: ", element("code", {}, `mprof heap ${picture.name} --object ${id}`), ", or look around in the whole heap with ", element("code", {}, `mprof heap ${picture.name} --serve`), ".");

function sizes(row) {
  return element("p", {}, element("b", {}, sizeText(row.retained_bytes)), ` retained, ${shareText(row.retained_bytes)} of the heap; `, sizeText(row.shallow_bytes), " itself");
}

function objectPanel(answer) {
  const { object } = answer;
  const row = rowOfId.get(object.id);
  showPanel(
    element("h2", {}, className(object.class)),
    element("p", {}, textIn("id", object.id), object.says ? " " : null, textIn("says", object.says)),
    sizes(object),
    element("p", {},
      row !== undefined && row !== 0 ? [element("a", { href: `#row-${row}` }, "in the tree"), " "] : null,
      element("a", { href: toClass(object.class) }, "its class")),
    pathList(answer.path),
    answer.field_count ? [element("h3", {}, heading(answer.fields[0]?.type === "" ? "Holds" : "Fields and elements", answer.fields.length, answer.field_count)),
      table(["name", "value"], answer.fields.map(fieldLine))] : null,
    answer.referrers === null ? null : [element("h3", {}, heading("Referred to by", answer.referrers.length, answer.referrer_count)),
      element("ul", {}, answer.referrers.map((each) => element("li", {}, objectLine(each.object), " ", textIn("note", `by ${each.by}`))))],
    answer.dominates_count ? [element("h3", {}, heading("Keeps alive", answer.dominates.length, answer.dominates_count)),
      element("p", { class: "note" }, `${counted(answer.dominates_objects, "object")} in all`),
      element("ul", {}, answer.dominates.map((each) => element("li", {}, objectLine(each))))] : null,
    answer.dominator ? [element("h3", {}, "Kept alive by"), element("p", {}, objectLine(answer.dominator))] : null,
    moreButton(Math.max(answer.fields.length, answer.dominates.length, answer.referrers?.length ?? 0), Math.max(answer.field_count, answer.dominates_count, answer.referrer_count ?? 0), () => showObject(object.id, MORE_ROWS)),
    picture.live ? null : elsewhere(object.id),
  );
}

const heading = (text, shown, all) => (shown < all ? `${text} (${countText(shown)} of ${countText(all)})` : `${text} (${countText(all)})`);

function fieldLine(field) {
  const value = field.object ? objectLine(field.object) : element("code", {}, field.value);
  return [[field.name, field.type && field.type !== "object" ? textIn("note", ` ${field.type}`) : null], value];
}

function pathList(path) {
  return [
    element("h3", {}, "Path from a root"),
    element("ol", {}, path.map((step) => element("li", {},
      step.left_out ? [textIn("note", `${counted(step.left_out, "step")} left out`), element("br")] : null,
      byText(step.by), objectLine(step.object, { withSize: false }),
      step.site ? [" ", textIn("note", step.site)] : null))),
  ];
}

// A row of the tree of which nothing else is known: a frame, objects together, a smaller object.
function showRow(row) {
  asked++;
  if (view === "tree") reveal(row);
  const above = [];
  for (let at = rows.parents[row]; at !== 0; at = rows.parents[at]) above.unshift(at);
  const rest = leftOutBelow(row);
  showPanel(
    element("h2", {}, rows.objects[row] > 1 ? `${countText(rows.objects[row])} \u00d7 ` : null, className(nameOf(row))),
    element("p", {}, textIn("id", rows.ids[row]), " ", textIn("says", rows.says[row])),
    sizes({ retained_bytes: rows.totals[row], shallow_bytes: rows.shallow[row] }),
    element("p", {}, element("a", { href: toClass(nameOf(row)) }, "its class")),
    above.length ? [element("h3", {}, "Kept alive by"), element("ol", {}, above.map((at) => element("li", {}, byText(rows.by[at]), rowLine(at))))] : null,
    childrenOf[row].length ? [element("h3", {}, "Keeps alive"), element("ul", {}, childrenOf[row].slice(0, 20).map((child) => element("li", {}, element("b", {}, sizeText(rows.totals[child])), " ", byText(rows.by[child]), rowLine(child)))),
      childrenOf[row].length > 20 || rest.objects > 0 ? element("p", { class: "note" }, `and ${counted(Math.max(0, childrenOf[row].length - 20), "more row")}${rest.objects > 0 ? `, ${counted(rest.objects, "smaller object")}` : ""}`) : null] : null,
    rows.ids[row] ? elsewhere(rows.ids[row]) : null,
  );
}

function rowLine(row) {
  const more = rows.objects[row] > 1 ? `${countText(rows.objects[row])} \u00d7 ` : null;
  return [more, element("a", { href: rows.ids[row] ? toObject(rows.ids[row]) : `#row-${row}` }, className(nameOf(row))), " ", textIn("says", rows.says[row]), " ", textIn("id", rows.ids[row])];
}

function showClass(name) {
  asked++;
  if (picture.live) {
    showAnswer("class", { name }, classPanel, (error) => showPanel(element("h2", {}, className(name)), element("p", {}, error.message)));
    return;
  }
  const of = picture.classes.find((each) => each.name === name);
  const found = [];
  for (let row = 1; row < rowCount; row++) if (nameOf(row) === name) found.push(row);
  found.sort((one, other) => rows.totals[other] - rows.totals[one]);
  showPanel(
    element("h2", {}, className(name)),
    of ? element("p", {}, `${counted(of.objects, "object")}, ${sizeText(of.shallow_bytes)} themselves; `, element("b", {}, sizeText(of.retained_bytes)), ` retained, ${shareText(of.retained_bytes)} of the heap`) : element("p", {}, "Not among the largest classes."),
    found.length ? [element("h3", {}, heading("In the tree", Math.min(30, found.length), found.length)),
      element("ul", {}, found.slice(0, 30).map((row) => element("li", {}, element("b", {}, sizeText(rows.totals[row])), " ", rowLine(row), " ", textIn("note", `in ${nameOf(rows.parents[row])}`))))] : null,
    element("p", { class: "note" }, "More: ", element("code", {}, `mprof heap ${picture.name} --class '${name}'`)),
  );
}

function classPanel(answer) {
  showPanel(
    element("h2", {}, className(answer.name)),
    element("p", {}, `${counted(answer.objects, "object")}, ${sizeText(answer.shallow_bytes)} themselves; `, element("b", {}, sizeText(answer.retained_bytes)), ` retained, ${shareText(answer.retained_bytes)} of the heap`),
    answer.subclass_objects ? element("p", {}, `${counted(answer.subclass_objects, "object")} of subclasses`) : null,
    answer.super_classes.length ? [element("h3", {}, "Extends"), element("p", {}, answer.super_classes.flatMap((name, at) => [at ? ", " : null, element("a", { href: toClass(name) }, className(name))]))] : null,
    answer.ids.length ? [element("h3", {}, "Loaded by"), element("ul", {}, answer.ids.map((id, at) => element("li", {}, className(answer.loaders[at]), " ", element("a", { href: toObject(id), class: "id" }, id))))] : null,
    answer.statics.length ? [element("h3", {}, "Static fields"), table(["name", "value"], answer.statics.map(fieldLine))] : null,
    answer.instances.length ? [element("h3", {}, heading("Objects", answer.instances.length, answer.objects)), element("ul", {}, answer.instances.map((each) => element("li", {}, objectLine(each))))] : null,
  );
}
