// The texts about a frame: the act, the fight, the remarks of the bots, a square, the losses, the position in words.
"use strict";

window.arbiterDescription = (() => {
  const { CELL, OWNER, OTHER, SEATS, drawPiece, label, make, readPiece, write } = window.arbiterBoard;
  const { believeAll } = window.arbiterBelief;
  const theme = window.arbiterTheme;

  function showAct(texts, game, fight) {
    const { data, number, plies, table } = game, actor = game.actor();
    const head = make(texts, "p", { class: "act" });
    make(head, "span", { class: "hidden" }, `${label("ply")} `);
    make(head, "span", { class: "ply" }, plies[number]);
    make(head.lastChild, "span", { class: "result" }, ` / ${plies[game.last]}`);
    head.append(" ");
    make(head, "b", { class: actor || "" }, `${actor ? `${write(actor)} ` : ""}${table.act || (table.go || "").replace(" ", "-")}`);
    if (data.ms[number] !== null) make(head, "span", { class: "ms" }, ` ${data.ms[number]} ms`);
    if (fight) showFight(texts, fight);
  }

  function showFight(texts, fight) {
    const line = make(texts, "p", { class: "fight", "aria-hidden": "true" }); // the next line has it in words
    const show = (piece) => {
      piece.hidden = false;
      drawPiece(make(line, "svg:svg", { viewBox: `0 0 ${CELL} ${CELL}`, "aria-hidden": "true" }), piece, { x: 0, y: 0 }).classList.replace("piece", "ghost");
    };
    show(fight.attacker);
    make(line, "span", {}, label(fight.word, { attacker: fight.attacker.sign, defender: fight.defender.sign }));
    show(fight.defender);
  }

  function showTexts(texts, game, fight) {
    const { data, table } = game;
    texts.replaceChildren();
    showAct(texts, game, fight);
    for (const key of ["story", "end"])
      for (const line of (table[key] || "").split("\n").filter(Boolean)) make(texts, "p", { class: key }, line);
    for (const one of game.certain.get(game.number) || []) if (!one.isSeen) make(texts, "p", { class: "deduced" }, writeCertain(data, one));
    for (const [key, kind] of [["note", "remark_note"], ["eval", "remark_eval"]])
      for (const owner of SEATS) {
        const text = table[`${key}/${owner}`];
        const shown = { seat: write(owner), text: key === "eval" ? text?.replace("-", "−") : text };
        if (text) make(texts, "p", { class: `bot-${key}` }, label(kind, shown));
      }
    for (const owner of SEATS)
      if (table[`stderr/${owner}`]) {
        make(texts, "p", { class: "bot-stderr" }, label("wrote", { seat: write(owner) }));
        make(texts, "pre", {}, table[`stderr/${owner}`]);
      }
  }

  // Describes what each side knows about the piece on a square.
  function describeSquare(game, place) {
    const { data, table } = game, text = table[`@${place}`];
    if (!text) return write(data.layout.lakes?.includes(place) ? "square_lake" : "square_empty", { place });
    const piece = readPiece(data, text), opponent = OTHER[piece.seat];
    const seat = write(piece.seat), foe = write(opponent), moved = piece.moved ? [write("has_moved")] : [];
    if (!piece.known) {
      const possible = write("possible", { ranks: game.listPossible(table, piece) });
      return [write("square_unknown", { place, seat }), ...moved, possible].join(" ");
    }
    const sentences = [write("square_piece", { place, seat, name: `${piece.name} (${piece.sign})` }), ...moved];
    if (game.seesSecrets(piece.seat)) {
      const [key, sign] = piece.seen ? ["known_by", theme.symbols.known] : ["hidden_from", theme.symbols.hidden];
      sentences.push(write(key, { sign, foe }));
      if (!piece.seen && game.seat === "arbiter")
        sentences.push(write("possible_for", { foe, ranks: game.listPossible(game.tableOf(opponent), piece) }));
    }
    return sentences.join(" ");
  }

  // Shows the likelihood of each rank of a hidden piece; the true one is marked if the seat sees it.
  function showBelief(list, game) {
    const { data, table, selected } = game;
    list.replaceChildren();
    const shares = selected && believeAll(game)[selected], piece = shares && readPiece(data, table[`@${selected}`]);
    for (const [rank, share] of Object.entries(shares || {}).sort(([, one], [, other]) => other - one)) {
      const name = data.ranks[rank][piece.seat], isTrue = piece.rank === rank;
      const item = make(list, "li", { class: isTrue ? "true" : "", title: name });
      const drawn = { seat: piece.seat, rank, sign: data.ranks[rank].sign, known: true };
      drawPiece(make(item, "svg:svg", { viewBox: `0 0 ${CELL} ${CELL}`, role: "img", "aria-label": name }), drawn, { x: 0, y: 0 }).classList.replace("piece", "ghost");
      make(item, "span", {}, share > 0 && share < 0.005 ? "<1 %" : `${Math.round(100 * share)} %`);
    }
  }

  // Writes which pieces became certain by counting alone.
  function writeCertain(data, { place, owner, rank }) {
    return write("certain", { place, seat: write(owner), name: data.ranks[rank][owner], foe: write(OTHER[owner]) });
  }

  function showLost(lost, game) {
    const { data, table } = game;
    lost.replaceChildren();
    for (const owner of SEATS) {
      const row = make(lost, "p", { class: owner });
      make(row, "span", { class: "who" }, `${label("lost", { seat: write(owner) })} `);
      const ranks = [...Object.keys(data.ranks), "?"].filter((rank) => table[`lost/${owner}/${rank}`]);
      if (!ranks.length) make(row, "span", {}, write("nothing"));
      for (const rank of ranks) {
        const count = table[`lost/${owner}/${rank}`], known = data.ranks[rank];
        const name = known ? known[owner] : write("unknown");
        const chip = make(row, "span", { class: "chip", role: "img", title: name, "aria-label": count === "1" ? name : `${name} (${count})` }, known ? known.sign : "?");
        if (count !== "1") make(chip, "small", {}, `(${count})`);
      }
    }
  }

  function showPosition(words, game) {
    const { data, table } = game;
    words.replaceChildren();
    for (const owner of SEATS) {
      const parts = Object.keys(table).filter((key) => key[0] === "@" && OWNER[table[key][0]] === owner).sort()
        .map((key) => `${key.slice(1)} ${readPiece(data, table[key]).name}`);
      make(words, "p", {}, write("side", { seat: write(owner), pieces: parts.join(", ") || write("nothing") }));
    }
  }

  function describePieces(game) {
    if (game.seat === "spectator") return label("legend_spectator");
    const { known, hidden } = theme.symbols;
    return `${label("legend", { known, hidden })}${game.hasBoard ? ` · ${label("legend_moved")}` : ""}`;
  }

  return { describePieces, describeSquare, showBelief, showLost, showPosition, showTexts, writeCertain };
})();
