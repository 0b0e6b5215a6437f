// The choices of one player in a game: selection, targets, powers, confirmation, and one move in advance.
import { make } from "./grid.js";

const LINE = (src, dst) => src[0] === dst[0] || src.slice(1) === dst.slice(1);
const DISTANCE = (src, dst) => Math.abs(src.charCodeAt(0) - dst.charCodeAt(0)) + Math.abs(src.slice(1) - dst.slice(1));
const PHRASES = ["move", "attack", "look", "strike"];

export class Turn {
  constructor(page, game) {
    this.page = page;
    this.game = game;
    this.isBoard = Boolean(game.rules.board);
    this.says = "";
    this.question = null;
    this.reset();
    this.premove = null;
    this.offersDraw = false;
    this.marking = null;
    this.counted = []; // acts that a refusal is about
  }

  reset() {
    this.selected = null;
    this.rank = null; // of a rescue
    this.options = null; // several actions to choose from
    this.waiting = null; // an action that waits for its confirmation
    this.partial = {}; // slots that are filled
    this.marking = null;
  }

  open(question, refusal) {
    this.question = question;
    this.reset();
    this.says = refusal ? this.explain(refusal) : "";
    this.counted = refusal ? this.countMoves(refusal) : [];
    const { premove } = this;
    this.premove = null;
    if (premove && (refusal || question.phase !== "turn")) this.says ||= this.page.text("premove_cancelled");
    else if (premove) {
      const found = this.legal().filter((action) => action.type === "move" && action.src === premove[0] && action.dst === premove[1]);
      if (found.length) return void this.send(found[0]);
      this.says = this.page.text("premove_cancelled");
    }
    const sources = new Set(this.legal().map(({ src }) => src));
    if (question.phase === "rage" && sources.size <= 2) this.selected = this.legal().find(({ src }) => src)?.src ?? null;
  }

  // Explains a refusal of the referee; a rule of repetition in the language of the person.
  explain(refusal) {
    const { page, game } = this, [, rule] = /^(two|more) squares:/.exec(refusal) || [];
    if (!rule) return page.text("refused", { why: refusal });
    return page.text(`rule_${rule}_squares`, { count: game.rules.two_squares });
  }

  // The numbers of the player's acts that count for a rule of repetition: they are marked in the list of moves.
  countMoves(refusal) {
    const [, rule, src, dst] = /^(two|more) squares: (\w+)-(\w+)/.exec(refusal) || [];
    const own = this.game.acts.map(({ seat, move }, number) => [number, seat, move]).filter(([, seat, move]) => seat === this.game.seat && move);
    if (rule === "two") return own.slice(-this.game.rules.two_squares).map(([number]) => number);
    const first = own.map(([, , move]) => move).lastIndexOf(`${src}-${dst}`);
    return rule ? own.slice(Math.max(0, first)).map(([number]) => number) : [];
  }

  close() {
    this.question = null;
    this.premove = null;
    this.reset();
    this.says = "";
  }

  legal() {
    return this.question?.legal || [];
  }

  key(seat, place) {
    return place === undefined ? undefined : this.isBoard ? place : `${seat}/${place}`;
  }

  at(place) {
    return this.isBoard ? this.game.knowledge.find(null, place) : this.game.knowledge.find(...place.split("/"));
  }

  isOwn(place) {
    return this.at(place)?.seat === this.game.seat;
  }

  // The actions of the selected piece, or of what was chosen before.
  actions() {
    const { seat } = this.game;
    if (this.question?.phase === "rescue") return this.rank ? this.legal().filter(({ rank }) => rank === this.rank) : [];
    return this.legal().filter(({ src }) => src && this.key(seat, src) === this.selected);
  }

