import { liveRains } from '../store/rains.ts';
import { isBalanced, countsOf, toReport, type AuditReport, type Equation, type Share } from '../rain/equation.ts';
import type { Acknowledged, LostFromLog, ToldTwice } from './audit/findings.ts';
import { readQueues, type QueueReport } from './audit/queues.ts';
import { readPacketPaths } from './audit/packetPaths.ts';
import { balanceOf } from './audit/balance.ts';
import type { OperatorContext } from './context.ts';
import { allocationOf } from './load.ts';
import { hasLost } from './lostRains.ts';
import { lostReason, onlyInRedisReason } from './restore/presence.ts';

/** The money report of a rain, with packet counts and what the operator still has to handle. */
export interface RainReport extends AuditReport {
  counts: ReturnType<typeof countsOf>;
  /** Only for a rehearsal: its amounts are test money. */
  rehearsal?: true;
  /** Wins that were told to a user but cannot be paid from this rain. The report may be balanced and still have some. */
  told_twice: number;
  /** Dead letters and lost claims that the operator has explained. */
  discarded: number;
}

export interface Audit {
  report: RainReport;
  equation: Equation;
  /** The part of `recycled` that came from discarded claims. */
  discarded: Share;
  /** What breaks the equation or has no known cause, one sentence per packet. At most 100. */
  problems: string[];
  /** Claims that the operator has to compensate and then discard. At most 100. */
  toldTwice: ToldTwice[];
  /** Credits whose claims are not in the log and not discarded: all of them. They are listed in `problems` too. */
  lostFromLog: LostFromLog[];
  /** What the operator has discarded. At most 100. */
  acknowledged: Acknowledged[];
  /** Claims still in the queues; only when the context has queues. */
  queues?: QueueReport;
}

const FINDINGS_MAX = 100;

/**
 * Checks the money equation [R8] of one rain: the allocation recomputed from its seed, Redis and the ledger. It also holds while the rain
 * is open: packets are read before the ledger, and the ledger before the claim log, the direction in which a packet moves.
 * @returns undefined when there is no such rain
 */
export async function auditRain(context: OperatorContext, rainId: string): Promise<Audit | undefined> {
  const rain = await context.ledger.rain(rainId);
  if (!rain) return undefined;
  const queues = context.queues && await readQueues(context.queues, rainId);
  const paths = await readPacketPaths(context, rain);
  // Read the rain last: everything won so far belongs to it, and packets added since count as not loaded yet.
  const whole = await context.ledger.rain(rainId) ?? rain;
  const { equation, discarded, lostFromLog, problems } = balanceOf(rainId, whole.budgetCents, allocationOf(whole), paths);
  if (rain.settledAt === undefined && await hasLost(context, rain)) problems.unshift(`${lostReason(rainId)}; wins that were not credited yet may be unknown`);
  const { toldTwice } = paths.logged;
  const { acknowledged } = paths.booked;
  return {
    report: {
      ...toReport(rainId, equation), balanced: isBalanced(equation) && problems.length === 0,
      ...(rain.terms.rehearsal && { rehearsal: rain.terms.rehearsal }), counts: countsOf(equation), told_twice: toldTwice.length, discarded: acknowledged.size,
    },
    equation, discarded,
    problems: problems.slice(0, FINDINGS_MAX), toldTwice: toldTwice.slice(0, FINDINGS_MAX), lostFromLog,
    acknowledged: [...acknowledged.values()].slice(0, FINDINGS_MAX),
    ...(queues && { queues }),
  };
}

/** One audited rain. `fault`: it could not be audited, which must not hide the others. */
export type AuditedRain = { rainId: string; title: string } & ({ audit: Audit } | { fault: unknown; /** The ledger does not know it. */ onlyInRedis?: true });

/** Audits many rains one after the other, newest first; then names the live ones that only Redis knows. */
export async function* auditAll(context: OperatorContext, which: 'all' | 'unsettled', limit: number): AsyncGenerator<AuditedRain> {
  for (const { id: rainId, title } of await context.ledger.rains(limit, which)) {
    try {
      const audit = await auditRain(context, rainId);
      if (audit) yield { rainId, title, audit };
    } catch (fault) {
      yield { rainId, title, fault };
    }
  }
  for (const [rainId, { title }] of await liveRains(context.redis)) {
    if (!await context.ledger.rain(rainId)) yield { rainId, title, onlyInRedis: true, fault: new Error(onlyInRedisReason(rainId)) };
  }
}

/** Whether this rain needs nothing from the operator. */
export function isInOrder({ report: { balanced, told_twice }, queues }: Pick<Audit, 'report' | 'queues'>): boolean {
  return balanced && told_twice === 0 && (queues?.dead.count ?? 0) === 0;
}
