import type { AuditReport, Share } from '../../rain/equation.ts';
import { figure } from '../../rain/figures.ts';
import type { Latency } from '../figures/latency.ts';
import type { SwarmReport } from './report.ts';
import { checkMoney } from './verdict.ts';

/**
 * The report as plain text; the last line says whether the money adds up.
 * @param others packets won by users outside of the swarm
 */
export function renderReport(report: SwarmReport, audit?: AuditReport, others?: Share): string {
  const { ask, tap } = report.latencyMs;
  return [
    `rain ${report.rainId}: ${figure(report.users)} users in ${(report.durationMs / 1_000).toFixed(1)} s, seed ${report.seed}`,
    '',
    ...columns([['users', 'ended with'], ...report.outcomes.map(({ name, count }) => [figure(count), name])], 'rl'),
    '',
    ...columns(
      [
        ['answers', 'code', 'reason'],
        ...report.answers.map(({ code, reason, count }) => [figure(count), code, reason]),
      ],
      'rrl',
    ),
    '',
    ...columns(
      [
        ['latency, ms', 'count', 'p50', 'p95', 'p99', 'max'],
        ['grab to answer', ...latencyCells(ask)],
        ['planned tap to final answer', ...latencyCells(tap)],
      ],
      'lrrrrr',
    ),
    '',
    ...further(report),
    `${figure(report.dials)} connects, ${figure(report.failedDials)} of them failed; ${figure(report.lostLines)} connections lost; ${figure(report.misunderstood)} messages not understood; ` +
      `${figure(report.credited)} of ${figure(report.winners)} winners received their credit.`,
    checkMoney(report, audit, others).sentence,
  ].join('\n');
}

function further({
  arrivals,
  latencyMs: { late },
  start,
  trouble,
  challenges,
  cheaters,
  processes,
}: SwarmReport): string[] {
  const lines: string[] = [];
  if (arrivals) {
    lines.push(
      `Open loop: taps came by a Poisson process of ${figure(arrivals.perSecond)}/s on average (${arrivals.shape}), planned before the run. "Planned tap to final answer" counts`,
      'from the planned time, even if the grab was sent later, so no wait is left out (corrected for coordinated omission).',
      `The swarm itself was late by p50 ${late.p50.toFixed(1)}, p99 ${late.p99.toFixed(1)}, max ${late.max.toFixed(1)} ms; this is included in the latency.`,
    );
  }
  if (processes > 1) lines.push(`Played by ${processes} processes; their histograms were added up, not averaged.`);
  if (start.heard > 0)
    lines.push(
      `${figure(start.heard)} waiting users received the start within ${start.spreadMs.toFixed(0)} ms of each other.`,
    );
  if (trouble && trouble.flaky + trouble.slow > 0)
    lines.push(
      `Connections of flaky users broke ${figure(trouble.cuts)} times; slow users stopped reading ${figure(trouble.stops)} times (their latency is not counted).`,
    );
  if (challenges)
    lines.push(
      `${figure(challenges)} challenges were solved for a ticket; the time for this is included in the latencies above.`,
    );
  if (cheaters) {
    lines.push(
      `${figure(cheaters.users)} cheaters sent ${figure(cheaters.frames)} frames and received: ${cheaters.heard.map(({ name, count }) => `${figure(count)} ${name}`).join(', ')}.`,
      `${figure(cheaters.winners)} of them won, ${figure(cheaters.wonTwice)} more than once, ${figure(cheaters.unheard)} could not read their result.`,
    );
  }
  return lines.length > 0 ? [...lines, ''] : [];
}

export function latencyCells({ count, p50, p95, p99, max }: Latency): string[] {
  return [figure(count), ...[p50, p95, p99, max].map((ms) => ms.toFixed(1))];
}

/** Formats rows as lines with left- or right-aligned columns, two spaces apart. */
export function columns(rows: string[][], align: string): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const aligned = (cell: string, column: number) =>
    align[column] === 'r' ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!);
  return rows.map((row) => row.map(aligned).join('  ').trimEnd());
}
