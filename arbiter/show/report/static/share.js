// Sharing a game: the parameters of its address, and a dialog with a link to a ply and with code for other pages.
"use strict";

window.arbiterShare = (() => {
  const { label, make } = window.arbiterBoard;
  // The pixels of an embedded game.
  const WIDTH = 480, HEIGHT = 760;

  // Reads ?embed&autoplay&fps=5&turn=61&seat=red; `address` is like that of a frame, without unknown words.
  function readParameters(viewers, speeds, start) {
    const query = new URLSearchParams(location.search);
    const has = (name) => query.has(name) && query.get(name) !== "0";
    const turn = /^(\d+|end)$/.test(query.get("turn")) ? query.get("turn") : start;
    const fps = Number(query.get("fps"));
    return {
      embed: has("embed"), autoplay: has("autoplay"),
      speed: fps > 0 ? speeds.reduce((best, one) => (Math.abs(one - fps) < Math.abs(best - fps) ? one : best)) : null,
      address: `#${turn}/${viewers.includes(query.get("seat")) ? query.get("seat") : viewers[0]}`,
    };
  }

  const page = () => location.href.split(/[?#]/)[0];

  function writeEmbedding(game) {
    const [ply, seat] = game.address.slice(1).split("/");
    const query = `?embed&turn=${ply.split(".")[0]}${seat ? `&seat=${seat}` : ""}`;
    return `<iframe src="${page()}${query}" width="${WIDTH}" height="${HEIGHT}" title="${window.arbiterWords.viewer.game_of_stratego}" loading="lazy"></iframe>`;
  }

  async function copy(field) {
    if (navigator.clipboard) return navigator.clipboard.writeText(field.value);
    field.select();
    if (!document.execCommand("copy")) throw new Error("not copied");
  }

  // Adds the button and its dialog; the texts are those of the frame that is shown when the dialog opens.
  function addSharing(parent, root, game) {
    const button = make(parent, "button", { type: "button", class: "share" }, label("share"));
    const dialog = make(root, "dialog", { class: "sharing", "aria-label": label("share_game") });
    const status = make(dialog, "p", { role: "status" });
    const addField = (name, kind) => {
      const row = make(dialog, "p");
      const field = make(make(row, "label", {}, name), kind, { readonly: "" });
      make(row, "button", { type: "button" }, label("copy")).addEventListener("click", () => {
        copy(field).then(() => { status.textContent = label("copied", { name }); }, () => {
          field.select();
          status.textContent = label("not_copied");
        });
      });
      return field;
    };
    const link = addField(label("link_to_ply"), "input"), code = addField(label("code_for_page"), "textarea");
    make(make(dialog, "form", { method: "dialog" }), "button", {}, label("close"));
    dialog.append(status);
    button.addEventListener("click", () => {
      link.value = page() + game.address;
      code.value = writeEmbedding(game);
      status.textContent = "";
      dialog.showModal();
      link.select();
    });
  }

  // Shows only the board and its controls, for a frame in another page.
  function embed(root) {
    document.documentElement.classList.add("embed");
    // The texts scroll, so that they never cover the captured pieces.
    root.querySelector(".info").removeAttribute("tabindex");
    root.querySelector(".texts").tabIndex = 0;
    make(root, "a", { class: "whole", href: page(), target: "_blank", rel: "noopener" }, window.arbiterWords.viewer.open_page);
  }

  return { addSharing, embed, readParameters };
})();
