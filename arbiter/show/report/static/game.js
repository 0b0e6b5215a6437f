// A game on its page: its frames, and the one that is shown, seen from a seat.
"use strict";

window.arbiterGame = (() => {
  const { OWNER, changeOf, makeReader, splitChange } = window.arbiterBoard;
  const { allows, countLeft, findCertain } = window.arbiterBelief;
  // A move is a square and a direction, or another square.
  const MOVE = /^([a-z]\d+)(.+)$/;
  const STEPS = {
    u: (file, row) => file + (row + 1),
    d: (file, row) => file + (row - 1),
    l: (file, row) => String.fromCharCode(file.charCodeAt(0) - 1) + row,
    r: (file, row) => String.fromCharCode(file.charCodeAt(0) + 1) + row,
  };
  const ADDRESS = /^#(\d+|end)(?:\.(\d+))?(?:\/(red|blue|arbiter|spectator))?$/;

  function writeClock(tenths) {
    const seconds = Math.floor(tenths / 10);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}.${tenths % 10}`;
  }

  return class Game {
    number = 0;
    // The last frame that has been shown.
    reached = 0;
    turned;
    // The list of moves shows what the bots report.
    showsReports = false;
    // A rank; the board shows the squares on which it can be.
    wanted = null;
    // The place of the square that a reader has clicked.
    selected = null;
    plies = [];
    // The last clocks in the column of clocks, in tenths of a second.
    #tenths = { red: 0, blue: 0 };
    #current;
    #previous;
    #players;
    #certain;
    #certainFor;

    constructor(data, names) {
      this.data = data;
      data.frames = this.#readChanges(data);
      this.names = names;
      this.seat = data.viewers[0];
      this.turned = this.seat === "blue";
      this.hasBoard = Boolean(data.layout.files);
      this.#current = makeReader(data);
      this.#previous = makeReader(data);
      this.#players = { red: makeReader(data), blue: makeReader(data) };
      this.#addPlies(data.plies);
    }

    // Adds the frames of a game in progress that have been played since.
    add(more) {
      this.data.frames.push(...this.#readChanges(more));
      this.data.ms.push(...more.ms);
      for (const part of ["seats", "plies"]) this.data[part] += more[part];
      for (const part of ["story", "disagreements"]) this.data[part] = more[part];
      this.#addPlies(more.plies);
    }

    // Returns the changes of some frames, with what the columns of moves and clocks hold.
    #readChanges({ frames, moves, clocks, seats }) {
      const words = moves.split(" ");
      return frames.map((change, number) => {
        const seat = OWNER[seats[number]], [, src, to] = MOVE.exec(words[number]) || [];
        if (src) Object.assign(change, { ">": "1", go: `${src} ${STEPS[to] ? STEPS[to](src[0], Number(src.slice(1))) : to}` });
        if (clocks[number]) change[`clock/${seat}`] = writeClock(this.#tenths[seat] -= clocks[number]);
        return splitChange(change, this.data.viewers);
      });
    }

    #addPlies(steps) {
      for (const step of steps) this.plies.push((this.plies.at(-1) || 0) + Number(step));
    }

    get last() { return this.data.frames.length - 1; }

    // Readers who want no spoilers see nothing of the frames after the shown one, nor how many there are.
    get hidesFuture() { return document.documentElement.classList.contains("spoiler-free"); }
    get lastOfMoves() { return this.hidesFuture ? this.number : this.last; }
    get lastOfSlider() { return this.hidesFuture ? this.reached : this.last; }

    get table() { return this.#current(this.number, this.seat); }
    get tableBefore() { return this.number ? this.#previous(this.number - 1, this.seat) : {}; }
    tableOf(seat) { return this.#players[seat](this.number, seat); }

    change(number) { return changeOf(this.data, number, this.seat); }
    isAttack(number) { return Boolean(this.change(number).attack); }
    isCapture(number) { return Object.keys(this.change(number)).some((key) => key.startsWith("lost/")); }
    // The turning points that the seat may read, each a frame and a sentence.
    get story() { return this.data.story.filter(([, , viewers]) => !viewers || viewers.includes(this.seat)); }
    // The frames at which the bots evaluate the game differently, for a seat that sees both evaluations.
    get disagreements() { return this.seat === "arbiter" ? this.data.disagreements : []; }
    // By frame, the pieces whose rank became certain to their opponent, as far as the seat can know.
    get certain() {
      const key = `${this.seat} ${this.last}`;
      if (this.#certainFor !== key) this.#certain = findCertain(this);
      this.#certainFor = key;
      return this.#certain;
    }
    isTurningPoint(number) { return this.story.some(([one]) => one === number); }
    actor(number = this.number) { return OWNER[this.data.seats[number]] || null; }
    seesSecrets(owner) { return this.seat === "arbiter" || this.seat === owner; }

    // Goes to the nearest frame, seen from a seat; returns the number of frames that it went forward.
    goTo(number, seat) {
      if (seat !== this.seat) this.turned = seat === "blue";
      const step = Math.max(0, Math.min(this.last, number)) - this.number;
      this.number += step;
      this.reached = Math.max(this.reached, this.number);
      this.seat = seat;
      return step;
    }

    findPly(ply) {
      const first = this.plies.indexOf(ply);
      return first < 0 ? this.last : first;
    }

    // Returns the nearest frame that is of a kind after the current one (or before it, by step -1), or null.
    find(step, kind) {
      for (let number = this.number + step; number >= 0 && number <= this.last; number += step)
        if (this[kind](number)) return number;
      return null;
    }

    // --- the address of a frame: #ply.act/seat ---

    get address() {
      const ply = this.plies[this.number], act = this.number - this.plies.indexOf(ply);
      return `#${ply}${act ? `.${act}` : ""}${this.seat === this.data.viewers[0] ? "" : `/${this.seat}`}`;
    }

    readAddress(text) {
      const [, ply, act, seat] = ADDRESS.exec(text) || [];
      if (ply === undefined) return null;
      const first = this.plies.indexOf(Number(ply));
      return {
        number: first < 0 ? this.last : first + Number(act || 0),
        seat: this.data.viewers.includes(seat) ? seat : this.data.viewers[0],
      };
    }

    // --- hidden ranks ---

    // The ranks that a hidden piece of a seat can still have, for a viewer with this table.
    listPossible(table, piece) {
      const { ranks } = this.data;
      return Object.entries(countLeft(this.data, table, piece.seat))
        .filter(([rank, count]) => count > 0 && allows(ranks[rank], piece))
        .map(([rank, count]) => ranks[rank].sign + (count > 1 ? `(${count})` : "")).join(" ");
    }
  };
})();
