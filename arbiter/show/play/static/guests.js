// The page on which a guest chooses a bot to play against.
import { keep, read } from "./store.js";
import { Words } from "./words.js";

const says = document.getElementById("says"), language = document.getElementById("language");
const REFUSALS = { 409: "guest_open", 429: "guest_often", 503: "guest_full", 502: "guest_failed" };
let words = null;

async function play(bot) {
  says.textContent = words.text("guest_waiting", { name: bot });
  const answer = await fetch("/guests/tables", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ bot }),
  });
  const found = await answer.json();
  if (answer.ok) location.assign(found.address);
  else says.textContent = REFUSALS[answer.status] ? words.text(REFUSALS[answer.status]) : found.error;
}

function add(parent, kind, text, attributes = {}) {
  const node = parent.appendChild(document.createElement(kind));
  Object.assign(node, attributes);
  node.textContent = text;
  return node;
}

async function start() {
  const { bots, lang } = await (await fetch("/guests/bots")).json();
  words = await Words.load(read("lang", null) || lang);
  document.documentElement.lang = words.lang;
  document.title = words.text("guest_title");
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = words.text(node.dataset.text);
  for (const [key, name] of Object.entries(words.languages)) add(language, "option", name, { value: key, selected: key === words.lang });
  language.addEventListener("change", () => {
    keep("lang", language.value);
    location.reload();
  });
  for (const bot of bots) {
    const row = document.getElementById("bots").appendChild(document.createElement("li"));
    const button = add(row, "button", words.text("guest_play", { name: bot }), { type: "button" });
    button.dataset.bot = bot;
    button.addEventListener("click", () => play(bot).catch(() => { says.textContent = words.text("no_answer"); }));
  }
}

start().catch(() => { says.textContent = "The server does not answer. Load the page again in a moment."; });
