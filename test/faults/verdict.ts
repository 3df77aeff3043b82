import { shardKeys } from '../../src/store/keys.ts';
import { redPacketId } from '../../src/rain/red-packet.ts';
import type { Database } from '../../src/ledger/database.ts';
import { auditRain } from '../../src/operator/audit.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { allocationOf } from '../../src/operator/load.ts';
import { formatMoney, parseMoney } from '../../src/rain/money.ts';
import { claimLog } from '../support/operatorContext.ts';
import type { Crowd } from './crowd.ts';

export interface Verdict {
  /** Users who were told that they had won. */
  acknowledged: number;
  /** Of them, those who do not have all of that money. */
  lost: number;
  /** Credits beyond what was won: a user paid twice or too much, a packet paid twice, money for nobody's claim. */
  doubled: number;
  /** What else is wrong, a sentence each. */
  problems: string[];
}

/** What a settled rain came to, by its users' own words, its claim log and the book. */
export async function judge(context: OperatorContext, database: Database, rainId: string, crowd: Pick<Crowd, 'told' | 'winners'>): Promise<Verdict> {
  const problems: string[] = [];
  const rain = (await context.ledger.rain(rainId))!;
  const claims = (await Promise.all(Array.from({ length: rain.shards }, (_, shard) => claimLog(context, rainId, shard)))).flat();
  const claimOf = new Map(claims.map((claim) => [claim.userId, claim]));
  if (claimOf.size < claims.length) problems.push(`[R1] ${claims.length - claimOf.size} claims of users who had one`);
  const packets = new Set(claims.map((claim) => claim.redPacketId));
  if (packets.size < claims.length) problems.push(`[R2] ${claims.length - packets.size} packets went to two users`);

  const amounts = allocationOf(rain);
  if (amounts.reduce((sum, cents) => sum + cents, 0n) !== rain.budgetCents) problems.push('[R3] the packets do not sum to the budget');
  const allocated = new Map(Array.from(amounts, (cents, index) => [redPacketId(rainId, index), formatMoney(cents)]));
  for (const claim of claims) if (allocated.get(claim.redPacketId) !== claim.amount) problems.push(`[R3] ${claim.redPacketId} was won as ${claim.amount}, allocated ${allocated.get(claim.redPacketId)}`);

  const credits = await database.transfer.findMany({ where: { rainId, kind: 'credit' } });
  const accounts = await database.account.findMany({ where: { id: { startsWith: `user:${rainId}-` } } });
  const paid = new Map(accounts.map(({ id, balanceCents }) => [id.slice('user:'.length), balanceCents]));
  const creditOf = new Map(credits.map((credit) => [credit.userId!, credit]));
  let [lost, doubled] = [0, 0];
  for (const [userId, won] of crowd.winners()) {
    const credit = creditOf.get(userId);
    const right = credit?.redPacketId === won.redPacketId && credit.amountCents === parseMoney(won.amount)! && (paid.get(userId) ?? 0n) >= credit.amountCents;
    if (!right) lost++;
    if (claimOf.get(userId)?.redPacketId !== won.redPacketId) problems.push(`[R4] ${userId} was told ${won.redPacketId}, which is not in the claim log`);
  }
  const paidPackets = new Set<string>();
  for (const { userId, redPacketId: packet, amountCents } of credits) {
    const claim = claimOf.get(userId!);
    if (paidPackets.has(packet!) || claim?.redPacketId !== packet || parseMoney(claim!.amount) !== amountCents) doubled++;
    paidPackets.add(packet!);
  }
  for (const [userId, cents] of paid) if (cents > (creditOf.get(userId)?.amountCents ?? 0n)) doubled++;

  for (const [userId, told] of crowd.told) {
    problems.push(...told.contradictions);
    if (told.credited && creditOf.get(userId)?.redPacketId !== told.credited.redPacketId) problems.push(`${userId} was told of a credit that is not in the book`);
    if (claimOf.has(userId) && !told.won) problems.push(`${userId} won ${claimOf.get(userId)!.redPacketId} and never heard of it`);
  }
  problems.push(...await weighBook(context, rainId, claims.length));
  return { acknowledged: crowd.winners().length, lost, doubled, problems };
}

/** The money as a whole [R8]: the audit of the product, and two sums of our own. */
async function weighBook(context: OperatorContext, rainId: string, claims: number): Promise<string[]> {
  const problems: string[] = [];
  const audit = (await auditRain(context, rainId))!;
  if (!audit.report.balanced || audit.problems.length > 0) problems.push(`[R8] the audit: ${JSON.stringify(audit.report)} ${audit.problems.join('; ')}`);
  if (audit.report.winners !== claims) problems.push(`[R8] ${audit.report.winners} winners in the audit, ${claims} claims in the log`);
  const { fundedCents, credited, recycledCents } = (await context.ledger.book(rainId))!;
  if (fundedCents !== credited.cents + recycledCents) problems.push(`[R8] ${fundedCents} went in, ${credited.cents} and ${recycledCents} came out`);
  const recycled = (await context.ledger.actions(rainId)).filter(({ verb }) => verb === 'recycle').length;
  if (recycled > 1) problems.push(`recycled ${recycled} times`);
  const sum = await context.ledger.sumOfBalances();
  if (sum !== 0n) problems.push(`the accounts sum to ${sum}, not to 0`);
  const state = await context.redis.hget(shardKeys(rainId, 0).state, 'state');
  if (state !== 'settled') problems.push(`Redis says that the rain is ${state}`);
  return problems;
}