  targets() {
    const found = new Map(), { game, question } = this;
    if (!question) return found;
    if (question.phase === "refill") {
      if (this.selected?.includes("/hand:"))
        for (const { cards } of this.fills())
          for (const [slot, card] of Object.entries(cards))
            if (!(slot in this.partial) && this.key(game.seat, card) === this.selected) found.set(this.key(game.seat, slot), "move");
      return found;
    }
    for (const { type, dst } of this.actions()) {
      if (!dst) continue;
      const place = this.key(type === "rescue" ? game.seat : game.foe, dst);
      const kind = type === "move" || type === "attack" ? (this.at(place) ? "attack" : "move") : type === "rescue" ? "move" : "power";
      if (found.get(place) !== "attack") found.set(place, kind);
    }
    return found;
  }

  // --- squares ---

  press(place) {
    this.says = "";
    if (this.game.over) return;
    if (!this.question) this.pressEarly(place);
    else if (this.question.phase === "refill") this.pressFill(place);
    else if (this.selected !== place && this.targets().has(place)) this.aim(place);
    else if (this.question.phase === "rescue") this.says = this.page.text(this.rank ? "rescue_where" : "rescue_which");
    else if (this.isOwn(place)) this.select(place);
    else if (this.selected) this.attempt(place);
    else this.mark(place);
    this.page.render();
  }

  drop(src, dst) {
    if (this.question && this.selected === src) this.press(dst);
    else if (!this.question && this.isOwn(src)) {
      this.selected = src;
      this.press(dst);
    }
  }

  select(place) {
    const { game } = this, before = this.selected;
    this.reset();
    if (before === place) return;
    if (this.question.phase === "rage" && !this.legal().some(({ src }) => src === place)) {
      this.selected = before;
      this.says = this.page.text("rage_same");
      return;
    }
    this.selected = place;
    if (!this.actions().length) {
      const { rank } = this.at(place);
      const key = this.page.words.fixed.includes(rank) ? "never_moves" : "cannot_move";
      this.says = this.page.text(key, { name: this.page.words.label(game.rules.id, game.seat, rank) });
      this.selected = null;
    }
  }

  aim(place) {
    const { game } = this;
    const found = this.actions().filter(({ type, dst }) => dst && this.key(type === "rescue" ? game.seat : game.foe, dst) === place);
    if (found.length === 1) this.decide(found[0]);
    else this.options = found;
  }

  // Explains why a square cannot be reached; what depends on earlier moves is explained by the referee.
  attempt(place) {
    const src = this.selected, { rank } = this.at(src);
    const isNear = this.isBoard && LINE(src, place) && (DISTANCE(src, place) === 1 || this.page.words.runners.includes(rank));
    const isLake = this.isBoard && this.game.rules.board.lakes.includes(place);
    const between = isNear ? this.listBetween(src, place) : [];
    const isOverLake = between.some((one) => this.game.rules.board.lakes.includes(one)), isBlocked = between.some((one) => this.at(one));
    if (isNear && !isLake && !isOverLake && !isBlocked && !this.page.words.fixed.includes(rank) && this.question.phase === "turn") this.send({ type: "move", src, dst: place });
    else {
      const why = isLake ? "is_lake" : isOverLake ? "lake_between" : isBlocked ? "piece_between" : "not_reached";
      this.says = this.page.text(why, { place: this.page.words.place(place) });
      this.selected = null;
    }
  }

  // The squares between two squares of a line.
  listBetween(src, dst) {
    const step = (at, to) => at + Math.sign(to - at), code = (place) => [place.charCodeAt(0), Number(place.slice(1))];
    const [toX, toY] = code(dst), found = [];
    for (let [x, y] = code(src); ; ) {
      [x, y] = [step(x, toX), step(y, toY)];
      if (x === toX && y === toY) return found;
      found.push(`${String.fromCharCode(x)}${y}`);
    }
  }

  mark(place) {
    const piece = this.at(place);
    if (!piece || piece.seat === this.game.seat) this.says = this.page.text("choose_own");
    else if (this.page.table.aids === "marks" && piece.start && !piece.rank) this.marking = piece;
  }

  // --- a move in advance ---

