// The page of an author: submits programs, and shows their checks, versions and lost games.
import { ask as request, attempt as tryTo, loadTexts, make, redraw, repeat, text, writeTime } from "./desk.js";
import { writeTar } from "./tar.js";

const id = location.pathname.split("/")[2];
const form = document.getElementById("form");
const says = document.getElementById("says");
const command = document.getElementById("command");
const programs = document.getElementById("programs");
const lost = document.getElementById("lost");
const opened = new Map(); // for the number of each program whose steps are shown, what is known of it
let files = [], own = null;

const ask = (path, options = {}) => request(`/submissions${path}`, {
  ...options, headers: { "X-Arbiter-Session": id, ...options.headers },
});
const attempt = (work) => tryTo(says, work);

// --- submitting ---------------------------------------------------------------------------------------

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
    document.getElementById("chosen").textContent = text("chosen", { count: files.length, size: Math.ceil(size / 1024) });
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
  if (!files.length) throw new Error(text("choose_files"));
  if (!words.length) throw new Error(text("write_command"));
  const archive = new Blob(writeTar(files.map((file) => ({ ...file, path: `bot/${file.path}` }))));
  if (archive.size > own.max_mb * 2 ** 20) throw new Error(text("too_large", { most: own.max_mb }));
  says.textContent = text("sending");
  const headers = { "X-Arbiter-Command": writeWords(words) };
  const build = splitWords(document.getElementById("build").value);
  if (build.length) headers["X-Arbiter-Build"] = writeWords(build);
  const found = await ask("", { method: "POST", body: archive, headers });
  says.textContent = text("submitted", found);
  opened.set(found.number, found);
  await show();
}

// --- programs -----------------------------------------------------------------------------------------

function describe(one) {
  if (one.plays) return text("state_plays");
  if (one.rejected) return text("state_rejected", { why: one.rejected });
  if (one.crashed_in.length) return text("state_quarantine", { games: one.crashed_in.join(", ") });
  return text(`state_${one.state}`) + (one.why ? `: ${one.why}` : "");
}

/** Show the programs, and the steps of those that are open or being checked. */
async function show() {
  own = await ask("/own");
  document.getElementById("author").textContent = document.title = text("authors_title", { name: own.bot });
  document.getElementById("plays").textContent = own.plays ? text("plays_now", { name: own.plays }) : text("plays_none");
  const refusal = document.getElementById("refusal");
  refusal.textContent = own.refusal || "";
  for (const field of form.elements) field.disabled = Boolean(own.refusal);
  const wanted = own.programs.filter((one) => !one.is_over || opened.has(one.number));
  for (const one of wanted) {
    const known = opened.get(one.number);
    if (!known || !known.is_over) opened.set(one.number, await ask(`/${one.number}`));
  }
  redraw(programs, () => {
    for (const one of own.programs) showProgram(one);
    if (!own.programs.length) make(programs, "p", { class: "note" }, text("none"));
  });
}

function showProgram(one) {
  const box = make(programs, "article", { "data-number": one.number });
  make(box, "h3", {}, text("number", one));
  const state = make(box, "p", { class: "state" });
  make(state, "strong", {}, describe(one));
  make(state, "span", { class: "note" }, ` · ${writeTime(one.created)}`);
  const known = opened.get(one.number);
  if (known?.before && !known.is_over) make(box, "p", { class: "note" }, text("queue", { count: known.before }));
  const row = make(box, "p", { class: "row" });
  const button = (key, name, work) => {
    make(row, "button", { type: "button", "data-key": `${key}-${one.number}` }, name).addEventListener("click", () => attempt(work));
  };
  const decide = (what) => async () => {
    const found = await ask(`/${one.number}/${what}`, { method: "POST" });
    says.textContent = text(found.instead_of ? "plays_instead" : "plays_now", { name: found.plays, old: found.instead_of });
    await show();
  };
  if (one.plays) {
    if (own.may_roll_back) button("rollback", text("roll_back"), decide("rollback"));
  } else if (one.state === "passed" && own.may_promote && !one.rejected && !one.crashed_in.length) button("promote", text("promote"), decide("promote"));
  if (known) make(box, "pre", { tabindex: 0 }, known.steps.map((step) => step.text).join("\n") || "…");
  else button("steps", text("show_check"), async () => {
    opened.set(one.number, await ask(`/${one.number}`));
    await show();
  });
}

// --- lost games ---------------------------------------------------------------------------------------

async function showLost() {
  const games = await ask(`/lost?lang=${document.documentElement.lang}`);
  lost.replaceChildren();
  if (!games.length) make(lost, "p", { class: "note" }, text("none"));
  for (const game of games) {
    const box = make(lost, "article", { "data-game": game.game });
    make(box, "h3", {}, text("against", game));
    const about = make(box, "p");
    make(about, "a", { href: `/games/${encodeURIComponent(game.game)}.html` }, game.game);
    about.append(` · ${game.description}`);
    if (game.contest) make(box, "p", { class: "note" }, `${text("contested", game.contest)}${game.contest.answer ? ` — ${game.contest.answer}` : ""}`);
    if (game.ruling) make(box, "p", { class: "note" }, text("ruled", { why: game.ruling }));
    const row = make(box, "p", { class: "row" });
    const log = make(row, "button", { type: "button" }, text("show_log"));
    log.addEventListener("click", () => attempt(async () => {
      const { stderr } = await ask(`/lost/${encodeURIComponent(game.game)}`);
      make(box, "pre", { tabindex: 0 }, stderr || text("nothing"));
      log.remove();
    }));
    if (!game.contest) showContest(box, row, game);
  }
}

function showContest(box, row, game) {
  const start = make(row, "button", { type: "button" }, text("contest"));
  start.addEventListener("click", () => {
    start.remove();
    const asked = make(box, "form", { class: "row" });
    const label = make(asked, "label", {}, `${text("contest_why")} `);
    const reason = make(label, "input", { maxlength: 1000, required: "" });
    make(asked, "button", {}, text("contest_send"));
    asked.addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(async () => {
        await ask(`/lost/${encodeURIComponent(game.game)}/contest`, { method: "POST", body: JSON.stringify({ why: reason.value }) });
        await showLost();
        says.textContent = text("contest_sent");
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
  location.replace("/submit/");
}));

const FAST_MS = 1000, SLOW_MS = 15_000;

async function showNews() {
  if (!own || !document.hidden) await show();
  return own.programs.some((one) => !one.is_over) ? FAST_MS : SLOW_MS;
}

loadTexts().then(() => repeat(says, showNews, SLOW_MS), () => { says.textContent = "The server does not answer. Load the page again in a moment."; });
