// Anomaly heatmap: nodes in rows, jobs in columns by start (Theia, figures 4 and 5).

const GUTTER = 168, AXIS = 30;
const STRIP = 18; // of all nodes, at the right, where not all of them are in the window
const WIDEST = 160, HIGHEST = 64; // of a cell: larger ones are no easier to read

// Small cells may have quarters of pixels, or a fifth of the room is lost; large ones are sharp.
const wholeOrQuarters = (size) => (size < 12 ? Math.floor(4 * size) / 4 : Math.floor(size));

function cellSize(plate) {
  const given = Number(state.zoom);
  if (given) return [given, given];
  const fit = (room, number, most) => Math.max(2, Math.min(most, wholeOrQuarters(room / Math.max(number, 1))));
  const right = STRIP + 16;
  return [
    fit(plate.scroller.clientWidth - GUTTER - right, shownJobs.length, WIDEST),
    fit(plate.scroller.clientHeight - AXIS - 16, shownHosts.length, HIGHEST),
  ];
}

const heatmap = new Plate(document.getElementById("heatmap"), {
  label: "Anomaly heatmap: one row per node, one column per job. Arrow keys move, Enter opens the job.",
  at(x, y, plate) {
    const [wide, high] = heatmap.cell;
    if (heatmap.strip && x >= plate.width - STRIP) return y < AXIS ? null : { host: shownHosts[stripRow(y, plate)], job: -1, strip: true };
    const column = Math.floor((x + plate.left - GUTTER) / wide), row = Math.floor((y + plate.top - AXIS) / high);
    if (y < AXIS || row < 0 || row >= shownHosts.length) return null;
    if (x < GUTTER) return { host: shownHosts[row], job: -1 };
    if (column < 0 || column >= shownJobs.length) return null;
    return { host: shownHosts[row], job: shownJobs[column] };
  },
  async describe({ host, job }) {
    if (job < 0) return nodeLines(host);
    const found = await cellsOf(job, host);
    if (!found.length) return [facts.hosts[host], jobTitle(job), "nothing of it ran here"];
    return found.flatMap(([group, place], at) => cellLines(group, place).slice(at ? 1 : 0));
  },
  open({ host, job, strip }) {
    if (strip) { heatmap.scroller.scrollTop = (rowOf[host] * heatmap.cell[1] - (heatmap.height - AXIS) / 2) / heatmap.stretch; heatmap.paint(); } else if (job < 0) show({ q: state.q === facts.hosts[host] ? "" : facts.hosts[host] });
    else show({ view: "detail", job: facts.jobs.id[job], node: facts.hosts[host] });
  },
  draw: drawHeatmap,
});

heatmap.prepare = async () => {
  const both = state.colour === "trouble";
  [heatmap.levels, heatmap.failed] = await Promise.all([heat(both ? "duration" : state.colour), both ? heat("failures") : null]);
};
heatmap.layout = () => {
  heatmap.cell = cellSize(heatmap);
  heatmap.bordered = heatmap.failed && Math.min(...heatmap.cell) >= 10;
  heatmap.strip = AXIS + heatmap.cell[1] * shownHosts.length + 8 > heatmap.scroller.clientHeight;
  heatmap.worst = heatmap.strip ? worstOfHosts() : null;
  heatmap.fit(GUTTER + heatmap.cell[0] * shownJobs.length + 8 + (heatmap.strip ? STRIP + 4 : 0), AXIS + heatmap.cell[1] * shownHosts.length + 8);
};
heatmap.move = (cursor, right, down) => {
  const column = cursor ? columnOf[cursor.job] + right : 0, row = cursor ? rowOf[cursor.host] + down : 0;
  if (!shownJobs.length || !shownHosts.length) return null;
  const inside = (value, most) => Math.max(0, Math.min(most - 1, value));
  return { job: shownJobs[inside(column, shownJobs.length)], host: shownHosts[inside(row, shownHosts.length)] };
};
heatmap.boxOf = ({ job, host }) => {
  const [wide, high] = heatmap.cell;
  return [GUTTER + columnOf[job] * wide, AXIS + rowOf[host] * high, wide, high];
};

// The colour of a cell. Where failures are shown, they win, as red does over yellow and blue in the
// squares; a cell that is large enough has them as its border, as those have.
function pixelOf(host, job) {
  if (state.colour === "failures") return ramp.failures[codeOf(heatmap.levels, host, job)];
  const failed = heatmap.failed && !heatmap.bordered ? codeOf(heatmap.failed, host, job) : 0;
  return failed > 0 && failed < NOT_KNOWN ? ramp.failures[failed] : ramp.codes[codeOf(heatmap.levels, host, job)];
}

