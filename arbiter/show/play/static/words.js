// Texts in the language of the person: names of pieces, sentences about facts, and the texts of the page.
import "./fill.js";
import { OTHER, listRanks } from "./knowledge.js";

export class Words {
  constructor(data) {
    Object.assign(this, data);
    window.arbiterWords = { board: data.board };
  }

  static async load(lang) {
    const answer = await fetch(`/words/${lang}`);
    return new Words(await answer.json());
  }

  // A text of the page.
  text(key, values = {}) {
    return fill(this.texts[key] ?? key, values);
  }

  // A text about something of a rule set, if the language has one, or else the usual one.
  sentence(key, values, isYours) {
    return fill((isYours && this.yours[key]) || this.acts[key] || this.board[key], values);
  }

  label(rules, seat, rank) {
    return this.labels[rules]?.[seat]?.[rank] ?? rank;
  }

  name(rules, seat, rank) {
    return rank ? this.names[rules]?.[seat]?.[rank] ?? rank : this.board.unknown;
  }

  // A place for people: a square, or a card with its owner.
  place(place) {
    const found = /^(?:(\w+)\/)?(line|hand):(\d+)$/.exec(place);
    return found ? this.text(`place_${found[2]}`, { seat: found[1] ? this.seat(found[1]) : "", number: found[3] }).trim() : place;
  }

  seat(seat) {
    return this.board[seat];
  }
}

const fill = window.arbiterFill;

// Describes an act by its facts; `before` are the ranks that were known before it.
export function describeFacts(words, facts, before, knowledge) {
  const { seat: viewer, rules } = knowledge;
  const ranks = new Map([...listRanks(knowledge), ...before]);
  const shown = new Map(), removed = new Set();
  for (const fact of facts) {
    if (fact.type === "drew") break;
    if (fact.type === "revealed") shown.set(`${fact.seat} ${fact.place}`, fact.rank);
  }
  for (const [piece, rank] of shown) ranks.set(piece, rank);
  for (const fact of facts) if (fact.type === "removed") removed.add(`${fact.seat} ${fact.place}`);
  const piece = (seat, place) => {
    const name = words.name(rules.id, seat, ranks.get(`${seat} ${place}`));
    return words.sentence("piece", { seat: words.seat(seat), name }, seat === viewer);
  };
  return facts.filter(({ type }) => words.acts[type] || words.acts[`${type}_taken`]).map((fact) => {
    const foe = OTHER[fact.seat];
    const values = { ...fact, seat: words.seat(fact.seat), foe: words.seat(foe) };
    for (const name of ["src", "dst", "place"]) if (fact[name]) values[name] = words.place(fact[name]);
    if (fact.place) values.piece = piece(fact.seat, fact.place);
    if (fact.src) values.attacker = piece(fact.seat, fact.src);
    if (fact.dst) values.defender = piece(foe, fact.dst);
    if (fact.rank) values.name = words.name(rules.id, foe, fact.rank);
    let ending = "";
    if (fact.type === "peeked") {
      const isHand = fact.what === "hand";
      const seen = [...shown].filter(([one]) => one.startsWith(foe + " ") &&
        (isHand ? one.includes("hand:") : fact.what.includes(one.split(" ")[1])));
      values.cards = seen.map(([, rank]) => words.name(rules.id, foe, rank)).join(", ");
      values.places = isHand ? "" : fact.what.map((place) => words.place(place)).join(words.board.and);
      ending = (isHand ? "_hand" : "") + (seen.length ? "_seen" : "");
    } else if (fact.type === "drew") {
      values.count = fact.places.length;
      ending = fact.places.length > 1 ? "_several" : "";
    } else {
      const lost = removed.has(`${fact.seat} ${fact.src}`), taken = removed.has(`${foe} ${fact.dst}`);
      ending = lost && taken ? "_both" : (lost ? "_lost" : "") + (taken ? "_taken" : "");
    }
    const key = words.acts[fact.type + ending] ? fact.type + ending : fact.type;
    const addressed = fact.src ? foe : fact.seat;
    return words.sentence(key, values, addressed === viewer);
  });
}

// Both pieces of a fight with the ranks that were shown or are the player's own, and who survives.
export function readFight(facts, before, knowledge) {
  const fight = facts.find(({ type }) => type === "attacked" || type === "struck");
  if (!fight) return null;
  const ranks = new Map([...listRanks(knowledge), ...before]);
  for (const { type, seat, place, rank } of facts) if (type === "revealed") ranks.set(`${seat} ${place}`, rank);
  const sides = [[fight.seat, fight.src], [OTHER[fight.seat], fight.dst]].map(([seat, place]) => ({
    seat, rank: ranks.get(`${seat} ${place}`) || null,
    falls: facts.some((fact) => fact.type === "removed" && fact.seat === seat && fact.place === place),
  }));
  return { attacker: sides[0], defender: sides[1], isFar: fight.type === "struck" };
}

// Writes an action or a fact as a move.
export const writeMove = (act, sign = "-") => `${act.src}${sign}${act.dst}`.replaceAll("line:", "");
