#pragma once

#include <string_view>

namespace rooflab::report {

/// The page's style sheet: one column, light and dark by the reader's setting, tables that scroll in
/// themselves so that a narrow window never scrolls sideways.
inline constexpr std::string_view page_style = R"css(
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --sheet: #f6f8fa;
  --line: #d0d7de; --good: #1a7f37; --warning: #8a5a00; --bad: #b42318; --link: #0b57a4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa4ae; --paper: #0f1419; --sheet: #171d24; --line: #323b45;
    --good: #56c271; --warning: #e3b341; --bad: #ff8a80; --link: #79b8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 20px 64px; max-width: 1320px; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 40px 0 12px; }
p, ul { margin: 8px 0; } .soft { color: var(--soft); }
code { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; background: var(--sheet);
  border: 1px solid var(--line); border-radius: 4px; padding: 1px 5px; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(230px, 1fr)); gap: 12px;
  margin: 20px 0; }
.card { background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; }
.card .value { font-size: 22px; font-weight: 600; } .card .title { color: var(--soft); font-size: 13px; }
.card .remark { font-size: 13px; }
.good { color: var(--good); } .warning { color: var(--warning); } .bad { color: var(--bad); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 10px; text-align: right; white-space: nowrap; border-top: 1px solid var(--line); }
th { border-top: 0; background: var(--sheet); cursor: pointer; user-select: none; position: sticky; top: 0; }
th:focus-visible { outline: 2px solid var(--link); outline-offset: -2px; }
th.left, td.left { text-align: left; }
th[aria-sort=ascending]::after { content: " \2191"; } th[aria-sort=descending]::after { content: " \2193"; }
tbody tr:hover { background: var(--sheet); }
input[type=search] { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line);
  border-radius: 6px; padding: 5px 9px; margin: 0 0 8px; width: min(320px, 100%); }
figure { margin: 12px 0; } figcaption { color: var(--soft); font-size: 13px; }
.rooflab-chart { color: var(--ink); }
figure img { max-width: 100%; height: auto; background: #ffffff; border-radius: 8px; }
details { border: 1px solid var(--line); border-radius: 8px; padding: 8px 12px; margin: 8px 0; }
summary { cursor: pointer; font-weight: 600; }
)css";

/// Sorting by a click (or Enter) on a column's title, filtering by a word.
inline constexpr std::string_view page_script = R"js(
(function () {
  "use strict";
  function figure(cell) {
    var raw = cell.dataset.raw;
    return raw === undefined || raw === "" || isNaN(raw) ? null : Number(raw);
  }
  function compare(a, b) {
    var x = figure(a), y = figure(b);
    if (x !== null && y !== null) return x - y;
    if (x !== null || y !== null) return x === null ? 1 : -1;
    return a.textContent.localeCompare(b.textContent, undefined, { numeric: true });
  }
  function sort(table, column, title) {
    var ascending = title.getAttribute("aria-sort") !== "ascending";
    table.querySelectorAll("th").forEach(function (each) { each.removeAttribute("aria-sort"); });
    title.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    var body = table.tBodies[0];
    Array.from(body.rows).sort(function (a, b) {
      return compare(a.cells[column], b.cells[column]) * (ascending ? 1 : -1);
    }).forEach(function (row) { body.appendChild(row); });
  }
  document.querySelectorAll("table").forEach(function (table) {
    table.querySelectorAll("thead th").forEach(function (title, column) {
      title.tabIndex = 0;
      title.addEventListener("click", function () { sort(table, column, title); });
      title.addEventListener("keydown", function (event) {
        if (event.key === "Enter") sort(table, column, title);
      });
    });
  });
  document.querySelectorAll("input[data-filters]").forEach(function (input) {
    input.addEventListener("input", function () {
      var wanted = input.value.toLowerCase();
      var table = document.getElementById(input.dataset.filters);
      Array.from(table.tBodies[0].rows).forEach(function (row) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
      });
    });
  });
})();
)js";

}  // namespace rooflab::report
