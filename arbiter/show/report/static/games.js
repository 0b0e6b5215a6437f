// Filters and sorts the list of all games. Without this script, the list is complete, page by page.
"use strict";

(() => {
  const MOST = 100; // rows that are added at once
  const FIELDS = ["words", "bot", "result", "ending", "sort"];
  const RESULTS = {
    red: (game) => game.winner === "red",
    blue: (game) => game.winner === "blue",
    none: (game) => !game.winner,
    won: (game, bot) => Boolean(game.winner) && game[game.winner] === bot,
    lost: (game, bot) => Boolean(game.winner) && game[game.winner] !== bot,
  };
  const ORDERS = {
    shortest: (one, other) => one.plies - other.plies,
    longest: (one, other) => other.plies - one.plies,
    newest: (one, other) => (one.started < other.started ? 1 : -1),
    oldest: (one, other) => (one.started < other.started ? -1 : 1),
  };

  // A script is the only kind of data that a page opened from a disk can load.
  const load = (address) => new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = address;
    script.addEventListener("error", fail);
    script.addEventListener("load", () => {
      const { bots, endings, rows } = window.arbiterGames;
      done(rows.map(([round, red, blue, winner, result, ending, plies, started, page, ruling]) => ({
        round, red: bots[red][0], blue: bots[blue][0], titles: { red: bots[red][1], blue: bots[blue][1] },
        winner: { r: "red", b: "blue" }[winner], result, ending: endings[ending], plies, started, page, ruling,
      })));
    });
    document.head.append(script);
  });

  function makeRow(game) {
    const row = document.createElement("tr");
    const add = (name, part, ...more) => {
      const cell = row.insertCell();
      cell.className = name;
      cell.append(part, ...more);
    };
    const make = (name, text, attributes = {}) => Object.assign(document.createElement(name), { textContent: text, ...attributes });
    add("n", game.round);
    add("", make(game.winner === "red" ? "b" : "span", game.titles.red));
    const link = make("a", "", { href: `games/${game.page}.html` });
    link.append(make("span", game.result, { className: "result" }), make("span", window.arbiterWords.scripts.watch, { className: "without" }));
    add("c", link, ...(game.ruling ? [make("sup", game.ruling)] : []));
    add("", make(game.winner === "blue" ? "b" : "span", game.titles.blue));
    add("", game.ending);
    add("n", game.plies);
    add("n", game.started);
    return row;
  }

  // Returns true if each word is part of a name, of the round or of the ending, which spoiler-free readers do not see.
  function matches(game, words) {
    const isFree = document.documentElement.classList.contains("spoiler-free");
    const text = [game.round, game.red, game.blue, ...Object.values(game.titles), isFree ? "" : game.ending].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  }

  let applyAgain = null;

  function start() {
    const form = document.getElementById("filter");
    const body = document.querySelector("table.games").tBodies[0], original = [...body.rows];
    const pager = document.querySelector(".pager"), more = document.getElementById("more"), found = document.getElementById("found");
    const field = (name) => form.elements[name];
    let games = null, loading = null, calls = 0, most = MOST;

    async function apply() {
      const call = ++calls;
      if (document.documentElement.classList.contains("spoiler-free"))
        for (const name of FIELDS) if (field(name).closest(".result") || field(name).selectedOptions?.[0]?.matches(".result")) field(name).value = "";
      for (const option of field("result").options) option.disabled = "bot" in option.dataset && !field("bot").value;
      if (field("result").selectedOptions[0]?.disabled) field("result").value = "";
      const values = FIELDS.map((name) => [name, field(name).value]).filter(([, value]) => value);
      const { words = "", bot, result, ending, sort } = Object.fromEntries(values);
      const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
      history.replaceState(null, "", `#${new URLSearchParams(values)}`);
      if (pager) pager.hidden = values.length > 0;
      if (!values.length) {
        body.replaceChildren(...original);
        more.hidden = true;
        found.textContent = "";
        return;
      }
      games ??= await (loading ??= load(form.dataset.games));
      if (call !== calls) return; // the fields have changed while the games were loaded
      const list = games.filter((game) => matches(game, wanted) && (!bot || game.red === bot || game.blue === bot)
        && (!ending || game.ending === ending) && (!result || RESULTS[result](game, bot)));
      if (sort) list.sort(ORDERS[sort]);
      body.replaceChildren(...list.slice(0, most).map(makeRow));
      more.hidden = list.length <= most;
      found.textContent = window.arbiterFill(window.arbiterWords.scripts.some_games, { some: list.length, all: games.length });
    }

    applyAgain = apply;
    const given = new URLSearchParams(location.hash.slice(1));
    for (const name of FIELDS) {
      const value = given.get(name);
      if (name === "words") field(name).value = value ?? "";
      else if ([...field(name).options].some((option) => option.value === value)) field(name).value = value;
    }
    form.hidden = false;
    form.addEventListener("input", () => {
      most = MOST;
      apply();
    });
    form.addEventListener("submit", (event) => event.preventDefault()); // Enter in the text field
    form.addEventListener("reset", () => setTimeout(apply));
    more.addEventListener("click", () => {
      most += MOST;
      apply();
    });
    if (given.size) apply();
  }

  start();
  document.addEventListener("arbiter-spoilers", () => applyAgain());
  document.addEventListener("arbiter-refreshed", start); // a served page has replaced its content
})();
