#pragma once

#include <string_view>

namespace rooflab::page {

/// The page's style sheet: one column, light and dark by the reader's setting, tables and charts
/// with own scroll bars, so that a narrow window never scrolls sideways.
inline constexpr std::string_view page_style = R"css(
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --bar: rgba(11,87,164,.15); --paper: #ffffff; --sheet: #f6f8fa;
  --line: #d0d7de; --good: #1a7f37; --warning: #8a5a00; --bad: #b42318; --link: #0b57a4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa4ae; --bar: rgba(121,184,255,.22); --paper: #0f1419; --sheet: #171d24; --line: #323b45;
    --good: #56c271; --warning: #e3b341; --bad: #ff8a80; --link: #79b8ff; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0 auto; padding: 24px 20px 64px; max-width: 1320px; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 40px 0 12px; }
h3 { font-size: 15px; margin: 20px 0 8px; }
h1, h2, h3, li, summary, figcaption { overflow-wrap: anywhere; }
p, ul { margin: 8px 0; } .soft { color: var(--soft); } a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
.prose { max-width: 78ch; overflow-wrap: break-word; } .prose table { width: auto; } .prose pre { overflow-x: auto; padding: 8px 12px; background: var(--sheet); }
.prose th:first-child, .prose td:first-child { position: static; } .prose td { white-space: normal; }
.prose blockquote { margin: 8px 0; padding-left: 12px; border-left: 3px solid var(--line); color: var(--soft); }
code { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; background: var(--sheet);
  border: 1px solid var(--line); border-radius: 4px; padding: 1px 5px; overflow-wrap: anywhere; }
nav ul { display: flex; flex-wrap: wrap; gap: 2px 20px; list-style: none; padding: 0; margin: 16px 0 0; }
.good { color: var(--good); } .warning { color: var(--warning); } .bad { color: var(--bad); }
.scroll { overflow: auto; border: 1px solid var(--line); border-radius: 8px; }
.rows { max-height: 85vh; }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: 13px;
  font-variant-numeric: tabular-nums; }
