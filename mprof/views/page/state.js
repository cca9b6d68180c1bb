// What is shown, as the part of the address behind the #: a link opens the same picture.

const DEFAULTS = {
  view: "heatmap", order: "trouble", colour: "trouble", kind: "both", zoom: "", q: "", from: "", to: "",
  job: "", node: "", mark: "",
};
const CHOICES = { view: [...document.querySelectorAll("nav a")].map((link) => link.dataset.view) };
for (const name of ["order", "colour", "kind", "zoom"]) CHOICES[name] = [...document.getElementById(name).options].map((option) => option.value);
let state = { ...DEFAULTS };

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  state = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS)) if (given.has(name)) state[name] = given.get(name);
  // Anybody can make up a link, and the colour is a part of the name of a script.
  for (const name of ["view", "order", "colour", "kind", "zoom"]) if (!CHOICES[name].includes(state[name])) state[name] = DEFAULTS[name];
}

function addressOf(changes) {
  const wanted = { ...state, ...changes };
  const given = Object.entries(wanted).filter(([name, value]) => value !== DEFAULTS[name]);
  return `#${new URLSearchParams(given)}`;
}

// A change of view, job or node is a step that "back" undoes; what is typed or picked is not.
function show(changes) {
  const address = addressOf(changes);
  const step = ["view", "job", "node"].some((name) => name in changes && changes[name] !== state[name]);
  if (address !== (location.hash || "#")) history[step ? "pushState" : "replaceState"](null, "", address);
  state = { ...state, ...changes };
  return render();
}

const jobNumber = () => facts.jobs.id.indexOf(state.job);
const nodeNumber = () => facts.hosts.indexOf(state.node);
const markNumber = () => (state.mark === "" ? -1 : Number(state.mark));
const marked = () => facts.findings[markNumber()] || null;

// Jobs and nodes that are looked for: by user, job or node, and within a range of time.
let shownJobs = [], shownHosts = [], columnOf = null, rowOf = null;

function select() {
  const words = state.q.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const from = momentOf(state.from), to = momentOf(state.to);
  const jobTexts = (job) => [facts.jobs.id[job], facts.jobs.name[job] || "", userOf(job), facts.jobs.state[job] || ""];
  const hostTexts = (host) => [facts.hosts[host], rackOf(host)];
  const hits = (texts, word) => texts.some((text) => text.toLowerCase().includes(word));
  let jobs = [...Array(jobCount).keys()], hosts = [...facts.orders[state.order]];
  // A word narrows the jobs, the nodes, or both: whichever have it.
  for (const word of words) {
    const someJobs = jobs.filter((job) => hits(jobTexts(job), word));
    const someHosts = hosts.filter((host) => hits(hostTexts(host), word));
    if (someJobs.length || !someHosts.length) jobs = someJobs;
    if (someHosts.length || !someJobs.length) hosts = someHosts;
  }
  shownJobs = jobs.filter((job) => {
    const began = facts.jobs.began[job];
    return (from === null && to === null) || (began !== null && (from === null || began >= from) && (to === null || began <= to));
  });
  shownHosts = hosts;
  columnOf = new Int32Array(jobCount).fill(-1);
  rowOf = new Int32Array(hostCount).fill(-1);
  shownJobs.forEach((job, at) => { columnOf[job] = at; });
  shownHosts.forEach((host, at) => { rowOf[host] = at; });
}

const userOf = (job) => facts.users[facts.jobs.user[job]] ?? "";
const rackOf = (host) => facts.racks[facts.rackOf[host]] ?? "";

function momentOf(text) {
  const moment = text ? Date.parse(`${text}${text.length <= 10 ? "T00:00" : ""}Z`) : NaN;
  return Number.isNaN(moment) ? null : moment / 1000;
}
