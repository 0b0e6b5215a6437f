// The page on which a guest chooses a bot to play against.
const says = document.getElementById("says");
const list = document.getElementById("bots");

async function play(bot) {
  says.textContent = `Waiting for ${bot} …`;
  const answer = await fetch("/guests/tables", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ bot }),
  });
  const found = await answer.json();
  if (!answer.ok) {
    says.textContent = found.error;
    return;
  }
  const address = new URL(found.address);
  address.hostname = location.hostname; // the table is on the same machine
  location.assign(address);
}

async function start() {
  for (const bot of await (await fetch("/guests/bots")).json()) {
    const row = list.appendChild(document.createElement("li"));
    const button = row.appendChild(document.createElement("button"));
    button.type = "button";
    button.dataset.bot = bot;
    button.textContent = `Play against ${bot}`;
    button.addEventListener("click", () => play(bot).catch(() => { says.textContent = "The server does not answer."; }));
  }
}

start().catch(() => { says.textContent = "The server does not answer. Load the page again in a moment."; });
