// The list of findings, the legend, and what was chosen.

const SECTIONS = [
  ["node", "Machines", "No machine differs from its peers."],
  ["application", "Jobs", "No job fails wherever it runs."],
  ["skew", "Data", "No job has tasks with far more data that take far longer."],
];
const FIRST_SHOWN = 3;
const opened = new Set();

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "background") made.style.background = `var(--${value})`; // of a style the policy lets no attribute be
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function drawHeadline() {
  const firing = (kind) => facts.findings.filter((one) => one.kind === kind && one.fires).length;
  const machines = firing("node"), jobs = firing("application"), skews = firing("skew");
  const parts = [];
  if (machines) parts.push(`${plural(machines, "machine")} ${machines === 1 ? "differs" : "differ"} from ${machines === 1 ? "its" : "their"} peers`);
  if (jobs) parts.push(`${plural(jobs, "job")} failing wherever ${jobs === 1 ? "it runs" : "they run"}`);
  if (skews) parts.push(`${plural(skews, "job")} with skewed data`);
  const unsure = facts.findings.filter((one) => !one.fires).length;
  const otherwise = [];
  if (!parts.length) otherwise.push(facts.compared ? "nothing stands out across jobs and users" : "nothing could be compared: too few nodes ran each job");
  const late = Boolean(facts.alarms?.masterLate);
  if (late) otherwise.push("the master is late: mprof nodes says since when");
  const untold = machines ? null : facts.alarms?.disputed ?? null;
  if (untold) otherwise.push(`no machine can be named: ${untold}`);
  const text = `${[parts.join(", "), ...otherwise].filter(Boolean).join("; ")}.`;
  const line = document.getElementById("headline");
  line.textContent = `${text[0].toUpperCase()}${text.slice(1)}${unsure ? ` ${unsure} that cannot be told.` : ""}`;
  line.classList.toggle("fine", facts.compared && Boolean(facts.alarms?.judged) && !untold && !parts.length && !late && !unsure);
}

function drawFindings() {
  const list = document.getElementById("findings");
  list.replaceChildren(...SECTIONS.flatMap(([kind, title, none]) => {
    const found = facts.findings.map((one, at) => [one, at]).filter(([one]) => one.kind === kind);
    const firing = found.filter(([one]) => one.fires).length;
    const head = element("h3", {}, title, element("span", { class: "count" }, firing ? String(firing) : "none"));
    const shown = opened.has(kind) ? found : found.slice(0, FIRST_SHOWN);
    if (markNumber() >= 0 && found.some(([, at]) => at === markNumber()) && !shown.some(([, at]) => at === markNumber())) {
      shown.push(found.find(([, at]) => at === markNumber()));
    }
    const rows = shown.map(([one, at]) => element("li", {}, findingButton(one, at)));
    if (found.length > shown.length) {
      rows.push(element("li", {}, element("button", { class: "more", type: "button", onclick: () => { opened.add(kind); drawFindings(); } }, `all ${found.length}`)));
    }
    return [head, found.length ? element("ul", {}, ...rows) : element("p", { class: "none" }, absent(kind, none))];
  }));
}

// Why there is nothing to list: not compared is never fine.
function absent(kind, none) {
  if (kind === "node" && !facts.alarms) return "The nodes were not compared (--no-alarms).";
  if (kind === "node" && facts.alarms.disputed) return `Cannot be told: ${facts.alarms.disputed}.`;
  if (kind === "node") return facts.alarms.judged ? none : "Cannot be told: no detector could compare the nodes.";
  return facts.compared ? none : "Cannot be told: too few nodes ran each job.";
}

function subjectOf(one) {
  if (one.kind === "node") return one.subject;
  return `${facts.jobs.id[one.jobs[0]]}${one.users.length ? ` of ${one.users[0]}` : ""}`;
}