  pressEarly(place) {
    if (!this.isBoard || this.page.setup) return;
    if (this.premove) return this.cancelPremove();
    if (this.selected && this.selected !== place && !this.isOwn(place)) {
      if (LINE(this.selected, place)) {
        this.premove = [this.selected, place];
        this.says = this.page.text("premove_noted", { src: this.selected, dst: place });
      }
      this.selected = null;
    } else if (this.isOwn(place)) {
      const { rank } = this.at(place);
      this.selected = this.selected === place || this.page.words.fixed.includes(rank) ? null : place;
    } else this.mark(place);
  }

  cancelPremove() {
    if (!this.premove) return;
    this.premove = null;
    this.says = this.page.text("premove_cancelled");
    this.page.render();
  }

  cancel() {
    this.cancelPremove();
    this.reset();
    this.page.render();
  }

  // --- a refill of the line ---

  fills() {
    return this.legal().filter(({ cards }) => cards && Object.entries(this.partial).every(([slot, card]) => cards[slot] === card));
  }

  pressFill(place) {
    const { seat } = this.game;
    if (this.targets().has(place)) {
      this.partial[place.split("/")[1]] = this.selected.split("/")[1];
      this.selected = null;
      const left = this.fills().filter(({ cards }) => Object.keys(cards).length === Object.keys(this.partial).length);
      if (left.length) this.decide(left[0]);
    } else if (place.startsWith(`${seat}/hand:`) && !Object.values(this.partial).includes(place.split("/")[1])) this.selected = place;
    else this.says = this.page.text("phase_refill");
  }

  // --- answers ---

  decide(action) {
    if (this.page.options.confirm) {
      this.waiting = action;
      this.options = null;
    } else this.send(action);
    this.page.render();
  }

  send(action) {
    if (!this.question) return;
    this.question = null;
    const offers = this.offersDraw;
    this.offersDraw = false;
    this.reset();
    this.counted = [];
    this.says = "";
    this.page.answer(this.game, action, offers);
    this.page.render();
  }

  offerDraw() {
    this.offersDraw = !this.offersDraw;
    this.page.render();
  }

  // Plays a typed action; returns true if there was one.
  type(text) {
    const words = split(text);
    if (!words.length || !this.question) return false;
    const found = this.legal().filter((action) => describes(words, split(write(action))));
    const exact = found.filter((action) => split(write(action)).join() === words.join());
    const meant = exact.length ? exact : found;
    if (meant.length === 1) this.decide(meant[0]);
    else if (meant.length) this.options = meant.slice(0, 40);
    else this.says = this.page.text("not_typed", { text });
    this.page.render();
    return meant.length > 0;
  }

  // --- the choices on the page ---

  name(action) {
    const { page, game } = this, where = (place) => (place ? page.words.place(place) : "");
    const values = { src: where(action.src), dst: where(action.dst), name: action.rank ? page.words.label(game.rules.id, action.type === "infiltrate" ? game.foe : game.seat, action.rank) : "" };
    if (action.type === "move" && this.isBoard && this.at(action.dst)) return page.text("act_attack", values);
    if (action.type === "peek_line") values.dst = action.slots.map(where).join(page.words.board.and);
    if (action.type === "fill") values.dst = Object.entries(action.cards).map(([slot, card]) => `${where(card)} → ${where(slot)}`).join(", ");
    return page.text(`act_${action.type === "peek_line" ? "look" : action.type}`, values);
  }

