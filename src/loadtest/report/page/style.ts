/** Style sheet of the page; colours are named by their meaning, and readable in light and dark mode. */
export const STYLE = `
:root{color-scheme:light dark;--paper:#faf7f2;--card:#fff;--ink:#1f1b16;--soft:#6f675c;--line:#e8e1d6;--accent:#c8202f;--gold:#b7791f;--good:#15803d;--bad:#b91c1c;
--won:#c8202f;--again:#e8853a;--none:#a9b4c2;--fast:#d9a514;--busy:#8b5cf6;--other:#64748b;--sockets:#2563a8;--credited:#15803d}
@media(prefers-color-scheme:dark){:root{--paper:#14110e;--card:#1e1a16;--ink:#f1ece4;--soft:#a79d8f;--line:#35302a;--accent:#ff6b6b;--gold:#f0c05a;--good:#4ade80;--bad:#f87171;
--won:#f2545f;--again:#f0995a;--none:#66727f;--fast:#e6bd45;--busy:#a78bfa;--other:#94a3b8;--sockets:#6db1f2;--credited:#4ade80}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","PingFang SC","Noto Sans CJK SC","Microsoft YaHei",sans-serif}
main{max-width:1000px;margin:0 auto;padding:32px 20px 48px}
header{border-left:4px solid var(--accent);padding-left:16px;margin-bottom:24px}
h1{font-size:26px;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:16px;margin:0 0 2px}
.sub,.note{color:var(--soft);margin:0;overflow-wrap:anywhere}
.note{font-size:13px;margin:0 0 10px}
.verdict{display:flex;gap:12px;align-items:flex-start;background:var(--card);border:1px solid var(--line);border-radius:14px;padding:14px 18px;margin-bottom:16px;font-weight:600}
.verdict p{margin:0;overflow-wrap:anywhere}
.verdict i{flex:none;font-style:normal;width:26px;height:26px;border-radius:50%;display:grid;place-items:center;color:var(--card);background:var(--good);font-size:15px}
.verdict.no i{background:var(--bad)}
.tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:12px;margin-bottom:16px}
.tile{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:12px 16px}
.tile b{display:block;font-size:22px;line-height:1.25;font-variant-numeric:tabular-nums}
.tile span{color:var(--soft);font-size:13px}
section{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:18px 18px 12px;margin-bottom:16px}
svg{display:block;width:100%;height:auto;font-size:12px}
div.narrow{display:none}
.grid{stroke:var(--line)}.axis{stroke:var(--soft)}.tick,.name{fill:var(--soft);font-variant-numeric:tabular-nums}.name{font-size:11px}
.over{paint-order:stroke;stroke:var(--card);stroke-width:4px}.sheet{fill:none}.start{stroke:var(--soft);stroke-dasharray:3 3}
.line{fill:none;stroke-width:2;stroke-linejoin:round}.wash{opacity:.13}.hint{fill:transparent}.hint:hover{fill:var(--ink);fill-opacity:.07}
.tap{stroke:var(--accent)}.dot{fill:var(--card);stroke:var(--accent);stroke-width:2}
.fill{fill:var(--other)}.fill.won{fill:var(--won)}.fill.already_claimed{fill:var(--again)}.fill.nothing_left{fill:var(--none)}.fill.too_fast{fill:var(--fast)}.fill.busy{fill:var(--busy)}.fill.credited{fill:var(--credited)}
.line.sockets{stroke:var(--sockets)}.wash.sockets{fill:var(--sockets)}.line.wins{stroke:var(--won)}.wash.wins{fill:var(--won)}.line.credited{stroke:var(--credited)}.wash.credited{fill:var(--credited)}
.keys{display:flex;flex-wrap:wrap;gap:4px 16px;margin:0 0 8px;padding:0;list-style:none;font-size:13px;color:var(--soft)}
.keys li{display:flex;align-items:center;gap:6px}
.keys svg{width:12px;height:12px;border-radius:3px}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:16px}
.pair section{min-width:0}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums;margin-bottom:8px}
th{font-weight:500;color:var(--soft);text-align:left}
th,td{padding:5px 8px 5px 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
tr:last-child td{border-bottom:0}
.n{text-align:right;white-space:nowrap;padding:5px 0 5px 8px}
footer{color:var(--soft);font-size:12.5px;overflow-wrap:anywhere}
@media(max-width:640px){main{padding:20px 12px 32px}h1{font-size:21px}.wide{display:none}div.narrow{display:block}.pair{grid-template-columns:1fr;gap:0}section{padding:14px 12px 8px}.tiles{grid-template-columns:1fr 1fr;gap:8px}.tile{padding:10px 12px}.tile b{font-size:19px}}
@media print{body{background:#fff}section,.tile,.verdict{break-inside:avoid}}
`;
