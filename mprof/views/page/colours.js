// One colour language for all views: how far from its peers, and how attempts ended.

const STEPS = [0, 0.25, 0.5, 0.75, 1, 1.5, 2.25];
const ramp = { steps: [], codes: new Uint32Array(256), css: [], dark: false };

// The scale goes through the lightness of one hue, so that it reads the same to every kind of
// colour vision; failed and killed differ in lightness and in width too.
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  ramp.steps = STEPS.map((_, step) => read(`--far-${step}`));
  ramp.notRun = read("--not-run");
  ramp.notKnown = read("--not-known");
  for (const name of ["ink", "soft", "rule", "card", "paper", "failed", "killed", "mark"]) {
    ramp[name] = read(`--${name}`);
  }
  for (let code = 0; code < 256; code++) {
    ramp.css[code] = code === NOT_RUN ? ramp.notRun
      : code === NOT_KNOWN ? ramp.notKnown : ramp.steps[stepOf(code / facts.levels.unit)];
    ramp.codes[code] = packedColour(ramp.css[code]);
  }
  // Ratios of failures have a scale of their own: from none to all.
  ramp.failures = new Uint32Array(ramp.codes);
  const failures = [0, 1, 2, 3, 4].map((step) => read(`--failing-${step}`));
  for (let code = 0; code <= facts.levels.most; code++) {
    const step = code === 0 ? 0 : 1 + Math.min(3, Math.floor((4 * code) / (facts.levels.most + 1)));
    ramp.failures[code] = packedColour(failures[step]);
  }
}

function stepOf(units) {
  let step = 0;
  while (step + 1 < STEPS.length && units >= STEPS[step + 1]) step++;
  return step;
}

function packedColour(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return (255 << 24) | (blue << 16) | (green << 8) | red;
}

// The step of a z-score in a job, by the distance that is critical there.
function levelOf(score, critical) {
  if (Number.isNaN(score)) return NOT_KNOWN;
  return Math.max(0, Math.min(facts.levels.most, Math.round((score / critical) * facts.levels.unit)));
}

// Red where attempts failed, yellow where they were only killed; stronger with their share.
function borderOf(failed, killed, succeeded) {
  const count = failed || killed;
  if (!count) return null;
  const share = count / (count + succeeded);
  return { colour: failed ? ramp.failed : ramp.killed, alpha: 0.45 + 0.55 * share, failed: failed > 0 };
}
