// The wall: what is written around each board, the pinned bot, and the time until the next round.
"use strict";

(() => {
  const theme = window.arbiterTheme;
  const { OWNER, SEATS } = window.arbiterBoard;
  const DAY_S = 86_400;
  const words = window.arbiterWords.scripts;
  const write = (key, values = {}) => window.arbiterFill(words[key], values);

  // Writes the clocks, the last move and who is ahead in material.
  document.addEventListener("arbiter-board", ({ target: card, detail: { table, seat, ply } }) => {
    let balance = 0;
    for (const [key, count] of Object.entries(table)) {
      const [kind, owner, rank] = key.split("/");
      if (kind === "lost") balance += (owner === "red" ? -1 : 1) * theme.values[rank] * Number(count);
    }
    for (const owner of SEATS) card.querySelector(`.${owner} .clock`).textContent = table[`clock/${owner}`] ?? "";
    const act = table.act?.split(" by ")[0] || (table.go || "").replace(" ", "-");
    const move = [window.arbiterWords.board[OWNER[seat]], act, table.attack && theme.symbols.attack].filter(Boolean).join(" ");
    const lead = balance ? write("leads", { seat: words[balance > 0 ? "red" : "blue"], points: Math.abs(balance) }) : words.equal;
    card.querySelector("small").textContent = [write("ply_number", { ply }), act && move, lead].filter(Boolean).join(" · ");
  });

  // The games of the bot that the address pins come first: wall.html?pin=BOT.
  function pin() {
    const pinned = new URLSearchParams(location.search).get("pin");
    for (const card of document.querySelectorAll("article[data-board]"))
      for (const owner of SEATS) {
        if (card.dataset[owner] !== pinned) continue;
        card.classList.add("pinned");
        Object.assign(card.querySelector(`.${owner} a`), { href: location.pathname, title: words.unpin });
      }
  }

  function countDown() {
    const place = document.getElementById("countdown");
    if (!place) return;
    const start = Number(place.dataset.start), left = Math.round(start - Date.now() / 1000);
    const two = (number) => String(number).padStart(2, "0");
    const isPlanned = left <= 0 || left >= DAY_S;
    const time = isPlanned
      ? `${new Date(1000 * start).toLocaleString(document.documentElement.lang, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" })}`
      : `${Math.floor(left / 3600)}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
    place.textContent = write(isPlanned ? "round_planned" : "round_in", { round: place.dataset.round, time });
  }

  document.addEventListener("arbiter-refreshed", () => {
    pin();
    countDown();
  });
  pin();
  countDown();
  setInterval(countDown, 1000);
})();
