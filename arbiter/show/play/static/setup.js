// The editor of a deployment: pieces and squares are swapped by two taps, a drag or keys.
import { Grid, make } from "./grid.js";
import { STYLE_NAMES, deployAtRandom } from "./styles.js";
import { keep, read } from "./store.js";

const LETTERS = "BCDEFGHIJKLM", LETTER_RANKS = ["bomb", "spy", "scout", "miner", "sergeant", "lieutenant", "captain", "major", "colonel", "general", "marshal", "flag"];
const MORE = { infiltrator: "1", marksman: "3", berserker: "5" };
const MIRROR = (place, files) => String.fromCharCode(97 + files - 1 - (place.charCodeAt(0) - 97)) + place.slice(1);
const TURN = (place, { files, rows }) =>
  String.fromCharCode(97 + files - 1 - (place.charCodeAt(0) - 97)) + (rows + 1 - Number(place.slice(1)));

// Returns the letter of a rank in the notation of positions, and the rank of a letter.
const letterOf = (rank) => MORE[rank] || LETTERS[LETTER_RANKS.indexOf(rank)];
const rankOf = (letter) => Object.keys(MORE).find((rank) => MORE[rank] === letter) || LETTER_RANKS[LETTERS.indexOf(letter)];

export class Setup {
  // Edits until `done(pieces)` is called; without it, a button keeps the deployment for the next game.
  constructor(parent, words, data, rules, seat, done) {
    Object.assign(this, { words, data, rules, seat });
    this.squares = new Set(rules.deploy[seat]);
    this.key = `setups-${rules.id}`;
    this.pieces = this.fit(read(`last-${rules.id}`, null)) || deployAtRandom("balanced", rules, seat);
    this.chosen = null; // a square, or a rank of the tray
    this.root = make(parent, "section", { class: "setup", "aria-label": words.text("phase_setup") });
    this.grid = new Grid(make(this.root, "div", { class: "stage" }), { press: (place) => this.press(place), drop: (src, dst) => this.swap(src, dst) });
    const side = make(this.root, "div", { class: "side" });
    make(side, "h2", {}, words.text("phase_setup"));
    make(side, "p", { class: "note" }, words.text("deploy_help"));
    this.tray = make(side, "div", { class: "tray", role: "group", "aria-label": words.text("tray") });
    this.timeLeft = make(side, "p", { class: "left" });
    this.says = make(side, "p", { class: "says", role: "status" });
    this.start = this.button(side, done ? "begin" : "keep_for_game", () => {
      keep(`last-${rules.id}`, this.turned(this.pieces));
      if (done) done({ ...this.pieces });
      else this.says.textContent = words.text("kept_for_game");
    }, "main");
    const styles = make(side, "div", { class: "row", role: "group", "aria-label": words.text("styles") });
    make(styles, "span", { class: "legend" }, words.text("styles"));
    for (const style of STYLE_NAMES) this.button(styles, `style_${style}`, () => this.set(deployAtRandom(style, rules, seat)));
    const book = words.presets.map((rows) => this.readRows(rows)).filter(Boolean);
    if (book.length) this.button(styles, "style_book", () => {
      const found = book[Math.floor(Math.random() * book.length)];
      this.set(Math.random() < 0.5 ? found : this.mirrored(found));
    });
    const edit = make(side, "div", { class: "row" });
    this.button(edit, "mirror", () => this.set(this.mirrored(this.pieces)));
    this.button(edit, "clear", () => this.set({}));
    this.saved = make(side, "div", { class: "row saved" });
    this.text(side);
    this.show();
    this.showSaved();
  }

  button(parent, key, press, kind = "") {
    const button = make(parent, "button", { type: "button", class: kind, "data-key": key }, this.words.text(key));
    button.addEventListener("click", press);
    return button;
  }

  // --- pieces ---

  left() {
    const left = { ...this.rules.army };
    for (const rank of Object.values(this.pieces)) left[rank] -= 1;
    return Object.fromEntries(Object.entries(left).filter(([, number]) => number));
  }

