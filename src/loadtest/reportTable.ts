import type { AuditReport, Share } from '../rain/equation.ts';
import { figure } from '../rain/figures.ts';
import type { Latency } from './latency.ts';
import type { SwarmReport } from './report.ts';
import { judge } from './verdict.ts';

/**
 * The report for people: plain text, the last line says whether the money adds up.
 * @param audit of the same rain
 * @param others what was won in it by users who are not of the swarm
 */
export function renderReport(report: SwarmReport, audit?: AuditReport, others?: Share): string {
  const { ask, tap } = report.latencyMs;
  return [
    `rain ${report.rainId}: ${figure(report.users)} users in ${(report.durationMs / 1_000).toFixed(1)} s, seed ${report.seed}`,
    '',
    ...columns([['users', 'ended with'], ...report.outcomes.map(({ name, count }) => [figure(count), name])], 'rl'),
    '',
    ...columns([['answers', 'code', 'reason'], ...report.answers.map(({ code, reason, count }) => [figure(count), code, reason])], 'rrl'),
    '',
    ...columns([
      ['latency, ms', 'count', 'p50', 'p95', 'p99', 'max'],
      ['question to answer', ...latency(ask)],
      ['meant tap to decision', ...latency(tap)],
    ], 'lrrrrr'),
    '',
    ...further(report),
    `${figure(report.dials)} dials, ${figure(report.failedDials)} of them in vain; ${figure(report.lostLines)} lines lost; ${figure(report.misunderstood)} messages not understood; ` +
      `${figure(report.credited)} of ${figure(report.winners)} winners heard that they were credited.`,
    judge(report, audit, others).sentence,
  ].join('\n');
}

/** What only some runs have. */
function further({ arrivals, latencyMs: { late }, start, trouble, challenges, cheaters, processes }: SwarmReport): string[] {
  const lines: string[] = [];
  if (arrivals) {
    lines.push(`Open loop: taps came by a Poisson process of ${figure(arrivals.perSecond)}/s on average (${arrivals.shape}), decided before the run. "Meant tap to decision" counts`,
      'from the decided moment, however late the question went out, so no wait is left out because somebody had to wait (coordinated omission).',
      `The swarm itself was late by p50 ${late.p50.toFixed(1)}, p99 ${late.p99.toFixed(1)}, max ${late.max.toFixed(1)} ms; that is part of the figure.`);
  }
  if (processes > 1) lines.push(`Played by ${processes} processes; their histograms were added up, not averaged.`);
  if (start.heard > 0) lines.push(`${figure(start.heard)} waiting users were told of the start within ${start.spreadMs.toFixed(0)} ms of each other.`);
  if (trouble && trouble.flaky + trouble.slow > 0) lines.push(`Lines of flaky users broke ${figure(trouble.cuts)} times; slow users stopped reading ${figure(trouble.stops)} times (their latency is not counted).`);
  if (challenges) lines.push(`${figure(challenges)} challenges were solved for a ticket; that takes its time here, as part of the figures above.`);
  if (cheaters) {
    lines.push(`${figure(cheaters.users)} cheaters sent ${figure(cheaters.frames)} frames and heard: ${cheaters.heard.map(({ name, count }) => `${figure(count)} ${name}`).join(', ')}.`,
      `${figure(cheaters.winners)} of them won, ${figure(cheaters.wonTwice)} more than once, ${figure(cheaters.unheard)} could not find out.`);
  }
  return lines.length > 0 ? [...lines, ''] : [];
}

function latency({ count, p50, p95, p99, max }: Latency): string[] {
  return [figure(count), ...[p50, p95, p99, max].map((ms) => ms.toFixed(1))];
}

/** Rows → lines with their columns aligned to the left or right, two spaces apart. */
function columns(rows: string[][], align: string): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const aligned = (cell: string, column: number) => (align[column] === 'r' ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!));
  return rows.map((row) => row.map(aligned).join('  ').trimEnd());
}
