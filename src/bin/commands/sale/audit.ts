import { setTimeout as sleep } from 'node:timers/promises';
import { auditSale, auditSales, type AuditedSale, type SaleAudit } from '../../../operator/sale/audit.ts';
import { acknowledgeSaleTampering } from '../../../operator/sale/audit/acknowledgeTampering.ts';
import { noSaleReason } from '../../../operator/sale/lost.ts';
import { repairSale } from '../../../operator/sale/repair.ts';
import { iso } from '../../../rain/figures.ts';
import { ITEM_PARTS } from '../../../sale/equation.ts';
import { parseCount } from '../../arguments.ts';
import type { Answer, RainCommand } from '../../command.ts';
import type { OpenContext } from '../../context.ts';
import { accepted, acceptedAs, CommandFailure, EXIT, explain, notify } from '../../exit.ts';
import { paint, table } from '../../style.ts';
import type { Terminal } from '../../terminal.ts';

interface AuditOptions {
  acknowledgeTampering?: string;
  repair?: boolean;
  dryRun?: boolean;
  all?: boolean;
  settled?: boolean;
  limit: number;
}

const SALES_MAX = 100_000;
/** How long the audit waits for the orders of what was sent again, and how often it looks, ms. */
const ORDERS_WAIT_MS = 15_000;
const LOOK_EVERY_MS = 500;

export function addAuditCommand(sale: RainCommand): void {
  sale
    .command('audit [id]')
    .summary('check whether the units add up')
    .dryRun()
    .description(
      'Compares the stock ledger, the orders, the reservation log and Redis: for each item units = sold + reserved + pending + left + returned. Exit code 1 when they do not add up.',
    )
    .option(
      '--repair',
      'send the reservations without an order again, put right what was changed in Redis, tell lost buyers, wait up to 15 s for the orders, then audit',
    )
    .option(
      '--acknowledge-tampering <reason>',
      'mark what somebody changed by hand as seen, so that the sale can be settled; no units move, and counts are put right by --repair',
    )
    .option('--all', 'all sales that are not settled, one line each')
    .option('--settled', 'with --all: settled sales as well')
    .option('--limit <n>', 'with --all: how many sales, newest first', parseCount(1, SALES_MAX), 100)
    .json()
    .example('rain sale audit m3k9x2a1b2c3d4', 'rain sale audit --all')
    .refuses((id: string | undefined, { all, settled, repair, acknowledgeTampering: why, dryRun }: AuditOptions) => {
      if (id === undefined && !all) return 'id: missing, expected the id of a sale, or --all';
      if (id !== undefined && all) return '--all: expected an id or --all, not both';
      if (settled && !all) return '--settled: only with --all';
      if (repair && all) return '--repair: only for one sale at a time';
      if (why !== undefined && all) return '--acknowledge-tampering: only for one sale at a time';
      return dryRun && !repair && why === undefined
        ? '--dry-run: only with --repair or --acknowledge-tampering; an audit alone changes nothing'
        : undefined;
    })
    .runsWithContext((context, id: string | undefined, options: AuditOptions) =>
      id === undefined ? auditMany(context, options) : auditOne(sale.terminal, context, id, options),
    );
}

async function auditOne(
  terminal: Terminal,
  context: OpenContext,
  saleId: string,
  { repair, acknowledgeTampering: why, dryRun = false }: AuditOptions,
): Promise<Answer> {
  const repaired = repair ? await mend(terminal, context, saleId, dryRun) : undefined;
  const seen =
    why === undefined
      ? undefined
      : acceptedAs(await acknowledgeSaleTampering(context, saleId, why, dryRun), { reason: '--acknowledge-tampering' });
  if (seen) notify(terminal, `${saleId}: ${seen.findings} findings ${dryRun ? 'would be' : 'were'} acknowledged`);
  const audit = await auditSale(context, saleId);
  if (!audit) throw new CommandFailure(EXIT.refused, `id: ${await noSaleReason(context, saleId)}`);
  const { report, problems, notices, acknowledged } = audit;
  const value = {
    ...report,
    ...(problems.length > 0 && { problems }),
    ...(notices.length > 0 && { notices }),
    ...(repaired && { repaired }),
    ...(seen && { acknowledgedNow: seen.findings }),
    ...(acknowledged.length > 0 && {
      acknowledged: acknowledged.map(({ letterId, deadReason, entry, reason, actor, at }) => ({
        letter: letterId,
        deadReason,
        entry,
        reason,
        actor,
        at: iso(at),
      })),
    }),
  };
  return { value, text: describeAudit(audit), exit: !report.balanced && EXIT.refused };
}

