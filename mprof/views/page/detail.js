// Job execution detail: squares as large as the node's share of the job's data, with five stripes
// for the fifths of its time (Theia, figures 11 to 14).

const WHOLE = 28, GAP = 6, TITLE = 28;

const detail = new Plate(document.getElementById("detail"), {
  label: "Job execution detail: one square per node. Arrow keys move, Enter opens the tasks.",
  at(x, y, plate) {
    for (const section of detail.sections) {
      const line = Math.floor((y + plate.top - section.top - TITLE) / (WHOLE + GAP)), column = Math.floor((x - 8) / (WHOLE + GAP));
      const at = line * detail.across + column;
      if (line >= 0 && column >= 0 && column < detail.across && at < section.group.count) return { job: section.group.job, group: section.group, at };
    }
    return null;
  },
  async describe({ group, at }) {
    await cellsOfPart(group.part);
    return [...cellLines(group, orderOf(group)[at]), "Click: its tasks"];
  },
  open({ job, group, at }) {
    const { columns, row } = cellAt(group, orderOf(group)[at]);
    show({ view: "tasks", job: facts.jobs.id[job], node: facts.hosts[columns.host[row]] });
  },
  draw(context, plate) {
    if (!detail.sections.length) {
      context.fillStyle = ramp.soft;
      context.fillText("Choose a job in the heatmap or the stream.", 24, 40);
    }
    for (const section of detail.sections) drawSection(context, plate, section);
  },
});

detail.prepare = async () => {
  const job = jobNumber();
  if (job >= 0) await Promise.all(groupsOf[job].filter(Boolean).map((group) => cellsOfPart(group.part)));
};
detail.layout = () => {
  const job = jobNumber();
  detail.across = Math.max(4, Math.floor((detail.scroller.clientWidth - 24) / (WHOLE + GAP)));
  detail.sections = [];
  let top = 8;
  for (const group of job < 0 ? [] : groupsOf[job]) {
    if (!group || (state.kind !== "both" && KINDS[group.kind] !== state.kind)) continue;
    detail.sections.push({ group, top });
    top += TITLE + Math.ceil(group.count / detail.across) * (WHOLE + GAP) + 18;
  }
  detail.fit(detail.scroller.clientWidth, top);
  detail.cursor = cursorOn(detail.sections.map((section) => section.group), nodeNumber());
};
detail.move = (cursor, right, down) => moveAmong(detail.sections.map(({ group }) => ({ job: group.job, group })), cursor, right, down * detail.across);
detail.boxOf = ({ group, at }) => {
  const { top } = detail.sections.find((section) => section.group === group);
  return [8 + (at % detail.across) * (WHOLE + GAP), top + TITLE + Math.floor(at / detail.across) * (WHOLE + GAP), WHOLE, WHOLE];
};

function cursorOn(list, host) {
  for (const group of list) {
    const place = host < 0 ? -1 : placeOf(group, host);
    if (place >= 0) return { job: group.job, group, at: orderOf(group).indexOf(place) };
  }
  return null;
}

function drawSection(context, plate, { group, top }) {
  const y = top - plate.top;
  context.fillStyle = ramp.ink;
  context.textAlign = "left";
  context.font = "600 13px system-ui, sans-serif";
  const volume = group.volume ? `, ${size(group.volume)} read and written` : "; their data is not recorded, so that all squares are of one size";
  context.fillText(`${group.kind === 0 ? "Maps" : "Reduces"} on ${plural(group.count, "node")}${volume}`, 8, y + 12);
  if (!cellAt(group, 0)) { loadThenPaint(plate, group); return; }
  const order = orderOf(group), most = largest(group);
  for (let at = 0; at < group.count; at++) {
    const lineY = y + TITLE + Math.floor(at / detail.across) * (WHOLE + GAP);
    if (lineY + WHOLE < 0) continue;
    if (lineY > plate.height) break;
    drawNode(context, group, order[at], 8 + (at % detail.across) * (WHOLE + GAP), lineY, most);
  }
  if (plate.cursor?.group === group) {
    const [left, boxTop, width, height] = detail.boxOf(plate.cursor);
    outline(context, left - 2, boxTop - plate.top - 2, width + 4, height + 4);
  }
}

function largest(group) {
  const { columns, row } = cellAt(group, 0);
  const code = columns.volume[row]; // the first in the order of falling data
  return code > 1 ? sizeOf(code) : NaN;
}

function drawNode(context, group, place, x, y, most) {
  const { columns: c, row } = cellAt(group, place), volume = sizeOf(c.volume[row]);
  // The area is the share of the data. What has none, or none on record, is still to be seen.
  const known = !Number.isNaN(volume) && !Number.isNaN(most);
  const side = known ? Math.max(7, Math.round(WHOLE * Math.sqrt(volume / most))) : Number.isNaN(most) ? 18 : 9;
  const left = x + (WHOLE - side) / 2, top = y + (WHOLE - side) / 2, width = side / 5;
  context.globalAlpha = dimmed(group, c.host[row]) ? 0.22 : 1;
  for (let stripe = 0; stripe < 5; stripe++) {
    context.fillStyle = ramp.css[c[`stripe${stripe}`][row]];
    context.fillRect(left + stripe * width, top, width + 0.3, side);
  }
  const border = borderOf(c.failed[row], c.killed[row], c.survived[row]);
  context.globalAlpha *= border ? border.alpha : 1;
  context.strokeStyle = border ? border.colour : ramp.rule;
  context.lineWidth = border ? (border.failed ? 4 : 2.5) : 1;
  context.strokeRect(left - 0.5, top - 0.5, side + 1, side + 1);
  context.globalAlpha = 1;
}
