// The table of claims: words and verdicts choose its rows, a head sorts them.
"use strict";
(() => {
  const table = document.getElementById("claims");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row, place) => ({
    row,
    place,
    text: row.textContent.toLowerCase(),
    verdict: row.querySelector(".verdict").textContent,
  }));
  const words = document.getElementById("claims-words");
  const buttons = Array.from(document.querySelectorAll("#claims-verdicts button"));
  const chosen = new Set();
  const show = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { row, text, verdict } of rows) {
      const fits = wanted.every((word) => text.includes(word)) && (chosen.size === 0 || chosen.has(verdict));
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    for (const button of buttons) button.setAttribute("aria-pressed", chosen.size === 0 || chosen.has(button.value));
    document.getElementById("claims-shown").textContent = `${shown} of ${rows.length}`;
  };
  words.addEventListener("input", show);
  for (const button of buttons) {
    button.addEventListener("click", () => {
      if (!chosen.delete(button.value)) chosen.add(button.value);
      show();
    });
  }
  let sorted = -1;
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    head.addEventListener("click", () => {
      const key = ({ row }) => row.cells[column].textContent;
      const order = (one, other) => key(one).localeCompare(key(other), "en", { numeric: true }) || one.place - other.place;
      rows.sort(sorted === column ? (one, other) => order(other, one) : order);
      sorted = sorted === column ? -1 : column;
      body.append(...rows.map(({ row }) => row));
    });
  });
  const asked = new URLSearchParams(location.search).get("words");
  if (asked) words.value = asked;
  show();
})();
