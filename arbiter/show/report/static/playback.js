// Playing a game by itself: its speed, plies that arrive together, animated fights and sounds.
"use strict";

window.arbiterPlayback = (() => {
  const { drawPiece } = window.arbiterBoard;
  const SPEEDS = [1, 2, 5, 10, 25];
  const CATCH_UP_MS = 3000, SLOWEST_MS = 400;

  class Playback {
    speed = 2;
    #game;
    #step;
    #showPlaying;
    #timer = null;
    #catching = null;

    // `step` shows the next frame, or another one by its number; `showPlaying` shows if the game is being played.
    constructor(game, step, showPlaying) {
      this.#game = game;
      this.#step = step;
      this.#showPlaying = showPlaying;
    }

    get isPlaying() { return Boolean(this.#timer); }
    get isCatchingUp() { return Boolean(this.#catching); }

    toggle() {
      if (this.isPlaying) return this.stop();
      this.stopCatchingUp();
      if (this.#game.number === this.#game.last) this.#step(0);
      const tick = () => {
        this.#step(this.#game.number + 1);
        if (this.#game.number < this.#game.last) this.#timer = setTimeout(tick, 1000 / this.speed);
        else this.stop();
      };
      this.#timer = setTimeout(tick, 1000 / this.speed);
      this.#showPlaying(true);
    }

    stop() {
      clearTimeout(this.#timer);
      this.#timer = null;
      this.#showPlaying(false);
    }

    changeSpeed(step) { this.speed = SPEEDS[SPEEDS.indexOf(this.speed) + step] || this.speed; }

    // Plies that arrive together are shown one after another, many of them faster.
    catchUp() {
      this.stopCatchingUp();
      this.#step(this.#game.number + 1);
      const left = this.#game.last - this.#game.number;
      if (left) this.#catching = setTimeout(() => this.catchUp(), Math.min(SLOWEST_MS, CATCH_UP_MS / left));
    }

    stopCatchingUp() {
      clearTimeout(this.#catching);
      this.#catching = null;
    }
  }

  // The moved piece slides to its square; the piece that it beat fades.
  function animateMove(svg, scene, before, table, fight, speed) {
    const { at, drawn, from, to } = scene;
    if (!from || !to || !at[from] || !at[to] || !before[`@${from}`]) return;
    const fade = (place, piece) => {
      piece.hidden = false;
      const ghost = drawPiece(svg, piece, at[place]);
      ghost.classList.replace("piece", "ghost");
      ghost.animate([{ opacity: 1 }, { opacity: 1, offset: 0.5 }, { opacity: 0 }], { duration: 700, fill: "forwards" }).finished.then(() => ghost.remove(), () => {});
    };
    const mover = table[`@${to}`]?.[0] === before[`@${from}`][0] ? drawn[to] : null;
    if (mover) {
      const path = [from, to].map((place) => ({ transform: `translate(${at[place].x}px, ${at[place].y}px)` }));
      mover.animate(path, { duration: Math.min(220, 600 / speed), easing: "ease-out" });
    }
    if (fight && fight.word !== "attacks") {
      if (fight.word !== "falls_to") fade(to, fight.defender);
      if (fight.word !== "beats") fade(from, fight.attacker);
    }
  }

  let audio = null;
  function beep(isAttack) {
    audio ||= new AudioContext();
    const tone = audio.createOscillator(), volume = audio.createGain();
    tone.frequency.value = isAttack ? 180 : 520;
    volume.gain.setValueAtTime(0.08, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + (isAttack ? 0.25 : 0.06));
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.3);
  }

  return { Playback, SPEEDS, animateMove, beep };
})();
