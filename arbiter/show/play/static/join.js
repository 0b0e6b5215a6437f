// Exchanges the token of an invitation, which stands after # in the address, for a session.
const state = document.getElementById("state");
const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname); // so that it stays in no history

async function join() {
  if (!token) {
    state.textContent = "This address is not complete: open the whole link that you were sent.";
    return;
  }
  const answer = await fetch("/session", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(token),
  });
  const found = await answer.json();
  if (answer.ok) location.replace(found.address);
  else state.textContent = found.error;
}

join().catch(() => { state.textContent = "The server does not answer. Load the page again in a moment."; });
