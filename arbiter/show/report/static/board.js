// Reads frames and draws boards. A frame is a table of texts; the page contains only what each viewer may see.
"use strict";

window.arbiterBoard = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LASTING = /^(@|lost\/|deck\/|clock\/)/;
  const KEEP_EVERY = 100;
  const CELL = 44, EDGE = 14;
  const OWNER = { r: "red", b: "blue" };
  const OTHER = { red: "blue", blue: "red" };
  const SEATS = Object.keys(OTHER);
  const theme = window.arbiterTheme;
  const officers = new Set(theme.officers);

  function make(parent, name, attributes = {}, text = "") {
    const node = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== "") node.textContent = text;
    parent.append(node);
    return node;
  }

  // --- frames: each is given by its changes from the frame before ---

  // Returns true for a move over several squares.
  const isRun = (src, dst) => Math.abs(src.charCodeAt(0) - dst.charCodeAt(0)) + Math.abs(src.slice(1) - dst.slice(1)) > 1;

  // Changes what lasts of a table.
  function applyChange(table, change) {
    if (change[">"]) {
      const [src, dst] = change.go.split(" "), text = table["@" + src];
      delete table["@" + src];
      table["@" + dst] = text.replace(/['~]$/, "") + (text.endsWith("~") || isRun(src, dst) ? "~" : "'");
    }
    for (const key in change) {
      if (!LASTING.test(key)) continue;
      if (change[key] === "") delete table[key];
      else table[key] = change[key];
    }
  }

  // Splits a change into one for each viewer if they see different texts.
  function splitChange(change, viewers) {
    if (!Object.values(change).some(Array.isArray)) return change;
    const pick = (text, number) => (Array.isArray(text) ? text[text[number] === 0 ? 0 : number] : text);
    return viewers.map((_, number) =>
      Object.fromEntries(Object.entries(change).map(([key, text]) => [key, pick(text, number)]).filter(([, text]) => text !== null)));
  }

  const changeOf = (data, number, seat) => {
    const frame = data.frames[number];
    return Array.isArray(frame) ? frame[data.viewers.indexOf(seat)] : frame;
  };

  // Visits all frames: `visit` receives the number, what lasts (to be read at once), the change, and the text of the piece
  // that acted as it was before.
  function walk(data, seat, visit) {
    const table = {};
    for (let number = 0; number < data.frames.length; number++) {
      const change = changeOf(data, number, seat), before = table["@" + (change.go || "").split(" ")[0]];
      applyChange(table, change);
      visit(number, table, change, before);
    }
  }

  // Returns a function that reads a frame. It keeps some tables, so that going back is fast too.
  function makeReader(data) {
    let viewer = null, current = -1, table = {}, kept = [];
    return (number, seat) => {
      if (viewer !== seat) {
        viewer = seat;
        current = -1;
        kept = [];
      }
      if (current > number || current < 0) {
        const at = Math.min(Math.floor(number / KEEP_EVERY), kept.length - 1);
        current = at < 0 ? -1 : at * KEEP_EVERY;
        table = { ...kept[at] };
      }
      while (current < number) {
        current += 1;
        applyChange(table, changeOf(data, current, seat));
        if (current === kept.length * KEEP_EVERY) kept.push({ ...table });
      }
      const found = { ...table }, change = changeOf(data, number, seat);
      for (const key in change) if (key !== ">" && !LASTING.test(key)) found[key] = change[key];
      return found;
    };
  }

  // Writes a sentence, or a label of the viewer, in the language of the page.
  const fill = window.arbiterFill;
  const write = (key, values = {}) => fill(window.arbiterWords.board[key], values);
  const label = (key, values = {}) => fill(window.arbiterWords.viewer[key], values);

  function readPiece(data, text) {
    const [, letter, rank, known, moved] = /^(.)([^*'~]*)(\*?)(['~]?)$/.exec(text);
    const seat = OWNER[letter], found = data.ranks[rank];
    return {
      seat, rank, moved: Boolean(moved), ran: moved === "~", seen: Boolean(known), known: Boolean(found),
      sign: found ? found.sign : "?", name: found ? found[seat] : write("unknown"),
    };
  }

  // --- layout ---

  function boardLayout({ files, rows, lakes }) {
    const lake = new Set(lakes);
    const squares = [];
    for (let row = 1; row <= rows; row++)
      for (let file = 0; file < files; file++) squares.push({ key: String.fromCharCode(97 + file) + row, file, row });
    return {
      width: EDGE + files * CELL,
      height: rows * CELL + EDGE,
      squares: (turned) =>
        squares.map(({ key, file, row }) => ({
          key,
          lake: lake.has(key),
          dark: (file + row) % 2 === 0,
          x: EDGE + (turned ? files - 1 - file : file) * CELL,
          y: (turned ? row - 1 : rows - row) * CELL,
        })),
      labels: (turned) => [
        ...Array.from({ length: rows }, (_, i) => ({ text: i + 1, x: EDGE - 2, y: (turned ? i : rows - 1 - i) * CELL + CELL / 2, end: "end" })),
        ...Array.from({ length: files }, (_, i) => ({
          text: String.fromCharCode(97 + i), x: EDGE + (turned ? files - 1 - i : i) * CELL + CELL / 2, y: rows * CELL + EDGE / 2, end: "middle",
        })),
      ],
      mark: (place) => place,
    };
  }

  function cardLayout({ slots, hand: most = slots }, data) {
    let hand = most;
    for (const frame of data.frames)
      for (const change of [frame].flat())
        for (const key of Object.keys(change)) {
          const found = /^@\w+\/hand:(\d+)$/.exec(key);
          if (found) hand = Math.max(hand, Number(found[1]) + 1);
        }
    const kinds = [["hand", true], ["line", true], ["line", false], ["hand", false]];
    const left = 100;
    return {
      width: left + hand * CELL,
      height: kinds.length * (CELL + 10) + EDGE,
      rows: (turned) => kinds.map(([kind, far]) => [kind, far === turned ? "red" : "blue"]),
      squares(turned) {
        return this.rows(turned).flatMap(([kind, seat], row) =>
          Array.from({ length: kind === "line" ? slots : hand }, (_, i) => ({
            key: `${seat}/${kind}:${i}`,
            faint: kind === "hand",
            x: left + i * CELL,
            y: row * (CELL + 10) + 5,
          })));
      },
      labels(turned) {
        return [
          ...this.rows(turned).map(([kind, seat], row) => ({
            text: write(`row_${kind}`, { seat: write(seat) }), x: left - 8, y: row * (CELL + 10) + 5 + CELL / 2, end: "end",
          })),
          ...Array.from({ length: slots }, (_, i) => ({
            text: i, x: left + i * CELL + CELL / 2, y: kinds.length * (CELL + 10) + EDGE / 2, end: "middle",
          })),
        ];
      },
      mark: (place, seat) => `${seat}/${place}`,
    };
  }

  const makeLayout = (data) => (data.layout.files ? boardLayout(data.layout) : cardLayout(data.layout, data));

  // --- drawing ---

  // A piece has the shape and the colour of its owner. Hidden from the opponent: dark with stripes; known: bright with an eye.
  function drawPiece(parent, piece, { x, y }, attributes = {}) {
    const look = piece.known ? (piece.seen ? " seen" : piece.hidden ? " secret" : "") : " back";
    const group = make(parent, "svg:g", { class: `piece ${piece.seat}${look}`, transform: `translate(${x} ${y})`, ...attributes });
    const add = (shape, kind = shape) => make(group, "svg:path", { class: kind, d: theme.shapes[shape] });
    add(piece.seat, "body");
    if (look === " secret") add("stripes");
    const drawing = piece.known && theme.drawings[piece.rank];
    const kind = !drawing ? "plain" : officers.has(piece.rank) ? "officer" : "figure";
    const [x1, y1, x2, y2, scale] = theme.places[kind];
    make(group, "svg:text", { class: kind, x: x1, y: y1, "text-anchor": "middle" }, piece.sign);
    if (drawing) make(group, "svg:path", { class: "drawing", d: drawing, transform: `translate(${x2} ${y2}) scale(${scale})`, "fill-rule": "evenodd" });
    if (look === " seen") for (const shape of ["eye", "pupil"]) add(shape);
    if (piece.moved) add("moved");
    return group;
  }

  // Draws a position and returns the drawn pieces by place. `shows(piece)` is true if its owner's secrets are shown.
  function draw(svg, data, layout, table, { turned, actor, selected, shows, tint = {} }) {
    svg.replaceChildren();
    const [src, dst] = (table.go || "").split(" ");
    const from = src && layout.mark(src, actor);
    const to = dst && layout.mark(dst, OTHER[actor]);
    const at = {}, drawn = {};
    for (const square of layout.squares(turned)) {
      at[square.key] = square;
      if (square.faint && !table["@" + square.key]) continue;
      const marked = square.key === from ? " from" : square.key === to ? " to" : "";
      make(svg, "svg:rect", {
        class: `square${square.dark ? " dark" : ""}${square.lake ? " lake" : ""}${marked}`, x: square.x, y: square.y,
        width: CELL, height: CELL, "data-square": square.key,
      });
    }
    if (from && to && at[from] && at[to]) {
      const half = CELL / 2;
      make(svg, "svg:line", {
        class: `way${table.attack ? " attack" : table.act ? " power" : ""}`,
        x1: at[from].x + half, y1: at[from].y + half, x2: at[to].x + half, y2: at[to].y + half,
      });
    }
    for (const [key, text] of Object.entries(table)) {
      const place = key.slice(1);
      if (key[0] !== "@" || !at[place]) continue;
      const piece = readPiece(data, text);
      piece.hidden = shows(piece);
      drawn[place] = drawPiece(svg, piece, at[place], { "data-place": place, "data-piece": text });
      make(drawn[place], "svg:title", { lang: data.lang }, write("titled", { seat: write(piece.seat), name: piece.name, place }));
    }
    for (const [place, share] of Object.entries(tint)) {
      if (!at[place]) continue;
      const { x, y } = at[place];
      make(svg, "svg:rect", { class: "tint", x: x + 1, y: y + 1, width: CELL - 2, height: CELL - 2, rx: 5, opacity: (0.7 * Math.sqrt(share)).toFixed(2) });
      make(svg, "svg:text", { class: "share", x: x + CELL / 2, y: y + CELL - 4, "text-anchor": "middle" }, `${Math.round(100 * share)}%`);
    }
    for (const { text, x, y, end } of layout.labels(turned))
      make(svg, "svg:text", { class: "label", x, y: y + 4, "text-anchor": end }, text);
    if (selected && at[selected])
      make(svg, "svg:rect", { class: "selected", x: at[selected].x + 1, y: at[selected].y + 1, width: CELL - 2, height: CELL - 2 });
    return { at, drawn, from, to };
  }

  // --- fights ---

  // Returns both pieces of the attack of a frame, as far as the viewer knows their ranks, and a word for its result.
  function readFight(data, layout, before, table, actor) {
    if (!table.attack || !table.go) return null;
    const [src, dst] = table.go.split(" ");
    const places = { [actor]: layout.mark(src, actor), [OTHER[actor]]: layout.mark(dst, OTHER[actor]) };
    const sides = [actor, OTHER[actor]].map((owner) => {
      const was = before["@" + places[owner]];
      const now = Object.values(places).map((place) => table["@" + place]).find((text) => text && OWNER[text[0]] === owner);
      let piece = now ? readPiece(data, now) : was ? readPiece(data, was) : null;
      if (piece && !piece.known) {
        const lost = Object.keys(data.ranks).find((rank) =>
          Number(table[`lost/${owner}/${rank}`] || 0) > Number(before[`lost/${owner}/${rank}`] || 0));
        if (lost && !now) piece = readPiece(data, owner[0] + lost);
      }
      return { owner, piece, survives: Boolean(now) };
    });
    if (!sides[0].piece || !sides[1].piece) return null;
    const word = sides[0].survives ? (sides[1].survives ? "attacks" : "beats") : sides[1].survives ? "falls_to" : "falls_with";
    return { attacker: sides[0].piece, defender: sides[1].piece, word };
  }

  return { CELL, OWNER, OTHER, SEATS, label, make, makeReader, makeLayout, changeOf, readPiece, readFight, draw, drawPiece, splitChange, walk, write };
})();
