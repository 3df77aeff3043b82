import { isBalanced, countsOf, toReport, type AuditReport, type Counts, type Equation, type Share } from '../rain/equation.ts';
import type { Acknowledged, LostFromLog, ToldTwice } from './audit/findings.ts';
import { readQueues, type QueueReport } from './audit/queues.ts';
import { readPacketPaths } from './audit/packetPaths.ts';
import { balanceOf } from './audit/balance.ts';
import type { OperatorContext } from './context.ts';
import { allocationOf } from './load.ts';
import { hasLost } from './lostRains.ts';

/** The report, and beside the amounts how many packets they are, and what waits for the operator. */
export interface RainReport extends AuditReport {
  counts: Counts;
  /** Only of a rehearsal: the money that adds up, or does not, is test money. */
  rehearsal?: true;
  /** Open promises; the money of a rain that has some may well add up, but a user waits for his. */
  told_twice: number;
  /** Dead letters and lost claims that the operator has explained. */
  discarded: number;
}

export interface Audit {
  report: RainReport;
  equation: Equation;
  /** The part of `recycled` that went back because claims were discarded. */
  discarded: Share;
  /** What breaks the equation or what nobody can explain, packet by packet, in plain words; the first hundred. */
  problems: string[];
  /** Claims for the operator to compensate and then to discard; the first hundred. */
  toldTwice: ToldTwice[];
  /** Credits whose claims are not in the log, and not discarded: all of them. They are told as problems, too. */
  lostFromLog: LostFromLog[];
  /** What he has discarded; the first hundred. */
  acknowledged: Acknowledged[];
  /** What is on its way, when the context can see the queues. */
  queues?: QueueReport;
}

const FINDINGS_MAX = 100;

/**
 * The money equation [R8] of one rain, from three witnesses that know nothing of each other: the allocation computed
 * anew from the recorded seed, what Redis holds, and the book. It holds while the rain is in full swing, too, since the
 * packets are read before the book and the book before the claim log: whatever moves meanwhile only moves forward.
 * @returns undefined when there is no such rain
 */
export async function auditRain(context: OperatorContext, rainId: string): Promise<Audit | undefined> {
  const rain = await context.ledger.rain(rainId);
  if (!rain) return undefined;
  const queues = context.queues && await readQueues(context.queues, rainId);
  const paths = await readPacketPaths(context, rain);
  // Only now what it consists of: whatever was won by then is among it, and what was added since counts as not loaded yet.
  const whole = await context.ledger.rain(rainId) ?? rain;
  const { equation, discarded, lostFromLog, problems } = balanceOf(rainId, whole.budgetCents, allocationOf(whole), paths);
  if (rain.settledAt === undefined && await hasLost(context, rain)) problems.unshift('Redis has lost the rain after it had opened: what was won and is not credited is not known any more');
  const { promises } = paths.logged;
  const { resting } = paths.booked;
  return {
    report: {
      ...toReport(rainId, equation), balanced: isBalanced(equation) && problems.length === 0,
      ...(rain.terms.rehearsal && { rehearsal: rain.terms.rehearsal }), counts: countsOf(equation), told_twice: promises.length, discarded: resting.size,
    },
    equation, discarded,
    problems: problems.slice(0, FINDINGS_MAX), toldTwice: promises.slice(0, FINDINGS_MAX), lostFromLog,
    acknowledged: [...resting.values()].slice(0, FINDINGS_MAX),
    ...(queues && { queues }),
  };
}

/** Whether a person has something to do about this rain. */
export function isInOrder({ report: { balanced, told_twice }, queues }: Pick<Audit, 'report' | 'queues'>): boolean {
  return balanced && told_twice === 0 && (queues?.dead.count ?? 0) === 0;
}
