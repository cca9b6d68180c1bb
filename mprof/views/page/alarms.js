// Alarms of the detectors over time, in the order of nodes of the other views.

const DETECTOR_COLOURS = ["--detector-0", "--detector-1", "--detector-2", "--detector-3", "--detector-4"];

const alarms = new Plate(document.getElementById("alarms"), {
  label: "Alarms of the detectors: one row per node, time from left to right. Arrow keys move from node to node.",
  at(x, y, plate) {
    const row = Math.floor((y + plate.top - AXIS) / alarms.high);
    return y < AXIS || row < 0 || row >= shownHosts.length ? null : { host: shownHosts[row] };
  },
  async describe({ host }) {
    const found = facts.alarms?.indicted.filter((one) => one[1] === host) ?? [];
    const single = (facts.alarms?.alarms.filter((one) => one[1] === host) ?? []).length;
    return [
      facts.hosts[host], ["alarms", count(single)],
      ...found.slice(0, 6).map(([detector, , since, evidence, what]) => `${facts.alarms.detectors[detector]} names it in ${evidence}${since === null ? "" : ` since ${moment(since)}`}: ${what}`),
      ...(found.length > 6 ? [`and ${plural(found.length - 6, "other comparison")}`] : []),
    ];
  },
  open({ host }) { show({ q: state.q === facts.hosts[host] ? "" : facts.hosts[host] }); },
  draw(context, plate) { drawAlarms(context, plate); },
});

alarms.layout = () => {
  alarms.high = Number(state.zoom) || Math.max(3, Math.min(22, Math.floor((alarms.scroller.clientHeight - AXIS - 16) / Math.max(1, shownHosts.length))));
  const times = [...(facts.alarms?.alarms.map((one) => one[2]) ?? []), ...facts.jobs.began, ...facts.jobs.ended].filter((at) => at !== null);
  const from = momentOf(state.from), to = momentOf(state.to);
  alarms.first = from ?? times.reduce((least, at) => Math.min(least, at), Infinity);
  alarms.last = to ?? times.reduce((most, at) => Math.max(most, at), -Infinity);
  alarms.fit(alarms.scroller.clientWidth, AXIS + alarms.high * shownHosts.length + 8);
};
alarms.move = (cursor, right, down) => {
  const row = cursor ? rowOf[cursor.host] + down + right : 0;
  return shownHosts.length ? { host: shownHosts[Math.max(0, Math.min(shownHosts.length - 1, row))] } : null;
};
alarms.boxOf = ({ host }) => [GUTTER, AXIS + rowOf[host] * alarms.high, alarms.scroller.clientWidth - GUTTER - 24, alarms.high];

// From when to when a verdict holds: one on a job ends with it; one that no window tells when it
// began holds for all of what was compared.
function spanOf(since, evidence) {
  const job = facts.jobs.id.indexOf(evidence.split(" ").at(-1));
  const [began, ended] = job < 0 ? [alarms.first, alarms.last] : [facts.jobs.began[job], facts.jobs.ended[job]];
  return [since ?? began ?? alarms.first, ended ?? alarms.last];
}

// Verdicts that were withheld, by reason: what is not told is not well.
function withheldLines() {
  const reasons = new Map();
  for (const [, evidence, why] of facts.alarms?.withheld ?? []) reasons.set(why, [...(reasons.get(why) ?? []), evidence]);
  return [...reasons].map(([why, of]) => `Withheld for ${of[0]}${of.length > 1 ? ` and ${count(of.length - 1)} more` : ""}: ${why}`);
}

function drawAlarms(context, plate) {
  if (!facts.alarms || !facts.alarms.compared) {
    context.fillStyle = ramp.soft;
    context.fillText(facts.alarms ? "No detector found anything to compare in these tables." : "The detectors were not asked: write the pages with --alarms.", 24, 40);
    return;
  }
  const room = plate.width - GUTTER - 24, span = Math.max(1, alarms.last - alarms.first), { high } = alarms;
  const x = (at) => GUTTER + Math.max(0, Math.min(1, (at - alarms.first) / span)) * room;
  const style = getComputedStyle(document.documentElement);
  const colours = DETECTOR_COLOURS.map((name) => style.getPropertyValue(name).trim());
  context.fillStyle = ramp.notRun;
  context.fillRect(GUTTER, AXIS - plate.top, room, high * shownHosts.length);
  const lanes = facts.alarms.detectors.length, lane = Math.max(1, (high - 1) / lanes);
  context.fillStyle = ramp.rule;
  for (let row = Math.floor(plate.top / high); row <= shownHosts.length && high >= 8; row++) {
    const y = AXIS + row * high - plate.top;
    if (y > plate.height) break;
    context.fillRect(GUTTER, y - 1, room, 1);
  }
  for (const [detector, host, since, evidence] of facts.alarms.indicted) {
    const y = AXIS + rowOf[host] * high - plate.top;
    if (rowOf[host] < 0 || y + high < AXIS || y > plate.height) continue;
    context.globalAlpha = 0.3;
    context.fillStyle = colours[detector % colours.length];
    const [from, to] = spanOf(since, evidence);
    context.fillRect(x(from), y + detector * lane, Math.max(3, x(to) - x(from)), lane);
    context.globalAlpha = 1;
  }
  for (const [detector, host, at] of facts.alarms.alarms) {
    const y = AXIS + rowOf[host] * high - plate.top;
    if (rowOf[host] < 0 || y + high < AXIS || y > plate.height || at < alarms.first || at > alarms.last) continue;
    context.fillStyle = colours[detector % colours.length];
    context.fillRect(x(at), y + detector * lane, 3, lane);
  }
  if (plate.cursor && rowOf[plate.cursor.host] >= 0) {
    const [left, top, width, height] = alarms.boxOf(plate.cursor);
    outline(context, left, top - plate.top - 1, width, height + 1);
  }
  context.fillStyle = ramp.card;
  context.fillRect(0, 0, plate.width, AXIS - 1);
  context.fillRect(0, 0, GUTTER - 1, plate.height);
  context.fillStyle = ramp.soft;
  context.textAlign = "right";
  const every = Math.ceil(13 / high);
  for (let row = Math.ceil(plate.top / high / every) * every; row < shownHosts.length; row += every) {
    const y = AXIS + row * high - plate.top + high / 2;
    if (y > plate.height) break;
    if (y > AXIS + 4) context.fillText(clip(context, shortName(shownHosts[row]), GUTTER - 20), GUTTER - 12, y);
  }
  context.textAlign = "left";
  for (let part = 0; part < 5; part++) context.fillText(moment(alarms.first + (span * part) / 5), GUTTER + (room * part) / 5, 12);
}
