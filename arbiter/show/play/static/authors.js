// The page of an author: hands in programs, and shows their checks, versions and lost games.
import { writeTar } from "./tar.js";

const id = location.pathname.split("/")[2];
const form = document.getElementById("form");
const says = document.getElementById("says");
const command = document.getElementById("command");
const programs = document.getElementById("programs");
const lost = document.getElementById("lost");
const opened = new Map(); // for the number of each program whose steps are shown, what is known of it
let files = [], own = null;

function make(parent, tag, attributes = {}, text = "") {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  parent.append(node);
  return node;
}

async function ask(path, options = {}) {
  const answer = await fetch(`/uploads${path}`, {
    ...options, headers: { "X-Arbiter-Session": id, ...options.headers },
  });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

async function attempt(work) {
  says.textContent = "";
  try {
    await work();
  } catch (error) {
    says.textContent = error instanceof TypeError ? "The server does not answer. Try again in a moment." : error.message;
  }
}

// --- handing in ---------------------------------------------------------------------------------------

/** Read the chosen files with their paths in the folder of the bot. */
async function readFiles(list) {
  const found = [];
  for (const file of list) {
    const path = file.webkitRelativePath ? file.webkitRelativePath.split("/").slice(1).join("/") : file.name;
    if (path.split("/").some((part) => part === "__pycache__" || part === ".git")) continue;
    const bytes = new Uint8Array(await file.arrayBuffer());
    found.push({ path, bytes, runs: isProgram(bytes) });
  }
  return found;
}

/** Return true for a script with a first line, or a compiled program: browsers do not report which files may run. */
function isProgram(bytes) {
  const starts = [[0x23, 0x21], [0x7f, 0x45, 0x4c, 0x46]];
  return starts.some((start) => start.every((byte, place) => bytes[place] === byte));
}

function choose(list) {
  attempt(async () => {
    files = await readFiles(list);
    const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    document.getElementById("chosen").textContent = `${files.length} file${files.length === 1 ? "" : "s"}, ${Math.ceil(size / 1024)} KiB`;
    const runs = files.filter(({ path, runs: can }) => can && !path.includes("/"));
    if (!command.value && runs.length === 1) command.value = `./${runs[0].path}`;
  });
}

function splitWords(text) {
  return (text.match(/"[^"]*"|'[^']*'|\S+/g) || []).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
}

/** Write words as JSON in ASCII, as headers need it. */
function writeWords(words) {
  return JSON.stringify(words).replace(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

async function handIn() {
  const words = splitWords(command.value);
  if (!files.length) throw new Error("Choose the files of your bot.");
  if (!words.length) throw new Error("Write the command that starts your bot.");
  const archive = new Blob(writeTar(files.map((file) => ({ ...file, path: `bot/${file.path}` }))));
  if (archive.size > own.max_mb * 2 ** 20) throw new Error(`The files have more than ${own.max_mb} MiB.`);
  says.textContent = "Sending the files …";
  const headers = { "X-Arbiter-Command": writeWords(words) };
  const build = splitWords(document.getElementById("build").value);
  if (build.length) headers["X-Arbiter-Build"] = writeWords(build);
  const found = await ask("", { method: "POST", body: archive, headers });
  says.textContent = `Handed in as number ${found.number}.`;
  opened.set(found.number, found);
  await show();
}

// --- programs -----------------------------------------------------------------------------------------

const STATES = {
  receiving: "arriving", waiting: "waiting", checking: "being checked", passed: "passed", failed: "a step failed", refused: "refused",
};

function describe(one) {
  if (one.plays) return "plays in the ladder";
  if (one.crashed_in.length) return `in quarantine: it crashed in ${one.crashed_in.join(", ")}`;
  return STATES[one.state] + (one.why ? `: ${one.why}` : "");
}

/** Show the programs, and the steps of those that are open or being checked. */
async function show() {
  own = await ask("/own");
  document.getElementById("author").textContent = own.bot;
  document.getElementById("plays").textContent = own.plays ? `${own.plays} plays in the ladder now.` : "None of your programs plays yet.";
  const refusal = document.getElementById("refusal");
  refusal.textContent = own.refusal || "";
  for (const field of form.elements) field.disabled = Boolean(own.refusal);
  const wanted = own.programs.filter((one) => !one.is_over || opened.has(one.number));
  for (const one of wanted) {
    const known = opened.get(one.number);
    if (!known || !known.is_over) opened.set(one.number, await ask(`/${one.number}`));
  }
  const focused = document.activeElement?.dataset.key;
  programs.replaceChildren();
  for (const one of own.programs) showProgram(one);
  if (!own.programs.length) make(programs, "p", { class: "note" }, "You have handed in no program yet.");
  if (focused) programs.querySelector(`[data-key="${focused}"]`)?.focus();
}

function showProgram(one) {
  const box = make(programs, "article", { "data-number": one.number });
  make(box, "h3", {}, `Number ${one.number}`);
  const state = make(box, "p", { class: "state" });
  make(state, "strong", {}, describe(one));
  make(state, "span", { class: "note" }, ` · ${one.created.replace("T", " ").slice(0, 16)} UTC`);
  const known = opened.get(one.number);
  if (known?.before && !known.is_over) make(box, "p", { class: "note" }, `Programs before it in the queue: ${known.before}`);
  const row = make(box, "p", { class: "row" });
  const button = (key, text, work) => {
    make(row, "button", { type: "button", "data-key": `${key}-${one.number}` }, text).addEventListener("click", () => attempt(work));
  };
  const decide = (what) => async () => {
    const found = await ask(`/${one.number}/${what}`, { method: "POST" });
    says.textContent = `${found.plays} plays${found.instead_of ? ` instead of ${found.instead_of}` : ""}.`;
    await show();
  };
  if (one.plays) button("rollback", "Let the version before it play again", decide("rollback"));
  else if (one.state === "passed" && own.may_promote && !one.crashed_in.length) button("promote", "Let it play", decide("promote"));
  if (known) make(box, "pre", { tabindex: 0 }, known.steps.map(({ text }) => text).join("\n") || "…");
  else button("steps", "Show its check", async () => {
    opened.set(one.number, await ask(`/${one.number}`));
    await show();
  });
}

// --- lost games ---------------------------------------------------------------------------------------

async function showLost() {
  const games = await ask("/lost");
  lost.replaceChildren();
  if (!games.length) make(lost, "p", { class: "note" }, "Your versions have lost no game.");
  for (const game of games) {
    const box = make(lost, "article", { "data-game": game.game });
    make(box, "h3", {}, `${game.version} against ${game.opponent}`);
    const about = make(box, "p");
    make(about, "a", { href: `/games/${encodeURIComponent(game.game)}.html` }, game.game);
    about.append(` · ${game.ending.replaceAll("_", " ")}${game.why ? `: ${game.why}` : ""}`);
    if (game.contest) make(box, "p", { class: "note" }, `Contested: ${game.contest.why}${game.contest.answer ? ` — ${game.contest.answer}` : ""}`);
    if (game.ruling) make(box, "p", { class: "note" }, `The organiser ruled: ${game.ruling}`);
    const row = make(box, "p", { class: "row" });
    const log = make(row, "button", { type: "button" }, "Show what it wrote to stderr");
    log.addEventListener("click", () => attempt(async () => {
      const { stderr } = await ask(`/lost/${encodeURIComponent(game.game)}`);
      make(box, "pre", { tabindex: 0 }, stderr || "nothing");
      log.remove();
    }));
    if (!game.contest) showContest(box, row, game);
  }
}

function showContest(box, row, game) {
  const start = make(row, "button", { type: "button" }, "Contest the result");
  start.addEventListener("click", () => {
    start.remove();
    const asked = make(box, "form", { class: "row" });
    const label = make(asked, "label", {}, "Why should the organiser rule otherwise? ");
    const reason = make(label, "input", { maxlength: 1000, required: "" });
    make(asked, "button", {}, "Send it to the organiser");
    asked.addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(async () => {
        await ask(`/lost/${encodeURIComponent(game.game)}/contest`, { method: "POST", body: JSON.stringify({ why: reason.value }) });
        await showLost();
        says.textContent = "The organiser has the evidence of this game now.";
      });
    });
    reason.focus();
  });
}

// --- start --------------------------------------------------------------------------------------------

for (const name of ["files", "folder"]) document.getElementById(name).addEventListener("change", ({ target }) => choose(target.files));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(handIn);
});
document.getElementById("games").addEventListener("click", () => attempt(showLost));
document.getElementById("leave").addEventListener("click", () => attempt(async () => {
  await ask("/leave", { method: "POST" });
  location.replace("/upload/");
}));

const FAST_MS = 1000, SLOW_MS = 15_000;

async function keepShowing() {
  let wait = SLOW_MS;
  try {
    if (!document.hidden) await show();
    if (own.programs.some((one) => !one.is_over)) wait = FAST_MS;
    document.body.dataset.ready = "";
  } catch (error) {
    says.textContent = error instanceof TypeError ? "The server does not answer." : error.message;
  }
  setTimeout(keepShowing, wait);
}

keepShowing();