  show(parent) {
    const { page, question } = this;
    const wanted = [];
    const add = (text, press, kind = "") => wanted.push({ text, press, kind });
    if (this.marking) {
      const { data, foe, rules } = this.game;
      wanted.push({ title: page.text("mark_as") });
      for (const [rank, { sign, army }] of Object.entries(data.ranks))
        if (army) add(sign, () => this.setMark(sign), "sign", page.words.label(rules.id, foe, rank));
      add(page.text("none"), () => this.setMark(""));
    } else if (this.premove) add(page.text("premove_cancel"), () => this.cancelPremove());
    else if (this.waiting) {
      wanted.push({ title: `${this.name(this.waiting)}?` });
      const { waiting } = this;
      add(page.text("yes"), () => this.send(waiting), "main");
      add(page.text("back"), () => this.cancel());
    } else if (this.options) {
      wanted.push({ title: page.text("choose") });
      for (const action of this.options) add(this.name(action), () => this.decide(action), PHRASES.includes(action.type) ? "main" : "");
      add(page.text("back"), () => this.cancel());
    } else if (question) this.listChoices(question, wanted, add);
    const key = wanted.map(({ text, title, kind }) => `${text} ${title} ${kind}`).join("|");
    if (parent.dataset.shown === key && this.shown === this.stateKey()) return;
    parent.dataset.shown = key;
    this.shown = this.stateKey();
    const hadFocus = parent.contains(document.activeElement);
    parent.replaceChildren();
    for (const { text, title, press, kind } of wanted)
      if (title) make(parent, "p", { class: "legend" }, title);
      else make(parent, "button", { type: "button", class: kind }, text).addEventListener("click", press);
    const first = parent.querySelector("button");
    if (first && (hadFocus || this.waiting || this.options || this.marking)) first.focus();
    else if (hadFocus) page.grid.focus();
  }

  // What the buttons refer to, so that they are made again if it changes.
  stateKey() {
    return JSON.stringify([this.question?.ask, this.waiting, this.options, this.selected, this.rank, this.marking?.start, this.partial]);
  }

  listChoices(question, wanted, add) {
    const { page, game } = this;
    const stop = this.legal().find(({ type }) => type === "stop");
    if (question.phase === "rescue") {
      const ranks = [...new Set(this.legal().map(({ rank }) => rank).filter(Boolean))];
      wanted.push({ title: page.text(this.rank ? "rescue_where" : "rescue_which") });
      for (const rank of ranks)
        add(`${game.data.ranks[rank].sign} ${page.words.label(game.rules.id, game.seat, rank)}`, () => {
          this.rank = rank;
          page.render();
          page.grid.focus();
        }, rank === this.rank ? "main" : "");
    }
    for (const action of this.actions().filter(({ type, dst }) => !dst && type !== "stop")) add(this.name(action), () => this.decide(action));
    if (stop) add(page.text(question.phase === "rage" ? "stop_rage" : "stop_rescue"), () => this.decide(stop));
  }

  setMark(sign) {
    const { marking } = this;
    this.marking = null;
    this.page.setMark(marking, sign);
  }
}

const write = (action) => {
  switch (action.type) {
    case "move": return `${action.src} ${action.dst}`;
    case "attack": return `${action.src} ${action.dst}`;
    case "look": return `${action.src} look ${action.dst}`;
    case "strike": return `${action.src} strike ${action.dst}`;
    case "infiltrate": return `${action.src} infiltrate ${action.dst} ${action.rank}`;
    case "rescue": return `rescue ${action.rank} ${action.dst}`;
    case "stop": return "stop";
    case "peek_hand": return "look hand";
    case "peek_line": return `look ${action.slots.join(" ")}`;
    case "regroup": return "regroup";
    case "fill": return `fill ${Object.entries(action.cards).flat().join(" ")}`;
    default: return action.type;
  }
};
const split = (text) =>
  text.toLowerCase().replace(/line:|hand:/g, "").replace(/([a-z]\d{1,2})(?=[a-z]\d)/g, "$1 ").replace(/(\d)x(?=\d)/g, "$1 ").match(/[a-z0-9]+/g) || [];
// True if the typed words, perhaps abbreviated, appear among those of an action in the same order.
const describes = (typed, words) => {
  let at = 0;
  return typed.every((one) => {
    while (at < words.length) {
      const word = words[at++];
      if (word === one || (one.length > 1 && /^[a-z]+$/.test(one) && word.startsWith(one))) return true;
    }
    return false;
  });
};