  set(pieces) {
    this.pieces = pieces;
    this.chosen = null;
    this.show();
  }

  press(place) {
    const { chosen } = this;
    if (!this.squares.has(place)) {
      this.chosen = null;
      this.show();
      this.says.textContent = this.words.text("not_your_square", { place });
      return;
    }
    if (chosen === null) {
      this.chosen = this.pieces[place] ? place : null;
      this.show();
      if (!this.chosen) this.says.textContent = this.words.text("choose_piece");
    } else if (chosen === place) {
      delete this.pieces[place]; // a second tap puts it back into the tray
      this.set(this.pieces);
    } else this.swap(chosen, place);
  }

  // Swaps two squares, or puts a rank of the tray on a square.
  swap(src, dst) {
    if (!this.squares.has(dst)) return this.press(dst);
    const there = this.pieces[dst];
    if (this.squares.has(src)) {
      if (this.pieces[src]) this.pieces[dst] = this.pieces[src];
      else delete this.pieces[dst];
      if (there) this.pieces[src] = there;
      else delete this.pieces[src];
      this.set(this.pieces);
    } else {
      this.pieces[dst] = src;
      const more = this.left()[src] > 0;
      this.set(this.pieces);
      if (more) this.take(src);
    }
  }

  take(rank) {
    this.chosen = this.chosen === rank ? null : rank;
    this.show();
  }

  // --- the page ---

  show() {
    const { words, data, rules, seat, pieces, chosen, squares } = this;
    const table = Object.fromEntries(Object.entries(pieces).map(([place, rank]) => ["@" + place, seat[0] + rank]));
    const free = chosen !== null && !squares.has(chosen);
    this.grid.show({
      data, table, turned: seat === "blue", actor: seat, selected: squares.has(chosen) ? chosen : null,
      targets: new Map([...squares].filter((place) => chosen !== null && place !== chosen && (!free || !pieces[place])).map((place) => [place, "move"])),
      isOwn: (place) => Boolean(pieces[place]), name: words.text("phase_setup"),
      label: (place) => {
        if (pieces[place]) return `${place}: ${words.label(rules.id, seat, pieces[place])}`;
        if (rules.board.lakes.includes(place)) return window.arbiterFill(words.board.square_lake, { place });
        return words.text(squares.has(place) ? "square_free" : "square_not_yours", { place });
      },
    });
    const left = this.left(), total = Object.values(left).reduce((sum, one) => sum + Math.max(0, one), 0);
    this.tray.replaceChildren();
    for (const rank of Object.keys(data.ranks).filter((one) => left[one])) {
      const name = words.label(rules.id, seat, rank);
      const chip = make(this.tray, "button", { type: "button", class: `chip ${seat}`, "aria-pressed": String(chosen === rank), title: name, "data-rank": rank });
      make(chip, "b", {}, data.ranks[rank].sign);
      make(chip, "span", {}, ` ${name}`);
      make(chip, "small", {}, ` ×${left[rank]}`);
      chip.addEventListener("click", () => this.take(rank));
    }
    this.says.textContent = total ? words.text("missing", { count: total }) : words.text("complete");
    this.start.disabled = total > 0;
    if (this.area && document.activeElement !== this.area) this.area.value = this.draw();
  }

  // --- saved deployments, and deployments as text ---

  showSaved() {
    const known = read(this.key, {});
    this.saved.replaceChildren();
    this.button(this.saved, "save", () => {
      const number = 1 + Math.max(0, ...Object.keys(known).map((name) => Number(name) || 0));
      keep(this.key, { ...known, [number]: this.turned(this.pieces) });
      this.showSaved();
    });
    for (const [name, pieces] of Object.entries(known)) {
      const button = make(this.saved, "button", { type: "button", class: "load" }, this.words.text("load", { name }));
      button.addEventListener("click", () => {
        const found = this.fit(pieces);
        if (found) this.set(found);
      });
      const remove = make(this.saved, "button", { type: "button", class: "remove", "aria-label": this.words.text("remove", { name }) }, "×");
      remove.addEventListener("click", () => {
        delete known[name];
        keep(this.key, known);
        this.showSaved();
      });
    }
  }

