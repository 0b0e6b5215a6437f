// Draws the boards of games in progress on the first page of a served tournament and on its wall.
"use strict";

(() => {
  const { OWNER, draw, makeLayout } = window.arbiterBoard;
  let boards = {};

  function drawBoard(card, board) {
    const svg = card.querySelector("svg");
    const data = { ...board, frames: [board.table] };
    const layout = makeLayout(data);
    svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    draw(svg, data, layout, board.table, {
      turned: false, actor: OWNER[board.seat] || null, selected: null, shows: () => board.viewer === "arbiter",
    });
    card.querySelector("small").textContent = window.arbiterFill(window.arbiterWords.scripts.ply_number, { ply: board.ply });
    card.hidden = false;
    card.dispatchEvent(new CustomEvent("arbiter-board", { bubbles: true, detail: board }));
  }

  function drawAll() {
    for (const card of document.querySelectorAll("[data-board]"))
      if (boards[card.dataset.board]) drawBoard(card, boards[card.dataset.board]);
  }

  document.addEventListener("arbiter-boards", (event) => {
    boards = event.detail;
    drawAll();
  });
  document.addEventListener("arbiter-refreshed", drawAll);
})();
