// A short sound for each kind of event.
import { read } from "./store.js";

const SOUNDS = {
  moved: [[330, 0.05]], fight: [[180, 0.09], [120, 0.12]], power: [[520, 0.06], [660, 0.08]], asked: [[440, 0.07], [550, 0.09]],
  refused: [[150, 0.15]], over: [[392, 0.12], [330, 0.12], [262, 0.2]], offered: [[600, 0.1], [600, 0.1]],
};
let context = null;

export function play(kind) {
  if (!read("sound", false)) return;
  context ??= new AudioContext();
  let at = context.currentTime;
  for (const [tone, seconds] of SOUNDS[kind]) {
    const voice = context.createOscillator(), loudness = context.createGain();
    voice.frequency.value = tone;
    loudness.gain.setValueAtTime(0.15, at);
    loudness.gain.exponentialRampToValueAtTime(0.001, at + seconds);
    voice.connect(loudness).connect(context.destination);
    voice.start(at);
    voice.stop(at + seconds);
    at += seconds;
  }
}
