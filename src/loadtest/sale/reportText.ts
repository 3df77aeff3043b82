import { figure } from '../../rain/figures.ts';
import { columns, latencyCells } from '../report/reportTable.ts';
import type { SaleSwarmReport } from './report.ts';
import { checkSale, type SaleAudit } from './verdict.ts';

/** The report as plain text; the last line says whether the sale adds up. */
export function renderSaleReport(report: SaleSwarmReport, audit?: SaleAudit): string {
  const { buy, pay, cancel } = report.latencyMs;
  const { repeats, hostile, payments } = report;
  const table = (head: string, rows: { name: string; count: number }[]) =>
    rows.length > 0
      ? [
          ...columns(
            [[head.split(', ')[0]!, head.split(', ')[1]!], ...rows.map(({ name, count }) => [figure(count), name])],
            'rl',
          ),
          '',
        ]
      : [];
  return [
    `sale ${report.saleId}: ${figure(report.users)} buyers in ${(report.durationMs / 1_000).toFixed(1)} s, seed ${report.seed}`,
    '',
    ...table('buyers, ended with', report.endings),
    ...table('purchases, ended with', report.purchases),
    ...table(
      'retries, after',
      report.retries.map(({ reason, count }) => ({ name: reason, count })),
    ),
    ...table('orders, last told as', report.told.statuses),
    ...columns(
      [
        ['latency, ms', 'count', 'p50', 'p95', 'p99', 'max'],
        ['purchase to outcome', ...latencyCells(buy)],
        ['payment to "paid"', ...latencyCells(pay)],
        ['cancel to decision', ...latencyCells(cancel)],
      ],
      'lrrrrr',
    ),
    '',
    `${figure(repeats.asked)} purchases were asked twice; ${figure(repeats.same)} got the same reservation again. ${figure(hostile.sent)} hostile messages were sent; ${figure(hostile.refused)} were not understood.`,
    payments.url === null
      ? 'Nobody paid: there is no address to pay at (--pay-url).'
      : `Payments: ${payments.results.map(({ name, count }) => `${figure(count)} ${name}`).join(', ') || 'none'}.`,
    `${figure(report.lostConnections)} connections lost; ${figure(report.misunderstood)} messages not understood.`,
    checkSale(report, audit).sentence,
  ].join('\n');
}
