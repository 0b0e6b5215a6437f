// Keeps a page up to date during a tournament: fetches it again when the server announces a change.
"use strict";

(() => {
  const RETRY_MS = 3000;
  const status = document.getElementById("live");
  const age = document.getElementById("age");

  function noteNews() {
    age.textContent = `as of ${new Date().toTimeString().slice(0, 8)}`;
  }

  function noteLoss(text = "reconnecting") {
    status.textContent = text;
    status.classList.add("lost");
  }

  // Calls the function in `events` for each kind of event while the page is visible, and `again` when a lost connection
  // is restored; returns a function that stops it.
  function listen(address, events, again = () => {}) {
    let stream = null, stopped = false, lost = false;
    const close = () => {
      stream?.close();
      stream = null;
    };
    const open = () => {
      if (stream || stopped) return;
      stream = new EventSource(address());
      for (const [kind, act] of Object.entries(events))
        stream.addEventListener(kind, ({ data }) => {
          noteNews();
          act(data);
        });
      stream.addEventListener("open", () => {
        status.textContent = "live";
        status.classList.remove("lost");
        noteNews();
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
      if ((await fetch(location.pathname, { cache: "no-store" })).ok) return location.reload();
      noteLoss(document.querySelector("[data-missing]")?.dataset.missing);
    } catch {
      noteLoss();
    }
    setTimeout(reload, RETRY_MS);
  }

  window.arbiterLive = { listen, reload };
  noteNews();
  if (document.querySelector("#viewer[data-live]")) return; // the viewer follows a game in progress itself

  let news = document.body.dataset.news; // the page may be older than the first event

  async function refresh() {
    if (document.querySelector("[data-missing]")) return reload();
    const answer = await fetch(location.pathname, { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("main");
    if (!fresh) return;
    const open = [...document.querySelectorAll("#main details")].map((element) => element.open);
    const scrolled = [...document.querySelectorAll("#main .scroll")].map((element) => element.scrollLeft);
    const link = document.activeElement?.closest("#main a")?.getAttribute("href");
    document.getElementById("main").replaceChildren(...fresh.childNodes);
    document.querySelectorAll("#main details").forEach((element, number) => { element.open = Boolean(open[number]); });
    document.querySelectorAll("#main .scroll").forEach((element, number) => { element.scrollLeft = scrolled[number] || 0; });
    document.dispatchEvent(new Event("arbiter-refreshed"));
    if (link) document.querySelector(`#main a[href="${CSS.escape(link)}"]`)?.focus({ preventScroll: true });
    for (const id of ["live", "progress"])
      document.getElementById(id).textContent = page.getElementById(id)?.textContent ?? "";
    noteNews();
  }

  let retry = 0;

  function tryRefresh() {
    clearTimeout(retry);
    refresh().catch(() => { retry = setTimeout(tryRefresh, RETRY_MS); });
  }

  // After all scripts of the page have run: an event that comes before would be lost.
  document.addEventListener("DOMContentLoaded", () => listen(() => document.body.dataset.events, {
    news(data) {
      if (news !== data) tryRefresh();
      news = data;
    },
    boards: (data) => document.dispatchEvent(new CustomEvent("arbiter-boards", { detail: JSON.parse(data) })),
  }, tryRefresh));
})();
