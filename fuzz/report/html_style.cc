// How the HTML report looks. Not for: pictures of cases (Family::DrawStyle).
#include "fuzz/report/html_parts.h"

namespace oomph::html {

const char kStyle[] = R"css(
:root { color-scheme: light dark; --ink: #1f2328; --soft: #57606a; --line: #d5d9de; --paper: #ffffff;
  --card: #f6f8fa; --new: #b42318; --new-soft: #fdecea; --known: #6e5a00; --known-soft: #fbf3d0;
  --good: #1a7f37; --accent: #2f5fd0; --r: 47; --g: 95; --b: 208; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa4af; --line: #30363d; --paper: #0d1117;
  --card: #161b22; --new: #ff8b80; --new-soft: #3a1613; --known: #e3c04c; --known-soft: #322a0c;
  --good: #57c46c; --accent: #8ab0ff; --r: 110; --g: 150; --b: 255; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI",
  Roboto, "Liberation Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 20px 64px; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 40px 0 10px; padding-bottom: 6px; border-bottom: 1px solid var(--line); }
h3 { font-size: 15px; margin: 22px 0 8px; }
p { margin: 6px 0 10px; overflow-wrap: anywhere; }
code, pre, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  font-size: 13px; }
.soft { color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 10px; margin: 20px 0 8px; }
.tile { border: 1px solid var(--line); border-radius: 8px; background: var(--card); padding: 10px 14px; }
.tile b { display: block; font-size: 22px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 13px; }
.tile.bad b { color: var(--new); } .tile.good b { color: var(--good); }
.badge { display: inline-block; font-size: 12px; font-weight: 600; padding: 1px 8px; border-radius: 999px; }
.badge.new { color: var(--new); background: var(--new-soft); }
.badge.known { color: var(--known); background: var(--known-soft); }
.finding { border: 1px solid var(--line); border-radius: 8px; margin: 8px 0; background: var(--paper); }
.finding > summary { cursor: pointer; padding: 9px 14px; display: flex; flex-wrap: wrap; gap: 2px 12px;
  align-items: baseline; background: var(--card); border-radius: 7px; list-style: none; }
.finding > summary::-webkit-details-marker { display: none; }
.finding > summary::before { content: "▸"; color: var(--soft); width: .7em; } .finding[open] > summary::before { content: "▾"; }
.finding[open] > summary { border-bottom: 1px solid var(--line); border-radius: 7px 7px 0 0; }
.finding > summary code { font-size: 14px; font-weight: 600; overflow-wrap: anywhere; min-width: 0; }
.finding > summary .soft { font-size: 13px; margin-left: auto; white-space: nowrap; }
.body { padding: 8px 14px 14px; }
.reason { font-size: 15px; }
.line { padding: 6px 14px; overflow-wrap: anywhere; border-bottom: 1px solid var(--line); }
.picture { overflow-x: auto; margin: 10px 0; border: 1px solid var(--line); border-radius: 6px; }
.picture svg { display: block; width: 100%; min-width: 760px; height: auto; }
.note { border-left: 3px solid var(--line); padding: 2px 0 2px 10px; color: var(--soft); font-size: 14px; }
pre { margin: 8px 0; padding: 10px 12px; background: var(--card); border: 1px solid var(--line); border-radius: 6px;
  overflow-x: auto; tab-size: 4; }
pre.commands { white-space: pre-wrap; overflow-wrap: anywhere; }
.pair { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 0 16px; }
@media (max-width: 800px) { .pair { grid-template-columns: minmax(0, 1fr); } }
.label { font-size: 12px; color: var(--soft); text-transform: uppercase; letter-spacing: .05em; margin-top: 10px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; min-width: 60%; }
th { text-align: right; font-weight: 600; color: var(--soft); font-size: 13px; vertical-align: bottom; }
th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
td { text-align: right; font-variant-numeric: tabular-nums; vertical-align: top; }
th.l, td.l { text-align: left; } td.w { white-space: normal; min-width: 260px; overflow-wrap: anywhere; }
.heat { min-width: 0; font-size: 12px; } .heat th, .heat td { padding: 1px 6px; border: 1px solid var(--paper); }
.heat td { text-align: center; min-width: 42px; } .heat td.l { text-align: left; padding-left: 0; }
.heat th { text-align: center; font-size: 12px; } .heat thead th { padding: 0 6px 4px; }
.heat thead span { writing-mode: vertical-rl; transform: rotate(180deg); }
.heat th.g { text-align: left; padding: 10px 0 3px; color: var(--ink); }
.h0 { color: var(--soft); background: var(--card); }
.h1 { background: rgba(var(--r), var(--g), var(--b), .14); } .h2 { background: rgba(var(--r), var(--g), var(--b), .26); }
.h3 { background: rgba(var(--r), var(--g), var(--b), .4); } .h4 { background: rgba(var(--r), var(--g), var(--b), .58); }
.rare { outline: 2px solid var(--new); outline-offset: -2px; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; margin: 8px 0; padding: 0; }
.chip { border: 1px solid var(--line); border-radius: 999px; padding: 1px 10px; font-size: 13px; background: var(--card); }
.chip.part b { color: var(--known); } .chip b { font-weight: 600; font-variant-numeric: tabular-nums; }
.trend svg { display: block; max-width: 100%; height: auto; }
.trend .first { fill: var(--new); } .trend .again { fill: var(--known); opacity: .7; } .trend .none { fill: var(--good); }
.trend text { font: 11px system-ui, sans-serif; fill: var(--soft); } .trend line { stroke: var(--line); }
.key { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin: 0 5px 0 12px; }
.key.first { background: var(--new); } .key.again { background: var(--known); opacity: .7; }
details.more > summary { cursor: pointer; color: var(--accent); margin: 6px 0; }
footer { margin-top: 48px; color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
@media (max-width: 520px) { main { padding: 16px 12px 48px; } h1 { font-size: 22px; }
  .finding > summary .soft { margin-left: 0; white-space: normal; } .picture svg { min-width: 820px; } }
@media print { .finding { break-inside: avoid; } }
)css";

}  // namespace oomph::html
