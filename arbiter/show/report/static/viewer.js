// Shows a game frame by frame on its page: board, moves, timeline, graphs and keys.
"use strict";

(() => {
  const { CELL, OWNER, OTHER, make, makeReader, makeLayout, changeOf, readPiece, readFight, draw, drawPiece } = window.arbiterBoard;
  const theme = window.arbiterTheme;
  const ICONS = {
    first: "M6 5h2v14H6zM19 5v14L9 12z",
    back: "M16 5v14L6 12z",
    play: "M8 5v14l11-7z",
    pause: "M7 5h4v14H7zM13 5h4v14h-4z",
    forward: "M8 5v14l10-7z",
    last: "M5 5v14l10-7zM16 5h2v14h-2z",
    attack: "M12 2l2.4 6.2L20 5l-3 5.6L23 12l-6 1.4L20 19l-5.6-3.2L12 22l-2.4-6.2L4 19l3-5.6L1 12l6-1.4L4 5l5.6 3.2z",
    flip: "M7 3l5 5H9v13H5V8H2zM17 21l-5-5h3V3h4v13h3z",
  };
  const VIEWERS = { arbiter: "Everything", red: "Red", blue: "Blue", spectator: "Spectator" };
  const SPEEDS = [1, 2, 5, 10, 25];
  const KEYS_SHOWN = [
    ["→ l", "one step forward"], ["← h", "one step back"], ["PgDn PgUp", "ten steps"], ["Home End", "first and last"],
    ["a A", "next and previous attack"], ["c C", "next and previous capture"], ["g", "go to a ply"],
    ["space", "play or stop"], ["+ -", "faster, slower"], ["s", "next seat"], ["r b o", "seat of red, of blue, everything"],
    ["f", "turn the board round"], ["n N", "next and previous game"], ["?", "these keys"],
  ];

  const root = document.getElementById("viewer");
  const source = document.getElementById("viewer-data");
  if (!root) return;

  const read = (key) => {
    try { return localStorage.getItem(key); } catch { return null; }
  };
  const keep = (key, value) => {
    try { localStorage.setItem(key, value); } catch { /* the page works without */ }
  };
  const setTheme = (name) => {
    if (name) document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
  };
  setTheme(read("arbiter-theme"));

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }

  // New frames of a game in progress arrive while the game is played.
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

  // A control keeps the keys that it needs itself: a list, a field and a slider all, a scrolled block those that scroll
  // it, buttons and links those that press them. Everywhere else the keys are those of the game.
  function keepsKey(target, key) {
    if (target.closest("select, textarea, dialog, input:not([type=radio]):not([type=checkbox])")) return true;
    if (key === " " || key === "Enter") return Boolean(target.closest("button, summary, a, input"));
    const across = /^Arrow(Left|Right)$/.test(key);
    if (!across && !/^(Arrow(Up|Down)|Page(Up|Down)|Home|End)$/.test(key)) return false;
    for (let node = target; node instanceof HTMLElement && node !== document.body; node = node.parentElement) {
      const room = across ? node.scrollWidth - node.clientWidth : node.scrollHeight - node.clientHeight;
      if (node.tabIndex >= 0 && room > 1 && /auto|scroll/.test(getComputedStyle(node).overflow)) return true;
    }
    return false;
  }

  // A line chart over all frames; each series is a list of values, one for each frame, on one scale.
  function plotLines(parent, { label, low, high, last, now, series, go }) {
    const width = 300, height = 60;
    const x = (number) => ((number / Math.max(1, last)) * width).toFixed(1);
    const y = (value) => (height - 2 - ((value - low) / (high - low || 1)) * (height - 4)).toFixed(1);
    const plot = make(parent, "svg:svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
    if (low < 0) make(plot, "svg:line", { class: "zero", x1: 0, y1: y(0), x2: width, y2: y(0) });
    for (const { owner, points } of series)
      make(plot, "svg:polyline", { class: owner, points: points.map(([number, value]) => `${x(number)},${y(value)}`).join(" ") });
    const cursor = make(plot, "svg:line", { class: "now", x1: x(now), y1: 0, x2: x(now), y2: height });
    plot.addEventListener("click", (event) => go(Math.round((event.offsetX / plot.clientWidth) * last)));
    return (number) => {
      cursor.setAttribute("x1", x(number));
      cursor.setAttribute("x2", x(number));
    };
  }

  function start(data) {
    const readFrame = makeReader(data), readOther = { red: makeReader(data), blue: makeReader(data) };
    const readBefore = makeReader(data);
    let layout = makeLayout(data);
    let last = data.frames.length - 1;
    const plies = [];
    [...data.plies].reduce((ply, step) => (plies.push(ply + Number(step)), ply + Number(step)), 0);
    const state = { number: 0, seat: data.viewers[0], turned: false, timer: null, catching: null, selected: null, speed: 2, sound: false };
    const names = { red: root.dataset.red, blue: root.dataset.blue };
    const still = matchMedia("(prefers-reduced-motion: reduce)");
    const actorOf = (number) => OWNER[data.seats[number]] || null;
    const seesSecrets = (owner) => state.seat === "arbiter" || state.seat === owner;

    // --- the parts of the page ---

    root.replaceChildren();
    root.classList.add("ready");
    const stage = make(root, "div", { class: "stage" });
    const top = make(stage, "p", { class: "player" });
    const svg = make(stage, "svg:svg", { class: "board", viewBox: `0 0 ${layout.width} ${layout.height}`, role: "img" });
    const bottom = make(stage, "p", { class: "player" });

    const deck = make(root, "div", { class: "deck" });
    const marks = make(deck, "svg:svg", { class: "marks", preserveAspectRatio: "none", "aria-hidden": "true" });
    const slide = make(deck, "label", { class: "slide" });
    make(slide, "span", { class: "hidden" }, "Frame");
    const slider = make(slide, "input", { type: "range", min: 0, max: last, value: 0 });
    slider.addEventListener("input", () => go(Number(slider.value)));
    const controls = make(deck, "div", { class: "controls", role: "group", "aria-label": "Navigation" });
    const button = (icon, label, act) => {
      const made = make(controls, "button", { type: "button", "aria-label": label, title: label });
      make(make(made, "svg:svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }), "svg:path", { d: ICONS[icon] });
      made.addEventListener("click", act);
      return made;
    };
    button("first", "First (Home)", () => go(0));
    button("back", "Back (left arrow)", () => go(state.number - 1));
    const player = button("play", "Play (space)", () => play());
    player.classList.add("play");
    button("forward", "Forward (right arrow)", () => go(state.number + 1));
    button("last", "Last (End)", () => go(last));
    button("attack", "Next attack (a)", () => seek(1, isAttack));
    button("flip", "Turn the board (f)", () => flip());
    const helper = make(controls, "button", { type: "button", "aria-label": "Keys (?)", title: "Keys (?)" }, "?");
    helper.addEventListener("click", () => help.showModal());

    const info = make(root, "div", { class: "info", tabindex: 0, role: "region", "aria-label": "This ply" });
    const texts = make(info, "div", { class: "texts", role: "status", "aria-live": "polite" });
    const square = make(info, "p", { class: "asked", role: "status" });
    const lost = make(info, "div", { class: "lost" });

    const seats = make(root, "fieldset", { class: "seats" });
    make(seats, "legend", { class: "hidden" }, "View");
    const radios = Object.fromEntries(data.viewers.map((seat) => {
      const label = make(seats, "label", { class: seat });
      const radio = make(label, "input", { type: "radio", name: "seat", value: seat });
      make(label, "span", {}, VIEWERS[seat]);
      radio.addEventListener("change", () => go(state.number, seat));
      return [seat, radio];
    }));

    const moves = make(root, "div", { class: "moves", tabindex: 0, role: "region", "aria-label": "Moves" });
    moves.addEventListener("mousedown", (event) => event.preventDefault()); // keys stay those of the game after a click
    moves.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-frame]");
      if (cell) go(Number(cell.dataset.frame));
    });
    const graphs = make(root, "div", { class: "graphs" });

    const extras = make(root, "div", { class: "extras" });
    const legend = make(extras, "p", { class: "note legend-pieces" });
    const options = make(extras, "p", { class: "options" });
    const choose = (label, values, value, act) => {
      const select = make(make(options, "label", { class: label.split(" ")[0].toLowerCase() }, `${label} `), "select");
      for (const [key, text] of values) make(select, "option", key === value ? { value: key, selected: "" } : { value: key }, text);
      select.addEventListener("change", () => act(select.value));
      return select;
    };
    const speed = choose("Plies per second", SPEEDS.map((one) => [String(one), one]), "2", (value) => { state.speed = Number(value); });
    speed.parentElement.className = "speed";
    choose("Colours", [["", "as the system"], ...Object.entries(theme.themes)], read("arbiter-theme") || "", (name) => {
      keep("arbiter-theme", name);
      setTheme(name);
    });
    const goTo = make(make(options, "label", {}, "Ply "), "input", { type: "number", min: 0, class: "goto" });
    goTo.addEventListener("change", () => {
      if (goTo.value !== "") go(findPly(Number(goTo.value)));
      goTo.blur();
    });
    const sound = make(make(options, "label", {}), "input", { type: "checkbox" });
    sound.parentElement.append(" Sound");
    sound.addEventListener("change", () => { state.sound = sound.checked; });
    const words = make(extras, "details", { class: "words" });
    make(words, "summary", {}, "Position as text");
    const inWords = make(words, "div");
    words.addEventListener("toggle", () => showWords());
    if (data.fault) make(extras, "p", { class: "note" }, data.fault);

    const help = make(root, "dialog", { "aria-label": "Keys" });
    const list = make(help, "dl");
    for (const [keys, does] of KEYS_SHOWN) {
      make(list, "dt", {}, keys);
      make(list, "dd", {}, does);
    }
    make(make(help, "form", { method: "dialog" }), "button", {}, "Close");

    // --- moves, timeline, graphs: made again if the seat changes or plies are added ---

    let drawnFor = null;
    let moveCells = new Map(), cursors = [];

    const isAttack = (number) => Boolean(changeOf(data, number, state.seat).attack);
    const isCapture = (number) => Object.keys(changeOf(data, number, state.seat)).some((key) => key.startsWith("lost/"));

    function measure() {
      const points = { material: [], red: [], blue: [], eval: { red: [], blue: [] }, marks: [] };
      const reader = makeReader(data);
      const board = Boolean(data.layout.files);
      for (let number = 0; number <= last; number++) {
        const table = reader(number, state.seat);
        let balance = 0;
        const army = { red: 0, blue: 0 }, seen = { red: 0, blue: 0 };
        for (const key in table) {
          if (key[0] === "@" && board) {
            const piece = readPiece(data, table[key]);
            army[piece.seat] += 1;
            if (seesSecrets(piece.seat) ? piece.seen : piece.known) seen[piece.seat] += 1;
          } else if (key.startsWith("lost/")) {
            const [, owner, rank] = key.split("/");
            balance += (owner === "red" ? -1 : 1) * theme.values[rank] * Number(table[key]);
          }
        }
        points.material.push([number, balance]);
        for (const owner of ["red", "blue"]) {
          points[owner].push([number, army[owner] ? (100 * seen[owner]) / army[owner] : 0]);
          if (table["eval/" + owner]) points.eval[owner].push([number, Number(table["eval/" + owner])]);
        }
        if (table.attack) points.marks.push([number, actorOf(number), isCapture(number)]);
      }
      return points;
    }

    function drawOverview() {
      if (drawnFor === `${state.seat} ${last}`) return;
      drawnFor = `${state.seat} ${last}`;
      const points = measure();
      marks.replaceChildren();
      marks.setAttribute("viewBox", `0 0 ${Math.max(1, last)} 10`);
      for (const [number, owner, capture] of points.marks)
        make(marks, "svg:line", { class: owner, x1: number, x2: number, y1: capture ? 0 : 5, y2: 10 });

      moves.replaceChildren();
      moveCells = new Map();
      let row = null, at = -1;
      const head = make(moves, "div", { class: "turn head" });
      make(head, "span");
      const starts = actorOf(1) || "red";
      for (const owner of [starts, OTHER[starts]]) make(head, "span", {}, `${theme.symbols[owner]} ${owner}`);
      for (let number = 1; number <= last; number++) {
        const first = plies.indexOf(plies[number]);
        if (moveCells.has(first)) { moveCells.set(number, moveCells.get(first)); continue; }
        const turn = Math.ceil(plies[number] / 2), owner = actorOf(number);
        if (turn !== at || !row) {
          row = make(moves, "div", { class: "turn" });
          make(row, "span", { class: "number" }, turn);
          at = turn;
        }
        const change = changeOf(data, number, state.seat);
        const text = change.act || (change.go || "…").replace(" ", "-");
        const cell = make(row, "span", { class: `move${owner === starts ? "" : " second"}`, "data-frame": number }, text);
        if (change.attack) make(cell, "i", {}, ` ${theme.symbols.attack}`);
        moveCells.set(number, cell);
      }

      graphs.replaceChildren();
      cursors = [];
      const graph = (title, options) => {
        const figure = make(graphs, "figure", { class: options.kind });
        make(figure, "figcaption", {}, title);
        cursors.push(plotLines(figure, { label: title, last, now: state.number, go, ...options }));
      };
      const top = Math.max(5, ...points.material.map(([, value]) => Math.abs(value)));
      graph("Material, red minus blue", { kind: "material", low: -top, high: top, series: [{ owner: "balance", points: points.material }] });
      if (data.layout.files)
        graph("Share of each army that its opponent knows", {
          kind: "known", low: 0, high: 100, series: ["red", "blue"].map((owner) => ({ owner, points: points[owner] })),
        });
      const evals = Object.entries(points.eval).filter(([, values]) => values.length);
      if (evals.length) {
        const ranges = evals.map(([owner, values]) => `${owner} from ${Math.min(...values.map((one) => one[1]))} to ${Math.max(...values.map((one) => one[1]))}`);
        const series = evals.map(([owner, values]) => {
          const largest = Math.max(...values.map((one) => Math.abs(one[1]))) || 1;
          return { owner, points: values.map(([number, value]) => [number, value / largest]) };
        });
        graph(`Evaluations: ${ranges.join(", ")}`, { kind: "evals", low: -1, high: 1, series });
      }
      legend.textContent = state.seat === "spectator" ? "Spectators see only what both players know." : !data.layout.files ? "" : `${theme.symbols.known} with an eye: its opponent knows the rank · ${theme.symbols.hidden} striped: still hidden · ? rank unknown to this seat · dot: has moved`;
    }

    // --- one frame ---

    const findPly = (ply) => {
      const first = plies.indexOf(ply);
      return first < 0 ? last : first;
    };
    const address = (number) => {
      const first = plies.indexOf(plies[number]);
      return `#${plies[number]}${number > first ? "." + (number - first) : ""}${state.seat === data.viewers[0] ? "" : "/" + state.seat}`;
    };

    function go(number, seat = state.seat) {
      if (!data.viewers.includes(seat)) return;
      if (seat !== state.seat) state.turned = seat === "blue";
      const step = Math.max(0, Math.min(last, number)) - state.number;
      state.number += step;
      state.seat = seat;
      render(step === 1);
      history.replaceState(null, "", address(state.number));
    }

    function flip() {
      state.turned = !state.turned;
      render();
    }

    function render(animated = false) {
      const { number, seat, turned } = state;
      const table = readFrame(number, seat), actor = actorOf(number);
      const before = number ? readBefore(number - 1, seat) : {};
      const scene = draw(svg, data, layout, table, {
        turned, actor, selected: state.selected, shows: (piece) => Boolean(data.layout.files) && seesSecrets(piece.seat),
      });
      const fight = actor && readFight(data, layout, before, table, actor);
      if (animated && !still.matches) animate(scene, before, table, fight);
      if (animated && state.sound) beep(table.attack);
      svg.setAttribute("aria-label", `Position after ply ${plies[number]}, view of ${seat}`);
      root.dataset.frame = number;
      root.dataset.seat = seat;
      radios[seat].checked = true;
      slider.value = number;
      slider.setAttribute("aria-valuetext", `ply ${plies[number]}`);
      showTexts(table, number, actor, fight);
      for (const [line, owner] of [[top, turned ? "red" : "blue"], [bottom, turned ? "blue" : "red"]]) {
        line.className = `player ${owner}${owner === actor ? " acted" : ""}`;
        line.replaceChildren();
        make(line, "b", {}, names[owner]);
        if (table["clock/" + owner]) make(line, "span", { class: "clock" }, table["clock/" + owner] + " s");
        if (table["deck/" + owner]) make(line, "span", { class: "clock" }, "deck " + table["deck/" + owner]);
      }
      drawOverview();
      for (const move of cursors) move(number);
      moves.querySelector(".current")?.classList.remove("current");
      const cell = moveCells.get(number);
      cell?.classList.add("current");
      if (cell) moves.scrollTop = cell.offsetTop - moves.clientHeight / 2;
      else moves.scrollTop = 0;
      square.textContent = state.selected ? describeSquare(state.selected, table) : "";
      lost.replaceChildren();
      for (const owner of ["red", "blue"]) showLost(table, owner);
      showWords();
    }

    // The moved piece slides to its square; the piece that it beat fades.
    function animate(scene, before, table, fight) {
      const { at, drawn, from, to } = scene;
      if (!from || !to || !at[from] || !at[to] || !before["@" + from]) return;
      const ghost = (place, piece) => {
        piece.hidden = false;
        const made = drawPiece(svg, piece, at[place]);
        made.classList.replace("piece", "ghost");
        made.animate([{ opacity: 1 }, { opacity: 1, offset: 0.5 }, { opacity: 0 }], { duration: 700, fill: "forwards" }).finished.then(() => made.remove(), () => {});
      };
      const mover = table["@" + to]?.[0] === before["@" + from][0] ? drawn[to] : null;
      if (mover) {
        const path = [{ transform: `translate(${at[from].x}px, ${at[from].y}px)` }, { transform: `translate(${at[to].x}px, ${at[to].y}px)` }];
        mover.animate(path, { duration: Math.min(220, 600 / state.speed), easing: "ease-out" });
      }
      if (fight && fight.word !== "attacks") {
        if (fight.word !== "falls to") ghost(to, fight.defender);
        if (fight.word !== "beats") ghost(from, fight.attacker);
      }
    }

    let audio = null;
    function beep(attack) {
      audio ||= new AudioContext();
      const tone = audio.createOscillator(), volume = audio.createGain();
      tone.frequency.value = attack ? 180 : 520;
      volume.gain.setValueAtTime(0.08, audio.currentTime);
      volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + (attack ? 0.25 : 0.06));
      tone.connect(volume).connect(audio.destination);
      tone.start();
      tone.stop(audio.currentTime + 0.3);
    }

    function showTexts(table, number, actor, fight) {
      texts.replaceChildren();
      const head = make(texts, "p", { class: "act" });
      make(head, "span", { class: "ply" }, `${plies[number]} / ${plies[last]} `);
      make(head, "b", { class: actor || "" }, `${actor ? actor + " " : ""}${table.act || (table.go || "").replace(" ", "-")}`);
      if (data.ms[number] !== null) make(head, "span", { class: "ms" }, ` ${data.ms[number]} ms`);
      if (fight) {
        const line = make(texts, "p", { class: "fight" });
        const show = (piece) => {
          piece.hidden = false;
          drawPiece(make(line, "svg:svg", { viewBox: `0 0 ${CELL} ${CELL}`, "aria-hidden": "true" }), piece, { x: 0, y: 0 }).classList.replace("piece", "ghost");
        };
        show(fight.attacker);
        make(line, "span", {}, `${fight.attacker.sign} ${fight.word} ${fight.defender.sign}`);
        show(fight.defender);
      }
      for (const key of ["story", "end"])
        for (const line of (table[key] || "").split("\n").filter(Boolean)) make(texts, "p", { class: key }, line);
      for (const owner of ["red", "blue"])
        if (table["note/" + owner]) make(texts, "p", { class: "bot-note" }, `${owner} notes: ${table["note/" + owner]}`);
      for (const owner of ["red", "blue"])
        if (table["eval/" + owner]) make(texts, "p", { class: "bot-eval" }, `${owner} evaluates: ${table["eval/" + owner]}`);
      for (const owner of ["red", "blue"])
        if (table["stderr/" + owner]) {
          make(texts, "p", { class: "bot-stderr" }, `${owner} wrote to stderr:`);
          make(texts, "pre", {}, table["stderr/" + owner]);
        }
    }

    // The ranks that a hidden piece of a seat can still have, for a viewer with this table: the army without the pieces
    // that the viewer knows. A piece that has moved is no bomb and no flag.
    function listPossible(table, owner, moved) {
      const left = Object.fromEntries(Object.entries(data.ranks).map(([rank, { army }]) => [rank, army]));
      for (const [key, text] of Object.entries(table)) {
        if (key[0] === "@" && OWNER[text[0]] === owner) {
          const { rank, known } = readPiece(data, text);
          if (known) left[rank] -= 1;
        } else if (key.startsWith(`lost/${owner}/`) && key.split("/")[2] in left) left[key.split("/")[2]] -= Number(text);
      }
      return Object.entries(left).filter(([rank, count]) => count > 0 && !(moved && (rank === "bomb" || rank === "flag")))
        .map(([rank, count]) => `${data.ranks[rank].sign}×${count}`).join(" ");
    }

    function describeSquare(place, table) {
      const text = table["@" + place];
      if (!text) return `${place}: no piece.`;
      const piece = readPiece(data, text), foe = OTHER[piece.seat];
      if (!piece.known)
        return `${place}: ${piece.seat}, rank unknown${piece.moved ? ", has moved" : ""}. Possible: ${listPossible(table, piece.seat, piece.moved)}.`;
      const what = `${place}: ${piece.seat} ${piece.name} (${piece.sign})${piece.moved ? ", has moved" : ""}. `;
      if (!data.layout.files) return what;
      if (!seesSecrets(piece.seat) || piece.seen) return `${what}${theme.symbols.known} ${foe} knows its rank.`;
      if (state.seat !== "arbiter") return `${what}${theme.symbols.hidden} ${foe} does not know its rank.`;
      const possible = listPossible(readOther[foe](state.number, foe), piece.seat, piece.moved);
      return `${what}${theme.symbols.hidden} ${foe} does not know its rank; possible for ${foe}: ${possible}.`;
    }
    svg.addEventListener("click", (event) => {
      const chosen = event.target.closest("[data-place]")?.dataset.place || event.target.dataset.square || null;
      state.selected = chosen === state.selected ? null : chosen;
      render();
    });

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

    // --- moving through the game ---

    function seek(step, matches) {
      for (let number = state.number + step; number >= 0 && number <= last; number += step)
        if (matches(number)) return go(number);
    }

    function stopCatchingUp() {
      clearTimeout(state.catching);
      state.catching = null;
    }

    function play(on = !state.timer) {
      stopCatchingUp();
      clearTimeout(state.timer);
      state.timer = null;
      if (on && state.number === last) go(0);
      const tick = () => {
        go(state.number + 1);
        state.timer = state.number < last ? setTimeout(tick, 1000 / state.speed) : null;
        label();
      };
      const label = () => {
        player.querySelector("path").setAttribute("d", ICONS[state.timer ? "pause" : "play"]);
        player.setAttribute("aria-label", state.timer ? "Pause (space)" : "Play (space)");
      };
      if (on) state.timer = setTimeout(tick, 1000 / state.speed);
      label();
    }

    function changeSpeed(step) {
      const next = SPEEDS[SPEEDS.indexOf(state.speed) + step];
      if (!next) return;
      state.speed = next;
      speed.value = String(next);
    }

    const open = (relation) => document.querySelector(`a[rel=${relation}]`)?.click();
    const forward = () => go(state.number + 1), back = () => go(state.number - 1);
    const KEYS = {
      ArrowRight: forward, l: forward, j: forward, ArrowLeft: back, h: back, k: back,
      Home: () => go(0), End: () => go(last),
      PageDown: () => go(state.number + 10), PageUp: () => go(state.number - 10),
      a: () => seek(1, isAttack), A: () => seek(-1, isAttack), c: () => seek(1, isCapture), C: () => seek(-1, isCapture),
      " ": () => play(), "+": () => changeSpeed(1), "=": () => changeSpeed(1), "-": () => changeSpeed(-1),
      s: () => go(state.number, data.viewers[(data.viewers.indexOf(state.seat) + 1) % data.viewers.length]),
      r: () => go(state.number, "red"), b: () => go(state.number, "blue"), o: () => go(state.number, "arbiter"),
      f: flip, g: () => goTo.focus(), n: () => open("next"), N: () => open("prev"), "?": () => help.showModal(),
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || keepsKey(event.target, event.key)) return;
      const act = KEYS[event.key];
      if (!act) return;
      event.preventDefault();
      stopCatchingUp();
      act();
    });

    function followAddress() {
      const found = /^#(\d+|end)(?:\.(\d+))?(?:\/(red|blue|arbiter|spectator))?$/.exec(location.hash);
      if (!found) return go(root.dataset.live ? last : 0);
      const first = plies.indexOf(Number(found[1]));
      go(first < 0 ? last : first + Number(found[2] || 0), data.viewers.includes(found[3]) ? found[3] : data.viewers[0]);
    }
    window.addEventListener("hashchange", followAddress);
    followAddress();

    // Plies that arrive together are shown one after another, many of them faster.
    function catchUp() {
      stopCatchingUp();
      go(state.number + 1);
      if (state.number < last) state.catching = setTimeout(catchUp, Math.min(400, 3000 / (last - state.number)));
    }

    function take(more) {
      const follows = state.number === last || Boolean(state.catching);
      stopCatchingUp();
      if (!more && follows) history.replaceState(null, "", "#end");
      if (!more || more.from !== data.frames.length) return window.arbiterLive.reload();
      for (const part of ["frames", "ms"]) data[part].push(...more[part]);
      for (const part of ["seats", "plies"]) data[part] += more[part];
      for (const step of more.plies) plies.push(plies.at(-1) + Number(step));
      last = data.frames.length - 1;
      slider.max = last;
      layout = makeLayout(data);
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
