// The editor of deployments without a game: they are saved in the browser, and offered when a game begins.
import { make } from "./grid.js";
import { Setup } from "./setup.js";
import { keep, read } from "./store.js";
import { Words } from "./words.js";

const main = document.getElementById("main");

async function start() {
  const words = await Words.load(read("lang", null) || "en");
  const all = await (await fetch("/rules")).json();
  document.documentElement.lang = words.lang;
  document.title = document.getElementById("title").textContent = words.text("phase_setup");
  main.replaceChildren();
  make(main, "h1", { class: "hidden" }, words.text("phase_setup"));
  const row = make(main, "p", { class: "options" });
  const add = (key, values, value, choose) => {
    const list = make(make(row, "label", {}, `${words.text(key).replace(/^./u, (sign) => sign.toUpperCase())} `), "select", { name: key });
    for (const [one, text] of values) make(list, "option", one === value ? { value: one, selected: "" } : { value: one }, text);
    list.addEventListener("change", () => choose(list.value));
  };
  let setup = null;
  const show = () => {
    const rules = all.find(({ id }) => id === read("editor-rules", "original")) || all[0], seat = read("editor-seat", "red");
    const ranks = Object.fromEntries(rules.ranks.map(({ id }) => [id, {
      sign: words.signs[id], army: rules.army[id] || 0, red: words.label(rules.id, "red", id), blue: words.label(rules.id, "blue", id),
    }]));
    setup?.remove();
    setup = new Setup(main, words, { lang: words.lang, layout: rules.board, ranks, seat }, rules, seat, null);
  };
  const choose = (key) => (value) => {
    keep(key, value);
    show();
  };
  add("rules", all.map(({ id }) => [id, id]), read("editor-rules", "original"), choose("editor-rules"));
  add("seat", ["red", "blue"].map((seat) => [seat, words.seat(seat)]), read("editor-seat", "red"), choose("editor-seat"));
  add("language", Object.entries(words.languages), words.lang, (lang) => {
    keep("lang", lang);
    location.reload();
  });
  show();
}

start();
