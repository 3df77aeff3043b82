import type { Verdict } from '../verdict.ts';
import type { SwarmReport } from '../report.ts';
import { columnsOf, running } from './columns.ts';
import { percentilesPlot } from './percentiles.ts';
import { duration, escape, figure, FRAMES, type Frame } from './plot.ts';
import { STYLE } from './style.ts';
import { answersPlot, coursesPlot, reasonsIn, type Course } from './timePlots.ts';

/** The report as one HTML page, light or dark. It fetches nothing, and its security policy forbids it. */
export function renderPage(report: SwarmReport, { balanced, sentence }: Verdict): string {
  const columns = columnsOf(report.timeline);
  const start = report.start.heard > 0 ? report.start.firstMs / 1_000 : undefined;
  const sockets: Course = { name: 'sockets', label: 'open sockets', values: running(columns.of('sockets')) };
  const wins: Course = { name: 'wins', label: 'won', values: running(columns.of('won')) };
  const credited: Course = { name: 'credited', label: 'credited', values: running(columns.of('credited')) };
  const { tap, ask, late } = report.latencyMs;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escape(report.rainId)}: ${figure(report.users)} users</title>
<style>${STYLE}</style>
</head>
<body><main>
<header><h1>红包雨 ${escape(report.rainId)}</h1><p class="sub">${figure(report.users)} simulated users in ${duration(report.durationMs)}${report.processes > 1 ? `, by ${report.processes} processes` : ''}${arrivalWords(report)}</p></header>
<div class="verdict${balanced ? '' : ' no'}"><i>${balanced ? '✓' : '✗'}</i><p>${escape(sentence)}</p></div>
<div class="tiles">${[
    ['50 % waited at most', duration(tap.p50)],
    ['99 % waited at most', duration(tap.p99)],
    ['the longest wait', duration(tap.max)],
    report.start.heard > 0
      ? ['between the first and the last start message', duration(report.start.spreadMs)]
      : ['connections lost', figure(report.lostLines)],
    ['users', figure(report.users)],
    ['winners', figure(report.winners)],
    ['total amount won', report.told],
    ['open sockets at most', figure(Math.max(0, ...sockets.values))],
  ]
    .map(([label, value]) => `<div class="tile"><b>${escape(value!)}</b><span>${escape(label!)}</span></div>`)
    .join('')}</div>
${section('How long users waited', waitWords(report), (frame) => percentilesPlot(frame, report))}
${section(
  'Answers a second',
  'By reason.',
  (frame) => answersPlot(frame, columns, start),
  reasonsIn(columns).map((reason) => `fill ${reason}`),
)}
<div class="pair">
${section('Sockets', 'Open at each moment.', (frame) => coursesPlot(frame, columns, [sockets], start), [], 'narrow')}
${section(
  'Won and credited',
  'Wins that users received, and credits that they received.',
  (frame) => coursesPlot(frame, columns, [wins, credited], start),
  ['fill won', 'fill credited'],
  'narrow',
)}
</div>
<div class="pair">
<section><h2>Users</h2>${table(
    ['ended with', 'users'],
    report.outcomes.map(({ name, count }) => [name, figure(count)]),
  )}</section>
<section><h2>Latency</h2>${table(
    ['', 'p50', 'p99', 'longest'],
    (
      [
        ['grab to answer', ask],
        ['planned tap to final answer', tap],
        ['of which delay of the swarm itself', late],
      ] as const
    ).map(([name, { p50, p99, max }]) => [name, duration(p50), duration(p99), duration(max)]),
  )}</section>
</div>
${troubleSection(report)}
<footer>Seed ${escape(report.seed)}. ${figure(report.dials)} connects, ${figure(report.failedDials)} failed; ${figure(report.lostLines)} connections lost; ${figure(report.misunderstood)} messages not understood;
${figure(report.credited)} of ${figure(report.winners)} winners received their credit. Histograms of several processes are added up, not averaged.</footer>
</main></body>
</html>
`;
}

function section(
  title: string,
  note: string,
  plot: (frame: Frame) => string,
  keys: readonly string[] = [],
  size: 'both' | 'narrow' = 'both',
): string {
  const legend =
    keys.length === 0
      ? ''
      : `<ul class="keys">${keys.map((key) => `<li><svg viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" class="${key}"/></svg>${escape(key.replace('fill ', ''))}</li>`).join('')}</ul>`;
  const pictures =
    size === 'narrow'
      ? plot(FRAMES.narrow)
      : `<div class="wide">${plot(FRAMES.wide)}</div><div class="narrow">${plot(FRAMES.narrow)}</div>`;
  return `<section><h2>${escape(title)}</h2><p class="note">${escape(note)}</p>${legend}${pictures}</section>`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell, i) => `<${tag}${i > 0 ? ' class="n"' : ''}>${escape(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>${row(heads, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table>`;
}

function arrivalWords({ arrivals }: SwarmReport): string {
  return arrivals ? `; taps by a ${arrivals.shape} of ${figure(arrivals.perSecond)} a second on average` : '';
}

function waitWords({ arrivals }: SwarmReport): string {
  return arrivals
    ? 'From the planned time of each tap, set by a Poisson process before the run, to the final answer. No user waits for another, so every user who taps while the server stalls is counted (corrected for coordinated omission).'
    : 'From the planned time of each tap, a human reaction time after the opening, to the final answer, with retries and reconnects.';
}

function troubleSection({ cheaters, trouble }: SwarmReport): string {
  const sections: string[] = [];
  if (trouble && trouble.flaky + trouble.slow > 0) {
    sections.push(
      `<section><h2>Bad connections</h2>${table(
        ['', 'times'],
        [
          ['connections of flaky users broke', figure(trouble.cuts)],
          ['slow users stopped reading', figure(trouble.stops)],
        ],
      )}</section>`,
    );
  }
  if (cheaters) {
    sections.push(
      `<section><h2>Cheaters</h2><p class="note">${figure(cheaters.users)} of them sent ${figure(cheaters.frames)} frames: too fast taps, invalid messages, forged fields. ${figure(cheaters.winners)} won, ${figure(cheaters.wonTwice)} more than once, ${figure(cheaters.unheard)} could not read their result.</p>${table(
        ['received', 'times'],
        cheaters.heard.map(({ name, count }) => [name, figure(count)]),
      )}</section>`,
    );
  }
  return sections.length === 0 ? '' : `<div class="${sections.length > 1 ? 'pair' : ''}">${sections.join('\n')}</div>`;
}
