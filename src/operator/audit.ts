import { liveRains } from '../store/rains.ts';
import { isBalanced, countsOf, toReport, type AuditReport, type Equation, type Share } from '../rain/equation.ts';
import type { Acknowledged, LostFromLog, ToldTwice } from './audit/findings.ts';
import { readQueues, type QueueReport } from './audit/queues.ts';
import { findSuspects } from './audit/settled.ts';
import { compareAccounts, summedOnce, type SumOfBalances } from './audit/accounts.ts';
import { readPlan } from './audit/bookedPlan.ts';
import type { ValidEntry } from './audit/claimedHash.ts';
import { readPacketPaths } from './audit/packetPaths.ts';
import { acknowledgedId, tamperingKey, type Tampering, type TamperingKind } from './audit/tampering.ts';
import { balanceOf } from './audit/balance.ts';
import type { OperatorContext } from './context.ts';
import { hasLost } from './lostRains.ts';
import { goneReason, onlyInRedisReason } from './restore/presence.ts';

/** The money report of a rain, with packet counts and what the operator still has to handle. */
export interface RainReport extends AuditReport {
  counts: ReturnType<typeof countsOf>;
  /** Only for a rehearsal: its amounts are test money. */
  rehearsal?: true;
  /**
   * Wins that were told to a user but cannot be paid from this rain. The report may be balanced and still have some.
   */
  told_twice: number;
  /** Dead letters, lost claims and findings that the operator has explained. */
  discarded: number;
}

export interface Audit {
  report: RainReport;
  equation: Equation;
  /** The part of `recycled` that came from discarded claims. */
  discarded: Share;
  /** Facts that break the equation or have no known cause, one sentence per packet. At most 100. */
  problems: string[];
  /** Claims that the operator has to compensate and then discard. At most 100. */
  toldTwice: ToldTwice[];
  /** Credits whose claims are not in the log and not discarded: all of them. They are listed in `problems` too. */
  lostFromLog: LostFromLog[];
  /** Letters and findings that the operator has discarded. At most 100. */
  acknowledged: Acknowledged[];
  /** Steps that the operator should repeat, such as a reschedule that was cut. The money adds up all the same. */
  notices: string[];
  /** Changes by hand in Redis or in the database; their sentences are in `problems`, too. */
  tampering: Tampering[];
  /** Valid claims whose users the dedupe hash has lost, and which may be written there again. */
  missing: ValidEntry[];
  /**
   * Packets of the rain, when a shard does not know, or not rightly, that others have some [R13]: it is to be told
   * again; else 0.
   */
  untold: number;
  /** Claims still in the queues; only when the context has queues. */
  queues?: QueueReport;
}

const FINDINGS_MAX = 100;

/**
 * Checks the money equation [R8] of one rain: the allocation recomputed from its seed, Redis and the ledger. It also
 * holds while the rain is open: packets are read before the ledger, and the ledger before the claim log, the direction
 * in which a packet moves.
 * @param sumOfBalances the sum at the first look; before anybody is accused, the ledger is asked
 * @returns undefined when there is no such rain
 */
export async function auditRain(
  context: OperatorContext,
  rainId: string,
  sumOfBalances?: SumOfBalances,
): Promise<Audit | undefined> {
  const first = await auditOnce(context, rainId, { sumOfBalances });
  if (!first || (first.problems.length === 0 && first.untold === 0)) return first;
  // Read everything again before anybody is accused: a restore or a failover may have come in between two reads.
  return auditOnce(context, rainId, { accused: new Set(first.tampering.map(tamperingKey)) });
}

interface Look {
  /** Keys of findings; others are left out. Absent: all are reported. */
  accused?: ReadonlySet<string>;
  sumOfBalances?: SumOfBalances | undefined;
}

