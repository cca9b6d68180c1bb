// Puts it together: the controls, the views, and what is drawn when.

const VIEWS = { heatmap, stream, detail, tasks, alarms };

async function render() {
  const began = performance.now();
  const turn = (render.turn = (render.turn || 0) + 1);
  document.body.dataset.busy = "true";
  select();
  const plate = VIEWS[state.view], before = render.view;
  await plate.prepare?.();
  if (turn !== render.turn) return;
  for (const [name, each] of Object.entries(VIEWS)) each.holder.hidden = name !== state.view;
  drawControls();
  drawJobHeader();
  plate.layout();
  if (state.view === "stream" && before !== "stream" && jobNumber() >= 0) stream.showJob(jobNumber());
  await plate.seen?.();
  if (turn !== render.turn) return;
  if (before !== state.view && plate.cursor && state.node && plate.boxOf && (state.view === "detail" || state.view === "tasks")) plate.reach(...plate.boxOf(plate.cursor));
  plate.paint();
  render.view = state.view;
  document.body.dataset.busy = "false";
  performance.measure(before === state.view ? "mprof:draw" : "mprof:switch", { start: began, end: performance.now() });
}

function drawControls() {
  for (const link of document.querySelectorAll("nav a")) {
    link.href = addressOf({ view: link.dataset.view });
    if (link.dataset.view === state.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  for (const name of ["order", "colour", "kind", "zoom", "q", "from", "to"]) {
    const control = document.getElementById(name);
    if (control !== document.activeElement || control.tagName === "SELECT") control.value = state[name];
  }
  const all = shownJobs.length === jobCount && shownHosts.length === hostCount;
  document.getElementById("shown").textContent = all
    ? `${plural(jobCount, "job")}, ${plural(hostCount, "node")}, ${plural(facts.attempts, "attempt")}`
    : `${count(shownJobs.length)} of ${plural(jobCount, "job")}, ${count(shownHosts.length)} of ${plural(hostCount, "node")}`;
  document.getElementById("clear").hidden = !(state.q || state.from || state.to);
  drawFindings();
  drawLegend();
}

function fault(error) {
  const line = document.getElementById("fault");
  line.hidden = false;
  line.textContent = `${error.message}. Copy the whole folder, not this file alone.`;
}

function listen() {
  for (const link of document.querySelectorAll("nav a")) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      show({ view: link.dataset.view }).catch(fault);
    });
  }
  for (const name of ["order", "colour", "kind", "zoom", "from", "to"]) {
    document.getElementById(name).addEventListener("change", (event) => show({ [name]: event.target.value }).catch(fault));
  }
  let typed = 0;
  document.getElementById("q").addEventListener("input", (event) => {
    clearTimeout(typed);
    typed = setTimeout(() => show({ q: event.target.value }).catch(fault), 120);
  });
  document.getElementById("clear").addEventListener("click", () => show({ q: "", from: "", to: "" }).catch(fault));
  window.addEventListener("popstate", () => { readAddress(); render().catch(fault); });
  window.addEventListener("hashchange", () => { readAddress(); render().catch(fault); });
  window.addEventListener("resize", () => render().catch(fault));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); render().catch(fault); });
  listenToKeys();
}

// Served pages ask whether there are newer ones, and stay where they are when these come.
function keepNew() {
  if (!facts.stamp || location.protocol === "file:") return;
  setInterval(async () => {
    try {
      const answer = await fetch("stamp.txt", { cache: "no-store" });
      if (answer.ok && (await answer.text()) !== facts.stamp) location.reload();
    } catch { /* the server has gone: what is shown stays */ }
  }, 3000);
}

readColours();
drawHeadline();
readAddress();
listen();
keepNew();
render().then(() => {
  performance.mark("mprof:first");
  // What the next view will want, while nobody waits for it.
  const idle = window.requestIdleCallback ?? setTimeout;
  facts.parts.slice(0, 60).reduce((before, _, part) => before.then(() => new Promise((resolve) => { idle(() => cellsOfPart(part).then(resolve, resolve)); })), Promise.resolve());
}, fault);
