// The switch that hides results, lengths, and what a game shows right of the cursor. It runs before the page is drawn,
// so that nothing is seen before it is hidden.
"use strict";

(() => {
  const KEY = "arbiter-spoiler-free";
  const root = document.documentElement;
  const words = window.arbiterWords.scripts;
  let hides = false, button = null;

  function read() {
    try { return localStorage.getItem(KEY) === "yes"; } catch { return hides; }
  }

  function keep() {
    try { localStorage.setItem(KEY, hides ? "yes" : "no"); } catch {} // the switch works without, on this page
  }

  function show(now) {
    const changes = now !== hides;
    hides = now;
    root.classList.toggle("spoiler-free", hides);
    if (button) button.textContent = hides ? words.show_results : words.hide_results;
    if (changes) document.dispatchEvent(new Event("arbiter-spoilers"));
  }

  if (new URLSearchParams(location.search).has("embed")) return; // a frame in another page has no switch
  show(read());
  window.addEventListener("storage", ({ key }) => key === KEY && show(read()));
  window.addEventListener("pageshow", () => show(read())); // the page may come from the history
  document.addEventListener("DOMContentLoaded", () => {
    button = document.createElement("button");
    button.type = "button";
    button.className = "spoilers";
    button.title = words.hides;
    button.addEventListener("click", () => {
      show(!hides);
      keep();
    });
    document.querySelector(".top nav").append(button);
    show(hides);
  });

  // A link to a ply of a game shows how the game continues, so it leads to the start.
  for (const kind of ["click", "auxclick"])
    document.addEventListener(kind, ({ target }) => {
      const link = hides && target.closest?.("main a[href*='games/']");
      if (link) link.hash = "";
    }, true);
})();
