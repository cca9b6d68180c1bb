// The keyboard: everything that the mouse can do.

const STEPS_OF_KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], PageUp: [0, -20], PageDown: [0, 20] };

function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement?.tagName);
    if (event.key === "Escape") {
      if (!tip.hidden) hideTip();
      else if (typing) document.activeElement.blur();
      else if (state.mark !== "") show({ mark: "" });
      else if (state.view === "tasks") show({ view: "detail" });
      else if (state.view === "detail") show({ view: "stream" });
      else if (state.q) show({ q: "" });
      return;
    }
    if (typing) return;
    const view = Object.keys(VIEWS)[Number(event.key) - 1];
    if (event.key === "/") { document.getElementById("q").focus(); event.preventDefault(); }
    else if (view) show({ view });
  });
  for (const plate of Object.values(VIEWS)) {
    plate.scroller.addEventListener("keydown", (event) => {
      const step = STEPS_OF_KEYS[event.key];
      if (step) {
        event.preventDefault();
        moveCursor(plate, plate.move(plate.cursor, ...step));
      } else if (event.key === "Enter" && plate.cursor) {
        event.preventDefault();
        hideTip();
        plate.open(plate.cursor);
      } else if (event.key === "Home" || event.key === "End") {
        event.preventDefault();
        moveCursor(plate, plate.move(plate.cursor, event.key === "Home" ? -1e9 : 1e9, 0));
      }
    });
    plate.scroller.addEventListener("blur", hideTip);
  }
}

async function moveCursor(plate, hit) {
  if (!hit) return;
  plate.cursor = hit;
  plate.reach(...plate.boxOf(hit));
  await plate.seen?.();
  plate.paint();
  const [x, y, width] = plate.boxOf(hit);
  await tell(plate, hit, x - plate.left + width, y - plate.top);
}
