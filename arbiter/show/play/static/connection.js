// The connection to the arbiter: lines in numbered envelopes, repeated after a loss, as in protocol/envelope.py.
const SILENCE_MS = 9000;
const FIRST_DELAY_MS = 300, LONGEST_DELAY_MS = 5000;
const REPLACED = 4000, UNKNOWN_TOKEN = 4001, BROKEN = 4002, FINISHED = 4003;
const ENDS = { [REPLACED]: "replaced", [UNKNOWN_TOKEN]: "no_session", [BROKEN]: "broken", [FINISHED]: "finished" };

// Calls `on.state(name)`, `on.line(message, game)`, `on.gone(game)` and `on.table(others)`.
export class Connection {
  constructor(address, on) {
    this.address = address;
    this.on = on;
    this.games = new Map();
    this.isReady = false;
    this.delay = FIRST_DELAY_MS;
    addEventListener("online", () => this.open());
    this.open();
  }

  open() {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    clearTimeout(this.timer);
    const socket = this.socket = new WebSocket(this.address);
    socket.onopen = () => {
      const games = [...this.games].map(([game, { received }]) => ({ game, seq: received }));
      this.write({ kind: "sync", version: 1, games, most_games: 1 });
      this.listen();
    };
    socket.onmessage = ({ data }) => {
      this.listen();
      if (socket === this.socket) this.take(data);
    };
    socket.onclose = ({ code }) => {
      if (socket !== this.socket) return;
      clearTimeout(this.silence);
      const end = ENDS[code];
      this.on.state(end || "lost");
      if (end) return;
      this.timer = setTimeout(() => this.open(), this.delay);
      this.delay = Math.min(2 * this.delay, LONGEST_DELAY_MS);
    };
  }

  listen() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      const socket = this.socket;
      socket.onclose({ code: 0 });
      socket.onclose = socket.onmessage = null;
      socket.close();
      this.socket = null;
    }, SILENCE_MS);
  }

  write(envelope, line) {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify(envelope) + (line === undefined ? "" : "\n" + line));
  }

  take(text) {
    const at = text.indexOf("\n");
    const envelope = JSON.parse(at < 0 ? text : text.slice(0, at)), line = at < 0 ? "" : text.slice(at + 1);
    const begins = envelope.kind === "line" && envelope.seq === 1;
    const game = begins || envelope.kind === "sent" ? this.find(envelope.game) : this.games.get(envelope.game);
    switch (envelope.kind) {
      case "ping":
        this.write({ kind: "pong", number: envelope.number });
        break;
      case "sync":
        this.synchronise(envelope.games);
        break;
      case "sent":
        if (game.sent.length === envelope.seq - 1) game.sent.push(line);
        break;
      case "line":
        if (envelope.seq !== game?.received + 1) break;
        game.received += 1;
        this.on.line(JSON.parse(line), game);
        this.write({ kind: "ack", game: game.id, seq: game.received });
        break;
      case "close":
        this.write({ kind: "ack", game: game?.id ?? envelope.game, seq: envelope.seq });
        this.games.delete(envelope.game);
        break;
      case "expired":
        if (game) this.on.gone(game);
        this.games.delete(envelope.game);
        break;
      case "table":
        this.on.table(envelope.others);
    }
  }

  // Continues the games that the server lists; `seq` is the number of our lines that it has.
  synchronise(games) {
    this.delay = FIRST_DELAY_MS;
    const listed = new Map(games.map(({ game, seq }) => [game, seq]));
    for (const [id, game] of this.games)
      if (!listed.has(id)) {
        this.on.gone(game);
        this.games.delete(id);
      }
    for (const [id, seq] of listed) {
      const game = this.find(id);
      for (let number = seq + 1; number <= game.sent.length; number++) this.writeLine(game, number);
    }
    if (this.isReady) this.write({ kind: "ready" });
    this.on.state(listed.size ? "playing" : "open");
  }

  find(id) {
    if (!this.games.has(id)) this.games.set(id, { id, received: 0, sent: [], answers: 0 });
    return this.games.get(id);
  }

  writeLine(game, number) {
    this.write({ kind: "line", game: game.id, seq: number, ack: game.received }, game.sent[number - 1]);
  }

  // Answers the open question of a game.
  send(game, message) {
    game.sent.push(JSON.stringify(message));
    game.answers = game.sent.length;
    this.writeLine(game, game.sent.length);
  }

  // Asks for the next game.
  ready() {
    this.isReady = true;
    this.write({ kind: "ready" });
  }
}