function codeOf(levels, host, job) {
  const at = host * jobCount + job, [maps, reduces] = levels;
  if (state.kind === "map") return maps[at];
  if (state.kind === "reduce") return reduces[at];
  const one = maps[at], other = reduces[at]; // the worse of both; what is known before what is not
  if (one >= NOT_KNOWN || other >= NOT_KNOWN) return Math.min(one, other);
  return Math.max(one, other);
}

const sheet = document.createElement("canvas");

function drawHeatmap(context, plate) {
  const [wide, high] = heatmap.cell;
  const firstColumn = Math.max(0, Math.floor(plate.left / wide)), firstRow = Math.max(0, Math.floor(plate.top / high));
  const columns = Math.min(shownJobs.length - firstColumn, Math.ceil(plate.width / wide) + 1);
  const rows = Math.min(shownHosts.length - firstRow, Math.ceil(plate.height / high) + 1);
  if (columns <= 0 || rows <= 0) { drawNothing(context, plate); return; }
  // One pixel a cell, then enlarged: a million cells in some milliseconds.
  const image = new ImageData(columns, rows), pixels = new Uint32Array(image.data.buffer);
  for (let row = 0, at = 0; row < rows; row++) {
    const host = shownHosts[firstRow + row];
    for (let column = 0; column < columns; column++) pixels[at++] = pixelOf(host, shownJobs[firstColumn + column]);
  }
  sheet.width = columns;
  sheet.height = rows;
  sheet.getContext("2d").putImageData(image, 0, 0);
  const x = GUTTER + firstColumn * wide - plate.left, y = AXIS + firstRow * high - plate.top;
  context.imageSmoothingEnabled = false;
  context.drawImage(sheet, x, y, columns * wide, rows * high);
  if (wide >= 8 && high >= 8) drawGrid(context, x, y, columns, rows, wide, high);
  if (heatmap.bordered) drawFailures(context, plate, firstRow, rows, firstColumn, columns);
  drawMarked(context, plate, wide, high);
  drawAxes(context, plate, wide, high);
  if (heatmap.strip) drawStrip(context, plate, high);
  if (plate.cursor && plate.cursor.job >= 0 && columnOf[plate.cursor.job] >= 0 && rowOf[plate.cursor.host] >= 0) {
    const [left, top, width, height] = heatmap.boxOf(plate.cursor);
    outline(context, left - plate.left - 1, top - plate.top - 1, width + 2, height + 2);
  }
}

// How dark the row of each node is, as the mean of its cells: one number a node, for the strip.
function worstOfHosts() {
  const worst = new Float32Array(hostCount), failing = new Float32Array(hostCount), most = facts.levels.most;
  for (const host of shownHosts) {
    let known = 0;
    for (const job of shownJobs) {
      const level = codeOf(heatmap.levels, host, job), failed = heatmap.failed ? codeOf(heatmap.failed, host, job) : 0;
      if (level < NOT_KNOWN || (failed > 0 && failed < NOT_KNOWN)) known += 1;
      if (level < NOT_KNOWN) worst[host] += level / most;
      if (failed < NOT_KNOWN) failing[host] += failed / most;
    }
    worst[host] /= Math.max(1, known);
    failing[host] /= Math.max(1, known);
  }
  return { worst, failing };
}

const stripRow = (y, plate) => Math.max(0, Math.min(shownHosts.length - 1, Math.floor(((y - AXIS) / (plate.height - AXIS)) * shownHosts.length)));

