// Keeps a page up to date during a tournament: the server sends the lines that have changed.
"use strict";

(() => {
  const RETRY_MS = 3000;
  const words = window.arbiterWords.scripts;
  const write = (key, values = {}) => window.arbiterFill(words[key], values);
  const status = document.getElementById("live");
  const age = document.getElementById("age");
  let state = status.textContent; // whether the tournament is running, as the server wrote it

  const OLD_S = 6; // the server sends the age every five seconds
  let asOf = Number(document.body.dataset.asOf); // when the server read what the page shows, in seconds by its clock
  let ahead = null; // of the server's clock, in seconds; unknown until the first event

  function showAge() {
    const old = ahead === null ? 0 : Math.round(Date.now() / 1000 + ahead - asOf);
    const ago = old < 120 ? `${old} s` : `${Math.round(old / 60)} min`;
    age.textContent = write(old > OLD_S ? "as_of_old" : "as_of", { time: new Date(1000 * asOf).toTimeString().slice(0, 8), ago });
  }

  function noteAge(text, isCurrent) {
    const { as_of, now } = JSON.parse(text);
    ahead = now - Date.now() / 1000;
    if (isCurrent()) asOf = as_of;
    showAge();
  }

  function noteLoss(text = words.reconnecting) {
    status.textContent = text;
    status.classList.add("lost");
  }

  // Calls the function in `events` for each kind of event while the page is visible, and `again` when a lost connection
  // is restored; returns a function that stops it.  `isCurrent` returns true if the page shows the latest data.
  function listen(address, events, again = () => {}, isCurrent = () => true) {
    let stream = null, stopped = false, lost = false;
    const close = () => {
      stream?.close();
      stream = null;
    };
    const open = () => {
      if (stream || stopped) return;
      stream = new EventSource(address());
      for (const [kind, act] of Object.entries({ ...events, age: (data) => noteAge(data, isCurrent) }))
        stream.addEventListener(kind, ({ data }) => act(data));
      stream.addEventListener("open", () => {
        status.textContent = state;
        status.classList.remove("lost");
        if (lost) again();
        lost = false;
      });
      stream.addEventListener("error", () => {
        lost = true;
        noteLoss();
        if (stream?.readyState !== EventSource.CLOSED) return;
        stream = null;
        setTimeout(() => document.hidden || open(), RETRY_MS);
      });
    };
    // A browser limits the connections to one server, so a hidden page closes its connection.
    document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
    open();
    return () => {
      stopped = true;
      close();
    };
  }

  // Loads the page again once the server offers it: a game that was cut off has no page until it is played again.
  async function reload() {
    try {
      const answer = await fetch(location.pathname + location.search, { cache: "no-store" });
      if (answer.ok && !(await answer.text()).includes("data-missing=")) return location.reload();
      noteLoss(document.querySelector("[data-missing]")?.dataset.missing);
    } catch {
      noteLoss();
    }
    setTimeout(reload, RETRY_MS);
  }

  window.arbiterLive = { listen, reload };
  showAge();
  setInterval(showAge, 1000);
  if (document.querySelector("#viewer[data-live]")) return; // the viewer follows a game in progress itself

  let shown = document.body.dataset.news; // the number of the last change that the page shows
  let news = shown; // the number of the last change
  let lines = null; // of the page as the server wrote it; the first change makes the page load them
  let pristine = null; // the parts of the page as the server wrote them, without what scripts have drawn

  async function load() {
    if (document.querySelector("[data-missing]")) return reload();
    const answer = await fetch(location.pathname, { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.statusText);
    lines = (await answer.text()).split("\n");
    show();
  }

  function show() {
    const page = new DOMParser().parseFromString(lines.join("\n"), "text/html");
    const fresh = page.getElementById("main");
    if (!fresh) return;
    const open = [...document.querySelectorAll("#main details")].map((element) => element.open);
    const scrolled = [...document.querySelectorAll("#main .scroll")].map((element) => element.scrollLeft);
    const link = document.activeElement?.closest("#main a")?.getAttribute("href");
    replaceParts([...fresh.children]);
    document.querySelectorAll("#main details").forEach((element, number) => { element.open = Boolean(open[number]); });
    document.querySelectorAll("#main .scroll").forEach((element, number) => { element.scrollLeft = scrolled[number] || 0; });
    document.dispatchEvent(new Event("arbiter-refreshed"));
    if (link) document.querySelector(`#main a[href="${CSS.escape(link)}"]`)?.focus({ preventScroll: true });
    for (const id of ["live", "progress"])
      document.getElementById(id).textContent = page.getElementById(id)?.textContent ?? "";
    state = status.textContent;
    shown = page.body.dataset.news;
    asOf = Number(page.body.dataset.asOf);
    showAge();
  }

  // Replaces the parts that have changed; a page with a form as a whole, because its script starts again.
  function replaceParts(parts) {
    const main = document.getElementById("main");
    const copies = parts.map((part) => part.cloneNode(true));
    const isAlike = pristine?.length === parts.length && main.children.length === parts.length && !main.querySelector("form");
    if (!isAlike) main.replaceChildren(...parts);
    else
      parts.forEach((part, number) => {
        if (!part.isEqualNode(pristine[number])) main.children[number].replaceWith(part);
      });
    pristine = copies;
  }

  let retry = 0, isLoading = false;

  async function refresh() {
    if (isLoading) return;
    clearTimeout(retry);
    isLoading = true;
    const wanted = news;
    try {
      await load();
      isLoading = false;
      if (news !== wanted && news !== shown) refresh();
    } catch {
      isLoading = false;
      retry = setTimeout(refresh, RETRY_MS);
    }
  }

  // After all scripts of the page have run: an event that comes before would be lost.
  document.addEventListener("DOMContentLoaded", () => listen(() => document.body.dataset.events, {
    news(data) {
      news = data;
      if (news !== shown) refresh();
    },
    change(data) {
      const { before, after, replacements } = JSON.parse(data);
      news = String(after);
      if (!lines || isLoading || String(before) !== shown) return refresh();
      for (const { start, count, lines: others } of replacements) lines.splice(start, count, ...others);
      show();
    },
    boards: (data) => document.dispatchEvent(new CustomEvent("arbiter-boards", { detail: JSON.parse(data) })),
  }, refresh, () => news === shown));
})();
