import { readTold, type LostWin } from '../../store/told.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import type { Claim } from '../../rain/claim.ts';
import type { Booked } from '../audit/booked.ts';
import type { OperatorContext } from '../context.ts';
import { isPlanned } from './knownWins.ts';

/**
 * A win that a user was told, with a genuine receipt, judged by plan, ledger and log. `known`: it is credited, or in
 * the claim log · `payable`: receipt and plan confirm it, and nobody has the packet · `contested`: the packet, or the
 * user, has another win, or the rain is settled · `unverified`: never paid
 */
export interface JudgedWin extends LostWin {
  verdict: 'known' | 'payable' | 'contested' | 'unverified';
  why: string;
}

/** The wins that a rain has given, as far as ledger and log know. */
export interface TakenPackets {
  /** redPacketId → its user; '' when the packet's money went back. */
  userOf: ReadonlyMap<string, string>;
  /** userId → the packet. */
  packetOf: ReadonlyMap<string, string>;
}

export function takenPackets(booked: Pick<Booked, 'credits' | 'discards'>, claims: Iterable<Claim>): TakenPackets {
  const userOf = new Map<string, string>();
  const packetOf = new Map<string, string>();
  for (const { redPacketId, userId } of claims) userOf.set(redPacketId, userId);
  for (const redPacketId of booked.discards.keys()) userOf.set(redPacketId, '');
  for (const [redPacketId, { userId }] of booked.credits) userOf.set(redPacketId, userId);
  for (const [redPacketId, userId] of userOf) packetOf.set(userId, redPacketId);
  return { userOf, packetOf };
}

/** The told wins of a rain, the earliest first. */
export async function readJudgedWins(
  context: OperatorContext,
  rain: BookedRain,
  allocation: BigInt64Array,
  taken: TakenPackets,
): Promise<JudgedWin[]> {
  const records = await readTold(context.redis, context.signer, rain.id, rain.shards);
  const promised = new Set<string>();
  return records
    .toSorted((a, b) => a.at - b.at || (a.redPacketId < b.redPacketId ? -1 : 1))
    .map((record) => {
      const judged = { ...record, ...judgeWin(rain, allocation, taken, record) };
      if (judged.verdict !== 'payable') return judged;
      if (promised.has(record.redPacketId))
        return { ...record, verdict: 'contested', why: 'another user was told the same packet before' };
      promised.add(record.redPacketId);
      return { ...judged, why: 'receipt and plan confirm it' };
    });
}

/** Whether the rain can pay a win that neither store knows. */
export function judgeWin(
  rain: BookedRain,
  allocation: BigInt64Array,
  { userOf, packetOf }: TakenPackets,
  { redPacketId, userId, amount }: Pick<LostWin, 'redPacketId' | 'userId' | 'amount'>,
): Pick<JudgedWin, 'verdict' | 'why'> {
  const of = (verdict: JudgedWin['verdict'], why: string) => ({ verdict, why });
  const owner = userOf.get(redPacketId);
  if (owner === userId) return of('known', 'it is credited, or in the claim log');
  if (!isPlanned(rain, allocation, { rainId: rain.id, redPacketId, amount, userId }))
    return of('unverified', 'the plan has no such packet for this user');
  if (rain.settledAt !== undefined) return of('contested', 'the rain is settled, and its money distributed');
  if (owner !== undefined)
    return of('contested', owner === '' ? 'the money of the packet went back' : `the packet is of ${owner}`);
  const other = packetOf.get(userId);
  return other === undefined ? of('payable', 'the plan confirms it') : of('contested', `the user has ${other}`);
}

/** A told win as the claim of its user. */
export function claimOf(rainId: string, { redPacketId, amount, userId, at }: LostWin): Claim {
  return { rainId, redPacketId, amount, userId, at: String(at) };
}