// All nodes in the height of the window: of those that share a line the worst is shown. The frame
// is what the picture beside it shows of them.
function drawStrip(context, plate, high) {
  const left = plate.width - STRIP, room = plate.height - AXIS, lines = Math.max(1, Math.floor(room)), { worst, failing } = heatmap.worst;
  const named = new Set(facts.findings.filter((one) => one.fires && one.kind === "node").flatMap((one) => one.hosts));
  context.fillStyle = ramp.card;
  context.fillRect(left - 4, 0, STRIP + 4, plate.height);
  const each = shownHosts.length / lines;
  for (let line = 0; line < lines; line++) {
    const first = Math.floor(line * each), last = Math.max(first + 1, Math.floor((line + 1) * each));
    let dark = 0, red = 0, tick = false;
    for (let row = first; row < last && row < shownHosts.length; row++) {
      const host = shownHosts[row];
      dark = Math.max(dark, worst[host]);
      red = Math.max(red, failing[host]);
      tick ||= named.has(host);
    }
    const most = facts.levels.most, code = (share) => Math.min(most, Math.round(Math.sqrt(share) * most));
    const packed = red > dark && red > 0.02 ? ramp.failures[Math.max(1, code(red))] : ramp.codes[code(dark)];
    context.fillStyle = `rgb(${packed & 255},${(packed >> 8) & 255},${(packed >> 16) & 255})`;
    context.fillRect(left + 6, AXIS + line, STRIP - 8, 1);
    if (tick) { context.fillStyle = ramp.failed; context.fillRect(left, AXIS + line - 1, 5, 3); }
  }
  const whole = high * shownHosts.length, from = AXIS + (plate.top / whole) * room, tall = Math.min(1, room / whole) * room;
  context.lineWidth = 2;
  context.strokeStyle = ramp.mark;
  context.strokeRect(left + 4, from + 1, STRIP - 5, Math.max(6, tall - 2));
}

function drawFailures(context, plate, firstRow, rows, firstColumn, columns) {
  for (let row = firstRow; row < firstRow + rows; row++) {
    for (let column = firstColumn; column < firstColumn + columns; column++) {
      const code = codeOf(heatmap.failed, shownHosts[row], shownJobs[column]);
      if (code === 0 || code >= NOT_KNOWN) continue;
      const [x, y, width, height] = heatmap.boxOf({ job: shownJobs[column], host: shownHosts[row] });
      context.globalAlpha = 0.45 + (0.55 * code) / facts.levels.most;
      context.strokeStyle = ramp.failed;
      context.lineWidth = 3;
      context.strokeRect(x - plate.left + 1.5, y - plate.top + 1.5, width - 4, height - 4);
      context.globalAlpha = 1;
    }
  }
}

function drawNothing(context, plate) {
  context.fillStyle = ramp.soft;
  context.fillText("Nothing matches. Clear the search or the range of time.", 24, Math.min(60, plate.height / 2));
}

function drawGrid(context, x, y, columns, rows, wide, high) {
  context.fillStyle = ramp.card;
  for (let column = 1; column <= columns; column++) context.fillRect(Math.round(x + column * wide) - 1, y, 1, rows * high);
  for (let row = 1; row <= rows; row++) context.fillRect(x, Math.round(y + row * high) - 1, columns * wide, 1);
}

function outline(context, x, y, width, height) {
  context.lineWidth = 2;
  context.strokeStyle = ramp.card;
  context.strokeRect(x - 1, y - 1, width + 2, height + 2);
  context.strokeStyle = ramp.mark;
  context.strokeRect(x, y, width, height);
}

// What is picked in the list stays as it is, and the rest fades.
function drawMarked(context, plate, wide, high) {
  const one = marked();
  if (!one) return;
  const jobs = one.jobs.filter((job) => columnOf[job] >= 0), hosts = one.hosts.filter((host) => rowOf[host] >= 0);
  context.fillStyle = ramp.card;
  context.globalAlpha = 0.72;
  context.fillRect(GUTTER, AXIS, plate.width, plate.height);
  context.globalAlpha = 1;
  const seen = (row) => { const y = AXIS + row * high - plate.top; return y + high > AXIS && y < plate.height; };
  for (const host of hosts) {
    if (!seen(rowOf[host])) continue;
    for (const job of jobs) {
      const packed = pixelOf(host, job);
      context.fillStyle = `rgb(${packed & 255},${(packed >> 8) & 255},${(packed >> 16) & 255})`;
      const x = GUTTER + columnOf[job] * wide - plate.left, y = AXIS + rowOf[host] * high - plate.top;
      if (x >= GUTTER - wide) context.fillRect(x, y, Math.max(wide - 1, 2), Math.max(high - 1, 2));
    }
    if (one.kind === "node" && jobs.length) {
      const first = Math.min(...jobs.map((job) => columnOf[job])), last = Math.max(...jobs.map((job) => columnOf[job]));
      outline(context, GUTTER + first * wide - plate.left - 2, AXIS + rowOf[host] * high - plate.top - 2, (last - first + 1) * wide + 3, high + 3);
    }
  }
}

