// Keeps a page up to date during a tournament: fetches it again when the server announces a change.
"use strict";

(() => {
  const RETRY_MS = 10000;
  const status = document.getElementById("live");

  // Calls the function in `events` for each kind of event while the page is visible; returns a function that stops it.
  function listen(address, events) {
    let stream = null, stopped = false;
    const close = () => {
      stream?.close();
      stream = null;
    };
    const open = () => {
      if (stream || stopped) return;
      stream = new EventSource(address());
      for (const [kind, act] of Object.entries(events)) stream.addEventListener(kind, ({ data }) => act(data));
      stream.addEventListener("open", () => { status.textContent = "live"; });
      stream.addEventListener("error", () => {
        status.textContent = "not connected";
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
  window.listenToArbiter = listen;
  if (document.querySelector("#viewer[data-live]")) return; // the viewer follows a game in progress itself

  let news = null;

  async function refresh() {
    const answer = await fetch(location.pathname, { cache: "no-store" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("main");
    if (!fresh) return;
    const open = [...document.querySelectorAll("#main details")].map((element) => element.open);
    const scrolled = [...document.querySelectorAll("#main .scroll")].map((element) => element.scrollLeft);
    const link = document.activeElement?.closest("#main a")?.getAttribute("href");
    document.getElementById("main").replaceChildren(...fresh.childNodes);
    document.querySelectorAll("#main details").forEach((element, number) => { element.open = Boolean(open[number]); });
    document.querySelectorAll("#main .scroll").forEach((element, number) => { element.scrollLeft = scrolled[number] || 0; });
    if (link) document.querySelector(`#main a[href="${CSS.escape(link)}"]`)?.focus({ preventScroll: true });
    status.textContent = page.getElementById("live")?.textContent ?? "";
  }

  listen(() => document.body.dataset.events, {
    news(data) {
      if (news !== null && news !== data) refresh().catch(() => {});
      news = data;
    },
  });
})();