  text(parent) {
    const { words } = this;
    const box = make(parent, "details", { class: "as-text" });
    make(box, "summary", {}, words.text("as_text"));
    make(box, "p", { class: "note" }, words.text("as_text_help"));
    this.area = make(box, "textarea", { rows: 5, spellcheck: "false", "aria-label": words.text("as_text") });
    const row = make(box, "div", { class: "row" });
    this.button(row, "use_text", () => {
      const found = this.read(this.area.value);
      if (typeof found === "string") this.says.textContent = found;
      else this.set(found);
    });
    this.button(row, "copy_rows", () => this.copy(this.draw()));
    this.button(row, "copy_letters", () => this.copy(this.letters()));
  }

  copy(text) {
    this.area.value = text;
    this.area.select();
    navigator.clipboard?.writeText(text).catch(() => {});
    this.says.textContent = this.words.text("copied");
  }

  // The deployment as seen by red, for a player of either seat.
  turned(pieces) {
    if (this.seat === "red") return { ...pieces };
    return Object.fromEntries(Object.entries(pieces).map(([place, rank]) => [TURN(place, this.rules.board), rank]));
  }

  // Returns a deployment of red for this seat, or null if it does not fit the army.
  fit(pieces) {
    if (!pieces) return null;
    const own = this.turned(pieces), left = { ...this.rules.army };
    for (const [place, rank] of Object.entries(own)) if (!this.squares.has(place) || !(left[rank]-- > 0)) return null;
    return own;
  }

  mirrored(pieces) {
    return Object.fromEntries(Object.entries(pieces).map(([place, rank]) => [MIRROR(place, this.rules.board.files), rank]));
  }

  draw() {
    const pieces = this.turned(this.pieces), { files } = this.rules.board;
    return [4, 3, 2, 1].map((row) => Array.from({ length: files }, (_, file) => {
      const rank = pieces[String.fromCharCode(97 + file) + row];
      return rank ? this.data.ranks[rank].sign : ".";
    }).join("")).join("\n");
  }

  letters() {
    const pieces = this.turned(this.pieces), { files } = this.rules.board;
    return [1, 2, 3, 4].map((row) => Array.from({ length: files }, (_, file) => {
      const rank = pieces[String.fromCharCode(97 + file) + row];
      return rank ? letterOf(rank) : "a";
    }).join("")).join("");
  }

  // Reads a deployment in either notation; returns its pieces, or a sentence about what is wrong.
  read(text) {
    const rows = text.split("\n").map((line) => line.replace(/#.*/, "").replace(/\s/g, "")).filter(Boolean);
    const { files } = this.rules.board, red = {};
    const isLetters = rows.length === 1 && rows[0].length === 4 * files;
    if (!isLetters && (rows.length !== 4 || rows.some((row) => row.length !== files)))
      return this.words.text("wrong_rows", { files });
    const known = Object.entries(this.data.ranks);
    for (let row = 0; row < 4; row++)
      for (let file = 0; file < files; file++) {
        const place = String.fromCharCode(97 + file) + (row + 1);
        const sign = isLetters ? rows[0][row * files + file] : rows[3 - row][file];
        if (sign === (isLetters ? "a" : ".")) continue;
        const rank = isLetters ? rankOf(sign) : known.find(([, one]) => one.sign.toLowerCase() === sign.toLowerCase())?.[0];
        if (!rank || !this.rules.army[rank]) return this.words.text("wrong_sign", { sign, place });
        red[place] = rank;
      }
    const left = { ...this.rules.army };
    for (const [place, rank] of Object.entries(red))
      if (left[rank]-- <= 0) return this.words.text("too_many", { name: this.words.label(this.rules.id, this.seat, rank), place });
    return this.turned(red);
  }

  readRows(rows) {
    const found = this.read(rows);
    const complete = typeof found !== "string" && Object.keys(found).length === Object.values(this.rules.army).reduce((sum, one) => sum + one, 0);
    return complete ? found : null;
  }

  remove() {
    this.root.remove();
  }
}