function drawAxes(context, plate, wide, high) {
  context.fillStyle = ramp.card;
  context.fillRect(0, 0, GUTTER - 1, plate.height);
  context.fillRect(0, 0, plate.width, AXIS - 1);
  context.fillStyle = ramp.soft;
  const step = Math.max(1, Math.ceil((high >= 11 ? 11 : 15) / high));
  const firstRow = Math.max(0, Math.floor(plate.top / high));
  context.textAlign = "right";
  context.font = `${Math.min(12, Math.max(10, high))}px system-ui, sans-serif`;
  const every = step > 1 ? Math.max(step, Math.ceil(48 / high)) : 1;
  const taken = drawNamed(context, plate, high);
  for (let row = Math.ceil(firstRow / every) * every; row < shownHosts.length; row += every) {
    const y = AXIS + row * high - plate.top + high / 2;
    if (y > plate.height) break;
    if (y < AXIS + 4 || taken.some((at) => Math.abs(at - y) < 13)) continue;
    context.fillText(clip(context, shortName(shownHosts[row]), GUTTER - 26), GUTTER - 14, y);
  }
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  let free = 0;
  for (let column = Math.max(0, Math.floor(plate.left / wide)); column < shownJobs.length; column++) {
    const x = GUTTER + column * wide - plate.left;
    if (x > plate.width) break;
    if (x < Math.max(GUTTER, free)) continue;
    const began = facts.jobs.began[shownJobs[column]];
    const text = began === null ? "" : began < 1e9 ? `${Math.round(began)} s` : moment(began).slice(0, 16);
    context.fillRect(x, AXIS - 6, 1, 5);
    context.fillText(text, x + 3, 10);
    free = x + 122;
  }
  drawTicks(context, plate, wide, high);
}

// The names of nodes that findings name, whatever room their rows have; gives where they stand.
function drawNamed(context, plate, high) {
  const named = new Set(facts.findings.filter((one) => one.fires && one.kind === "node").flatMap((one) => one.hosts));
  const rows = [...named].map((host) => rowOf[host]).filter((row) => row >= 0).sort((one, other) => one - other);
  const taken = [];
  let free = AXIS + 6;
  context.fillStyle = ramp.failed;
  for (const row of rows) {
    const middle = AXIS + row * high - plate.top + high / 2, y = Math.max(middle, free);
    if (middle < AXIS || y > plate.height - 4 || y - middle > 60) continue;
    context.fillText(clip(context, shortName(shownHosts[row]), GUTTER - 26), GUTTER - 14, y);
    taken.push(y);
    free = y + 13;
  }
  context.fillStyle = ramp.soft;
  return taken;
}

// Where findings are, beside their rows and columns, whether or not one is picked.
function drawTicks(context, plate, wide, high) {
  context.fillStyle = ramp.failed;
  for (const one of facts.findings) {
    if (!one.fires) continue;
    if (one.kind === "node") {
      for (const host of one.hosts) {
        const y = AXIS + rowOf[host] * high - plate.top;
        if (rowOf[host] >= 0 && y >= AXIS - high) context.fillRect(GUTTER - 9, Math.max(AXIS, y), 6, Math.max(2, high - 1));
      }
    } else {
      const x = GUTTER + columnOf[one.jobs[0]] * wide - plate.left;
      if (columnOf[one.jobs[0]] >= 0 && x >= GUTTER) context.fillRect(x, AXIS - 9, Math.max(2, wide - 1), 6);
    }
  }
}

// Names without the domain that all nodes share; tips have them whole.
const domain = (() => {
  const first = facts.hosts[0] ?? "", from = first.indexOf(".");
  const tail = from > 0 ? first.slice(from) : "";
  return tail && hostCount > 1 && facts.hosts.every((host) => host.endsWith(tail) && host.length > tail.length) ? tail : "";
})();
const shortName = (host) => facts.hosts[host].slice(0, facts.hosts[host].length - domain.length);

function clip(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  while (text.length > 4 && context.measureText(`${text}…`).width > width) text = text.slice(0, -1);
  return `${text}…`;
}

function nodeLines(host) {
  const about = facts.findings.filter((one) => one.kind === "node" && one.hosts.includes(host));
  return [
    facts.hosts[host], ...(rackOf(host) ? [`rack ${rackOf(host)}`] : []),
    ...about.map((one) => `${one.title}${one.fires ? "" : " (cannot tell)"}: ${one.evidence}`),
    "Click: only this node",
  ];
}
