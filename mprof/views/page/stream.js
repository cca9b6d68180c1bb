// Job execution stream: each job with a row of squares for its maps and one for its reduces
// (Theia, figures 6 to 10). Fixed squares, in order of falling data unless another order is chosen.

const SQUARE = 11, PITCH = 14, LABEL = 24, HEAD = 24, BELOW = 16;

const stream = new Plate(document.getElementById("stream"), {
  label: "Job execution stream: jobs by start, each with squares for the nodes of its maps and reduces. Arrow keys move, Enter opens the job.",
  at(x, y, plate) {
    const block = stream.blockAt(y + plate.top);
    if (block < 0) return null;
    const job = shownJobs[block], within = y + plate.top - stream.tops[block];
    if (within < HEAD) return { job, group: null };
    for (const row of stream.rowsOf(job)) {
      const line = Math.floor((within - row.top) / PITCH), column = Math.floor((x - LABEL) / PITCH);
      if (line < 0 || line >= row.lines || column < 0 || column >= stream.across) continue;
      const at = line * stream.across + column;
      if (at < row.group.count) return { job, group: row.group, at };
    }
    return null;
  },
  async describe({ job, group, at }) {
    if (!group) return jobLines(job);
    await cellsOfPart(group.part);
    return cellLines(group, orderOf(group)[at]);
  },
  open({ job, group, at }) {
    const cell = group && cellAt(group, orderOf(group)[at]);
    show({ view: "detail", job: facts.jobs.id[job], node: cell ? facts.hosts[cell.columns.host[cell.row]] : "" });
  },
  draw(context, plate) {
    let block = Math.max(0, stream.blockAt(plate.top));
    if (!shownJobs.length) { drawNothing(context, plate); return; }
    for (; block < shownJobs.length; block++) {
      const y = stream.tops[block] - plate.top;
      if (y > plate.height) break;
      drawJob(context, plate, shownJobs[block], y);
    }
  },
});

stream.rowsOf = (job) => {
  let top = HEAD;
  const rows = [];
  for (const group of groupsOf[job]) {
    if (!group || (state.kind !== "both" && KINDS[group.kind] !== state.kind)) continue;
    const lines = Math.ceil(group.count / stream.across);
    rows.push({ group, top, lines });
    top += lines * PITCH + 4;
  }
  return rows;
};
stream.layout = () => {
  stream.across = Math.max(8, Math.floor((stream.scroller.clientWidth - LABEL - 20) / PITCH));
  stream.tops = [];
  let top = 8;
  for (const job of shownJobs) {
    stream.tops.push(top);
    const last = stream.rowsOf(job).at(-1);
    top += (last ? last.top + last.lines * PITCH : HEAD) + BELOW;
  }
  stream.tops.push(top);
  stream.fit(stream.scroller.clientWidth, top);
};
// The parts of the cells that are seen; a list of job's parts is short, and they come in order.
stream.seen = async () => {
  const wanted = new Set();
  let block = Math.max(0, stream.blockAt(stream.top));
  for (; block < shownJobs.length && stream.tops[block] < stream.top + stream.scroller.clientHeight; block++) {
    for (const group of groupsOf[shownJobs[block]]) if (group) wanted.add(group.part);
  }
  await Promise.all([...wanted].map(cellsOfPart));
};
stream.blockAt = (y) => {
  let low = 0, high = shownJobs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (stream.tops[middle] <= y) low = middle; else high = middle - 1;
  }
  return high < 0 ? -1 : low;
};
stream.showJob = (job) => {
  if (columnOf[job] >= 0) stream.scroller.scrollTop = (stream.tops[columnOf[job]] - 8) / stream.stretch;
};
stream.squares = () => shownJobs.flatMap((job) => stream.rowsOf(job).map(({ group }) => ({ job, group })));
stream.move = (cursor, right, down) => moveAmong(stream.squares(), cursor, right, down * stream.across);
stream.boxOf = ({ job, group, at }) => {
  const row = stream.rowsOf(job).find((each) => each.group === group), top = stream.tops[columnOf[job]] + row.top;
  return [LABEL + (at % stream.across) * PITCH, top + Math.floor(at / stream.across) * PITCH, SQUARE, SQUARE];
};

// A step among squares of several groups, from the last of one to the first of the next.
function moveAmong(list, cursor, right, down) {
  if (!list.length) return null;
  let which = cursor ? list.findIndex((each) => each.group === cursor.group) : -1;
  if (which < 0) return { ...list[0], at: 0 };
  let at = cursor.at + right + down;
  while (at < 0 && which > 0) at += list[--which].group.count;
  while (at >= list[which].group.count && which < list.length - 1) at -= list[which++].group.count;
  return { ...list[which], at: Math.max(0, Math.min(list[which].group.count - 1, at)) };
}

