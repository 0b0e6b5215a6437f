// Lets a bot play over a network without our kit:  node remote_client.js wss://club.example/#sab_... ./mybot
// Node.js 22 or newer; Node.js 20 needs --experimental-websocket.  See "Over a network" in protocol/README.md.
const { spawn } = require("node:child_process");

const [address, ...command] = process.argv.slice(2);
const [url, token] = address.split("#");
const games = new Map(); // by name: the bot, the lines received, and the lines that the server may lack
let socket, heard;

function send(envelope, line) {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(envelope) + (line === undefined ? "" : "\n" + line));
}

function start(name, skip) {
  const game = { received: 0, written: skip, unsent: [], bot: spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] }) };
  games.set(name, game);
  const write = (envelope, line) => {
    if (games.get(name) !== game) return;
    game.unsent.push([{ ...envelope, game: name, seq: ++game.written }, line]);
    send({ ...game.unsent.at(-1)[0], ...(envelope.kind === "line" && { ack: game.received }) }, line);
  };
  let rest = "";
  game.bot.stdin.on("error", () => {});
  game.bot.stdout.setEncoding("utf8");
  game.bot.stdout.on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    for (const line of lines) skip > 0 ? skip-- : write({ kind: "line" }, line);
  });
  game.bot.on("close", (status) => write({ kind: "close", why: `exited with status ${status}` }, rest));
  return game;
}
function end(name) {
  const game = games.get(name);
  if (!games.delete(name)) return;
  game.bot.stdin.end();
  setTimeout(() => game.bot.kill("SIGKILL"), 1000).unref();
}
const forget = (game, seq) => { if (game) game.unsent = game.unsent.filter(([one]) => one.seq > seq); };
const receive = {
  ping: ({ number }) => send({ kind: "pong", number }),
  sync(sync) {
    const listed = new Map(sync.games.map(({ game, seq }) => [game, seq]));
    for (const name of [...games.keys()]) if (!listed.has(name)) end(name);
    for (const [name, seq] of listed) {
      if (!games.has(name)) start(name, seq); // the server repeats everything to a new process
      forget(games.get(name), seq);
      for (const [envelope, line] of games.get(name).unsent) send(envelope, line);
    }
  },
  line({ game: name, seq, ack = 0 }, line) {
    const game = games.get(name) ?? start(name, 0);
    forget(game, ack);
    if (seq !== game.received + 1) return; // it has come before
    game.received = seq;
    game.bot.stdin.write(line + "\n");
    send({ kind: "ack", game: name, seq });
  },
  close: ({ game }) => end(game),
  expired: ({ game }) => end(game),
  ack: ({ game, seq }) => forget(games.get(game), seq),
  refused: ({ game, seq }) => forget(games.get(game), seq),
};
function connect() {
  socket = new WebSocket(url);
  heard = Date.now();
  socket.onopen = () => send({ kind: "sync", token, version: 1, games: [...games].map(([game, { received }]) => ({ game, seq: received })) });
  socket.onmessage = ({ data }) => {
    heard = Date.now();
    const cut = (data + "\n").indexOf("\n");
    const envelope = JSON.parse(data.slice(0, cut));
    receive[envelope.kind]?.(envelope, data.slice(cut + 1));
  };
  socket.onclose = ({ code, reason }) => {
    if (code >= 4000 && code <= 4003) { console.error(reason); process.exit(code === 4003 ? 0 : 1); }
    setTimeout(connect, 1000);
  };
}
setInterval(() => Date.now() - heard > 9000 && socket.close(), 1000);
connect();
