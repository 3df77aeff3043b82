import type { AuditReport } from '../rain/equation.ts';
import type { Latency } from './latency.ts';
import type { SwarmReport } from './report.ts';
import { judge } from './verdict.ts';

/**
 * The report for people: plain text, the last line says whether the money adds up.
 * @param audit of the same rain, if these users were the only ones
 */
export function renderReport(report: SwarmReport, audit?: AuditReport): string {
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
    `${figure(report.dials)} dials, ${figure(report.failedDials)} of them in vain; ${figure(report.lostLines)} lines lost; ${figure(report.misunderstood)} messages not understood; ` +
      `${figure(report.credited)} of ${figure(report.winners)} winners heard that they were credited.`,
    judge(report, audit).sentence,
  ].join('\n');
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

function figure(count: number): string {
  return count.toLocaleString('en-US');
}
