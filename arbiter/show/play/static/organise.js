// The page of an organiser: programs, authors, contests, invitations with their sessions, and the journal.
import { ask, attempt as tryTo, loadTexts, make, redraw, repeat, text, writeTime } from "./desk.js";

const base = location.pathname;
const says = document.getElementById("says");
const boxes = Object.fromEntries(["programs", "bans", "contests", "invitations", "journal"].map((id) => [id, document.getElementById(id)]));
const opened = new Map(); // for the number of each program whose check is shown, its steps
let known = null;

const attempt = (work) => tryTo(says, work);

/** Send a decision, with a name or a reason. */
async function decide(path, body = {}) {
  const found = await ask(base + path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  await show();
  says.textContent = found.plays ? text(found.instead_of ? "plays_instead" : "plays_now", { name: found.plays, old: found.instead_of }) : text("done");
}

function addButton(row, key, name, work) {
  const button = make(row, "button", { type: "button", "data-key": key }, name);
  button.addEventListener("click", () => attempt(() => work(button)));
}

/** Add a button that asks for a reason first. */
function addReason(row, key, name, path) {
  addButton(row, key, name, (button) => {
    const form = document.createElement("form");
    form.className = "row";
    const label = make(form, "label", {}, `${text("reason")} `);
    const input = make(label, "input", { maxlength: 1000, required: "", autocomplete: "off" });
    make(form, "button", {}, name);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(async () => {
        form.remove();
        await decide(path, { why: input.value });
      });
    });
    row.after(form);
    button.remove();
    input.focus();
  });
}

// --- programs -----------------------------------------------------------------------------------------

function describe(one) {
  if (one.plays) return text("state_plays");
  if (one.rejected) return text("state_rejected", { why: one.rejected });
  if (one.quarantine) return text("state_in_quarantine");
  return text(`state_${one.state}`) + (one.why ? `: ${one.why}` : "");
}

function showProgram(one) {
  const box = make(boxes.programs, "article", { "data-number": one.number });
  make(box, "h3", {}, `${one.bot}: ${text("number", one)}`);
  const state = make(box, "p", { class: "state" });
  make(state, "strong", {}, describe(one));
  make(state, "span", { class: "note" }, ` · ${writeTime(one.created)}`);
  const row = make(box, "p", { class: "row" });
  const path = `programs/${one.number}`;
  if (one.plays) {
    if (known.may_roll_back.includes(one.bot)) addButton(row, `rollback-${one.number}`, text("roll_back"), () => decide(`${path}/rollback`));
  } else if (one.state === "passed") {
    addButton(row, `promote-${one.number}`, text("promote"), () => decide(`${path}/promote`));
    if (!one.rejected) addReason(row, `reject-${one.number}`, text("reject"), `${path}/reject`);
  }
  make(row, "a", { href: `${base}${path}/archive`, download: "" }, text("download"));
  if (opened.has(one.number)) make(box, "pre", { tabindex: 0 }, opened.get(one.number).map((step) => step.text).join("\n") || "…");
  else addButton(row, `steps-${one.number}`, text("show_check"), async () => {
    opened.set(one.number, await ask(base + path));
    draw();
  });
}

// --- authors and contests -----------------------------------------------------------------------------

function showBan([author, why]) {
  const row = make(boxes.bans, "p", { class: "row", "data-author": author });
  make(row, "span", {}, `${author}: ${why}`);
  addButton(row, `lift-${author}`, text("lift_ban"), () => decide("lift-ban", { author }));
}

function showContest(one) {
  const box = make(boxes.contests, "article", { "data-contest": one.number });
  make(box, "h3", {}, `${one.number}: ${one.version}`);
  const about = make(box, "p");
  make(about, "strong", {}, text(`contest_${one.state}`));
  about.append(" · ");
  make(about, "a", { href: `/games/${encodeURIComponent(one.game)}.html` }, one.game);
  about.append(` · ${one.why}${one.answer ? ` — ${one.answer}` : ""}`);
  const row = make(box, "p", { class: "row" });
  if (one.evidence) make(row, "a", { href: `${base}contests/${one.number}/evidence`, download: "" }, text("evidence"));
  if (one.state !== "open") return;
  addReason(row, `dismiss-${one.number}`, text("dismiss"), `contests/${one.number}/dismiss`);
  make(box, "p", { class: "note" }, text("rule_help"));
  make(box, "pre", { tabindex: 0 }, `arbiter rule FILE '${one.game}' --result RESULT --because TEXT`);
}

// --- invitations and the journal ----------------------------------------------------------------------

function showInvitation(one) {
  const box = make(boxes.invitations, "article", { "data-invitation": one.id });
  make(box, "h3", {}, `${one.name}: ${text(`scope_${one.scope}`)}`);
  const end = one.expires ? ` · ${text("until", { time: writeTime(one.expires) })}` : "";
  const about = make(box, "p");
  make(about, "strong", {}, text(`invitation_${one.state}`));
  about.append(` · ${one.id} · ${writeTime(one.created)}${end}${one.banned ? ` · ${text("banned")}` : ""}${one.id === known.id ? ` · ${text("this_browser")}` : ""}`);
  if (one.state !== "pending" && one.state !== "active") return;
  const row = make(box, "p", { class: "row" });
  addButton(row, `revoke-${one.id}`, text("revoke"), (first) => {
    first.remove();
    addButton(row, `really-${one.id}`, text("revoke_really"), () => decide(`invitations/${one.id}/revoke`));
    row.lastChild.focus();
  });
}

function showNote({ at, who, what, ...rest }) {
  const details = Object.entries(rest).map(([key, value]) => `${key}: ${value}`).join(", ");
  const line = make(boxes.journal, "p", { lang: "en" });
  make(line, "span", { class: "note" }, `${writeTime(at)} · `);
  line.append(`${who}: ${what}${details ? ` (${details})` : ""}`);
}

// --- start --------------------------------------------------------------------------------------------

function fill(box, items, showOne) {
  redraw(box, () => {
    items.forEach(showOne);
    if (!items.length) make(box, "p", { class: "note" }, text("none"));
  });
}

function draw() {
  document.getElementById("title").textContent = document.title = text("organiser_title", known);
  document.getElementById("mode").textContent = text(`mode_${known.mode}`);
  fill(boxes.programs, known.programs, showProgram);
  fill(boxes.bans, Object.entries(known.banned), showBan);
  fill(boxes.contests, known.contests, showContest);
  fill(boxes.invitations, known.invitations, showInvitation);
  fill(boxes.journal, known.journal, showNote);
}

const isBusy = () => document.querySelector("article form, [data-key^=really]");

/** Show all; in the background only what is new, unless somebody writes a reason or is asked for a second press. */
async function show(inBackground = false) {
  const found = await ask(`${base}all`);
  if (inBackground && (isBusy() || JSON.stringify(found) === JSON.stringify(known))) return;
  known = found;
  draw();
}

document.getElementById("ban").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  attempt(async () => {
    await decide("ban", { author: form.author.value.trim(), why: form.why.value });
    form.reset();
  });
});
document.getElementById("leave").addEventListener("click", () => attempt(async () => {
  await ask(`${base}leave`, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  location.replace("/organise/");
}));

const EVERY_MS = 5000;

async function showNews() {
  if (!known || !document.hidden) await show(true);
}

loadTexts().then(() => repeat(says, showNews, EVERY_MS), () => { says.textContent = "The server does not answer. Load the page again in a moment."; });
