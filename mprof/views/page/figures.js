// Figures in words, for tips, headers and the screen reader.

const count = (value) => value.toLocaleString("en");
const plural = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
const share = (value) => (value > 0 && value < 0.001 ? "under 0.1 %" : `${(100 * value).toFixed(value < 0.1 ? 1 : 0)} %`);

function size(bytes) {
  if (Number.isNaN(bytes)) return "not recorded";
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) { bytes /= 1024; unit++; }
  return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toPrecision(3)} ${units[unit]}`;
}

function time(seconds) {
  if (Number.isNaN(seconds)) return "not recorded";
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const whole = Math.round(seconds), hours = Math.floor(whole / 3600), minutes = Math.floor((whole % 3600) / 60);
  return hours ? `${hours} h ${String(minutes).padStart(2, "0")} min` : `${minutes} min ${String(whole % 60).padStart(2, "0")} s`;
}

// Recordings without a date count from their first event.
function moment(seconds) {
  if (seconds === null || Number.isNaN(seconds)) return "time not recorded";
  if (seconds < 1e9) return `${count(Math.round(seconds))} s after the start`;
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}

const z = (value) => (Number.isNaN(value) ? "none" : `${value < 0 ? "−" : ""}${Math.abs(value).toFixed(2)}`);
const jobTitle = (job) => facts.jobs.id[job] + (facts.jobs.name[job] ? ` / ${facts.jobs.name[job]}` : "");

function cellLines(group, place) {
  const { columns: c, row } = cellAt(group, place);
  const host = c.host[row], volume = sizeOf(c.volume[row]);
  const rack = rackOf(host), failed = c.failed[row], ended = failed + c.survived[row];
  const lines = [
    facts.hosts[host],
    `${jobTitle(group.job)}, ${KINDS[group.kind]} tasks`,
    ["attempts", `${count(c.succeeded[row])} succeeded, ${count(failed)} failed, ${count(c.killed[row])} killed`],
  ];
  if (rack) lines.splice(1, 0, `rack ${rack}`);
  if (c.running[row]) lines.push(["still running", count(c.running[row])]);
  if (failed) lines.push(["failed", share(failed / ended) + " of those that ended"]);
  lines.push(
    ["an attempt took", time(sizeOf(c.attemptSeconds[row]))],
    ["all of them", time(sizeOf(c.seconds[row]))],
    ["read, written", `${size(sizeOf(c.read[row]))}, ${size(sizeOf(c.written[row]))}`],
  );
  if (!Number.isNaN(volume) && group.volume > 0) lines.push(["share of the job's data", share(volume / group.volume)]);
  lines.push(
    ["z of duration, data, failures", [c.zDuration[row], c.zVolume[row], c.zFailures[row]].map((code) => z(scoreOf(code))).join(", ")],
    ["anomaly score", z(scoreOf(c.score[row]))],
    ["far, among " + plural(group.count, "node"), group.count < 3 ? "cannot be told" : `from ${group.critical.toFixed(2)}`],
  );
  return lines;
}

// The groups of a job and host that have a cell, once they are there.
async function cellsOf(job, host) {
  const wanted = groupsOf[job].filter((group) => group && (state.kind === "both" || KINDS[group.kind] === state.kind));
  await Promise.all(wanted.map((group) => cellsOfPart(group.part)));
  return wanted.map((group) => [group, placeOf(group, host)]).filter(([, place]) => place >= 0);
}
