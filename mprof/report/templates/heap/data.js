// What the page shows: one value, made by mprof. The rows of the tree are columns.

const picture = JSON.parse(document.getElementById("picture").textContent);
const rows = picture.tree;
const rowCount = rows.parents.length;
const whole = Math.max(1, rows.totals[0]);
const childrenOf = Array.from({ length: rowCount }, () => []);
const rowOfId = new Map();
for (let row = 0; row < rowCount; row++) {
  if (row > 0) childrenOf[rows.parents[row]].push(row);
  if (rows.ids[row]) rowOfId.set(rows.ids[row], row);
}
for (const below of childrenOf) below.sort((one, other) => rows.totals[other] - rows.totals[one] || one - other);
const knownObjects = new Map(picture.objects.map((answer) => [answer.object.id, answer]));

const nameOf = (row) => (row === 0 ? "the heap" : rows.names[rows.classes[row]]);

// What is below a row and has no row: too small to be listed.
function leftOutBelow(row) {
  let bytes = rows.totals[row] - rows.shallow[row], objects = rows.below[row] - rows.objects[row];
  for (const child of childrenOf[row]) { bytes -= rows.totals[child]; objects -= rows.below[child]; }
  return { bytes, objects };
}

function sizeText(bytes) {
  for (const [unit, factor] of [["GB", 2 ** 30], ["MB", 2 ** 20], ["KB", 2 ** 10]]) {
    if (bytes >= factor) return `${(bytes / factor).toFixed(bytes / factor < 10 ? 1 : 0)} ${unit}`;
  }
  return `${bytes} B`;
}

const countText = (count) => count.toLocaleString("en-US");

function shareText(bytes, of = whole) {
  const percent = (100 * bytes) / Math.max(1, of);
  if (percent >= 10 || percent === 0) return `${percent.toFixed(0)} %`;
  return percent >= 0.1 ? `${percent.toFixed(1)} %` : "< 0.1 %";
}

const counted = (count, noun) => `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;

// Asks the server for what is not in the page; of a page from a disk there is none.
async function ask(question, parameters) {
  const response = await fetch(`ask/${question}?${new URLSearchParams(parameters)}`);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}
