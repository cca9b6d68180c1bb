// The tasks of one job over time: each attempt a bar in its node's lanes, in the order of nodes of
// the other views. Where the history has the twelve slices of an attempt's progress, a bar shows
// each, as long as it took, and as dark as it is long among the same slices of the other attempts.

const LANE = 11, NODE_GAP = 4, STATES = ["succeeded", "failed", "killed", "running", "in another state"];

const tasks = new Plate(document.getElementById("tasks"), {
  label: "Tasks of a job over time, by node. Arrow keys move, Enter opens the memory diagnosis of a failed attempt if there is one.",
  at(x, y, plate) {
    if (!tasks.job || x < GUTTER || y < AXIS) return null;
    const lane = Math.floor((y + plate.top - AXIS) / LANE), { lanes, start, end } = tasks;
    const hit = (lanes[lane] || []).find((row) => x >= tasks.x(start[row]) - 1 && x <= Math.max(tasks.x(end[row]), tasks.x(start[row]) + 4));
    return hit === undefined ? null : { row: hit };
  },
  async describe({ row }) { return attemptLines(row); },
  open({ row }) {
    const page = tasks.job.memory[row];
    if (page) { location.href = page; return; }
    state.node = facts.hosts[tasks.job.columns.host[row]];
    choose(attemptLines(row));
    tasks.paint();
  },
  draw(context, plate) { drawTasks(context, plate); },
});

tasks.prepare = async () => {
  const job = jobNumber();
  tasks.job = job < 0 ? null : await tasksOf(job);
};
tasks.layout = () => {
  if (!tasks.job) { tasks.fit(tasks.scroller.clientWidth, 100); return; }
  const c = tasks.job.columns, rows = tasks.job.rows, absent = 0xffffffff, wanted = state.kind;
  const last = c.finished.reduce((most, at) => (at !== absent && at > most ? at : most), 1);
  tasks.start = Float64Array.from(c.started, (at, row) => (at === absent ? (c.finished[row] === absent ? 0 : c.finished[row]) : at));
  tasks.end = Float64Array.from(c.finished, (at, row) => (at === absent ? (c.started[row] === absent ? 0 : last) : at));
  tasks.last = last;
  const byHost = new Map();
  for (let row = 0; row < rows; row++) {
    if (wanted !== "both" && KINDS[c.kind[row]] !== wanted) continue;
    if (rowOf[c.host[row]] < 0) continue;
    if (!byHost.has(c.host[row])) byHost.set(c.host[row], []);
    byHost.get(c.host[row]).push(row);
  }
  const data = (of) => of.reduce((sum, row) => sum + (sizeOf(c.read[row]) || 0) + (sizeOf(c.written[row]) || 0), 0);
  const rank = ranks();
  const nodes = [...byHost].map(([host, of]) => ({ host, of, key: state.order === "data" ? -data(of) : rank[host] }));
  nodes.sort((one, other) => one.key - other.key || one.host - other.host);
  tasks.lanes = [];
  tasks.nodes = [];
  tasks.laneOf = new Int32Array(rows).fill(-1);
  for (const { host, of } of nodes) {
    const first = tasks.lanes.length, free = [];
    for (const row of of.sort((one, other) => tasks.start[one] - tasks.start[other])) {
      let lane = free.findIndex((until) => until <= tasks.start[row]);
      if (lane < 0) { lane = free.length; tasks.lanes.push([]); }
      free[lane] = tasks.end[row];
      tasks.lanes[first + lane].push(row);
      tasks.laneOf[row] = first + lane;
    }
    tasks.nodes.push({ host, first, lanes: tasks.lanes.length - first });
  }
  const room = tasks.scroller.clientWidth - GUTTER - 24;
  tasks.x = (at) => GUTTER + (at / tasks.last) * room;
  tasks.fit(tasks.scroller.clientWidth, AXIS + tasks.lanes.length * LANE + 12);
  const host = nodeNumber(), node = tasks.nodes.find((each) => each.host === host);
  tasks.cursor = node ? { row: tasks.lanes[node.first][0] } : null;
};
tasks.move = (cursor, right, down) => {
  if (!tasks.lanes?.length) return null;
  if (!cursor) return { row: tasks.lanes[0][0] };
  const lane = Math.max(0, Math.min(tasks.lanes.length - 1, tasks.laneOf[cursor.row] + down));
  const list = tasks.lanes[lane];
  if (down) return { row: list.reduce((best, row) => (Math.abs(tasks.start[row] - tasks.start[cursor.row]) < Math.abs(tasks.start[best] - tasks.start[cursor.row]) ? row : best)) };
  return { row: list[Math.max(0, Math.min(list.length - 1, list.indexOf(cursor.row) + right))] };
};
tasks.boxOf = ({ row }) => [tasks.x(tasks.start[row]), AXIS + tasks.laneOf[row] * LANE, Math.max(4, tasks.x(tasks.end[row]) - tasks.x(tasks.start[row])), LANE - 2];

