// Follows the games of a served tournament: some seconds after the end of one, the page opens another one in progress.
"use strict";

(() => {
  const WAIT_S = 10;
  const place = document.getElementById("follow");
  if (!place) return;
  const isFollowing = new URLSearchParams(location.search).has("follow");
  const isOver = "over" in place.dataset;
  const link = (text, address) => {
    const made = document.createElement("a");
    made.href = address;
    made.textContent = text;
    return made;
  };
  if (!isFollowing) {
    if (!isOver) place.append(link("follow: open another game when this one ends", `${location.pathname}?follow`));
    return;
  }
  const stop = link("stop following", location.pathname);
  if (!isOver) return place.append("following the games in progress · ", stop);

  if (!location.hash) location.hash = "#end";
  // A reader who looks at the game in detail is not interrupted.
  const text = document.createElement("span");
  place.append(text, " · ", link("next game now", place.dataset.next), " · ", stop);
  let left = WAIT_S;
  const timer = setInterval(tick, 1000);
  function tick() {
    text.textContent = `the next game opens in ${left} s`;
    if (left <= 0) {
      clearInterval(timer);
      location.replace(place.dataset.next);
    }
    left -= 1;
  }
  for (const kind of ["keydown", "pointerdown"])
    document.addEventListener(kind, () => {
      clearInterval(timer);
      text.textContent = "following is paused";
    }, { once: true });
  tick();
})();