// Places of the cells of a group in the order that is chosen; falling data is how they come.
const orders = new Map();
function orderOf(group) {
  const key = `${state.order} ${group.first}`;
  if (!orders.has(key)) {
    const places = [...Array(group.count).keys()];
    if (state.order !== "data") {
      const rank = ranks(), { columns } = cellAt(group, 0), first = group.first - facts.parts[group.part][0];
      places.sort((one, other) => rank[columns.host[first + one]] - rank[columns.host[first + other]]);
    }
    orders.set(key, places);
  }
  return orders.get(key);
}
const rankings = new Map();
function ranks() {
  if (!rankings.has(state.order)) {
    const rank = new Uint32Array(hostCount);
    facts.orders[state.order].forEach((host, at) => { rank[host] = at; });
    rankings.set(state.order, rank);
  }
  return rankings.get(state.order);
}

function drawJob(context, plate, job, y) {
  drawJobHead(context, plate, job, y);
  for (const { group, top } of stream.rowsOf(job)) {
    context.fillStyle = ramp.soft;
    context.textAlign = "left";
    context.fillText(group.kind === 0 ? "M" : "R", 6, y + top + SQUARE / 2);
    if (!cellAt(group, 0)) { loadThenPaint(plate, group); continue; }
    const order = orderOf(group);
    for (let at = 0; at < group.count; at++) {
      const squareY = y + top + Math.floor(at / stream.across) * PITCH;
      if (squareY + PITCH < 0) continue;
      if (squareY > plate.height) break;
      drawSquare(context, group, order[at], LABEL + (at % stream.across) * PITCH, squareY);
    }
  }
  const cursor = plate.cursor;
  if (cursor?.group && cursor.job === job && stream.rowsOf(job).some((row) => row.group === cursor.group)) {
    const [left, top, width, height] = stream.boxOf(cursor);
    outline(context, left - 2, top - plate.top - 2, width + 4, height + 4);
  }
}

function loadThenPaint(plate, group) {
  cellsOfPart(group.part).then(() => plate.paintSoon(), fault);
}

const STATE_SIGNS = { succeeded: "✓", failed: "✕", killed: "■", running: "…" };

function drawJobHead(context, plate, job, y) {
  const jobs = facts.jobs, ended = jobs.ended[job], began = jobs.began[job];
  const about = facts.findings.filter((one) => one.fires && one.kind !== "node" && one.jobs.includes(job));
  context.textAlign = "left";
  context.font = "600 13px system-ui, sans-serif";
  context.fillStyle = jobs.state[job] === "failed" ? ramp.failed : ramp.ink;
  const title = `${STATE_SIGNS[jobs.state[job]] ?? "?"}  ${jobTitle(job)}`;
  context.fillText(title, 4, y + 10);
  let x = 16 + context.measureText(title).width;
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = ramp.soft;
  const lasted = began !== null && ended !== null ? time(ended - began) : "end not recorded";
  const rest = `${userOf(job) || "user not recorded"}  ·  ${jobs.state[job] ?? "state not recorded"}  ·  ${moment(began)}  ·  ${lasted}`;
  context.fillText(rest, x, y + 10);
  x += 14 + context.measureText(rest).width;
  context.fillStyle = ramp.failed;
  for (const one of about) {
    context.fillText(`◆ ${one.title}`, x, y + 10);
    x += 20 + context.measureText(`◆ ${one.title}`).width;
  }
}

const dimmed = (group, host) => {
  const one = marked();
  return rowOf[host] < 0 || (one && !(one.jobs.includes(group.job) && one.hosts.includes(host)
    && (one.taskKind === null || one.taskKind === group.kind)));
};

function drawSquare(context, group, place, x, y) {
  const { columns: c, row } = cellAt(group, place), critical = group.critical;
  context.globalAlpha = dimmed(group, c.host[row]) ? 0.22 : 1;
  context.fillStyle = group.count < 2 ? ramp.notKnown : ramp.css[levelOf(scoreOf(c.zDuration[row]), critical)];
  context.fillRect(x, y, SQUARE, SQUARE);
  const border = borderOf(c.failed[row], c.killed[row], c.survived[row]);
  context.globalAlpha *= border ? border.alpha : 1;
  context.strokeStyle = border ? border.colour : ramp.rule;
  context.lineWidth = border ? (border.failed ? 3 : 2) : 1;
  const inset = context.lineWidth / 2;
  context.strokeRect(x + inset, y + inset, SQUARE - 2 * inset, SQUARE - 2 * inset);
  context.globalAlpha = 1;
}

function jobLines(job) {
  const jobs = facts.jobs, about = facts.findings.filter((one) => one.jobs.includes(job));
  return [
    jobTitle(job), ["user", userOf(job) || "not recorded"], ["state", jobs.state[job] ?? "not recorded"],
    ["began", moment(jobs.began[job])], ["ended", moment(jobs.ended[job])],
    ...KINDS.map((kind, at) => [`${kind} tasks`, jobs[`${kind}s`][job] === null ? "not recorded" : `${count(jobs[`${kind}s`][job])}, on ${plural(groupsOf[job][at]?.count ?? 0, "node")}`]),
    ...about.filter((one) => one.kind !== "node").map((one) => `${one.title}${one.fires ? "" : " (cannot tell)"}: ${one.evidence}`),
    ...(about.some((one) => one.kind === "node") ? [`${plural(about.filter((one) => one.kind === "node").length, "node")} that ran it differ from their peers`] : []),
  ];
}
