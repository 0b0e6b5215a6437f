// The page on which a person plays: the game as far as it is known, the choices of a turn, and what goes with them.
import { CardSetup } from "./cards.js";
import { Connection } from "./connection.js";
import { CELL, Grid, OTHER, make } from "./grid.js";
import { listRanks, makeKnowledge } from "./knowledge.js";
import { Setup } from "./setup.js";
import { play } from "./sound.js";
import { keep, read } from "./store.js";
import { Turn } from "./turn.js";
import { Words, describeFacts, readFight, writeMove } from "./words.js";

const { drawPiece } = window.arbiterBoard;
const $ = (id) => document.getElementById(id);
const base = location.pathname;
const POWERS = new Set(["looked", "guessed", "peeked", "placed", "regrouped"]);
const FIGHTS = new Set(["attacked", "struck"]);
const OPTIONS = ["confirm", "sound", "flip", "record_marks"];
const MOST_NOTE = 200;

async function post(path) {
  const answer = await fetch(base + path, { method: "POST", headers: { "Content-Type": "application/json" } });
  return answer.json();
}

class Page {
  constructor(table, words) {
    Object.assign(this, { table, words });
    this.others = [];
    this.game = null; // the game that is shown, also after its end
    this.options = Object.fromEntries(OPTIONS.map((name) => [name, read(name, false)]));
    this.build();
    this.connection = new Connection(`${base.replace(/^/, location.origin.replace("http", "ws"))}socket`, {
      state: (name) => this.showLine(name),
      line: (message, game) => this.take(message, game),
      gone: (game) => this.lose(game),
      table: (others) => {
        this.others = others;
        this.render();
      },
    });
    if (table.rematches) this.connection.isReady = true;
    setInterval(() => this.showClocks(), 200);
  }

  text(key, values) {
    return this.words.text(key, values);
  }

  button(parent, key, press, kind = "") {
    const button = make(parent, "button", { type: "button", class: kind, "data-key": key }, this.text(key));
    button.addEventListener("click", press);
    return button;
  }

  // --- the parts of the page ---

