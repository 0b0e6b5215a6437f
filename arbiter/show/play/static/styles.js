// Random deployments by style: for each rank the rows in which it likes to stand, from 0, the back, to 3, the front.
const STYLES = {
  balanced: { flag: [6, 1, 0, 0], bomb: [4, 4, 2, 1], miner: [4, 3, 2, 1], spy: [1, 4, 3, 0], marshal: [1, 3, 3, 1], general: [1, 3, 3, 2], scout: [2, 2, 2, 4], usual: [1, 2, 3, 3] },
  attack: { flag: [6, 1, 0, 0], bomb: [5, 4, 1, 0], miner: [5, 3, 1, 0], spy: [0, 3, 5, 1], marshal: [0, 1, 3, 5], general: [0, 1, 3, 5], scout: [3, 2, 1, 3], usual: [1, 1, 3, 5] },
  defence: { flag: [8, 0, 0, 0], bomb: [6, 5, 1, 1], miner: [2, 3, 3, 2], spy: [2, 5, 2, 0], marshal: [2, 5, 2, 0], general: [2, 5, 2, 0], scout: [1, 1, 3, 5], usual: [1, 3, 3, 2] },
  random: { usual: [1, 1, 1, 1] },
};
export const STYLE_NAMES = Object.keys(STYLES);

const draw = (weights) => {
  let left = Math.random() * weights.reduce((sum, one) => sum + one, 0);
  return weights.findIndex((one) => (left -= one) < 0);
};
const near = (one, other) =>
  Math.abs(one.charCodeAt(0) - other.charCodeAt(0)) + Math.abs(Number(one.slice(1)) - Number(other.slice(1))) === 1;

// Returns pieces by square for the squares of a seat.
export function deployAtRandom(style, rules, seat) {
  const free = new Set(rules.deploy[seat]), pieces = {};
  const depth = (place) => (seat === "red" ? Number(place.slice(1)) - 1 : rules.board.rows - Number(place.slice(1)));
  const wishes = STYLES[style];
  const put = (rank, weigh) => {
    const places = [...free];
    const weights = places.map((place) => (weigh ? weigh(place) : (wishes[rank] || wishes.usual)[depth(place)] + 0.05));
    const place = places[Math.max(0, draw(weights))];
    pieces[place] = rank;
    free.delete(place);
    return place;
  };
  const army = Object.entries(rules.army).flatMap(([rank, number]) => Array(number).fill(rank));
  const order = ["flag", "bomb", "spy", "miner", "marshal", "general"];
  army.sort((one, other) => (order.indexOf(one) + 1 || 9) - (order.indexOf(other) + 1 || 9));
  let home = null, guards = style === "random" ? 0 : style === "defence" ? 3 : 2;
  for (const rank of army)
    if (rank === "flag") home = put(rank);
    else if (rank === "bomb" && home && guards-- > 0 && [...free].some((place) => near(place, home)))
      put(rank, (place) => (near(place, home) ? 1 : 0));
    else put(rank);
  return pieces;
}
