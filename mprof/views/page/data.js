// The columns of the page: taken out of base64 and zlib, into typed arrays.

const facts = JSON.parse(document.getElementById("facts").textContent);
const KINDS = ["map", "reduce"];
const NOT_KNOWN = 254, NOT_RUN = 255;
const hostCount = facts.hosts.length, jobCount = facts.jobs.id.length;

const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i2: Int16Array };
const CELL_COLUMNS = [
  ["host", "u4"], ["succeeded", "u2"], ["failed", "u2"], ["killed", "u2"], ["running", "u2"],
  ["survived", "u2"], ["seconds", "u2"], ["attemptSeconds", "u2"], ["read", "u2"],
  ["written", "u2"], ["volume", "u2"], ["zDuration", "i2"], ["zVolume", "i2"],
  ["zFailures", "i2"], ["score", "i2"], ["robustDuration", "i2"],
  ["stripe0", "u1"], ["stripe1", "u1"], ["stripe2", "u1"], ["stripe3", "u1"], ["stripe4", "u1"],
];
const TASK_COLUMNS = [
  ["started", "u4"], ["finished", "u4"], ["task", "u4"], ["host", "u4"], ["attempt", "u2"],
  ["read", "u2"], ["written", "u2"], ["kind", "u1"], ["state", "u1"], ["level", "u1"],
];

// Cells of a job and kind: a group. They stand one after the other, in order of falling volume.
const groups = facts.groups.job.map((job, at) => ({
  job, kind: facts.groups.kind[at], count: facts.groups.cells[at],
  critical: facts.groups.critical[at], volume: facts.groups.volume[at], first: 0, part: 0,
}));
const groupsOf = Array.from({ length: jobCount }, () => [null, null]);
{
  let first = 0, part = 0;
  for (const group of groups) {
    while (first >= facts.parts[part][1]) part++;
    group.first = first;
    group.part = part;
    first += group.count;
    groupsOf[group.job][group.kind] = group;
  }
}

async function inflated(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

function columnsIn(buffer, names, rows) {
  const columns = {};
  let at = 0;
  for (const [name, type] of names) {
    columns[name] = new TYPES[type](buffer, at, rows);
    at += columns[name].byteLength;
  }
  return columns;
}

// Parts are scripts beside the page, which call mprofPart with their name and value.
const parts = new Map(), waiting = new Map();
window.mprofPart = (name, value) => waiting.get(name)?.(value);

function part(name) {
  if (!parts.has(name)) {
    parts.set(name, new Promise((resolve, reject) => {
      waiting.set(name, resolve);
      const script = document.createElement("script");
      script.src = `${name}.js${facts.stamp ? `?${facts.stamp}` : ""}`;
      script.onload = () => script.remove();
      script.onerror = () => {
        parts.delete(name);
        reject(new Error(`${name}.js is not beside this page`));
      };
      document.head.append(script);
    }));
  }
  return parts.get(name);
}

// What has been taken apart, so that it can be drawn without waiting.
const ready = { heat: new Map(), cells: new Map(), tasks: new Map() };

async function heat(colour) {
  if (!ready.heat.has(colour)) {
    const carried = document.getElementById(`heat-${colour}`);
    const text = carried ? carried.textContent : await part(`heat/${colour}`);
    const bytes = new Uint8Array(await inflated(text)), half = hostCount * jobCount;
    ready.heat.set(colour, [bytes.subarray(0, half), bytes.subarray(half, 2 * half)]);
  }
  return ready.heat.get(colour);
}

async function cellsOfPart(number) {
  if (!ready.cells.has(number)) {
    const [first, last] = facts.parts[number];
    const buffer = await inflated(await part(`cells/${number}`));
    ready.cells.set(number, columnsIn(buffer, CELL_COLUMNS, last - first));
  }
  return ready.cells.get(number);
}

async function tasksOf(job) {
  if (!ready.tasks.has(job)) {
    const value = await part(`tasks/${job}`);
    const names = [...TASK_COLUMNS];
    for (const kind of ["slice", "dark"]) {
      for (let i = 0; i < value.slices; i++) names.push([`${kind}${i}`, "u1"]);
    }
    const columns = columnsIn(await inflated(value.columns), names, value.rows);
    ready.tasks.set(job, { ...value, columns });
  }
  return ready.tasks.get(job);
}

// A cell by its group and place, from columns that are ready; null where they are not.
function cellAt(group, place) {
  const columns = ready.cells.get(group.part);
  return columns ? { columns, row: group.first - facts.parts[group.part][0] + place } : null;
}

function placeOf(group, host) {
  const columns = group && ready.cells.get(group.part);
  if (!columns) return -1;
  const first = group.first - facts.parts[group.part][0];
  return columns.host.subarray(first, first + group.count).indexOf(host);
}

// Sizes are logarithms: see size_code in columns.py.
const sizeOf = (code) => (code === 0 ? NaN : code === 1 ? 0 : 2 ** ((code - 2) / 1024 - 10));
const scoreOf = (code) => (code === -32768 ? NaN : code / 100);
