// The board as drawn squares, with a grid of focusable cells over it for mouse, touch, keyboard and screen readers.
const { CELL, OTHER, draw, make, makeLayout } = window.arbiterBoard;
const DRAG_FROM = 7; // pixels

// Shows `scene`: { data, table, turned, actor, selected, targets: Map, own: place => bool, marks, premove, label }.
export class Grid {
  // `on.press(place)` is called for a square that is tapped or chosen by a key, `on.drop(src, dst)` after a drag.
  constructor(parent, on) {
    this.on = on;
    this.root = make(parent, "div", { class: "table" });
    this.svg = make(this.root, "svg:svg", { class: "board", "aria-hidden": "true" });
    this.cells = make(this.root, "div", { class: "cells", role: "grid" });
    this.byPlace = new Map();
    this.focused = null;
    this.cells.addEventListener("pointerdown", (event) => this.begin(event));
    this.cells.addEventListener("pointermove", (event) => this.move(event));
    this.cells.addEventListener("pointerup", (event) => this.end(event));
    this.cells.addEventListener("pointercancel", () => this.cancel());
    this.cells.addEventListener("click", (event) => {
      if (event.detail === 0) this.press(event.target.closest("[data-place]")?.dataset.place); // by a screen reader
    });
    this.cells.addEventListener("keydown", (event) => this.step(event));
    this.cells.addEventListener("focusin", (event) => {
      if (event.target.dataset.place) this.setFocus(event.target.dataset.place);
    });
  }

  show(scene) {
    this.scene = scene;
    const { data, table, turned, actor, selected } = scene;
    const layout = this.layout = makeLayout({ ...data, frames: [table] });
    this.svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    const shown = draw(this.svg, data, layout, table, {
      turned, actor, selected, shows: (piece) => piece.seat === data.seat && !piece.seen,
    });
    this.root.style.setProperty("--ratio", layout.width / layout.height);
    this.drawn = shown.drawn;
    this.place(layout.squares(turned));
  }

  // Makes new cells only if their places have changed, so that the focus stays.
  place(squares) {
    const key = squares.map(({ key: place, x, y }) => `${place} ${x} ${y}`).join();
    const { layout, scene } = this;
    if (key !== this.key) {
      this.key = key;
      this.byPlace.clear();
      this.cells.replaceChildren();
      const rows = new Map();
      for (const { key: place, x, y } of squares) {
        if (!rows.has(y)) rows.set(y, []);
        rows.get(y).push([place, x]);
      }
      this.rows = [...rows].sort(([one], [other]) => one - other).map(([y, row]) => {
        const line = make(this.cells, "div", { role: "row" });
        return row.sort(([, one], [, other]) => one - other).map(([place, x]) => {
          const cell = make(line, "div", { role: "gridcell", class: "cell", "data-place": place, tabindex: "-1" });
          cell.style.left = `${100 * x / layout.width}%`;
          cell.style.top = `${100 * y / layout.height}%`;
          cell.style.width = `${100 * CELL / layout.width}%`;
          cell.style.height = `${100 * CELL / layout.height}%`;
          this.byPlace.set(place, cell);
          return place;
        });
      });
      if (!this.byPlace.has(this.focused)) this.focused = this.rows.at(-1)[0];
      this.byPlace.get(this.focused).tabIndex = 0;
    }
    this.cells.setAttribute("aria-label", scene.name);
    for (const [place, cell] of this.byPlace) {
      const kind = scene.targets?.get(place);
      cell.className = `cell${kind ? ` target ${kind}` : ""}${scene.premove?.includes(place) ? " premove" : ""}${scene.isOwn(place) ? " own" : ""}`;
      cell.setAttribute("aria-label", scene.label(place));
      if (scene.selected === place) cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
      const mark = scene.marks?.(place) || "";
      if (mark) cell.dataset.mark = mark;
      else delete cell.dataset.mark;
    }
  }

  setFocus(place) {
    const before = this.byPlace.get(this.focused), cell = this.byPlace.get(place);
    if (before) before.tabIndex = -1;
    this.focused = place;
    cell.tabIndex = 0;
  }

  focus(place = this.focused) {
    this.byPlace.get(place)?.focus();
  }

  press(place) {
    if (place) this.on.press(place);
  }

  // --- keyboard ---

  step(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = this.rows.findIndex((places) => places.includes(this.focused));
    const column = this.rows[row].indexOf(this.focused);
    const go = (places, number) => this.focus(places[Math.max(0, Math.min(places.length - 1, number))]);
    switch (event.key) {
      case "ArrowLeft": go(this.rows[row], column - 1); break;
      case "ArrowRight": go(this.rows[row], column + 1); break;
      case "ArrowUp": go(this.rows[Math.max(0, row - 1)], column); break;
      case "ArrowDown": go(this.rows[Math.min(this.rows.length - 1, row + 1)], column); break;
      case "Home": go(this.rows[row], 0); break;
      case "End": go(this.rows[row], Infinity); break;
      case "Enter":
      case " ": this.press(this.focused); break;
      default: return;
    }
    event.preventDefault();
  }

  // --- mouse and touch ---

  find(event) {
    const box = this.svg.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * this.layout.width;
    const y = (event.clientY - box.top) / box.height * this.layout.height;
    return this.layout.squares(this.scene.turned).find((one) => x >= one.x && x < one.x + CELL && y >= one.y && y < one.y + CELL)?.key;
  }

  begin(event) {
    if (event.button || this.drag) return;
    const place = this.find(event);
    if (!place) return;
    event.preventDefault();
    this.setFocus(place);
    this.byPlace.get(place).focus({ preventScroll: true });
    this.cells.setPointerCapture(event.pointerId);
    this.drag = { id: event.pointerId, place, x: event.clientX, y: event.clientY, moves: this.scene.isOwn(place) };
  }

  move(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.id || !drag.moves) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_FROM) return;
      const piece = this.drawn[drag.place];
      if (!piece) return;
      drag.before = this.scene.selected;
      if (this.scene.selected !== drag.place) this.on.press(drag.place);
      drag.piece = this.drawn[drag.place];
      drag.ghost = make(this.root, "svg:svg", { class: "dragged", viewBox: `0 0 ${CELL} ${CELL}`, "aria-hidden": "true" });
      const copy = drag.piece.cloneNode(true);
      copy.removeAttribute("transform");
      copy.removeAttribute("data-place");
      drag.ghost.append(copy);
      drag.piece.classList.add("lifted");
    }
    const box = this.root.getBoundingClientRect(), size = this.svg.getBoundingClientRect().width / this.layout.width * CELL;
    drag.ghost.style.width = drag.ghost.style.height = `${size}px`;
    drag.ghost.style.left = `${event.clientX - box.left - size / 2}px`;
    drag.ghost.style.top = `${event.clientY - box.top - size / 2}px`;
  }

  end(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.id) return;
    this.cancel();
    const place = this.find(event);
    if (!drag.ghost) this.press(drag.place === place ? place : null);
    else if (place && place !== drag.place) this.on.drop(drag.place, place);
  }

  cancel() {
    this.drag?.ghost?.remove();
    this.drag?.piece?.classList.remove("lifted");
    this.drag = null;
  }
}

export { CELL, OTHER, make };
