// How pages look: light and dark as the reader's system has it, from a phone's width up, on paper too. System fonts, nothing fetched.
#pragma once
#include <string_view>

namespace assay::report {

inline constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark;
  --ink: #1b2026; --soft: #59636e; --rule: #d8dde3; --paper: #ffffff; --raised: #f5f7f9;
  --pass: #14713f; --fail: #b92525; --doubt: #875a00; --pass-back: #e7f4ec; --fail-back: #fdecec; --doubt-back: #fbf3df;
  --found: #1f5fb0; --expected: #b85500; --bound: #78828c; --code: #eef1f4 }
@media (prefers-color-scheme: dark) { :root {
  --ink: #e3e7eb; --soft: #9aa5b1; --rule: #343c45; --paper: #14181d; --raised: #1b2027;
  --pass: #5fcf93; --fail: #ff7b72; --doubt: #e3b341; --pass-back: #14291d; --fail-back: #361a1c; --doubt-back: #2d2612;
  --found: #6cb0ff; --expected: #ff9d4d; --bound: #8a949e; --code: #222932 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
  -webkit-text-size-adjust: 100% }
main { max-width: 1120px; margin: 0 auto; padding: 20px 16px 48px }
h1 { font-size: 26px; line-height: 1.25; margin: 2px 0 6px; overflow-wrap: anywhere }
h2 { font-size: 19px; margin: 36px 0 8px; padding-bottom: 4px; border-bottom: 1px solid var(--rule) }
h3 { font-size: 16px; margin: 22px 0 6px; overflow-wrap: anywhere }
h4 { font-size: 14px; margin: 18px 0 4px; overflow-wrap: anywhere }
p { margin: 6px 0; max-width: 86ch; overflow-wrap: anywhere }
ul { margin: 6px 0; padding-left: 22px }
a { color: var(--found) }
code, pre { font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace }
code { overflow-wrap: anywhere }
pre { background: var(--code); border-radius: 4px; padding: 8px 10px; margin: 6px 0; white-space: pre-wrap; overflow-wrap: anywhere }
.soft { color: var(--soft) }
.small { font-size: 13px }
.pass { color: var(--pass) } .fail { color: var(--fail) } .doubt { color: var(--doubt) }
td.pass, td.fail, td.doubt, span.fail { font-weight: 600 }
.verdict { border-left: 6px solid; padding: 12px 16px; border-radius: 4px }
.verdict.pass { background: var(--pass-back) } .verdict.fail { background: var(--fail-back) } .verdict.doubt { background: var(--doubt-back) }
.verdict p, .verdict li { color: var(--ink); max-width: none; overflow-wrap: anywhere }
.verdict .kicker { color: var(--soft); font-size: 13px; margin: 0 }
nav { margin: 12px 0 0; font-size: 14px } nav a { margin-right: 14px; white-space: nowrap }
.card { border: 1px solid var(--rule); border-radius: 6px; padding: 2px 14px 12px; margin: 12px 0 }
.card.fail { border-left: 4px solid var(--fail); color: inherit }
.scroll { overflow-x: auto; margin: 8px 0; border: 1px solid var(--rule); border-radius: 4px }
table { border-collapse: collapse; font-size: 13px; line-height: 1.4; width: 100% }
th, td { text-align: left; padding: 4px 10px; border-bottom: 1px solid var(--rule); vertical-align: top; white-space: nowrap }
th { background: var(--raised); font-weight: 600; color: var(--soft) }
tbody tr:last-child td { border-bottom: 0 }
.number { text-align: right; font-variant-numeric: tabular-nums }
.brief { text-align: center; padding: 4px 5px } th { vertical-align: bottom } th.brief span { writing-mode: vertical-rl; transform: rotate(180deg) }
th:first-child, td:first-child { position: sticky; left: 0 } td:first-child { background: var(--paper) }
td .wrap { display: block; white-space: normal; min-width: 24ch; max-width: 70ch }
details { border: 1px solid var(--rule); border-radius: 6px; margin: 10px 0; padding: 0 14px }
details[open] { padding-bottom: 12px }
details.plain { border: 0; padding: 0; margin: 4px 0 }
summary { cursor: pointer; padding: 9px 0; overflow-wrap: anywhere }
summary b { font-size: 16px }
.plain summary { padding: 2px 0; color: var(--soft); font-size: 13px }
.charts { display: flex; flex-wrap: wrap; gap: 8px 28px; align-items: flex-start }
figure { margin: 8px 0; width: 360px; max-width: 100% }
figcaption { font-size: 13px; color: var(--soft) }
svg { display: block; width: 100%; height: auto; overflow: visible }
svg text { font: 11px system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; fill: var(--soft) }
svg .axis { stroke: var(--rule); stroke-width: 1; fill: none }
svg .bar { fill: var(--found) } svg .bar.none { fill: var(--bound) } svg .bar.beyond { fill: var(--fail) }
svg .wrong { fill: var(--fail) } svg .unseen { fill: var(--rule) } svg .frame { fill: var(--raised); stroke: var(--rule) }
svg .found { stroke: var(--found); fill: none; stroke-width: 2 } svg circle.found { fill: var(--found); stroke: none }
svg .expected { stroke: var(--expected); fill: none; stroke-width: 2; stroke-dasharray: 6 4 }
svg .bound { stroke: var(--bound); fill: none; stroke-width: 1.5; stroke-dasharray: 2 3 }
.key { display: inline-block; width: 22px; border-top: 3px solid var(--found); vertical-align: middle; margin-right: 6px }
.key.expected { border-top: 3px dashed var(--expected) } .key.bound { border-top: 3px dotted var(--bound) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 8px 0 }
dt { color: var(--soft) } dd { margin: 0; overflow-wrap: anywhere }
@media (max-width: 560px) { th:first-child, td:first-child { position: static } h1 { font-size: 22px } dl { grid-template-columns: 1fr } dd { margin-bottom: 6px } .card, details { padding-left: 10px; padding-right: 10px } }
@media print { .scroll { overflow: visible } }
)";

}  // namespace assay::report
