#pragma once

#include <string_view>

namespace rooflab::page {

/// Tables: sorting by a column's title, filtering by a word, the first rows or all, the columns of
/// a terminal or all. Details are drawn when their line is opened. Cells without a figure are last
/// in both orders; the filter also searches hidden rows.
inline constexpr std::string_view page_script = R"js(
(function () {
  "use strict";
  function figure(cell) {
    var raw = cell.dataset.raw === undefined
        ? cell.textContent.replace(/,/g, "").replace(/ %$/, "") : cell.dataset.raw;
    return raw.trim() === "" || isNaN(raw) ? null : Number(raw);
  }
  function isMissing(cell) { return cell.dataset.raw === "" || cell.textContent === ""; }
  function order(rows, column, direction) {
    return rows.map(function (row) {
      var cell = row.cells[column];
      return { row: row, figure: figure(cell), missing: isMissing(cell), text: cell.textContent };
    }).sort(function (a, b) {
      if (a.missing || b.missing) return a.missing - b.missing;
      if (a.figure !== null && b.figure !== null) return (a.figure - b.figure) * direction;
      if (a.figure !== null || b.figure !== null) return (a.figure === null) - (b.figure === null);
      return collator.compare(a.text, b.text) * direction;
    }).map(function (each) { return each.row; });
  }
  var collator = new Intl.Collator(undefined, { numeric: true });
  function count(number, word) {
    return number.toLocaleString("en") + " " + word + (number === 1 ? "" : "s");
  }
  var pool = null;
  function column(number) {
    if (!pool) pool = JSON.parse(document.getElementById("columns").textContent);
    return pool[number].split("\n");
  }
  function fill(table) {
    var columns = table.dataset.columns.split(",").map(column);
    table.tBodies[0].innerHTML = columns[0].map(function (_, row) {
      return "<tr>" + columns.map(function (cells) {
        return "<td" + cells[row] + "</td>";
      }).join("") + "</tr>";
    }).join("");
  }
  function prepare(table) {
    if (table.dataset.columns) fill(table);
    var body = table.tBodies[0];
    var input = document.querySelector('input[data-filters="' + table.id + '"]');
    var status = document.querySelector('[data-counts="' + table.id + '"]');
    var button = document.querySelector('button[data-shows="' + table.id + '"]');
    var first = Number(table.dataset.first || Infinity);
    function show() {
      var wanted = input ? input.value.trim().toLowerCase() : "";
      var found = 0;
      Array.from(body.rows).forEach(function (row) {
        var hit = wanted === "" || row.textContent.toLowerCase().includes(wanted);
        if (hit) found += 1;
        row.hidden = !hit || found > first;
      });
      if (status) {
        status.textContent =
            (found > first ? "the first " + first + " of " : "") +
            (wanted === "" ? count(found, "row")
                           : count(found, "row") + " of " + body.rows.length.toLocaleString("en"));
      }
      if (button) {
        button.hidden = found <= first;
        button.textContent = "show all " + count(found, wanted === "" ? "row" : "matching row");
      }
    }
    function sort(column, title) {
      var ascending = title.getAttribute("aria-sort") !== "ascending";
      table.querySelectorAll("th").forEach(function (each) { each.removeAttribute("aria-sort"); });
      title.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      order(Array.from(body.rows), column, ascending ? 1 : -1).forEach(function (row) {
        body.appendChild(row);
      });
      show();
    }
    table.querySelectorAll("thead th").forEach(function (title, column) {
      var handle = document.createElement("button");
      handle.type = "button";
      handle.textContent = title.textContent;
      handle.addEventListener("click", function () { sort(column, title); });
      title.textContent = "";
      title.appendChild(handle);
    });
    if (input) input.addEventListener("input", show);
    if (button) button.addEventListener("click", function () { first = Infinity; show(); });
    var widener = document.querySelector('button[data-widens="' + table.id + '"]');
    if (widener) widener.addEventListener("click", function () {
      var all = table.classList.toggle("all");
      widener.setAttribute("aria-pressed", String(all));
    });
    show();
  }
  function watch(details) {
    details.addEventListener("toggle", function () {
      var content = details.querySelector(":scope > template");
      if (!details.open || !content) return;
      details.appendChild(document.importNode(content.content, true));
      content.remove();
      details.querySelectorAll("table").forEach(prepare);
      details.querySelectorAll("details").forEach(watch);
    });
  }
  document.documentElement.classList.add("js");
  document.querySelectorAll("table[id]").forEach(prepare);
  document.querySelectorAll("details").forEach(watch);
})();
)js";

}  // namespace rooflab::page
