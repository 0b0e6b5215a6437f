// The viewer on the page of a game: puts its parts together, and shows one frame after another.
"use strict";

(() => {
  const { OWNER, draw, label, make, makeLayout, readFight } = window.arbiterBoard;
  const controls = window.arbiterControls, description = window.arbiterDescription;
  const { Playback, SPEEDS, animateMove, beep } = window.arbiterPlayback;
  const sharing = window.arbiterShare;
  const { believeAll } = window.arbiterBelief;
  const root = document.getElementById("viewer");
  // The data of a long game is a script of its own.
  const packed = window.arbiterMoves || document.getElementById("viewer-data")?.textContent;
  if (!root) return;

  // The digits of base85, as in RFC 1924, with three other signs for those of HTML.
  const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%:()*+-;,=.?@^_`{|}~";

  // Five digits are four bytes; the last ones may be fewer.
  function readBytes(text) {
    const values = new Uint8Array(128), bytes = new DataView(new ArrayBuffer(4 * Math.ceil(text.length / 5)));
    for (let value = 0; value < DIGITS.length; value++) values[DIGITS.charCodeAt(value)] = value;
    for (let at = 0; at < text.length; at += 5) {
      let word = 0;
      for (let i = at; i < at + 5; i++) word = word * 85 + (i < text.length ? values[text.charCodeAt(i)] : 84);
      bytes.setUint32(at / 5 * 4, word);
    }
    return bytes.buffer.slice(0, Math.floor(text.length * 4 / 5));
  }

  async function unpack(text) {
    const bytes = readBytes(text);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }

  // New frames of a game in progress arrive while the game is played.
  function follow(shown, take) {
    const at = encodeURIComponent(root.dataset.at);
    const end = window.arbiterLive.listen(() => `${root.dataset.live}?shown=${shown()}&at=${at}`, {
      more: (message) => take(JSON.parse(message)),
      over() {
        end();
        take(null);
      },
    });
  }

  function start(data) {
    const game = new window.arbiterGame(data, { red: root.dataset.red, blue: root.dataset.blue });
    const parameters = sharing.readParameters(data.viewers, SPEEDS, root.dataset.live ? "end" : root.dataset.start || 0);
    const still = matchMedia("(prefers-reduced-motion: reduce)");
    let layout = makeLayout(data);
    let sound = false;

    // --- the parts of the page ---

    root.replaceChildren();
    root.classList.add("ready");
    root.lang = data.lang;
    const stage = make(root, "div", { class: "stage" });
    const top = make(stage, "p", { class: "player" });
    const svg = make(stage, "svg:svg", { class: "board", role: "img" });
    const bottom = make(stage, "p", { class: "player" });
    const deck = make(root, "div", { class: "deck" });
    const marks = make(deck, "svg:svg", { class: "marks", preserveAspectRatio: "none", "aria-hidden": "true" });
    const slider = controls.addSlider(deck, go);
    const playButton = controls.addButtons(deck, (key) => press(key));
    const info = make(root, "div", { class: "info", tabindex: 0, role: "region", "aria-label": label("this_ply") });
    const texts = make(info, "div", { class: "texts", role: "status", "aria-live": "polite" });
    const square = make(info, "p", { class: "asked", role: "status" });
    const belief = make(info, "ul", { class: "belief", "aria-label": label("likelihoods") });
    const lost = make(info, "div", { class: "lost" });
    const radios = controls.addSeats(root, data, (seat) => go(game.number, seat));
    controls.addWanted(root.lastChild, data, (rank) => {
      game.wanted = rank || null;
      render();
    });
    const reports = controls.addReports(root.lastChild, (isShown) => {
      game.showsReports = isShown;
      root.classList.toggle("with-reports", isShown);
      if (root.dataset.frame) render();
    });
    const story = make(root, "ol", { class: "story", "aria-label": label("turning_points") });
    const moves = make(root, "div", { class: "moves", tabindex: 0, role: "list", "aria-label": label("move_list") });
    const graphs = make(root, "div", { class: "graphs" });
    const extras = make(root, "div", { class: "extras" });
    const legend = make(extras, "p", { class: "note legend-pieces" });
    const { speedList, plyField } = controls.addOptions(extras, {
      speeds: SPEEDS, speed: parameters.speed || 2, setSpeed: (speed) => { playback.speed = speed; }, setSound: (on) => { sound = on; },
      goToPly: (ply) => go(game.findPly(ply)),
    });
    const words = make(extras, "details", { class: "words" });
    make(words, "summary", {}, label("position"));
    const position = make(words, "div");
    words.addEventListener("toggle", showPosition);
    if (data.fault) make(extras, "p", { class: "note" }, data.fault);
    const help = controls.addHelp(root, data);
    // The board fits the window below the head, which is higher with long names.
    const measureHead = () => root.style.setProperty("--head", `${root.getBoundingClientRect().top + scrollY}px`);
    new ResizeObserver(measureHead).observe(document.querySelector(".facts-line") || document.querySelector("main"));
    const showOverview = window.arbiterOverview(game, { story, moves, marks, graphs }, go);
    const playback = new Playback(game, go, (playing) => controls.showPlaying(playButton, playing));
    playback.speed = parameters.speed || playback.speed;
    sharing.addSharing(document.querySelector(".between") || extras, root, game);
    if (parameters.embed) sharing.embed(root);

    // --- one frame ---

    function go(number, seat = game.seat) {
      if (!data.viewers.includes(seat)) return;
      const step = game.goTo(number, seat);
      render(step === 1);
      history.replaceState(null, "", game.address);
    }

    function render(animated = false) {
      const { number, seat, table, tableBefore, turned } = game, actor = game.actor();
      svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
      const scene = draw(svg, data, layout, table, {
        turned, actor, selected: game.selected, shows: (piece) => game.seesSecrets(piece.seat), tint: game.wanted ? findShares() : {},
      });
      const fight = actor && readFight(data, layout, tableBefore, table, actor);
      if (animated && !still.matches) animateMove(svg, scene, tableBefore, table, fight, playback.speed);
      if (animated && sound) beep(table.attack);
      svg.setAttribute("aria-label", label("position_after", { ply: game.plies[number], view: label(seat === "arbiter" ? "everything" : seat) }));
      root.dataset.frame = number;
      root.dataset.last = game.last;
      root.dataset.seat = seat;
      radios[seat].checked = true;
      slider.max = game.lastOfSlider;
      slider.value = number;
      slider.setAttribute("aria-valuetext", label("ply_number", { ply: game.plies[number] }));
      showPlayer(top, turned ? "red" : "blue");
      showPlayer(bottom, turned ? "blue" : "red");
      description.showTexts(texts, game, fight);
      square.textContent = game.selected ? description.describeSquare(game, game.selected) : "";
      description.showBelief(belief, game);
      description.showLost(lost, game);
      legend.textContent = description.describePieces(game);
      showOverview();
      showPosition();
    }

    // Returns the likelihood of the wanted rank by place, where it is possible.
    function findShares() {
      const shares = Object.entries(believeAll(game)).map(([place, one]) => [place, one[game.wanted] || 0]);
      return Object.fromEntries(shares.filter(([, share]) => share > 0));
    }

    function showPlayer(line, owner) {
      const { table } = game;
      line.className = `player ${owner}${owner === game.actor() ? " acted" : ""}`;
      line.replaceChildren();
      make(line, "b", {}, game.names[owner]);
      if (table[`clock/${owner}`]) make(line, "span", { class: "clock" }, table[`clock/${owner}`]);
      if (table[`deck/${owner}`]) make(line, "span", { class: "clock" }, label("deck", { count: table[`deck/${owner}`] }));
    }

    function showPosition() {
      if (words.open) description.showPosition(position, game);
    }

    svg.addEventListener("click", (event) => {
      const chosen = event.target.closest("[data-place]")?.dataset.place || event.target.dataset.square || null;
      game.selected = chosen === game.selected ? null : chosen;
      render();
    });

    // --- keys, and the buttons that do the same ---

    function seek(step, kind) {
      const number = game.find(Number(step), kind);
      if (number !== null) go(number);
    }

    function changeSpeed(step) {
      playback.changeSpeed(step);
      speedList.value = String(playback.speed);
    }

    function flip() {
      game.turned = !game.turned;
      render();
    }

    const nextSeat = () => data.viewers[(data.viewers.indexOf(game.seat) + 1) % data.viewers.length];
    const press = controls.bindKeys({
      step(steps) {
        if (Number(steps) < 0 && playback.isPlaying) playback.stop();
        go(game.number + Number(steps));
      },
      first: () => go(0),
      last: () => go(game.last),
      ask_ply(digit) {
        plyField.value = digit;
        plyField.focus();
      },
      attack: (step) => seek(step, "isAttack"),
      capture: (step) => seek(step, "isCapture"),
      turning_point: (step) => seek(step, "isTurningPoint"),
      reports: () => reports.click(),
      play: () => playback.toggle(),
      faster: () => changeSpeed(1),
      slower: () => changeSpeed(-1),
      next_viewer: () => go(game.number, nextSeat()),
      view_as: (seat) => go(game.number, seat),
      flip,
      game: (step) => document.querySelector(`a[rel=${Number(step) > 0 ? "next" : "prev"}]`)?.click(),
      help: () => help.showModal(),
    }, () => playback.stopCatchingUp());

    // --- the address, and a game in progress ---

    function followAddress() {
      const { number, seat } = game.readAddress(location.hash) || game.readAddress(parameters.address);
      go(number, seat);
    }
    document.addEventListener("arbiter-spoilers", () => render());
    window.addEventListener("hashchange", followAddress);
    followAddress();
    if (parameters.autoplay) playback.toggle();

    function take(more) {
      const follows = game.number === game.last || playback.isCatchingUp;
      playback.stopCatchingUp();
      if (!more && follows) history.replaceState(null, "", "#end");
      if (!more || more.from !== data.frames.length) return window.arbiterLive.reload();
      game.add(more);
      layout = makeLayout(data);
      if (follows && !playback.isPlaying) playback.catchUp();
      else render();
    }
    if (root.dataset.live) follow(() => data.frames.length, take);
  }

  if (!packed) {
    if (root.dataset.live) follow(() => 0, () => window.arbiterLive.reload());
    else make(root, "p", { class: "note" }, label("moves_missing"));
    return;
  }
  unpack(packed).then(start, () => {
    root.textContent = window.arbiterWords.viewer.too_old;
  });
})();