async function mend(
  terminal: Terminal,
  context: OpenContext,
  saleId: string,
  dryRun: boolean,
): Promise<{ reservations: number; counts: number; released: boolean }> {
  const { withOrderQueue } = await import('../../queues.ts');
  const { reservations, counts, jobs, released, complete } = await withOrderQueue(context, async (send) =>
    accepted(await repairSale(context, saleId, send, dryRun)),
  );
  const would = dryRun ? 'would be' : 'were';
  notify(
    terminal,
    `${saleId}: ${reservations} reservations ${would} sent again${complete ? '' : '; there are more, run the repair again'}`,
  );
  for (const { field, found, right } of counts)
    notify(terminal, `${saleId}: ${field} ${dryRun ? 'would be' : 'was'} set from ${found || 'nothing'} to ${right}`);
  if (released) notify(terminal, `${saleId}: the hold ${dryRun ? 'would be' : 'was'} ended, and it sells again`);
  const deadline = performance.now() + ORDERS_WAIT_MS;
  for (let isWaiting = jobs > 0 && !dryRun; isWaiting;) {
    isWaiting = ((await auditSale(context, saleId))?.pending.length ?? 0) > 0;
    if (isWaiting && performance.now() > deadline) {
      notify(terminal, 'not all orders are written yet; is a worker running?');
      break;
    }
    if (isWaiting) await sleep(LOOK_EVERY_MS);
  }
  return { reservations, counts: counts.length, released };
}

export function describeAudit({
  report: { items, orders, buyers, balanced, rehearsal },
  problems,
  notices,
  acknowledged,
}: SaleAudit): string {
  const rows = table(
    ['sku', ...ITEM_PARTS, 'units'],
    items.map((item) => [item.sku, ...ITEM_PARTS.map((part) => item[part]), item.units]),
  );
  const verdict = balanced
    ? paint.good(
        `The units add up: ${orders} orders of ${buyers} buyers.${rehearsal ? ' It was a rehearsal: nothing is shipped.' : ''}`,
      )
    : paint.bad('THE UNITS DO NOT ADD UP.');
  const seen = acknowledged.map(
    ({ deadReason, entry, reason, actor }) => `explained by ${actor}, ${reason}: ${deadReason}, ${entry}`,
  );
  return [...notices, ...seen, ...problems, rows, verdict].join('\n');
}

async function auditMany(context: OpenContext, { settled, limit }: AuditOptions): Promise<Answer> {
  const audited: AuditedSale[] = [];
  for await (const one of auditSales(context, settled ? 'all' : 'unsettled', limit)) {
    if ('fault' in one && explain(one.fault).exit === EXIT.unreachable) throw one.fault;
    audited.push(one);
  }
  const isWrong = audited.some((one) => 'fault' in one || !one.audit.report.balanced);
  const value = audited.map((one) =>
    'fault' in one
      ? { saleId: one.saleId, title: one.title, balanced: false, fault: explain(one.fault).reasons.join('; ') }
      : { title: one.title, ...one.audit.report },
  );
  const rows = audited.map((one) => {
    if ('fault' in one)
      return [
        one.saleId,
        one.title,
        ...ITEM_PARTS.map(() => ''),
        paint.bad(`AUDIT FAILED: ${explain(one.fault).reasons.join('; ')}`),
      ];
    const { items, balanced } = one.audit.report;
    return [
      one.saleId,
      one.title,
      ...ITEM_PARTS.map((part) => items.reduce((sum, item) => sum + item[part], 0)),
      balanced ? paint.good('adds up') : paint.bad('DOES NOT ADD UP'),
    ];
  });
  const none = 'every sale is settled; to audit them as well, run: rain sale audit --all --settled';
  return {
    value,
    text: rows.length === 0 ? none : table(['id', 'title', ...ITEM_PARTS, 'verdict'], rows),
    exit: isWrong && EXIT.refused,
  };
}
