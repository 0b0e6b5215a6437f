// Shows a game frame by frame. The page contains only what each viewer may see; this script draws it.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LASTING = /^(@|lost\/|deck\/|clock\/)/;
  const CELL = 44, EDGE = 18;
  const ICONS = {
    first: "M6 5h2v14H6zM19 5v14L9 12z",
    back: "M16 5v14L6 12z",
    play: "M8 5v14l11-7z",
    pause: "M7 5h4v14H7zM13 5h4v14h-4z",
    forward: "M8 5v14l10-7z",
    last: "M5 5v14l10-7zM16 5h2v14h-2z",
    attack: "M12 2l2.4 6.2L20 5l-3 5.6L23 12l-6 1.4L20 19l-5.6-3.2L12 22l-2.4-6.2L4 19l3-5.6L1 12l6-1.4L4 5l5.6 3.2z",
  };

  const VIEWERS = { arbiter: "arbiter (all)", spectator: "spectators" };
  const EXPLAINED = { spectator: "Spectators see only what both players know." };

  const root = document.getElementById("viewer");
  const source = document.getElementById("viewer-data");
  if (!root) return;

  function make(parent, name, attributes = {}, text = "") {
    const node = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== "") node.textContent = text;
    parent.append(node);
    return node;
  }

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }

  // --- games in progress: new frames arrive while the game is played ---

  function follow(shown, take) {
    const at = encodeURIComponent(root.dataset.at);
    const end = window.arbiterLive.listen(() => `${root.dataset.live}?shown=${shown()}&at=${at}`, {
      more: (message) => take(JSON.parse(message)),
      over() {
        end();
        take(null);
      },
    });
  }

  // --- frames: each is given by its changes from the frame before ---

  function applyChange(table, change) {
    const next = Object.fromEntries(Object.entries(table).filter(([key]) => LASTING.test(key)));
    if (change[">"]) {
      const [src, dst] = change.go.split(" ");
      next["@" + dst] = next["@" + src].replace("'", "") + "'";
      delete next["@" + src];
    }
    for (const [key, text] of Object.entries(change)) {
      if (key === ">") continue;
      if (text === "") delete next[key];
      else next[key] = text;
    }
    return next;
  }

  const changeOf = (data, number, seat) => {
    const frame = data.frames[number];
    return Array.isArray(frame) ? frame[data.viewers.indexOf(seat)] : frame;
  };

  function makeReader(data) {
    let current = null;
    return (number, seat) => {
      if (!current || current.seat !== seat || current.number > number) current = { seat, number: -1, table: {} };
      while (current.number < number) {
        current.number += 1;
        current.table = applyChange(current.table, changeOf(data, current.number, seat));
      }
      return current.table;
    };
  }

  // --- layout ---

  function boardLayout({ files, rows, lakes }) {
    const lake = new Set(lakes);
    const squares = [];
    for (let row = 1; row <= rows; row++)
      for (let file = 0; file < files; file++) squares.push({ key: String.fromCharCode(97 + file) + row, file, row });
    return {
      width: files * CELL + EDGE,
      height: rows * CELL + EDGE,
      squares: (turned) =>
        squares.map(({ key, file, row }) => ({
          key,
          lake: lake.has(key),
          x: EDGE + (turned ? files - 1 - file : file) * CELL,
          y: (turned ? row - 1 : rows - row) * CELL,
        })),
      labels: (turned) => [
        ...Array.from({ length: rows }, (_, i) => ({ text: i + 1, x: EDGE / 2, y: (turned ? i : rows - 1 - i) * CELL + CELL / 2 })),
        ...Array.from({ length: files }, (_, i) => ({
          text: String.fromCharCode(97 + i),
          x: EDGE + (turned ? files - 1 - i : i) * CELL + CELL / 2,
          y: rows * CELL + EDGE / 2,
        })),
      ],
      mark: (place) => place,
    };
  }

  function cardLayout({ slots }, data) {
    let hand = slots;
    for (const frame of data.frames)
      for (const change of [frame].flat())
        for (const key of Object.keys(change)) {
          const found = /^@\w+\/hand:(\d+)$/.exec(key);
          if (found) hand = Math.max(hand, Number(found[1]) + 1);
        }
    const kinds = [["hand", true], ["line", true], ["line", false], ["hand", false]];
    const label = 84;
    return {
      width: label + hand * CELL,
      height: kinds.length * (CELL + 10),
      rows: (turned) => kinds.map(([kind, far]) => [kind, far === turned ? "red" : "blue"]),
      squares(turned) {
        return this.rows(turned).flatMap(([kind, seat], row) =>
          Array.from({ length: kind === "line" ? slots : hand }, (_, i) => ({
            key: `${seat}/${kind}:${i}`,
            faint: kind === "hand",
            x: label + i * CELL,
            y: row * (CELL + 10) + 5,
          })));
      },
      labels(turned) {
        return this.rows(turned).map(([kind, seat], row) => ({
          text: `${seat} ${kind}`, x: label - 8, y: row * (CELL + 10) + 5 + CELL / 2, end: true,
        }));
      },
      mark: (place, seat) => `${seat}/${place}`,
    };
  }

  // --- drawing ---

  const OWNER = { r: "red", b: "blue" };
  const OTHER = { red: "blue", blue: "red" };

  function readPiece(data, text) {
    const moved = text.endsWith("'");
    const seat = OWNER[text[0]];
    const rank = text.slice(1, moved ? -1 : undefined);
    const known = data.ranks[rank];
    return { seat, moved, known: Boolean(known), sign: known ? known.sign : "?", name: known ? known[seat] : "unknown piece" };
  }

  function draw(svg, data, layout, table, { turned, actor }) {
    svg.replaceChildren();
    const [src, dst] = (table.go || "").split(" ");
    const from = src && layout.mark(src, actor);
    const to = dst && layout.mark(dst, OTHER[actor]);
    const at = {};
    for (const square of layout.squares(turned)) {
      at[square.key] = square;
      if (square.faint && !table["@" + square.key]) continue;
      const marked = square.key === from ? " from" : square.key === to ? " to" : "";
      make(svg, "svg:rect", {
        class: `square${square.lake ? " lake" : ""}${marked}`, x: square.x, y: square.y, width: CELL, height: CELL,
      });
    }
    for (const { text, x, y, end } of layout.labels(turned))
      make(svg, "svg:text", { class: "label", x, y: y + 4, "text-anchor": end ? "end" : "middle" }, text);
    if (from && to && at[from] && at[to]) {
      const half = CELL / 2;
      make(svg, "svg:line", {
        class: `way${table.attack ? " attack" : ""}`,
        x1: at[from].x + half, y1: at[from].y + half, x2: at[to].x + half, y2: at[to].y + half,
      });
    }
    for (const [key, text] of Object.entries(table)) {
      if (key[0] === "@" && at[key.slice(1)]) drawPiece(svg, readPiece(data, text), at[key.slice(1)], text);
    }
  }

  function drawPiece(svg, piece, { x, y, key }, text) {
    const group = make(svg, "svg:g", {
      class: `piece ${piece.seat}${piece.known ? "" : " back"}`,
      transform: `translate(${x} ${y})`, "data-place": key, "data-piece": text,
    });
    make(group, "svg:title", {}, `${piece.seat}: ${piece.name}, ${key}`);
    const shape = piece.seat === "red"
      ? { d: "M6 4h32a3 3 0 0 1 3 3v30a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3V7a3 3 0 0 1 3-3z" }
      : { d: "M12 3h20l9 9v20l-9 9H12l-9-9V12z" };
    make(group, "svg:path", shape);
    make(group, "svg:text", { x: CELL / 2, y: CELL / 2 + 6.5, "text-anchor": "middle" }, piece.sign);
    if (piece.moved) make(group, "svg:circle", { class: "moved", cx: 34, cy: 10, r: 2.5 });
  }

  // --- keys ---

  const SCROLLING = /^(Arrow(Left|Right|Up|Down)|Page(Up|Down)|Home|End)$/;

  // A control keeps the keys that it needs itself: a slider, a list and a scrolled block the keys that move it, buttons
  // and links those that press them. Seats and buttons do not move, so the arrow keys step through the game there.
  function keepsKey(target, key) {
    if (target.closest("select, textarea, input:not([type=radio]):not([type=checkbox])")) return true;
    if (key === " " || key === "Enter") return Boolean(target.closest("button, summary, a, input, [role=button]"));
    if (!SCROLLING.test(key)) return false;
    for (let node = target; node instanceof HTMLElement && node !== document.body; node = node.parentElement)
      if (node.tabIndex >= 0 && (node.scrollHeight > node.clientHeight + 1 || node.scrollWidth > node.clientWidth + 1) && /auto|scroll/.test(getComputedStyle(node).overflow)) return true;
    return false;
  }

  // --- page ---

  function start(data) {
    const readFrame = makeReader(data);
    const makeLayout = () => data.layout.files ? boardLayout(data.layout) : cardLayout(data.layout, data);
    let layout = makeLayout();
    let last = data.frames.length - 1;
    const plies = [];
    [...data.plies].reduce((ply, step) => (plies.push(ply + Number(step)), ply + Number(step)), 0);
    const state = { number: 0, seat: data.viewers[0], turned: false, timer: null };
    const names = { red: root.dataset.red, blue: root.dataset.blue };

    root.replaceChildren();
    root.classList.add("ready");
    const stage = make(root, "div", { class: "stage" });
    const side = make(root, "div", { class: "side" });
    const top = make(stage, "p", { class: "player" });
    const svg = make(stage, "svg:svg", { class: "board", viewBox: `0 0 ${layout.width} ${layout.height}`, role: "img" });
    const bottom = make(stage, "p", { class: "player" });

    const seats = make(side, "fieldset", { class: "seats" });
    make(seats, "legend", {}, "View");
    const radios = Object.fromEntries(data.viewers.map((seat) => {
      const label = make(seats, "label", { class: seat });
      const radio = make(label, "input", { type: "radio", name: "seat", value: seat });
      make(label, "span", {}, VIEWERS[seat] || seat);
      radio.addEventListener("change", () => go(state.number, seat));
      return [seat, radio];
    }));
    for (const seat of data.viewers) if (EXPLAINED[seat]) make(side, "p", { class: "note" }, EXPLAINED[seat]);

    const texts = make(side, "div", { class: "texts", role: "status", "aria-live": "polite" });
    const controls = make(side, "div", { class: "controls", role: "group", "aria-label": "Navigation" });
    const button = (icon, label, act) => {
      const made = make(controls, "button", { type: "button", "aria-label": label, title: label });
      const drawing = make(made, "svg:svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
      make(drawing, "svg:path", { d: ICONS[icon] });
      made.addEventListener("click", act);
      return made;
    };
    button("first", "First (Home)", () => go(0));
    button("back", "Back (left arrow)", () => go(state.number - 1));
    const player = button("play", "Play (space)", () => play());
    player.classList.add("play");
    button("forward", "Forward (right arrow)", () => go(state.number + 1));
    button("last", "Last (End)", () => go(last));
    button("attack", "Next attack (n)", () => seek(1));
    const slide = make(side, "label", { class: "slide" });
    make(slide, "span", { class: "hidden" }, "Frame");
    const slider = make(slide, "input", { type: "range", min: 0, max: last, value: 0 });
    slider.addEventListener("input", () => go(Number(slider.value)));
    const speed = make(make(side, "label", { class: "speed" }, "Plies per second "), "select");
    for (const plies of [1, 2, 5, 10, 25]) make(speed, "option", plies === 2 ? { selected: "" } : {}, plies);

    const chart = make(side, "div", { class: "evals" });
    const lost = make(side, "div", { class: "lost" });
    const words = make(side, "details", { class: "words" });
    make(words, "summary", {}, "Position as text");
    const inWords = make(words, "div");
    words.addEventListener("toggle", () => showWords());
    make(side, "p", { class: "keys" }, `Keys: ← → one step, PgUp PgDn ten steps, Home End first and last, space play or pause, n p next and previous attack${data.viewers.length > 1 ? ", r b a view of red, blue or arbiter" : ""}.`);
    if (data.fault) make(side, "p", { class: "note" }, data.fault);

    const actorOf = (number) => OWNER[data.seats[number]] || null;
    const address = (number) => {
      const first = plies.indexOf(plies[number]);
      return `#${plies[number]}${number > first ? "." + (number - first) : ""}${state.seat === data.viewers[0] ? "" : "/" + state.seat}`;
    };

    function go(number, seat = state.seat) {
      if (!data.viewers.includes(seat)) return;
      if (seat !== state.seat) state.turned = seat === "blue";
      state.number = Math.max(0, Math.min(last, number));
      state.seat = seat;
      render();
      history.replaceState(null, "", address(state.number));
    }

    function render() {
      const { number, seat, turned } = state;
      const table = readFrame(number, seat), actor = actorOf(number);
      draw(svg, data, layout, table, { turned, actor });
      svg.setAttribute("aria-label", `Position after ply ${plies[number]}, view of ${seat}`);
      root.dataset.frame = number;
      root.dataset.seat = seat;
      radios[seat].checked = true;
      slider.value = number;
      slider.setAttribute("aria-valuetext", `ply ${plies[number]}`);
      showTexts(table, number, actor);
      for (const [line, owner] of [[top, turned ? "red" : "blue"], [bottom, turned ? "blue" : "red"]]) {
        line.className = `player ${owner}${owner === actor ? " acted" : ""}`;
        line.replaceChildren();
        make(line, "b", {}, names[owner]);
        if (table["clock/" + owner]) make(line, "span", { class: "clock" }, table["clock/" + owner] + " s");
        if (table["deck/" + owner]) make(line, "span", { class: "clock" }, "deck " + table["deck/" + owner]);
      }
      showEvaluations();
      lost.replaceChildren();
      for (const owner of ["red", "blue"]) showLost(table, owner);
      showWords();
    }

    function showTexts(table, number, actor) {
      texts.replaceChildren();
      const head = make(texts, "p", { class: "act" });
      make(head, "span", { class: "ply" }, `${plies[number]} / ${plies[last]} `);
      make(head, "b", { class: actor || "" }, `${actor ? actor + " " : ""}${table.act || (table.go || "").replace(" ", "-")}`);
      if (data.ms[number] !== null) make(head, "span", { class: "ms" }, ` ${data.ms[number]} ms`);
      for (const key of ["story", "end"])
        for (const line of (table[key] || "").split("\n").filter(Boolean)) make(texts, "p", { class: key }, line);
      for (const owner of ["red", "blue"])
        if (table["note/" + owner]) make(texts, "p", { class: "bot-note" }, `${owner} notes: ${table["note/" + owner]}`);
      for (const owner of ["red", "blue"])
        if (table["eval/" + owner]) make(texts, "p", { class: "bot-eval" }, `${owner} evaluates: ${table["eval/" + owner]}`);
      for (const owner of ["red", "blue"])
        if (table["stderr/" + owner]) {
          make(texts, "p", { class: "bot-stderr" }, `${owner} wrote to stderr:`);
          make(texts, "pre", { tabindex: 0 }, table["stderr/" + owner]);
        }
    }

    // The evaluations that the viewer may see, each on the scale of its seat's largest one, with 0 in the middle.
    const evaluations = { seat: null, frames: 0, lines: [] };

    function listEvaluations() {
      if (evaluations.seat === state.seat && evaluations.frames === data.frames.length) return evaluations.lines;
      const found = { red: [], blue: [] };
      for (let number = 0; number <= last; number++)
        for (const owner of ["red", "blue"]) {
          const text = changeOf(data, number, state.seat)["eval/" + owner];
          if (text) found[owner].push([number, Number(text)]);
        }
      evaluations.seat = state.seat;
      evaluations.frames = data.frames.length;
      evaluations.lines = Object.entries(found).filter(([, values]) => values.length);
      return evaluations.lines;
    }

    function showEvaluations() {
      const lines = listEvaluations();
      chart.replaceChildren();
      if (!lines.length) return;
      const width = 300, half = 30, x = (number) => (number / Math.max(1, last)) * width;
      const words = lines.map(([owner, values]) => `${owner} from ${Math.min(...values.map((one) => one[1]))} to ${Math.max(...values.map((one) => one[1]))}`);
      const plot = make(chart, "svg:svg", {
        viewBox: `0 0 ${width} ${2 * half}`, preserveAspectRatio: "none", role: "img",
        "aria-label": `Evaluations over the game: ${words.join(", ")}`,
      });
      make(plot, "svg:line", { class: "zero", x1: 0, y1: half, x2: width, y2: half });
      make(plot, "svg:line", { class: "now", x1: x(state.number), y1: 0, x2: x(state.number), y2: 2 * half });
      for (const [owner, values] of lines) {
        const largest = Math.max(...values.map((one) => Math.abs(one[1]))) || 1;
        const points = values.map(([number, value]) => `${x(number).toFixed(1)},${(half - (value / largest) * (half - 3)).toFixed(1)}`);
        make(plot, "svg:polyline", { class: owner, points: points.join(" ") });
      }
      plot.addEventListener("click", (event) => go(Math.round((event.offsetX / plot.clientWidth) * last)));
      make(chart, "p", { class: "note" }, `Evaluations: ${words.join(", ")}.`);
    }

    function showLost(table, owner) {
      const row = make(lost, "p", { class: owner });
      make(row, "span", { class: "who" }, `${owner} lost `);
      const ranks = [...Object.keys(data.ranks), "?"].filter((rank) => table[`lost/${owner}/${rank}`]);
      if (!ranks.length) make(row, "span", {}, "nothing");
      for (const rank of ranks) {
        const count = table[`lost/${owner}/${rank}`], known = data.ranks[rank];
        const chip = make(row, "span", { class: "chip", title: known ? known[owner] : "unknown piece" }, known ? known.sign : "?");
        if (count !== "1") make(chip, "small", {}, "×" + count);
      }
    }

    function showWords() {
      if (!words.open) return;
      inWords.replaceChildren();
      const table = readFrame(state.number, state.seat);
      for (const owner of ["red", "blue"]) {
        const parts = Object.keys(table).filter((key) => key[0] === "@" && OWNER[table[key][0]] === owner).sort()
          .map((key) => `${key.slice(1)} ${readPiece(data, table[key]).name}`);
        make(inWords, "p", {}, `${owner}: ${parts.join(", ") || "nothing"}`);
      }
    }

    function seek(step) {
      for (let number = state.number + step; number >= 0 && number <= last; number += step)
        if (changeOf(data, number, state.seat).attack) return go(number);
    }

    function play(on = !state.timer) {
      clearTimeout(state.catching);
      state.catching = null;
      clearTimeout(state.timer);
      state.timer = null;
      if (on && state.number === last) go(0);
      const tick = () => {
        go(state.number + 1);
        state.timer = state.number < last ? setTimeout(tick, 1000 / Number(speed.value)) : null;
        label();
      };
      const label = () => {
        player.querySelector("path").setAttribute("d", ICONS[state.timer ? "pause" : "play"]);
        player.setAttribute("aria-label", state.timer ? "Pause (space)" : "Play (space)");
      };
      if (on) state.timer = setTimeout(tick, 1000 / Number(speed.value));
      label();
    }

    const KEYS = {
      ArrowRight: () => go(state.number + 1), ArrowLeft: () => go(state.number - 1),
      Home: () => go(0), End: () => go(last),
      PageDown: () => go(state.number + 10), PageUp: () => go(state.number - 10),
      " ": () => play(), n: () => seek(1), p: () => seek(-1),
      r: () => go(state.number, "red"), b: () => go(state.number, "blue"), a: () => go(state.number, "arbiter"),
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (keepsKey(event.target, event.key)) return;
      const act = KEYS[event.key];
      if (!act) return;
      event.preventDefault();
      clearTimeout(state.catching);
      state.catching = null;
      act();
    });

    function followAddress() {
      const found = /^#(\d+|end)(?:\.(\d+))?(?:\/(red|blue|arbiter))?$/.exec(location.hash);
      if (!found) return go(root.dataset.live ? last : 0);
      const first = plies.indexOf(Number(found[1]));
      go(first < 0 ? last : first + Number(found[2] || 0), data.viewers.includes(found[3]) ? found[3] : data.viewers[0]);
    }
    window.addEventListener("hashchange", followAddress);
    followAddress();

    // Plies that arrive together are shown one after another, many of them faster.
    function catchUp() {
      clearTimeout(state.catching);
      state.catching = null;
      go(state.number + 1);
      if (state.number < last) state.catching = setTimeout(catchUp, Math.min(400, 3000 / (last - state.number)));
    }

    function take(more) {
      const follows = state.number === last || Boolean(state.catching);
      if (!more && follows) history.replaceState(null, "", "#end");
      if (!more || more.from !== data.frames.length) return window.arbiterLive.reload();
      for (const part of ["frames", "ms"]) data[part].push(...more[part]);
      for (const part of ["seats", "plies"]) data[part] += more[part];
      for (const step of more.plies) plies.push(plies.at(-1) + Number(step));
      last = data.frames.length - 1;
      slider.max = last;
      layout = makeLayout();
      svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
      if (follows && !state.timer) catchUp();
      else render();
    }
    if (root.dataset.live) follow(() => data.frames.length, take);
  }

  if (!source) {
    if (root.dataset.live) follow(() => 0, () => window.arbiterLive.reload());
    return;
  }
  unpack(source.textContent).then(start, () => {
    root.textContent = "This browser is too old for the viewer. You can download the record below.";
  });
})();
