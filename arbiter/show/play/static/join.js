// Exchanges the token of an invitation, which stands after # in the address, for a session.
import { loadTexts, text } from "./desk.js";

const state = document.getElementById("state");
const token = location.hash.slice(1);
const REFUSALS = { 401: "join_refused", 429: "join_often" };
history.replaceState(null, "", location.pathname); // so that it stays in no history

async function join() {
  await loadTexts();
  document.title = text("join_title");
  if (!token) {
    state.textContent = text("join_incomplete");
    return;
  }
  state.textContent = text("join_opening");
  const answer = await fetch("/session", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(token),
  });
  const found = await answer.json();
  if (answer.ok) location.replace(found.address);
  else state.textContent = REFUSALS[answer.status] ? text(REFUSALS[answer.status]) : found.error;
}

join().catch(() => { state.textContent = "The server does not answer. Load the page again in a moment."; });
