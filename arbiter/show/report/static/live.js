// Keeps a page true while a tournament is played: fetches it again when the arbiter says that something has changed.
"use strict";

(() => {
  const AGAIN_MS = 10000;
  const status = document.getElementById("live");
  let stream = null, news = null;
  if (document.querySelector("#viewer[data-live]")) return; // a game under way is followed by its viewer

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

  function listen() {
    stream = new EventSource(document.body.dataset.events);
    stream.addEventListener("news", ({ data }) => {
      if (news !== null && news !== data) refresh().catch(() => {});
      news = data;
    });
    stream.addEventListener("error", () => {
      status.textContent = "not connected";
      if (stream.readyState !== EventSource.CLOSED) return;
      stream = null;
      setTimeout(() => stream || document.hidden || listen(), AGAIN_MS);
    });
    stream.addEventListener("open", () => { status.textContent = "live"; });
  }

  // A browser has few connections to one server: a page that nobody looks at gives its own back.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && stream) {
      stream.close();
      stream = null;
    } else if (!document.hidden && !stream) {
      listen();
    }
  });
  listen();
})();
