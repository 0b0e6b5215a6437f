// The whole game at a glance: its moves, the attacks on its timeline, and graphs.
"use strict";

window.arbiterOverview = (() => {
  const { OTHER, SEATS, label, make, readPiece, walk, write: writeText } = window.arbiterBoard;
  const { writeCertain } = window.arbiterDescription;
  const theme = window.arbiterTheme;

  // Frames of a game whose moves are laid out at once; those of longer ones, when they are scrolled to.
  const MOST_SHORT = 1000;

  // Writes a number with a true minus sign; `signed`, with a plus sign too.
  const write = (value, signed = false) => `${signed && value > 0 ? "+" : ""}${value}`.replace("-", "−");

  // The entries of a frame that change what the graphs show; a piece that only moves changes none of them.
  const COUNTED = /^(@|lost|deck)/;

  // Reads what the graphs and the timeline show: values of each frame, as the seat of the game sees it.
  function measure(game) {
    const { data } = game;
    const points = { material: [], known: { red: [], blue: [] }, evals: { red: [], blue: [] }, attacks: [] };
    let balance, army, seen;
    function count(table) {
      balance = 0;
      army = { red: 0, blue: 0 };
      seen = { red: 0, blue: 0 };
      for (const key in table) {
        if (key[0] === "@") {
          const piece = readPiece(data, table[key]);
          army[piece.seat] += 1;
          if (game.seesSecrets(piece.seat) ? piece.seen : piece.known) seen[piece.seat] += 1;
        } else if (key.startsWith("deck/")) {
          army[key.split("/")[1]] += Number(table[key]);
        } else if (key.startsWith("lost/")) {
          const [, owner, rank] = key.split("/");
          balance += (owner === "red" ? -1 : 1) * theme.values[rank] * Number(table[key]);
        }
      }
    }
    walk(data, game.seat, (number, table, change) => {
      if (!number || Object.keys(change).some((key) => COUNTED.test(key))) count(table);
      points.material.push([number, balance]);
      for (const owner of SEATS) {
        points.known[owner].push([number, army[owner] ? (100 * seen[owner]) / army[owner] : 0]);
        if (change[`eval/${owner}`]) points.evals[owner].push([number, Number(change[`eval/${owner}`])]);
      }
      if (change.attack) points.attacks.push([number, game.actor(number), game.isCapture(number)]);
    });
    return points;
  }

  // A line chart over all frames; each series is a list of values, one for each frame, on one scale.
  function plotLines(parent, { label, low, high, last, series, marked = [], go }) {
    const width = 300, height = 60;
    const x = (number) => ((number / Math.max(1, last)) * width).toFixed(1);
    const y = (value) => (height - 2 - ((value - low) / (high - low || 1)) * (height - 4)).toFixed(1);
    const plot = make(parent, "svg:svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
    for (const number of marked) make(plot, "svg:rect", { class: "marked", x: x(number), width: x(1), y: 0, height });
    if (low < 0) make(plot, "svg:line", { class: "zero", x1: 0, y1: y(0), x2: width, y2: y(0) });
    for (const { owner, points } of series)
      make(plot, "svg:polyline", { class: owner, points: points.map(([number, value]) => `${x(number)},${y(value)}`).join(" ") });
    const cursor = make(plot, "svg:line", { class: "now", y1: 0, y2: height });
    plot.addEventListener("click", (event) => go(Math.round((event.offsetX / plot.clientWidth) * last)));
    return (number) => {
      cursor.setAttribute("x1", x(number));
      cursor.setAttribute("x2", x(number));
    };
  }

  // Returns what was measured up to a frame.
  function cut({ material, known, evals, attacks }, last) {
    const until = (values) => values.filter(([number]) => number <= last);
    const both = (values) => Object.fromEntries(SEATS.map((owner) => [owner, until(values[owner])]));
    return { material: until(material), known: both(known), evals: both(evals), attacks: until(attacks) };
  }

  // Draws the graphs up to a frame and returns a function for each that moves its cursor to a frame.
  function drawGraphs(graphs, points, disagreements, last, go) {
    graphs.replaceChildren();
    const cursors = [];
    // `describe` writes the values at a frame, which follow the short title.
    const graph = (short, title, options, describe) => {
      const figure = make(graphs, "figure", { class: options.kind });
      const caption = make(figure, "figcaption", { title }, `${label(options.kind)}${short}: `);
      const value = make(caption, "b");
      const move = plotLines(figure, { label: title, last, go, ...options });
      cursors.push((number) => {
        move(number);
        value.textContent = describe(number);
      });
    };
    const find = (values, number) => values.findLast(([at]) => at <= number)?.[1];
    const both = (write) => SEATS.map((owner) => write(owner)).filter(Boolean).join(", ");
    const top = Math.max(5, ...points.material.map(([, value]) => Math.abs(value)));
    graph(` (±${top})`, label("material_graph", { top }), { kind: "material", low: -top, high: top, series: [{ owner: "balance", points: points.material }] },
      (number) => write(points.material[number][1], true));
    graph("", label("known_graph"), {
      kind: "known", low: 0, high: 100, series: SEATS.map((owner) => ({ owner, points: points.known[owner] })),
    }, (number) => both((owner) => `${writeText(owner)} ${Math.round(points.known[owner][number][1])} %`));
    const evals = Object.entries(points.evals).filter(([, values]) => values.length);
    if (evals.length) {
      const ranges = evals.map(([owner, values]) => label("evals_range", {
        seat: writeText(owner), low: write(Math.min(...values.map((one) => one[1]))), high: write(Math.max(...values.map((one) => one[1]))),
      }));
      const series = evals.map(([owner, values]) => {
        const largest = Math.max(...values.map((one) => Math.abs(one[1]))) || 1;
        return { owner, points: values.map(([number, value]) => [number, value / largest]) };
      });
      const marked = disagreements.filter((number) => number <= last);
      graph("", label("evals_graph", { ranges: ranges.join(", ") }), { kind: "evals", low: -1, high: 1, series, marked }, (number) => both((owner) => {
        const value = find(points.evals[owner], number);
        return value === undefined ? "" : `${writeText(owner)} ${write(value, true)}`;
      }) + (marked.includes(number) ? " ≠" : ""));
    }
    return cursors;
  }

  // Adds what a bot reported with an act to its move: time, evaluation, note, and lines on stderr.
  function addReport(cell, game, number, disagreements) {
    const change = game.change(number), owner = game.actor(number), ms = game.data.ms[number];
    const value = change[`eval/${owner}`];
    const parts = [ms === null ? "" : `${ms} ms`, value === undefined ? "" : `${write(value, true)}${disagreements.has(number) ? " ≠" : ""}`];
    const line = parts.filter(Boolean).join(" · ");
    if (line) make(cell, "small", disagreements.has(number) ? { class: "marked", title: label("disagree") } : {}, line);
    if (change[`note/${owner}`]) make(cell, "q", {}, change[`note/${owner}`]);
    if (change[`stderr/${owner}`]) make(cell, "code", {}, change[`stderr/${owner}`]);
  }

  // Lists the moves in two columns and returns the cell of each frame; the acts of a turn share one.
  function listMoves(moves, game) {
    const { plies } = game, cells = new Map(), disagreements = new Set(game.disagreements);
    moves.replaceChildren();
    moves.classList.toggle("long", game.last > MOST_SHORT);
    let row = null, at = -1;
    const head = make(moves, "div", { class: "turn head", role: "listitem" });
    make(head, "span");
    const starts = game.actor(1) || "red";
    for (const owner of [starts, OTHER[starts]]) make(head, "span", {}, `${theme.symbols[owner]} ${writeText(owner)}`);
    for (let number = 1, first = 0; number <= game.last; number++) {
      if (plies[number] !== plies[number - 1]) first = number;
      if (cells.has(first)) {
        cells.set(number, cells.get(first));
        if (game.showsReports) addReport(cells.get(first), game, number, disagreements);
        continue;
      }
      const turn = Math.ceil(plies[number] / 2), owner = game.actor(number);
      if (turn !== at || !row) {
        row = make(moves, "div", { class: "turn", role: "listitem" });
        make(row, "span", { class: "number" }, turn);
        at = turn;
      }
      const change = game.change(number);
      const text = change.act?.split(" by ")[0] || (change.go || "…").replace(" ", "-");
      const cell = make(row, "span", { class: `move${owner === starts ? "" : " second"}${change.act ? " power" : ""}`, "data-frame": number }, text);
      if (change.attack) make(cell, "i", {}, ` ${theme.symbols.attack}`);
      if (game.showsReports) addReport(cell, game, number, disagreements);
      cells.set(number, cell);
    }
    return cells;
  }

  // Lists the turning points, and marks them in the list of moves; returns the button of each.
  function listStory(story, game, cells) {
    story.replaceChildren();
    return game.story.map(([number, text]) => {
      const button = make(make(story, "li"), "button", { type: "button", "data-frame": number });
      make(button, "span", { class: "number" }, game.plies[number]);
      make(button, "span", {}, text);
      cells.get(number)?.classList.add("turning");
      return button;
    });
  }

  // Marks the moves after which a rank is certain to the opponent.
  function markCertain(game, cells) {
    for (const [number, pieces] of game.certain) {
      const cell = cells.get(number);
      if (!cell) continue;
      for (const owner of new Set(pieces.map((one) => one.owner))) {
        const title = pieces.filter((one) => one.owner === owner).map((one) => writeCertain(game.data, one)).join(" ");
        cell.insertBefore(make(cell, "i", { class: `certain ${owner}`, title }, ` ${theme.symbols.known}`), cell.querySelector("small, q, code"));
      }
    }
  }

  // Returns a function that shows the current frame in the overview, which is drawn again if the seat has changed or
  // plies were added.
  return function makeOverview(game, { story, moves, marks, graphs }, go) {
    let drawnFor = null, drawnUntil = null, measured = null, cells = new Map(), points = [], cursors = [];

    // Keys stay those of the game after a click.
    for (const list of [story, moves]) {
      list.addEventListener("mousedown", (event) => event.preventDefault());
      list.addEventListener("click", (event) => {
        const cell = event.target.closest("[data-frame]");
        if (cell) go(Number(cell.dataset.frame));
      });
    }

    function draw() {
      measured = measure(game);
      cells = listMoves(moves, game);
      points = listStory(story, game, cells);
      markCertain(game, cells);
    }

    // Draws the marks and the graphs, without what comes after `last`.
    function drawUntil(last) {
      const shown = cut(measured, last);
      marks.replaceChildren();
      marks.setAttribute("viewBox", `0 0 ${Math.max(1, game.lastOfSlider)} 10`);
      for (const [number, owner, capture] of shown.attacks)
        make(marks, "svg:line", { class: owner, x1: number, x2: number, y1: capture ? 0 : 5, y2: 10 });
      cursors = drawGraphs(graphs, shown, game.disagreements, last, go);
    }

    // Marks the moves that come after `last`, which are hidden. Turning points reveal the end, so they wait for it.
    function markLater(last) {
      const isWhole = last === game.last && !moves.querySelector(".later");
      for (const cell of isWhole ? [] : new Set(cells.values())) {
        const row = cell.parentElement, isLater = Number(cell.dataset.frame) > last;
        cell.classList.toggle("later", isLater);
        if (row.querySelector(".move") === cell) row.classList.toggle("later", isLater);
      }
      for (const list of [story, moves]) list.classList.toggle("unfinished", last < game.last);
    }

    return () => {
      const wanted = `${game.seat} ${game.last} ${game.showsReports}`;
      if (drawnFor !== wanted) draw();
      const last = game.lastOfMoves, wantedUntil = `${wanted} ${last} ${game.lastOfSlider}`;
      if (drawnUntil !== wantedUntil) {
        drawUntil(last);
        markLater(last);
      }
      drawnFor = wanted;
      drawnUntil = wantedUntil;
      for (const move of cursors) move(game.number);
      for (const point of points) point.toggleAttribute("aria-current", Number(point.dataset.frame) === game.number);
      const before = moves.querySelector(".current");
      before?.classList.remove("current");
      before?.removeAttribute("aria-current");
      const cell = cells.get(game.number);
      cell?.classList.add("current");
      cell?.setAttribute("aria-current", "true");
      moves.scrollTop = cell ? cell.parentElement.offsetTop - moves.clientHeight / 2 : 0;
    };
  };
})();