  build() {
    const { table } = this, main = $("main");
    document.documentElement.lang = this.words.lang;
    document.title = table.title;
    $("title").textContent = $("heading").textContent = table.title;
    $("state").remove();
    document.querySelector(".skip").textContent = this.text("skip_to_board");
    this.root = make(main, "div", { class: "playing" });
    const stage = make(this.root, "div", { class: "stage" });
    this.players = { far: this.addPlayer(stage, "far") };
    this.grid = new Grid(make(stage, "div", { class: "holder" }), {
      press: (place) => this.turn?.press(place),
      drop: (src, dst) => this.turn?.drop(src, dst),
    });
    this.players.near = this.addPlayer(stage, "near");
    const side = make(this.root, "div", { class: "side" });
    this.status = make(side, "p", { class: "status", role: "status" });
    this.fight = make(side, "div", { class: "duel", hidden: "" });
    this.choices = make(side, "div", { class: "choices" });
    this.says = make(side, "p", { class: "says", role: "alert" });
    this.acts = make(side, "div", { class: "row acts" });
    this.typed = make(side, "form", { class: "typed" });
    const field = make(make(this.typed, "label", {}, `${this.text("type_move")} `), "input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: "a4 a5" });
    make(this.typed, "button", {}, this.text("send"));
    this.typed.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.turn?.type(field.value)) field.value = "";
    });
    this.log = make(side, "div", { class: "moves", tabindex: "0", role: "log", "aria-live": "off", "aria-label": this.text("move_list") });
    this.followsLog = true;
    this.log.addEventListener("scroll", () => {
      this.followsLog = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 8;
    });
    this.addOptions(make(this.root, "div", { class: "extras" }));
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.turn?.cancel();
    });
  }

  addPlayer(parent, kind) {
    const root = make(parent, "div", { class: `player ${kind}` });
    const name = make(root, "b"), lost = make(root, "span", { class: "taken" }), clock = make(root, "span", { class: "clock" });
    return { root, name, lost, clock };
  }

  addOptions(parent) {
    const row = make(parent, "p", { class: "options" });
    for (const name of OPTIONS.filter((one) => one !== "record_marks" || this.table.aids === "marks")) {
      const box = make(make(row, "label", {}), "input", { type: "checkbox", name });
      box.checked = this.options[name];
      box.parentElement.append(` ${this.text(`option_${name}`)}`);
      box.addEventListener("change", () => {
        keep(name, this.options[name] = box.checked);
        this.render();
      });
    }
    const select = (label, values, value, choose) => {
      const list = make(make(row, "label", {}, `${this.text(label)} `), "select");
      for (const [key, text] of values) make(list, "option", key === value ? { value: key, selected: "" } : { value: key }, text);
      list.addEventListener("change", () => choose(list.value));
    };
    select("language", Object.entries(this.words.languages), this.words.lang, (lang) => {
      keep("lang", lang);
      location.reload();
    });
    const colours = Object.entries(this.words.themes);
    let chosen = "";
    try { chosen = localStorage.getItem("arbiter-theme") || ""; } catch {}
    select("colours", [["", this.text("as_the_system")], ...colours], chosen, (name) => {
      try { localStorage.setItem("arbiter-theme", name); } catch {}
      setTheme(name);
    });
    setTheme(chosen);
    const more = make(parent, "p", { class: "options" });
    make(more, "a", { href: "/deployments" }, this.text("editor"));
    this.button(more, "other_device", async () => {
      const found = await post("link");
      this.linkText.value = found.address ? new URL(found.address, location.href).href : found.error;
      this.linkBox.showModal();
      this.linkText.select();
    });
    this.linkBox = make(document.body, "dialog", { class: "sharing", "aria-label": this.text("other_device") });
    make(this.linkBox, "p", {}, this.text("other_device_help"));
    this.linkText = make(this.linkBox, "input", { type: "text", readonly: "", "aria-label": this.text("other_device") });
    make(make(this.linkBox, "form", { method: "dialog" }), "button", {}, this.text("close"));
    this.resignBox = make(document.body, "dialog", { class: "resign", "aria-label": this.text("resign") });
    make(this.resignBox, "p", {}, this.text("really_resign"));
    const answers = make(this.resignBox, "div", { class: "row" });
    this.button(answers, "resign", () => {
      this.resignBox.close();
      this.turn?.send({ type: "resign" });
    }, "warn").dataset.key = "resign_yes";
    this.button(answers, "back", () => this.resignBox.close());
  }

  showLine(name) {
    const isLost = !["open", "playing"].includes(name);
    $("line").textContent = this.text(`line_${name === "playing" ? "open" : name}`);
    $("line").classList.toggle("lost", isLost);
    if (["replaced", "no_session", "finished", "broken"].includes(name)) {
      this.isOver = true;
      this.setup?.remove();
      this.setup = null;
      if (this.turn) this.turn.close();
      this.choices.replaceChildren();
      if (name !== "no_session" && name !== "finished") this.button(this.choices, "play_here", () => location.reload(), "main");
    }
    this.render();
  }

  // --- messages of the arbiter ---

  take(message, game) {
    switch (message.type) {
      case "hello":
        if (game.sent.length > game.answers) game.answers += 1;
        else this.connection.send(game, { type: "ready", protocol: 1, name: this.table.name, wants: ["legal", "news"] });
        break;
      case "start":
        this.begin(message, game);
        break;
      case "news":
        this.learn(message.news, game);
        break;
      case "ask":
        game.clock = message.clock;
        this.learn(message.news, game);
        game.question = message;
        this.ask(game, null);
        break;
      case "refused":
        this.ask(game, message.why);
        break;
      case "over":
        this.learn(message.news, game);
        this.end(message, game);
    }
    this.render();
  }

  begin(message, game) {
    const { rules, seat } = message, { words } = this;
    const layout = rules.board ? { files: rules.board.files, rows: rules.board.rows, lakes: rules.board.lakes } : { slots: rules.line };
    const ranks = Object.fromEntries(rules.ranks.map(({ id }) => [id, {
      sign: words.signs[id] ?? id, army: rules.army[id] || 0, red: words.label(rules.id, "red", id), blue: words.label(rules.id, "blue", id),
    }]));
    Object.assign(game, {
      rules, seat, foe: OTHER[seat], time: message.time, knowledge: makeKnowledge(rules, seat), acts: [], go: "", attack: false,
      data: { lang: words.lang, layout, ranks, seat }, key: `${game.id}`, over: null, question: null, running: null,
      marks: read("marks", {})[game.id] || {}, noted: {},
    });
    this.game = game;
    this.connection.isReady = false;
    this.turn?.close();
    this.turn = new Turn(this, game);
    this.setup?.remove();
    this.setup = null;
    this.fight.hidden = true;
    this.log.replaceChildren();
    document.documentElement.dataset.seat = seat;
  }

  // Shows what has happened since the last message.
  learn(facts, game) {
    if (!facts.length) return;
    const { knowledge } = game, before = listRanks(knowledge), { words } = this;
    for (const fact of facts) knowledge.noteFact(fact);
    const sentences = describeFacts(words, facts, before, knowledge);
    const act = facts.find(({ src }) => src), fight = readFight(facts, before, knowledge);
    if (act) {
      game.actor = act.seat;
      game.go = act.dst ? `${act.src} ${act.dst}` : "";
      game.attack = FIGHTS.has(act.type);
    }
    const move = act?.dst ? writeMove(act, game.attack ? "×" : "-") : "";
    const offered = facts.find(({ type }) => type === "draw_offered");
    if (offered) game.offeredBy = offered.seat;
    else if (act) game.offeredBy = null;
    if (move || sentences.length) game.acts.push({ seat: act?.seat || facts[0].seat, move: act?.type === "moved" || game.attack ? move : "", sentences });
    if (fight) {
      game.fight = { ...fight, sentence: sentences.join(". ") };
      game.isFightShown = false;
    }
    if (facts.some(({ type }) => FIGHTS.has(type) || POWERS.has(type))) this.turn?.cancelPremove();
    this.noise = offered ? "offered" : fight ? "fight" : facts.some(({ type }) => POWERS.has(type)) ? "power" : act ? "moved" : this.noise;
    const spoken = [move && act.type === "moved" ? words.text("says_move", { seat: words.seat(act.seat), src: act.src, dst: act.dst }) : "", ...sentences];
    this.speech = [...(this.speech || []), ...spoken.filter(Boolean)].slice(-4);
  }

  // Opens a question, or takes the answer that was already given on another page.
  ask(game, refusal) {
    if (game.answers < game.sent.length) {
      const { action } = JSON.parse(game.sent[game.answers++]);
      game.knowledge.noteAction(action);
      game.running = game.foe;
      game.since = performance.now();
      return;
    }
    game.running = game.seat;
    game.since = performance.now();
    this.noise = refusal ? "refused" : this.noise === "fight" ? "fight" : "asked";
    if (game.question.phase === "setup") this.editSetup(game);
    else this.turn.open(game.question, refusal);
    if (refusal) this.speech = [...(this.speech || []), refusal];
  }

  editSetup(game) {
    const done = (answer) => {
      const action = game.rules.board ? { type: "deploy", pieces: answer } : { type: "deploy", line: answer };
      this.answer(game, action);
      this.setup.remove();
      this.setup = null;
      this.render();
      this.grid.focus();
    };
    this.setup?.remove();
    this.setup = game.rules.board
      ? new Setup($("main"), this.words, game.data, game.rules, game.seat, done)
      : new CardSetup($("main"), this.words, game.data, game.knowledge, done);
  }

  answer(game, action, offersDraw = false) {
    const act = { type: "act", ask: game.question.ask, action }, note = this.writeMarks(game);
    game.knowledge.noteAction(action);
    this.connection.send(game, { ...act, ...(note && { note }), ...(offersDraw && { offer_draw: true }) });
    game.running = game.foe;
    game.since = performance.now();
  }

  // The marks that have changed since the last answer, as far as a note has room, for those who want them recorded.
  writeMarks(game) {
    let note = "";
    if (!this.options.record_marks || !game.rules.board) return note;
    for (const [place, piece] of game.knowledge.pieces) {
      const mark = this.readMark(piece);
      if (piece.seat === game.seat || mark === (game.noted[piece.start] || "")) continue;
      const longer = `${note ? `${note}, ` : "marks: "}${place} = ${mark || "?"}`;
      if (longer.length > MOST_NOTE) break;
      note = longer;
      game.noted[piece.start] = mark;
    }
    return note;
  }

  end(message, game) {
    game.over = message;
    game.running = null;
    this.turn?.close();
    this.setup?.remove();
    this.setup = null;
    this.noise = "over";
    this.speech = [...(this.speech || []), this.text(`over_${message.result}`)];
  }

  lose(game) {
    if (game !== this.game || game.over) return;
    this.end({ result: "void", why: "" }, game);
    this.render();
  }

  // --- what is shown ---

  render() {
    if (this.isDrawn === false) return;
    this.isDrawn = false;
    requestAnimationFrame(() => {
      this.isDrawn = true;
      this.draw();
      if (this.noise) play(this.noise);
      this.noise = null;
      if (this.speech?.length) $("spoken").textContent = this.speech.join(". ");
      this.speech = [];
    });
  }

  draw() {
    const { game } = this;
    this.root.hidden = Boolean(this.setup);
    document.body.classList.toggle("waiting", !game);
    this.status.textContent = this.describeStatus();
    this.status.classList.toggle("yours", Boolean(this.turn?.question));
    this.showActs();
    if (!game) return;
    const turned = (game.seat === "blue") !== this.options.flip;
    const seats = turned ? { near: "blue", far: "red" } : { near: "red", far: "blue" };
    for (const [kind, seat] of Object.entries(seats)) this.showPlayer(this.players[kind], seat, kind);
    this.showGrid(game, turned);
    this.showFight(game);
    if (!this.isOver) this.turn.show(this.choices);
    this.says.textContent = this.turn.says;
    this.typed.hidden = !this.turn.question;
    this.showLog(game);
    this.showClocks();
  }

  showGrid(game, turned) {
    const { words, turn } = this, { knowledge, data, seat } = game;
    const table = { ...knowledge.write(() => this.table.aids !== "none" || Boolean(game.over)), go: game.go, attack: game.attack ? "1" : "" };
    const at = (place) => knowledge.find(...(game.rules.board ? [null, place] : place.split("/")));
    this.grid.show({
      data, table, turned, actor: game.actor, selected: turn.selected, targets: turn.targets(), premove: turn.premove,
      isOwn: (place) => at(place)?.seat === seat, name: this.text("board"),
      marks: this.table.aids === "marks" ? (place) => this.readMark(at(place)) : null,
      label: (place) => {
        const piece = at(place), where = words.place(place);
        if (!piece) return game.rules.board?.lakes.includes(place) ? window.arbiterFill(words.board.square_lake, { place }) : this.text("square_free", { place: where });
        const text = table["@" + place], rank = text[1] === "?" ? null : piece.rank, mark = this.readMark(piece);
        const parts = [`${where}: ${words.seat(piece.seat)} ${rank ? words.label(game.rules.id, piece.seat, rank) : words.board.unknown}`];
        if (piece.moved) parts.push(words.board.has_moved);
        if (mark && !rank) parts.push(this.text("marked", { mark }));
        if (turn.targets().has(place)) parts.push(this.text("target"));
        return parts.join(", ");
      },
    });
  }

  readMark(piece) {
    const { game } = this;
    return piece && piece.seat !== game.seat && !piece.rank && piece.start ? game.marks[piece.start] || "" : "";
  }

  setMark(piece, mark) {
    const { game } = this;
    if (mark) game.marks[piece.start] = mark;
    else delete game.marks[piece.start];
    keep("marks", { [game.id]: game.marks });
    this.render();
  }

  nameOf(seat) {
    const { game, table } = this;
    return seat === game.seat ? this.text("you") : table.opponents[table.name] || this.text("opponent");
  }

  showPlayer({ root, name, lost }, seat, kind) {
    const { game } = this, { captured } = game.knowledge;
    root.className = `player ${kind} ${seat}${game.running === seat ? " acted" : ""}`;
    name.textContent = `${this.nameOf(seat)} `;
    lost.replaceChildren();
    lost.className = `taken ${seat}`;
    const taken = captured[seat];
    for (const rank of [...Object.keys(game.data.ranks), "unknown"].filter((one) => taken[one] > 0)) {
      const known = game.data.ranks[rank];
      const chip = make(lost, "span", { class: "chip", title: known ? known[seat] : this.words.board.unknown }, known ? known.sign : "?");
      if (taken[rank] > 1) make(chip, "small", {}, `×${taken[rank]}`);
    }
  }

  showClocks() {
    const { game } = this;
    if (!game?.clock) return;
    if (this.setup && this.table.timed && game.clock.move_ms !== null)
      this.setup.timeLeft.textContent = this.text("time_left", { time: writeClock(Math.max(0, game.clock.move_ms - (performance.now() - game.since))) });
    for (const { root, clock } of Object.values(this.players)) {
      const seat = root.classList.contains("red") ? "red" : "blue";
      const isFree = !this.table.timed && seat === game.seat;
      let left = game.clock[`${seat}_ms`];
      if (this.table.timed && game.running === seat && game.question?.phase !== "setup" && !game.over) left -= performance.now() - game.since;
      clock.textContent = isFree ? this.text("no_limit") : writeClock(Math.max(0, left));
      clock.classList.toggle("short", !isFree && left < 20000);
    }
  }

  describeStatus() {
    const { game, turn } = this;
    const away = this.others.filter(({ connected }) => !connected).map(({ name }) => name);
    if (!game) return away.length ? this.text("waiting_for", { name: away[0] }) : this.text("waiting");
    if (game.over) {
      const result = this.text(`over_${game.over.result}`);
      const why = this.describeEnding(game);
      return why ? `${result} (${why})` : result;
    }
    const key = turn.question ? `phase_${turn.question.phase}` : game.question?.phase === "setup" ? "foe_deploys" : "foe_thinks";
    const where = away.length ? ` ${turn.question ? "– " : ""}${this.text("is_away", { name: away[0] })}` : "";
    return this.text(key) + where;
  }

  describeEnding({ over, rules, foe }) {
    const key = `ending_${over.ending}`, text = this.text(key, { flag: this.words.label(rules.id, foe, "flag") });
    return text === key ? over.why : text;
  }

  showActs() {
    const { game, turn } = this, { acts } = this;
    const wanted = [];
    if (this.isOver) ;
    else if (!game || game.over) {
      if (this.table.rematches && game?.over) wanted.push([this.connection.isReady ? "rematch_asked" : "rematch", () => this.want(), "main"]);
      else if (!this.table.rematches) wanted.push([this.connection.isReady ? "ready_said" : "ready", () => this.want(), "main"]);
    } else if (turn.question?.phase === "turn") {
      if (game.offeredBy === game.foe) wanted.push(["accept_draw", () => turn.send({ type: "accept_draw" })]);
      wanted.push([turn.offersDraw ? "draw_noted" : "offer_draw", () => turn.offerDraw()]);
      wanted.push(["resign", () => this.resignBox.showModal(), "quiet"]);
    }
    const key = wanted.map(([name]) => name).join();
    if (acts.dataset.shown !== key) {
      acts.dataset.shown = key;
      acts.replaceChildren();
      for (const [name, press, kind] of wanted) this.button(acts, name, press, kind);
    }
    const other = this.others.find(({ ready }) => ready);
    if (game?.over && other && !this.connection.isReady) this.status.textContent += ` ${this.text("wants_rematch", { name: other.name })}`;
  }

  want() {
    this.connection.ready();
    this.render();
  }

  showFight(game) {
    const { fight } = game;
    if (!fight || game.isFightShown) return;
    game.isFightShown = true;
    this.fight.hidden = false;
    this.fight.replaceChildren();
    for (const [index, side] of [fight.attacker, fight.defender].entries()) {
      if (index) make(this.fight, "span", { class: "versus", "aria-hidden": "true" }, fight.isFar ? "⇢" : "⚔");
      const box = make(this.fight, "figure", { class: side.falls ? "falls" : "" });
      const known = game.data.ranks[side.rank];
      const svg = make(box, "svg:svg", { viewBox: `0 0 ${CELL} ${CELL}`, "aria-hidden": "true" });
      drawPiece(svg, { seat: side.seat, rank: side.rank, known: Boolean(known), sign: known?.sign || "?", seen: false, hidden: false }, { x: 0, y: 0 });
      make(box, "figcaption", {}, known ? known[side.seat] : this.words.board.unknown);
    }
    make(this.fight, "p", {}, fight.sentence);
    this.button(this.fight, "dismiss", () => { this.fight.hidden = true; }, "quiet");
  }

  showLog(game) {
    const { log } = this, forgets = this.table.aids === "none" && !game.over;
    if (forgets || log.childElementCount > game.acts.length) log.replaceChildren();
    for (let number = log.childElementCount; number < game.acts.length; number++) {
      const { seat, move, sentences } = game.acts[number];
      const hasWords = sentences.length > 0 && (!forgets || number >= game.acts.length - 2);
      const line = make(log, "p", { class: hasWords ? `${seat} long` : seat });
      make(line, "i", { class: `dot ${seat}` });
      make(line, "b", {}, move);
      if (hasWords) make(line, "span", {}, ` ${sentences.join(". ")}`);
    }
    [...log.children].forEach((line, number) => line.classList.toggle("counts", this.turn.counted.includes(number)));
    if (this.followsLog) log.scrollTop = log.scrollHeight;
  }
}

function setTheme(name) {
  if (name) document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
}

function writeClock(ms) {
  const seconds = Math.floor(ms / 1000), rest = String(seconds % 60).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes >= 60 ? `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

async function start() {
  const answer = await fetch(`${base}table`), table = await answer.json();
  const words = await Words.load(read("lang", null) || table.lang || "en");
  if (answer.ok) window.arbiterPage = new Page(table, words);
  else $("state").textContent = words.text("line_no_session");
}

start().catch((error) => {
  $("state").textContent = "The server does not answer. Load the page again in a moment.";
  throw error;
});
