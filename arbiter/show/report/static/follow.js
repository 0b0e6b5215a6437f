// Follows the games of a served tournament: some seconds after the end of one, the page opens another one.
// If games are too short to be watched, each page replays a finished one.
"use strict";

(() => {
  const WAIT_S = 10, WAIT_AFTER_REPLAY_S = 3;
  const words = window.arbiterWords.scripts;
  const place = document.getElementById("follow");
  if (!place) return;
  const mode = new URLSearchParams(location.search).get("follow");
  const isFollowing = mode !== null, isReplay = mode === "replay";
  const isOver = "over" in place.dataset;
  const link = (text, address) => {
    const made = document.createElement("a");
    made.href = address;
    made.textContent = text;
    return made;
  };
  if (!isFollowing) {
    if (!isOver) place.append(link(words.follow, `${location.pathname}?follow`));
    return;
  }
  const stop = link(words.stop_following, location.pathname);
  if (!isOver) return place.append(`${words.following} · `, stop);

  const isSpoilerFree = () => document.documentElement.classList.contains("spoiler-free");
  if (!location.hash && !isReplay && !isSpoilerFree()) location.hash = "#end";
  // A reader who looks at the game in detail is not interrupted.
  const text = document.createElement("span");
  place.append(text, " · ", link(words.next_now, place.dataset.next), " · ", stop);
  const viewer = document.getElementById("viewer");
  let left = isReplay ? WAIT_AFTER_REPLAY_S : WAIT_S;
  const timer = setInterval(tick, 1000);
  function tick() {
    if ((isReplay || isSpoilerFree()) && viewer.dataset.frame !== viewer.dataset.last) {
      text.textContent = isReplay ? words.replays : words.opens_at_end;
      return;
    }
    text.textContent = window.arbiterFill(words.opens_in, { seconds: left });
    if (left <= 0) {
      clearInterval(timer);
      location.replace(place.dataset.next);
    }
    left -= 1;
  }
  for (const kind of ["keydown", "pointerdown"])
    document.addEventListener(kind, () => {
      clearInterval(timer);
      text.textContent = words.paused;
    }, { once: true });
  tick();
})();
