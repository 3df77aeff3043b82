import { shardKeys } from '../../src/store/keys.ts';
import { redPacketId } from '../../src/rain/red-packet.ts';
import type { Database } from '../../src/ledger/database.ts';
import type { BookedRain } from '../../src/ledger/rains.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { auditRain } from '../../src/operator/audit.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { allocationOf } from '../../src/ledger/allocation.ts';
import { formatMoney, parseMoney } from '../../src/rain/money.ts';
import { claimLog } from '../support/operatorContext.ts';
import { falseAlarms } from './falseAlarms.ts';
import type { Crowd } from './users/crowd.ts';

export interface Verdict {
  /** Users that received a win. */
  acknowledged: number;
  /** Users among them who do not have all of that money. */
  lost: number;
  /** Credits without a win: a user paid twice or too much, a packet paid twice, money without a claim. */
  doubled: number;
  /** All other problems, one sentence each. */
  problems: string[];
}

/** Users of whom less is asked after a failover with DURABILITY=local. */
export interface Excused {
  /** The audit has named their wins as told twice: nothing is asked. */
  compensated: ReadonlySet<string>;
  /**
   * The lost master alone had decided for them: until their wins are put back, another gateway may tell them that they
   * have none.
   */
  misled: ReadonlySet<string>;
}

type Credit = Awaited<ReturnType<Database['transfer']['findMany']>>[number];

const NOBODY: Excused = { compensated: new Set(), misled: new Set() };

/** Checks a settled rain: compares the users' answers, the claim log and the ledger. */
export async function checkRain(
  context: OperatorContext,
  database: Database,
  rainId: string,
  crowd: Pick<Crowd, 'records' | 'winners'>,
  { compensated, misled }: Excused = NOBODY,
): Promise<Verdict> {
  const problems: string[] = [];
  const rain = (await context.ledger.rain(rainId))!;
  const claims = (
    await Promise.all(Array.from({ length: rain.shards }, (_, shard) => claimLog(context, rainId, shard)))
  )
    .flat()
    .filter(({ userId }) => !compensated.has(userId));
  const claimOf = new Map(claims.map((claim) => [claim.userId, claim]));
  if (claimOf.size < claims.length) problems.push(`[R1] ${claims.length - claimOf.size} second claims of a user`);
  const packets = new Set(claims.map((claim) => claim.redPacketId));
  if (packets.size < claims.length) problems.push(`[R2] ${claims.length - packets.size} packets went to two users`);
  problems.push(...checkAmounts(rain, claims));

  const credits = await database.transfer.findMany({ where: { rainId, kind: 'credit' } });
  const accounts = await database.account.findMany({ where: { id: { startsWith: `user:${rainId}-` } } });
  const paid = new Map(accounts.map(({ id, balanceCents }) => [id.slice('user:'.length), balanceCents]));
  const creditOf = new Map(credits.map((credit) => [credit.userId!, credit]));
  let lost = 0;
  for (const [userId, won] of crowd.winners()) {
    if (compensated.has(userId)) continue;
    const credit = creditOf.get(userId);
    const right =
      credit?.redPacketId === won.redPacketId &&
      credit.amountCents === parseMoney(won.amount)! &&
      (paid.get(userId) ?? 0n) >= credit.amountCents;
    if (!right) lost++;
    if (claimOf.get(userId)?.redPacketId !== won.redPacketId)
      problems.push(`[R4] ${userId} was told ${won.redPacketId}, which is not in the claim log`);
  }
  let doubled = countWrong(credits, claimOf, compensated);
  for (const [userId, cents] of paid) if (cents > (creditOf.get(userId)?.amountCents ?? 0n)) doubled++;

  problems.push(
    ...checkRecords(crowd, { claimOf, creditOf }, { compensated, misled }),
    ...(await checkLedger(
      context,
      rainId,
      claims.length + credits.filter(({ userId }) => compensated.has(userId!)).length,
    )),
    ...(await falseAlarms(context, rainId)),
  );
  return { acknowledged: crowd.winners().length, lost, doubled, problems };
}

function checkAmounts(rain: BookedRain, claims: readonly Claim[]): string[] {
  const problems: string[] = [];
  const amounts = allocationOf(rain);
  if (amounts.reduce((sum, cents) => sum + cents, 0n) !== rain.budgetCents)
    problems.push('[R3] the packets do not sum to the budget');
  const allocated = new Map(Array.from(amounts, (cents, index) => [redPacketId(rain.id, index), formatMoney(cents)]));
  for (const claim of claims)
    if (allocated.get(claim.redPacketId) !== claim.amount)
      problems.push(
        `[R3] ${claim.redPacketId} was won as ${claim.amount}, allocated ${allocated.get(claim.redPacketId)}`,
      );
  return problems;
}

/** How many credits have no claim of their own. */
function countWrong(
  credits: readonly Credit[],
  claimOf: ReadonlyMap<string, Claim>,
  compensated: ReadonlySet<string>,
): number {
  let wrong = 0;
  const paidPackets = new Set<string>();
  for (const { userId, redPacketId: packet, amountCents } of credits) {
    const claim = claimOf.get(userId!);
    const isRight =
      compensated.has(userId!) || (claim?.redPacketId === packet && parseMoney(claim!.amount) === amountCents);
    if (paidPackets.has(packet!) || !isRight) wrong++;
    paidPackets.add(packet!);
  }
  return wrong;
}

/** Compares what each user was told with the claim log and the credits. */
function checkRecords(
  { records }: Pick<Crowd, 'records'>,
  { claimOf, creditOf }: { claimOf: ReadonlyMap<string, Claim>; creditOf: ReadonlyMap<string, Credit> },
  { compensated, misled }: Excused,
): string[] {
  const problems: string[] = [];
  for (const [userId, record] of records) {
    if (compensated.has(userId)) continue;
    if (!misled.has(userId)) problems.push(...record.contradictions);
    if (record.credited && creditOf.get(userId)?.redPacketId !== record.credited.redPacketId)
      problems.push(`${userId} received a credit that is not in the ledger`);
    if (claimOf.has(userId) && !record.won)
      problems.push(`${userId} won ${claimOf.get(userId)!.redPacketId} and never received the win`);
  }
  return problems;
}

/** Checks the money as a whole [R8]: the product's audit, and two sums of this test. */
async function checkLedger(context: OperatorContext, rainId: string, claims: number): Promise<string[]> {
  const problems: string[] = [];
  const audit = (await auditRain(context, rainId))!;
  if (!audit.report.balanced || audit.problems.length > 0)
    problems.push(`[R8] the audit: ${JSON.stringify(audit.report)} ${audit.problems.join('; ')}`);
  if (audit.report.winners !== claims)
    problems.push(`[R8] ${audit.report.winners} winners in the audit, ${claims} claims in the log`);
  const { fundedCents, credited, recycledCents } = (await context.ledger.book(rainId))!;
  if (fundedCents !== credited.cents + recycledCents)
    problems.push(`[R8] ${fundedCents} went in, ${credited.cents} and ${recycledCents} came out`);
  const recycled = (await context.ledger.actions(rainId)).filter(({ verb }) => verb === 'recycle').length;
  if (recycled > 1) problems.push(`recycled ${recycled} times`);
  const sum = await context.ledger.sumOfBalances();
  if (sum !== 0n) problems.push(`the accounts sum to ${sum}, not to 0`);
  const state = await context.redis.hget(shardKeys(rainId, 0).state, 'state');
  if (state !== 'settled') problems.push(`Redis says that the rain is ${state}`);
  return problems;
}
