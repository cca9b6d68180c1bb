// A picture that is larger than its window: a canvas that stays in view, above a spacer as large as
// the whole. Only what is seen is drawn, so that a million cells cost what a screenful does.
//
// Drawn by hand on a canvas: the libraries that come inside packages either make an element of each
// square (D3 and Vega in SVG; a million of them is minutes) or draw a matrix as one image (Plotly,
// 4 MB, Bokeh, 1 MB), without borders, stripes and squares that differ in size. None of it needs
// more than fillRect and putImageData.

class Plate {
  constructor(holder, { label, draw, at, describe, open }) {
    Object.assign(this, { holder, draw, at, describe, open });
    this.cursor = null;
    this.scroller = holder.querySelector(".scroller");
    this.spacer = holder.querySelector(".spacer");
    this.canvas = holder.querySelector("canvas");
    this.scroller.setAttribute("aria-label", label);
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.scroller.addEventListener("scroll", () => { hideTip(); this.paintSoon(); }, { passive: true });
    this.canvas.addEventListener("mousemove", (event) => this.hover(event));
    this.canvas.addEventListener("mouseleave", hideTip);
    this.canvas.addEventListener("click", (event) => {
      const hit = this.hit(event);
      if (hit) { this.cursor = hit; this.open(hit); }
    });
  }

  // The size of the whole picture, and the window on it.
  fit(width, height) {
    this.width = this.scroller.clientWidth;
    this.height = this.scroller.clientHeight;
    const most = 30_000_000; // browsers let nothing be higher
    this.spacer.style.width = `${Math.max(width, 1)}px`;
    this.spacer.style.height = `${Math.min(Math.max(height, 1), most)}px`;
    this.stretch = height > most ? (height - this.height) / (most - this.height) : 1;
    this.sharp = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(this.width * this.sharp), Math.round(this.height * this.sharp)];
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      this.canvas.width = wide;
      this.canvas.height = high;
      this.canvas.style.width = `${this.width}px`;
      this.canvas.style.height = `${this.height}px`;
    }
  }

  get left() { return this.scroller.scrollLeft; }
  get top() { return this.scroller.scrollTop * this.stretch; }

  paint() {
    const context = this.context;
    context.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
    context.fillStyle = ramp.card;
    context.fillRect(0, 0, this.width, this.height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.draw(context, this);
  }

  paintSoon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.paint(); });
  }

  reach(x, y, width, height, margin = 40) {
    const s = this.scroller;
    if (x < this.left + margin) s.scrollLeft = x - margin;
    else if (x + width > this.left + this.width - margin) s.scrollLeft = x + width + margin - this.width;
    if (y < this.top + margin) s.scrollTop = (y - margin) / this.stretch;
    else if (y + height > this.top + this.height - margin) s.scrollTop = (y + height + margin - this.height) / this.stretch;
  }

  hit(event) {
    const box = this.canvas.getBoundingClientRect();
    return this.at(event.clientX - box.left, event.clientY - box.top, this);
  }

  async hover(event) {
    const hit = this.hit(event);
    this.canvas.style.cursor = hit ? "pointer" : "default";
    if (!hit) { hideTip(); return; }
    const turn = (this.turn = (this.turn || 0) + 1);
    const lines = await this.describe(hit);
    if (turn === this.turn) showTip(lines, event.clientX, event.clientY);
  }
}

const tip = document.getElementById("tip");
function showTip(lines, x, y) {
  tip.replaceChildren(...lines.map((line, at) => {
    const row = document.createElement("div");
    row.className = at === 0 ? "tip-title" : "";
    if (Array.isArray(line)) {
      const [name, value] = line.map((text) => Object.assign(document.createElement("span"), { textContent: text }));
      row.className = "tip-figure";
      row.append(name, value);
    } else row.textContent = line;
    return row;
  }));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(x + 16, innerWidth - box.width - 8))}px`;
  tip.style.top = `${y + 20 + box.height > innerHeight ? Math.max(8, y - box.height - 14) : y + 20}px`;
}
function hideTip() { tip.hidden = true; }

// What the cursor of the keyboard stands on is said aloud, and shown.
async function tell(plate, hit, x, y) {
  const lines = await plate.describe(hit);
  document.getElementById("said").textContent = lines.map((line) => (Array.isArray(line) ? line.join(" ") : line)).join(". ");
  const box = plate.canvas.getBoundingClientRect();
  showTip(lines, box.left + x, box.top + y);
}
