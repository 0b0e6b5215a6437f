// What can be concluded about hidden pieces by counting: the likelihood of each rank, and when a rank became certain.
"use strict";

window.arbiterBelief = (() => {
  const { OTHER, OWNER, SEATS, readPiece, walk } = window.arbiterBoard;

  // Counts the ranks that a seat has left, for a viewer with this table: the army without the pieces that it knows.
  function countLeft(data, table, owner) {
    const left = Object.fromEntries(Object.entries(data.ranks).map(([rank, { army }]) => [rank, army]));
    for (const [key, text] of Object.entries(table)) {
      const lost = key.startsWith(`lost/${owner}/`) && key.split("/")[2];
      if (key[0] === "@" && OWNER[text[0]] === owner) {
        const { rank, known } = readPiece(data, text);
        if (known) left[rank] -= 1;
      } else if (lost in left) left[lost] -= Number(text);
    }
    return left;
  }

  // Returns true if a hidden piece can have a rank: a piece that has moved is no bomb and no flag, and one that has
  // moved over several squares is a runner.
  const allows = ({ fixed, runs }, { moved, ran }) => (ran ? runs : !(moved && fixed));

  // Returns the likelihood of each rank for each hidden piece of a seat by its place. All arrangements of the ranks that
  // are left are equally likely, so pieces that can have few ranks take their shares first.
  function believe(data, table, owner) {
    const left = countLeft(data, table, owner), found = {};
    const hidden = Object.entries(table)
      .filter(([key, text]) => key[0] === "@" && OWNER[text[0]] === owner)
      .map(([key, text]) => [key.slice(1), readPiece(data, text)])
      .filter(([, piece]) => !piece.known);
    for (const kind of [2, 1, 0]) {
      const pieces = hidden.filter(([, { ran, moved }]) => (ran ? 2 : Number(moved)) === kind);
      if (!pieces.length) continue;
      const ranks = Object.keys(left).filter((rank) => left[rank] > 1e-9 && allows(data.ranks[rank], pieces[0][1]));
      const pool = ranks.reduce((sum, rank) => sum + left[rank], 0);
      const shares = Object.fromEntries(ranks.map((rank) => [rank, left[rank] / pool]));
      for (const [place] of pieces) found[place] = shares;
      for (const rank of ranks) left[rank] -= Math.min(left[rank], pieces.length * shares[rank]);
    }
    return found;
  }

  // The seats about whose pieces a seat can be shown a belief: its opponent's; for the arbiter, that of each opponent.
  const owners = (game) => SEATS.filter((owner) => game.seat === "arbiter" || !game.seesSecrets(owner));

  // The table from which the belief about the pieces of a seat follows.
  const tableAbout = (game, owner) => (game.seat === "arbiter" ? game.tableOf(OTHER[owner]) : game.table);

  // Returns the likelihood of each rank by the places of all hidden pieces, for the current frame.
  const believeAll = (game) => Object.assign({}, ...owners(game).map((owner) => believe(game.data, tableAbout(game, owner), owner)));

  // Returns for each frame the pieces whose rank became certain to their opponent: seen, or the only one that is left.
  function findCertain(game) {
    const { data } = game, certain = new Map();
    if (!game.hasBoard) return certain;
    for (const owner of owners(game)) {
      let known = null;
      walk(data, game.seat === "arbiter" ? OTHER[owner] : game.seat, (number, table, change, before) => {
        const [src, dst] = (change.go || "").split(" ").map((place) => "@" + place);
        if (known && change[">"] && !change.attack && !change.act && table[dst] === before) {
          if (known.delete(src)) known.add(dst);
          return; // a piece that had moved before: nothing can be concluded from that
        }
        const belief = believe(data, table, owner), now = new Map();
        for (const key in table) {
          if (key[0] !== "@" || OWNER[table[key][0]] !== owner) continue;
          const place = key.slice(1), piece = readPiece(data, table[key]), ranks = Object.keys(belief[place] || {});
          if (piece.known) now.set(key, { place, owner, rank: piece.rank, isSeen: true });
          else if (ranks.length === 1) now.set(key, { place, owner, rank: ranks[0], isSeen: false });
        }
        const isNew = (key) => !known.has(key) && !(key === dst && known.has(src) && OWNER[before?.[0]] === owner);
        const fresh = known ? [...now].filter(([key]) => isNew(key)).map(([, one]) => one) : [];
        if (fresh.length) certain.set(number, [...(certain.get(number) || []), ...fresh]);
        known = new Set(now.keys());
      });
    }
    return certain;
  }

  return { allows, believeAll, countLeft, findCertain };
})();
