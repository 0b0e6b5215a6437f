// The editor of a line of cards: cards of the hand are put on slots by two taps, a drag or keys.
import { Grid, make } from "./grid.js";

export class CardSetup {
  // Edits until `done(line)` is called; `hand` are the ranks of the hand.
  constructor(parent, words, data, knowledge, done) {
    Object.assign(this, { words, data, knowledge });
    const { rules, seat } = knowledge;
    this.seat = seat;
    this.hand = knowledge.hands[seat];
    this.size = Math.min(rules.line, this.hand.length);
    this.line = Array(this.size).fill(null); // numbers of cards of the hand
    this.chosen = null;
    this.root = make(parent, "section", { class: "setup", "aria-label": words.text("deploy_cards") });
    this.grid = new Grid(make(this.root, "div", { class: "stage" }), { press: (place) => this.press(place), drop: (src, dst) => this.drop(src, dst) });
    const side = make(this.root, "div", { class: "side" });
    make(side, "h2", {}, words.text("deploy_cards"));
    make(side, "p", { class: "note" }, words.text("cards_help"));
    this.timeLeft = make(side, "p", { class: "left" });
    this.says = make(side, "p", { class: "says", role: "status" });
    this.start = make(side, "button", { type: "button", class: "main", "data-key": "begin" }, words.text("begin"));
    this.start.addEventListener("click", () => done(this.line.map((number) => `hand:${number}`)));
    const row = make(side, "div", { class: "row" });
    const random = make(row, "button", { type: "button", "data-key": "style_random" }, words.text("style_random"));
    random.addEventListener("click", () => {
      const numbers = this.hand.map((_, number) => number).sort(() => Math.random() - 0.5);
      this.line = numbers.slice(0, this.size);
      this.show();
    });
    const clear = make(row, "button", { type: "button", "data-key": "clear" }, words.text("clear"));
    clear.addEventListener("click", () => {
      this.line.fill(null);
      this.show();
    });
    this.show();
  }

  // The places of the cards that are not in the line yet, as in the hand.
  free() {
    return this.hand.map((_, number) => number).filter((number) => !this.line.includes(number));
  }

  read(place) {
    const found = new RegExp(`^${this.seat}/(line|hand):(\\d+)$`).exec(place);
    if (!found) return null;
    const number = Number(found[2]);
    return found[1] === "line" ? { slot: number, card: this.line[number] ?? null } : { card: number < this.hand.length ? number : null };
  }

  press(place) {
    const found = this.read(place);
    if (this.chosen !== null && found && place !== this.chosen) this.drop(this.chosen, place);
    else {
      if (this.chosen === place && found?.slot !== undefined) this.line[found.slot] = null;
      this.chosen = this.chosen === place || !found || found.card === null ? null : place;
      this.show();
    }
  }

  drop(src, dst) {
    const from = this.read(src), to = this.read(dst);
    this.chosen = null;
    if (from && to && from.card !== null) {
      if (to.slot !== undefined && to.slot < this.size) {
        if (from.slot !== undefined) this.line[from.slot] = to.card;
        this.line[to.slot] = from.card;
      } else if (from.slot !== undefined) this.line[from.slot] = null;
      else this.chosen = to.card === null ? null : dst;
    }
    this.show();
  }

  show() {
    const { words, data, seat, hand, line, chosen } = this, table = {};
    line.forEach((card, slot) => { if (card !== null) table[`@${seat}/line:${slot}`] = seat[0] + hand[card]; });
    for (const card of this.free()) table[`@${seat}/hand:${card}`] = seat[0] + hand[card];
    this.grid.show({
      data: { ...data, layout: { ...data.layout, hand: hand.length } }, table,
      turned: seat === "blue", actor: seat, selected: chosen,
      targets: new Map(chosen === null ? [] : line.map((_, slot) => [`${seat}/line:${slot}`, "move"])),
      isOwn: (place) => Boolean(table["@" + place]), name: words.text("deploy_cards"),
      label: (place) => `${words.place(place)}: ${table["@" + place] ? words.label(this.knowledge.rules.id, seat, table["@" + place].slice(1)) : words.text("empty")}`,
    });
    const left = line.filter((card) => card === null).length;
    this.says.textContent = left ? words.text("missing", { count: left }) : words.text("complete");
    this.start.disabled = left > 0;
  }

  remove() {
    this.root.remove();
  }
}
