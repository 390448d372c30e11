"use strict";
/** The rows of a table without those that were opened, which follow theirs. */
const rowsOf = (table) => [...table.tBodies[0].rows].filter((row) => !row.classList.contains("opened"));
const arrange = (table, rows) => {
  const opened = new Map([...table.tBodies[0].rows].filter((row) => row.classList.contains("opened"))
    .map((row) => [row.previousElementSibling, row]));
  table.tBodies[0].append(...rows.flatMap((row) => opened.has(row) ? [row, opened.get(row)] : [row]));
};
const collator = new Intl.Collator("en", { numeric: true });
const compare = (a, b, sign) => {
  if (a.classList.contains("n")) {
    const [x, y] = [a, b].map((cell) => Number(cell.dataset.value ?? cell.textContent));
    if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);  // nothing comes last
    if (!Number.isNaN(x)) return sign * (x - y);
  }
  return sign * collator.compare(a.textContent, b.textContent);
};
for (const button of document.querySelectorAll(".sort")) {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const table = button.closest("table");
    const first = head.classList.contains("n") ? "descending" : "ascending";
    const other = first === "descending" ? "ascending" : "descending";
    const way = head.getAttribute("aria-sort") === first ? other : first;
    for (const th of head.parentElement.cells) th.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", way);
    const sign = way === "ascending" ? 1 : -1;
    arrange(table, rowsOf(table).sort((a, b) => compare(a.cells[head.cellIndex], b.cells[head.cellIndex], sign)));
  });
}
for (const search of document.querySelectorAll("input[type=search]")) {
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase();
    for (const row of document.querySelectorAll("tbody tr")) row.hidden = !row.textContent.toLowerCase().includes(words);
  });
}
