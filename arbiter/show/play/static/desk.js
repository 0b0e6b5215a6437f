// What the pages of invitations, authors and organisers share: their texts, their language, and the answers of the server.
import "./fill.js";
import { keep, read } from "./store.js";

let texts = {};

export function text(key, values = {}) {
  return window.arbiterFill(texts[key] ?? key, values);
}

export function make(parent, tag, attributes = {}, content = "") {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = content;
  parent.append(node);
  return node;
}

/** Write the texts of the page in the language that was chosen in this browser, or in that of the tournament. */
export async function loadTexts() {
  const found = await (await fetch(`/texts/${encodeURIComponent(read("lang", null) || "usual")}`)).json();
  texts = found.texts;
  document.documentElement.lang = found.lang;
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = text(node.dataset.text);
  const chosen = document.getElementById("language");
  if (!chosen) return;
  for (const [lang, name] of Object.entries(found.languages)) make(chosen, "option", { value: lang }, name);
  chosen.value = found.lang;
  chosen.addEventListener("change", () => {
    keep("lang", chosen.value);
    location.reload();
  });
}

const NO_SESSION = 401;
export let isOver = false; // the session

/** Return what the server answers; throw an error with its reason if it refuses. */
export async function ask(path, options = {}) {
  const answer = await fetch(path, options);
  const found = await answer.json();
  isOver ||= answer.status === NO_SESSION;
  if (!answer.ok) throw new Error(found.error);
  return found;
}

/** Work, and show at a node why it fails. */
export async function attempt(says, work) {
  says.textContent = "";
  try {
    await work();
  } catch (error) {
    says.textContent = error instanceof TypeError ? text("no_answer") : error.message;
  }
}

/** Repeat work after the milliseconds that it returns, until the session is over: wrong requests close the way for others here. */
export async function repeat(says, work, usual) {
  let wait = usual;
  try {
    wait = (await work()) ?? usual;
    document.body.dataset.ready = "";
  } catch (error) {
    says.textContent = error instanceof TypeError ? text("no_answer") : error.message;
  }
  if (!isOver) setTimeout(() => repeat(says, work, usual), wait);
}

/** Replace the contents of a box, and keep the focus at the button with the same key. */
export function redraw(box, draw) {
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  box.replaceChildren();
  draw();
  if (focused) box.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

export const writeTime = (time) => `${time.replace("T", " ").slice(0, 16)} UTC`;