function findingButton(one, at) {
  const pressed = markNumber() === at;
  return element("button", {
    class: `finding${one.fires ? "" : " unsure"}`, type: "button", "aria-pressed": String(pressed), onclick: () => pick(one, at, pressed),
  },
  element("b", {}, subjectOf(one)),
  element("span", { class: "what" }, one.fires ? one.title : `Cannot tell: ${one.title.toLowerCase()}`),
  element("span", {}, `${one.evidence}${one.whyNot ? ` ${one.whyNot[0].toUpperCase()}${one.whyNot.slice(1)}.` : ""}`));
}

// Picking shows it in the picture: machines in the heatmap, jobs and data where their squares are.
async function pick(one, at, pressed) {
  if (pressed) { await show({ mark: "" }); return; }
  const onJob = one.kind !== "node" && (state.view === "detail" || state.view === "tasks");
  const view = one.kind === "node" && state.view !== "alarms" ? "heatmap" : onJob ? state.view : one.kind === "node" ? state.view : "detail";
  await show({ mark: String(at), view, ...(one.kind === "node" ? {} : { job: facts.jobs.id[one.jobs[0]], node: "" }) });
  if (view === "heatmap" && rowOf[one.hosts[0]] >= 0) {
    heatmap.reach(...heatmap.boxOf({ job: shownJobs[0] ?? 0, host: one.hosts[0] }), 120);
    heatmap.paint();
  }
}

function drawLegend() {
  const box = document.getElementById("legend-scale");
  const failing = state.view === "heatmap" && state.colour === "failures";
  const names = failing ? ["none failed", "up to a quarter", "up to half", "up to three quarters", "more"]
    : ["like its peers", "", "", "", "far: chance 1 in 100", "", "more than twice that"];
  box.replaceChildren(...names.map((name, step) => element("li", {}, element("i", { background: `${failing ? "failing" : "far"}-${step}` }), name)));
  for (const each of document.querySelectorAll("[data-views]")) {
    each.hidden = !each.dataset.views.split(" ").includes(state.view)
      || (each.dataset.colours !== undefined && each.dataset.colours !== state.colour);
  }
  const names2 = document.getElementById("legend-detectors");
  names2.replaceChildren(...(facts.alarms?.detectors ?? []).map((name, at) => element("li", {}, element("i", { background: `detector-${at % 5}` }), name)));
}

function choose(lines) {
  const box = document.getElementById("chosen");
  box.hidden = false;
  box.replaceChildren(...lines.map((line, at) => element(at ? "div" : "b", {}, Array.isArray(line) ? `${line[0]}: ${line[1]}` : line)));
}

function drawJobHeader() {
  const box = document.getElementById("job-header"), job = jobNumber();
  box.hidden = !["detail", "tasks", "alarms"].includes(state.view);
  if (box.hidden) return;
  if (state.view === "alarms") {
    const named = new Set((facts.alarms?.indicted ?? []).map((one) => one[1])).size;
    box.replaceChildren(
      element("h2", {}, facts.alarms ? `The detectors name ${named ? plural(named, "node") : "no node"} in ${plural(facts.alarms.compared, "comparison")}` : "The detectors were not asked"),
      element("div", { class: "job-figures" }, ...withheldLines().slice(0, 5).map((line) => element("span", { class: "withheld" }, line))),
    );
    return;
  }
  if (job < 0) { box.replaceChildren(element("h2", {}, state.job ? `${state.job} is not in these tables` : "No job is chosen")); return; }
  const other = (step) => facts.jobs.id[job + step];
  const turn = (step, text) => element("button", { type: "button", disabled: other(step) ? null : "", onclick: () => show({ job: other(step), node: "" }) }, text);
  const [, ...lines] = jobLines(job);
  box.replaceChildren(
    element("h2", {}, jobTitle(job)),
    element("div", { class: "job-steps" }, turn(-1, "‹ earlier"), turn(1, "later ›"),
      state.view === "detail" ? element("button", { type: "button", onclick: () => show({ view: "tasks" }) }, "tasks over time")
        : element("button", { type: "button", onclick: () => show({ view: "detail" }) }, "squares")),
    element("div", { class: "job-figures" }, ...lines.map((line) => (Array.isArray(line) ? element("span", {}, `${line[0]} `, element("b", {}, line[1])) : element("span", { class: "finding" }, line)))),
  );
}