th, td { padding: 5px 10px; text-align: right; white-space: nowrap; border-top: 1px solid var(--line); }
th { border-top: 0; background: var(--sheet); } thead th { position: sticky; top: 0; z-index: 2; }
th[title] button { text-decoration: underline dotted var(--soft); text-underline-offset: 3px; }
th:first-child, td:first-child { position: sticky; left: 0; z-index: 1; background: var(--paper); }
thead th:first-child { z-index: 3; background: var(--sheet); }
.js table:not(.all) .wide { display: none; }
td.share { background: linear-gradient(var(--bar), var(--bar)) no-repeat; }
th button { all: unset; cursor: pointer; border-radius: 3px; }
th button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
th.left, td.left { text-align: left; }
th[aria-sort=ascending]::after { content: " \2191"; } th[aria-sort=descending]::after { content: " \2193"; }
td.long { white-space: normal; min-width: min(46ch, 60vw); overflow-wrap: anywhere; }
td.long > div { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
tbody tr:hover, tbody tr:hover td:first-child { background: var(--sheet); }
tfoot td { font-weight: 600; }
.controls { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; margin: 0 0 8px; font-size: 13px; }
input[type=search], .controls button { font: inherit; font-size: 15px; color: inherit; background: var(--paper);
  border: 1px solid var(--line); border-radius: 6px; padding: 5px 9px; }
input[type=search] { width: min(320px, 100%); }
.controls button { cursor: pointer; background: var(--sheet); font-size: 13px; }
.controls button[aria-pressed=true] { border-color: var(--link); color: var(--link); }
.answer { font-size: 17px; max-width: 78ch; } footer { margin-top: 40px; border-top: 1px solid var(--line);
  padding-top: 8px; font-size: 13px; color: var(--soft); }
.dots { margin: 20px 0; font-size: 13px; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.dot-row { display: grid; grid-template-columns: minmax(90px, 220px) 1fr 84px 130px 60px; gap: 0 12px;
  align-items: center; min-height: 24px; }
.dot-row:hover { background: var(--sheet); } .dot-row b { text-align: right; }
.dot-group { font-weight: 600; margin-top: 8px; }
.dot-track { position: relative; display: block; min-height: 24px; align-self: stretch; }
.dot-track i { position: absolute; } .dot-track .grid { top: 0; bottom: 0; border-left: 1px solid var(--line); }
.dot-track .reference { border-left: 2px solid var(--ink); } .quiet { color: var(--soft); }
.dot-track .range { top: calc(50% - 1px); height: 2px; background: currentColor; }
.dot-track .bound { top: calc(50% - 8px); height: 16px; width: 3px; margin-left: -1px; background: var(--soft); }
.dot-track .disc { top: calc(50% - 5px); width: 10px; height: 10px; margin-left: -5px; border-radius: 50%;
  background: currentColor; }
.dot-track .gem { top: calc(50% - 5px); width: 10px; height: 10px; margin-left: -5px; transform: rotate(45deg);
  background: var(--paper); border: 2px solid currentColor; }
.dot-track .number { font-style: normal; color: var(--soft); transform: translateX(-50%); white-space: nowrap; }
.spreads svg { position: absolute; inset: 0; } .spreads .band { fill: var(--bar); }
.spreads .middle { stroke: var(--soft); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.spreads .points { stroke: var(--link); stroke-width: 5; stroke-linecap: round; stroke-opacity: .55; fill: none;
  vector-effect: non-scaling-stroke; }
.spark { font-weight: 400; font-size: 13px; margin-left: 16px; display: inline-block; }
.spark svg { vertical-align: -4px; margin-right: 6px; } .spark path { fill: none; stroke: var(--link); stroke-width: 1.5; }
@media (min-width: 641px) { .ratio .dot-row { grid-template-columns: minmax(90px, 340px) 1fr 64px 120px 0; } }
.dot-track.sample { width: 20px; flex: none; } .dots .legend li { align-items: center; }
.side-by-side { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(400px, 100%), 1fr)); gap: 8px; }
.symbol { vertical-align: -2px; }
figure { margin: 12px 0; min-width: 0; } figcaption { color: var(--soft); font-size: 13px; margin-top: 4px; }
.rooflab-chart { color: var(--ink); padding-bottom: 6px; }
figure img { max-width: 100%; height: auto; background: #ffffff; border-radius: 8px; }
details { border: 1px solid var(--line); border-radius: 8px; padding: 4px 12px; margin: 6px 0; }
summary { cursor: pointer; font-weight: 600; }
details.inline { border: 0; padding: 0; margin: 2px 0; font-size: 13px; } .inline summary { font-weight: 400; color: var(--soft); }
.bars { margin: 12px 0; font-size: 13px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; padding: 0; margin: 0 0 10px; }
.legend li { display: flex; align-items: baseline; gap: 6px; }
.swatch { flex: none; align-self: center; min-width: 20px; min-height: 14px; padding: 0 4px; border-radius: 3px; text-align: center; line-height: 20px; }
.bar-row { display: grid; grid-template-columns: minmax(90px, 240px) 1fr 96px;
  gap: 2px 12px; align-items: center; margin: 6px 0; }
.bar-row > .soft { grid-column: 2 / -1; } .bar-label { overflow-wrap: anywhere; }
.bar-text { font-variant-numeric: tabular-nums; font-weight: 600; overflow-wrap: anywhere; }
.track { background: var(--sheet); border-radius: 4px; overflow: hidden; }
.bar { display: flex; height: 28px; min-width: 1px; overflow: hidden; border-radius: 4px; }
.part { flex: 0 1 0; min-width: 0; display: flex; flex-wrap: wrap; justify-content: center;
  height: 28px; line-height: 28px; overflow: hidden; white-space: nowrap; }
.part + .part { box-shadow: inset 1px 0 0 var(--sheet); }
.part::before { content: ""; width: 0; height: 28px; }
.part b { padding: 0 2px; } .part i { font-style: normal; padding: 0 3px; }
.part b, .part i, .swatch b { background-color: inherit; }
.striped { background-image: repeating-linear-gradient(45deg, transparent 0 5px, rgba(255,255,255,.45) 5px 9px); }
.hatched { background-image: repeating-linear-gradient(-45deg, transparent 0 4px, rgba(0,0,0,.4) 4px 6px); }
.dotted { background-image: radial-gradient(rgba(255,255,255,.7) 1.5px, transparent 2px); background-size: 8px 8px; }
.strips { margin: 20px 0 12px; font-size: 13px; } .strip p { margin: 2px 0; }
.strip-row { display: grid; grid-template-columns: minmax(60px, 104px) 1fr; gap: 0 12px; align-items: center; margin: 3px 0; }
.solid { background-color: currentColor; } .strip path { fill: currentColor; }
.strip svg { display: block; width: 100%; height: 24px; background: var(--sheet); print-color-adjust: exact; }
.strip-axis { display: flex; justify-content: space-between; color: var(--soft); }
@media (max-width: 640px) {
  .strip-row { grid-template-columns: 1fr; }
  body { padding: 16px 12px 48px; }
  .bar-row { grid-template-columns: 1fr max-content; }
  .dot-row { grid-template-columns: 1fr max-content max-content; margin-top: 4px; }
  .dot-row .dot-track { grid-column: 1 / -1; grid-row: 2; } .dots:not(.ratio) .dot-row > span:nth-child(4) { display: none; }
  th:first-child, td:first-child { position: static; }
  .bar-row .track, .bar-row > .soft { grid-column: 1 / -1; grid-row: 2; } .bar-row > .soft { grid-row: 3; }
}
@media screen and (min-width: 1500px) {
  body { margin-left: max(260px, calc(50vw - 660px)); }
  nav { position: fixed; top: 24px; left: max(20px, calc(50vw - 900px)); width: 210px; max-height: calc(100vh - 48px);
    overflow: auto; font-size: 13px; }
  nav ul { flex-direction: column; gap: 6px; margin: 0; }
}
@page { margin: 12mm; }
@media print {
  .side-by-side { grid-template-columns: repeat(3, 1fr); }
  body { padding: 0; max-width: none; font-size: 11px; } .controls, nav { display: none; }
  h1 { font-size: 18px; } h2 { font-size: 14px; margin: 20px 0 6px; }
  h1, h2, h3, summary { break-after: avoid; } figure, tr, .bar-row { break-inside: avoid; }
  .scroll { overflow: visible; max-height: none; border: 0; }
  th:first-child, td:first-child, thead th { position: static; } .dot-row { break-inside: avoid; min-height: 16px; grid-template-columns: minmax(60px, 130px) 1fr 56px 88px 40px; gap: 0 6px; font-size: 9px; }
  .dot-track i, td.share { print-color-adjust: exact; }
  table { font-size: 8px; } th, td { padding: 2px 3px; white-space: normal; overflow-wrap: anywhere; }
  td.long { min-width: 0; } .wide { display: none; } thead { display: table-header-group; }
  .rooflab-chart { zoom: .57; } .track, .part, .swatch { print-color-adjust: exact; }
}
)css";

}  // namespace rooflab::page
