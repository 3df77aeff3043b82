import { setTimeout as sleep } from 'node:timers/promises';
import { auditAll, isInOrder, type AuditedRain } from '../operator/audit.ts';
import type { QueueContext } from '../operator/context.ts';
import { EQUATION_PARTS } from '../rain/equation-parts.ts';
import type { OpenContext } from './context.ts';
import { clearScreen, EXIT, explain, notify, print, REFRESH_MS } from './exit.ts';
import { resendMissing, untilCredited } from './resend.ts';
import { paint, table } from './style.ts';
import { interruptibly, type Terminal } from './terminal.ts';

export interface ManyOptions {
  repair?: boolean;
  dryRun?: boolean;
  watch?: boolean;
  settled?: boolean;
  limit: number;
  json?: boolean;
}

const whichOf = ({ settled }: ManyOptions) => (settled ? 'all' : 'unsettled');

export async function auditMany(terminal: Terminal, context: OpenContext, options: ManyOptions): Promise<void> {
  const { withQueues } = await import('./queues.ts');
  await withQueues(context, async (at) => {
    const repaired = options.repair ? await repairMany(terminal, at, options) : undefined;
    if (!options.watch)
      return void (await auditRound(terminal, at, options, { reported: 0, ...(repaired && { repaired }) }));
    await interruptibly(terminal, async (interrupted) => {
      for (
        let reported = 0;
        !interrupted.aborted;
        await sleep(REFRESH_MS, undefined, { signal: interrupted }).catch(() => {})
      ) {
        reported = await auditRound(terminal, at, options, { reported, interrupted });
      }
    });
  });
}

/** @returns rainId → how many claims were sent again; a rain that could not be repaired does not stop the others */
async function repairMany(
  terminal: Terminal,
  context: QueueContext,
  options: ManyOptions,
): Promise<Map<string, number>> {
  const sent = [];
  for (const { id } of await context.ledger.rains(options.limit, whichOf(options))) {
    try {
      sent.push(await resendMissing(terminal, context, id, options.dryRun ?? false));
    } catch (fault) {
      const { exit, reasons } = explain(fault);
      if (exit === EXIT.unreachable) throw fault;
      notify(terminal, `${id}: not repaired: ${reasons.join('; ')}`);
    }
  }
  await untilCredited(terminal, context, sent);
  return new Map(sent.map(({ rainId, claims }) => [rainId, claims]));
}

interface Round {
  /** How many rains the last message counted as not audited. */
  reported: number;
  interrupted?: AbortSignal;
  /** Claims sent again before this round. */
  repaired?: ReadonlyMap<string, number>;
}

/** @returns how many rains are not audited now */
async function auditRound(
  terminal: Terminal,
  context: QueueContext,
  options: ManyOptions,
  { reported, interrupted, repaired }: Round,
): Promise<number> {
  const { watch, limit, json } = options;
  const rains: AuditedRain[] = [];
  const total = await context.ledger.countRains(whichOf(options));
  for await (const rain of auditAll(context, whichOf(options), limit)) {
    if (interrupted?.aborted) return reported;
    if ('fault' in rain && explain(rain.fault).exit === EXIT.unreachable) throw rain.fault;
    if ('fault' in rain || !isInOrder(rain.audit)) terminal.exitCode = EXIT.refused;
    rains.push(rain);
  }
  if (watch && !json) clearScreen(terminal);
  print(
    terminal,
    json,
    rains.map((rain) => ({
      ...line(rain),
      ...(repaired?.has(rain.rainId) && { repaired: repaired.get(rain.rainId) }),
    })),
    describeMany(rains),
  );
  // Otherwise the audit of each rain says so.
  if (rains.length === 0 && (await context.ledger.sumOfBalances()) !== 0n) {
    terminal.exitCode = EXIT.refused;
    notify(terminal, 'the balances of the ledger do not sum to zero: somebody has changed it');
  }
  // `--all` without a fault must mean that every rain was audited.
  const listed = rains.filter(({ suspect }) => !suspect).length;
  const unaudited = listed < limit ? 0 : Math.max(0, total - listed);
  if (unaudited > 0) terminal.exitCode = EXIT.refused;
  if (unaudited > 0 && unaudited !== reported)
    notify(terminal, `${unaudited} older ${unaudited === 1 ? 'rain was' : 'rains were'} not audited; raise --limit`);
  return unaudited;
}

function line(rain: AuditedRain): Record<string, unknown> {
  const { rainId, title } = rain;
  if ('fault' in rain) return { rainId, title, balanced: false, fault: explain(rain.fault).reasons.join('; ') };
  return { title, ...rain.audit.report, dead_letters: rain.audit.queues?.dead.count ?? 0 };
}

function describeMany(rains: readonly AuditedRain[]): string {
  if (rains.length === 0) return 'every rain is settled; to audit them as well, run: rain audit --all --settled';
  return table(
    ['id', 'title', 'budget', ...EQUATION_PARTS, 'verdict'],
    rains.map((rain) => {
      const title = 'audit' in rain && rain.audit.report.rehearsal ? `${rain.title} (rehearsal)` : rain.title;
      if ('fault' in rain)
        return [
          rain.rainId,
          title,
          '',
          ...EQUATION_PARTS.map(() => ''),
          paint.bad(`AUDIT FAILED: ${explain(rain.fault).reasons.join('; ')}`),
        ];
      return [
        rain.rainId,
        title,
        rain.audit.report.budget,
        ...EQUATION_PARTS.map((part) => rain.audit.report[part]),
        verdictOf(rain.audit),
      ];
    }),
  );
}

function verdictOf({
  report: { balanced, told_twice },
  queues,
}: Extract<AuditedRain, { audit: unknown }>['audit']): string {
  const dead = queues?.dead.count ?? 0;
  if (!balanced) return paint.bad('DOES NOT ADD UP');
  if (told_twice > 0) return paint.bad(`${told_twice} TOLD TWICE`);
  return dead > 0 ? paint.bad(`${dead} DEAD LETTERS`) : paint.good('adds up');
}
