// Keeps a page true while a tournament is played: fetches it again when the arbiter says that something has changed.
"use strict";

(() => {
  const AGAIN_MS = 10000;
  const status = document.getElementById("live");

  // Does what `events` says at each kind of event, as long as somebody looks; returns what ends it.
  function listen(address, events) {
    let stream = null, ended = false;
    const close = () => {
      stream?.close();
      stream = null;
    };
    const open = () => {
      if (stream || ended) return;
      stream = new EventSource(address());
      for (const [kind, act] of Object.entries(events)) stream.addEventListener(kind, ({ data }) => act(data));
      stream.addEventListener("open", () => { status.textContent = "live"; });
      stream.addEventListener("error", () => {
        status.textContent = "not connected";
        if (stream?.readyState !== EventSource.CLOSED) return;
        stream = null;
        setTimeout(() => document.hidden || open(), AGAIN_MS);
      });
    };
    // A browser has few connections to one server: a page that nobody looks at gives its own back.
    document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
    open();
    return () => {
      ended = true;
      close();
    };
  }
  window.listenToArbiter = listen;
  if (document.querySelector("#viewer[data-live]")) return; // a game under way is followed by its viewer

  let news = null;

  async function refresh() {
    const answer = await fetch(location.pathname, { cache: "no-store" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("main");
    if (!fresh) return;
    const open = [...document.querySelectorAll("#main details")].map((one) => one.open);
    const scrolled = [...document.querySelectorAll("#main .scroll")].map((one) => one.scrollLeft);
    const at = focused();
    document.getElementById("main").replaceChildren(...fresh.childNodes);
    document.querySelectorAll("#main details").forEach((one, number) => { one.open = Boolean(open[number]); });
    document.querySelectorAll("#main .scroll").forEach((one, number) => { one.scrollLeft = scrolled[number] || 0; });
    if (at) document.querySelector(`#main a[href="${CSS.escape(at)}"]`)?.focus({ preventScroll: true });
    status.textContent = page.getElementById("live")?.textContent ?? "";
  }

  const focused = () => {
    const link = document.activeElement?.closest("#main a");
    return link && link.getAttribute("href");
  };

  listen(() => document.body.dataset.events, {
    news(data) {
      if (news !== null && news !== data) refresh().catch(() => {});
      news = data;
    },
  });
})();
