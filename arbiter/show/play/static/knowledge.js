// What a player knows: the facts that it received and its own actions, and nothing else, as in protocol/view.py.
export const OTHER = { red: "blue", blue: "red" };
const count = (lost, rank, change) => { lost[rank] = (lost[rank] || 0) + change; };

class BoardKnowledge {
  constructor(rules, seat) {
    this.rules = rules;
    this.seat = seat;
    this.pieces = new Map();
    this.captured = { red: {}, blue: {} };
    this.deployment = {};
    this.rescuing = null;
    this.last = null;
  }

  noteAction(action) {
    if (action.type === "deploy") this.deployment = action.pieces;
    else if (action.type === "rescue") this.rescuing = action.rank;
  }

  noteFact(fact) {
    const { pieces, seat } = this, piece = pieces.get(fact.place || fact.src);
    switch (fact.type) {
      case "moved":
        pieces.delete(fact.src);
        pieces.set(fact.dst, piece);
        piece.moved = true;
        break;
      case "attacked":
        if (fact.seat === seat || !this.rules.options.includes("silent-defence")) {
          const own = pieces.get(fact.seat === seat ? fact.src : fact.dst);
          if (own?.seat === seat) own.shown = true;
        }
        break;
      case "revealed":
        if (this.last?.type === "placed" && this.last.place === fact.place) {
          count(this.captured[fact.seat], "unknown", 1);
          count(this.captured[fact.seat], fact.rank, -1);
        }
        piece.rank = fact.rank;
        break;
      case "removed":
        pieces.delete(fact.place);
        count(this.captured[fact.seat], piece.rank || "unknown", 1);
        break;
      case "placed": {
        const rank = fact.seat === seat ? this.rescuing : null;
        count(this.captured[fact.seat], rank || "unknown", -1);
        pieces.set(fact.place, { seat: fact.seat, rank, start: fact.place });
        break;
      }
      case "deployed":
        for (const place of fact.places)
          pieces.set(place, { seat: fact.seat, rank: fact.seat === seat ? this.deployment[place] ?? null : null, start: place });
    }
    this.last = fact;
  }

  // The piece at a place, with its owner and rank.
  find(seat, place) {
    return this.pieces.get(place);
  }

  // Writes the position for the drawing; enemy ranks only if `shows(piece)`.
  write(shows) {
    const table = {};
    for (const [place, piece] of this.pieces) {
      const rank = piece.rank && (piece.seat === this.seat || shows(piece)) ? piece.rank : "?";
      const known = piece.shown ? "*" : "";
      table["@" + place] = piece.seat[0] + rank + known + (piece.moved ? "'" : "");
    }
    return table;
  }
}

class CardKnowledge {
  constructor(rules, seat) {
    const cards = Object.values(rules.army).reduce((sum, one) => sum + one, 0);
    this.rules = rules;
    this.seat = seat;
    this.lines = { red: new Map(), blue: new Map() };
    this.hands = { red: [], blue: [] };
    this.decks = { red: cards, blue: cards };
    this.captured = { red: {}, blue: {} };
    this.deployment = [];
  }

  noteAction(action) {
    if (action.type === "deploy") this.deployment = action.line;
  }

  noteFact(fact) {
    const { lines, hands, decks } = this, own = fact.seat === this.seat;
    switch (fact.type) {
      case "revealed":
        if (fact.place.startsWith("hand:")) hands[fact.seat][Number(fact.place.slice(5))] = fact.rank;
        else lines[fact.seat].set(fact.place, fact.rank);
        break;
      case "removed":
        count(this.captured[fact.seat], lines[fact.seat].get(fact.place), 1);
        lines[fact.seat].delete(fact.place);
        break;
      case "filled":
        if (own) this.lay(fact.seat, fact.cards);
        else this.layUnseen(fact.seat, Object.keys(fact.cards));
        break;
      case "drew":
        decks[fact.seat] -= fact.places.length;
        hands[fact.seat].push(...fact.places.map(() => null));
        break;
      case "dealt":
        decks[fact.seat] += lines[fact.seat].size + hands[fact.seat].length - fact.places.length;
        lines[fact.seat].clear();
        hands[fact.seat] = fact.places.map(() => null);
        break;
      case "deployed":
        if (own) this.lay(fact.seat, Object.fromEntries(fact.places.map((place, i) => [place, this.deployment[i]])));
        else this.layUnseen(fact.seat, fact.places);
    }
  }

  lay(seat, cards) {
    const hand = this.hands[seat], laid = new Set();
    for (const [slot, place] of Object.entries(cards)) {
      const number = Number(place.slice(5));
      this.lines[seat].set(slot, hand[number]);
      laid.add(number);
    }
    this.hands[seat] = hand.filter((_, number) => !laid.has(number));
  }

  layUnseen(seat, slots) {
    for (const slot of slots) this.lines[seat].set(slot, null);
    this.hands[seat] = this.hands[seat].slice(slots.length).map(() => null);
  }

  find(seat, place) {
    const rank = place.startsWith("hand:") ? this.hands[seat][Number(place.slice(5))] : this.lines[seat].get(place);
    return rank === undefined ? undefined : { seat, rank };
  }

  write(shows) {
    const table = {};
    for (const seat of ["red", "blue"]) {
      const write = (place, rank) => {
        const visible = rank && (seat === this.seat || shows({ seat, rank }));
        table[`@${seat}/${place}`] = seat[0] + (visible ? rank : "?");
      };
      this.lines[seat].forEach((rank, place) => write(place, rank));
      this.hands[seat].forEach((rank, number) => write(`hand:${number}`, rank));
    }
    return table;
  }
}

export const makeKnowledge = (rules, seat) =>
  rules.board ? new BoardKnowledge(rules, seat) : new CardKnowledge(rules, seat);

// The pieces of both seats with their ranks, as they are remembered for sentences.
export function listRanks(knowledge) {
  const ranks = new Map();
  if (knowledge.pieces) for (const [place, piece] of knowledge.pieces) ranks.set(`${piece.seat} ${place}`, piece.rank);
  else
    for (const seat of ["red", "blue"]) {
      knowledge.lines[seat].forEach((rank, place) => ranks.set(`${seat} ${place}`, rank));
      knowledge.hands[seat].forEach((rank, number) => ranks.set(`${seat} hand:${number}`, rank));
    }
  return ranks;
}