async function auditOnce(
  context: OperatorContext,
  rainId: string,
  { accused, sumOfBalances = context.ledger.sumOfBalances }: Look,
): Promise<Audit | undefined> {
  const rain = await context.ledger.rain(rainId);
  if (!rain) return undefined;
  const queues = context.queues && (await readQueues(context.queues, rainId));
  const plan = await readPlan(context, rain);
  // The ledger's rain is read last: everything won so far belongs to it, and packets added since count as not loaded
  // yet.
  const paths = await readPacketPaths(context, plan);
  const { equation, discarded, lostFromLog, problems } = await balanceOf(plan, paths, (redPacketIds) =>
    context.ledger.creditsTo(rainId, { redPacketIds }),
  );
  problems.push(...(await compareAccounts(context, rainId, paths.tampering, sumOfBalances)));
  const { acknowledged } = paths.booked;
  const { toldTwice, missing } = paths.logged;
  const tampering = paths.tampering
    .all()
    .filter(
      (finding) => !acknowledged.has(acknowledgedId(rainId, finding)) && (accused?.has(tamperingKey(finding)) ?? true),
    );
  problems.unshift(...tampering.map(({ sentence }) => sentence));
  const isGone = tampering.some(({ kind }) => kind === 'state_gone');
  if (rain.settledAt === undefined && !isGone && (await hasLost(context, rain)))
    problems.unshift(`${await goneReason(context.redis, rain)}; wins that were not credited yet may be unknown`);
  return {
    report: {
      ...toReport(rainId, equation),
      balanced: isBalanced(equation) && problems.length === 0,
      ...(rain.terms.rehearsal && { rehearsal: rain.terms.rehearsal }),
      counts: countsOf(equation),
      told_twice: toldTwice.length,
      discarded: acknowledged.size,
    },
    equation,
    discarded,
    problems: problems.slice(0, FINDINGS_MAX),
    toldTwice: toldTwice.slice(0, FINDINGS_MAX),
    lostFromLog,
    acknowledged: [...acknowledged.values()].slice(0, FINDINGS_MAX),
    notices: paths.notices,
    tampering,
    untold: paths.untold,
    missing: restorable(missing, tampering),
    ...(queues && { queues }),
  };
}

/** Missing claims against which nothing else speaks. */
function restorable(missing: readonly ValidEntry[], tampering: readonly Tampering[]): ValidEntry[] {
  const found = new Map<string, Set<TamperingKind>>();
  for (const { kind, subject } of tampering) found.set(subject, (found.get(subject) ?? new Set()).add(kind));
  return missing.filter(({ claim: { redPacketId } }) => {
    const kinds = found.get(redPacketId);
    return kinds?.size === 1 && kinds.has('claimed_missing');
  });
}

/**
 * One audited rain. `fault`: it could not be audited, which must not hide the others. `suspect`: not one of those asked
 * for.
 */
export type AuditedRain = { rainId: string; title: string; suspect?: true } & ({ audit: Audit } | { fault: unknown });

/**
 * Audits many rains one after the other, newest first; after the unsettled ones also the others that a cheap look finds
 * at fault.
 */
export async function* auditAll(
  context: OperatorContext,
  which: 'all' | 'unsettled',
  limit: number,
): AsyncGenerator<AuditedRain> {
  const listed = (await context.ledger.rains(limit, which)).map(({ id: rainId, title }) => ({ rainId, title }));
  const sumOfBalances = summedOnce(context);
  for (const rain of listed) yield* auditOne(context, rain, sumOfBalances);
  // Settled meanwhile, a rain was audited above.
  const audited = new Set(listed.map(({ rainId }) => rainId));
  for (const { unknown, ...rain } of await findSuspects(context, limit)) {
    if (unknown)
      yield { ...rain, suspect: true, fault: new Error('it has dead letters, and the ledger does not have this rain') };
    else if (!audited.has(rain.rainId)) yield* auditOne(context, { ...rain, suspect: true }, sumOfBalances);
  }
  for (const [rainId, { title }] of await liveRains(context.redis)) {
    if (!(await context.ledger.rain(rainId)))
      yield { rainId, title, suspect: true, fault: new Error(onlyInRedisReason(rainId)) };
  }
}

async function* auditOne(
  context: OperatorContext,
  rain: Pick<AuditedRain, 'rainId' | 'title' | 'suspect'>,
  sumOfBalances: SumOfBalances,
): AsyncGenerator<AuditedRain> {
  try {
    const audit = await auditRain(context, rain.rainId, sumOfBalances);
    if (audit) yield { ...rain, audit };
  } catch (fault) {
    yield { ...rain, fault };
  }
}

/** Whether this rain needs nothing from the operator. */
export function isInOrder({ report: { balanced, told_twice }, queues }: Pick<Audit, 'report' | 'queues'>): boolean {
  return balanced && told_twice === 0 && (queues?.dead.count ?? 0) === 0;
}