function drawTasks(context, plate) {
  if (!tasks.job) {
    context.fillStyle = ramp.soft;
    context.fillText("Choose a job in the heatmap or the stream.", 24, 40);
    return;
  }
  const firstLane = Math.max(0, Math.floor((plate.top - AXIS) / LANE));
  for (let lane = firstLane; lane < tasks.lanes.length; lane++) {
    const y = AXIS + lane * LANE - plate.top;
    if (y > plate.height) break;
    for (const row of tasks.lanes[lane]) drawAttempt(context, row, y);
  }
  const one = tasks.cursor;
  if (one && tasks.laneOf[one.row] >= 0) {
    const [x, y, width, height] = tasks.boxOf(one);
    outline(context, x - 2, y - plate.top - 2, width + 4, height + 4);
  }
  drawTaskAxes(context, plate);
}

function drawAttempt(context, row, y) {
  const c = tasks.job.columns, x = tasks.x(tasks.start[row]), width = Math.max(2, tasks.x(tasks.end[row]) - x), high = LANE - 2;
  let slices = 0;
  for (let slice = 0; slice < tasks.job.slices; slice++) slices += c[`slice${slice}`][row];
  if (slices) {
    for (let slice = 0, at = 0; slice < tasks.job.slices; slice++) {
      const part = c[`slice${slice}`][row];
      context.fillStyle = ramp.css[c[`dark${slice}`][row]];
      context.fillRect(x + (at / slices) * width, y, (part / slices) * width + 0.3, high);
      at += part;
    }
  } else {
    context.fillStyle = ramp.css[c.level[row]];
    context.fillRect(x, y, width, high);
  }
  const failed = c.state[row] === 1, killed = c.state[row] === 2;
  context.strokeStyle = failed ? ramp.failed : killed ? ramp.killed : ramp.rule;
  context.lineWidth = failed ? 2 : killed ? 1.5 : 0.75;
  context.strokeRect(x + 0.5, y + 0.5, Math.max(1, width - 1), high - 1);
  if (tasks.job.memory[row]) {
    context.fillStyle = ramp.failed;
    context.fillText("◆", x + 2, y + high / 2);
  }
}

function drawTaskAxes(context, plate) {
  context.fillStyle = ramp.card;
  context.fillRect(0, 0, GUTTER - 1, plate.height);
  context.fillRect(0, 0, plate.width, AXIS - 1);
  context.fillStyle = ramp.soft;
  context.textAlign = "right";
  let free = AXIS;
  for (const node of tasks.nodes) {
    const y = AXIS + node.first * LANE - plate.top + LANE / 2;
    if (y < free || y > plate.height) continue;
    context.fillText(clip(context, shortName(node.host), GUTTER - 20), GUTTER - 12, y);
    free = y + 12;
  }
  context.textAlign = "left";
  context.fillText("since the first attempt", 6, 12);
  const step = niceStep(tasks.last / 1000 / 6);
  for (let at = 0; at <= tasks.last / 1000; at += step) {
    const x = tasks.x(at * 1000);
    context.fillRect(x, AXIS - 6, 1, 5);
    context.fillText(at ? time(at) : "0", x + 3, 12);
  }
}

function niceStep(seconds) {
  return [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400].find((step) => step >= seconds) ?? 86400;
}

function attemptName(row) {
  const c = tasks.job.columns, digits = (value, length) => String(value).padStart(length, "0");
  return tasks.job.names[row] ?? `attempt_${state.job.replace(/^job_/, "")}_${KINDS[c.kind[row]][0]}_${digits(c.task[row], 6)}_${c.attempt[row]}`;
}

function attemptLines(row) {
  const c = tasks.job.columns, absent = 0xffffffff;
  const started = c.started[row], finished = c.finished[row];
  const lines = [
    attemptName(row), facts.hosts[c.host[row]], ["state", STATES[c.state[row]]],
    ["started", started === absent ? "not recorded" : `${time(started / 1000)} after the first`],
    ["took", started === absent || finished === absent ? "not recorded" : time((finished - started) / 1000)],
    ["read, written", `${size(sizeOf(c.read[row]))}, ${size(sizeOf(c.written[row]))}`],
  ];
  if (tasks.job.errors[row]) lines.push(tasks.job.errors[row]);
  if (tasks.job.memory[row]) lines.push("Click: its memory diagnosis");
  return lines;
}
