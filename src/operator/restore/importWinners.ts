import { redisNow } from '../../store/rains.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import type { Claim } from '../../rain/claim.ts';
import { checkReceipt } from '../../rain/commitment.ts';
import type { Refusal } from '../../rain/refusal.ts';
import { readBooked } from '../audit/booked.ts';
import { refuse, type Refused } from '../context.ts';
import { allocationOf } from '../../ledger/allocation.ts';
import { readReason } from '../wording.ts';
import type { RestoreContext } from './context.ts';
import { refuseForeign } from './foreign.ts';
import { isPlanned } from './knownWins.ts';
import { pauseShards } from './pauseShards.ts';
import { postClaims } from './postClaims.ts';
import { readPresence, unknownReason, wholenessOf } from './presence.ts';
import { putBack } from './putBack.ts';
import { takenPackets, type TakenPackets } from './toldWins.ts';
import { readWinners, type WinnerRow } from './winnersFile.ts';

interface ImportOptions {
  /** For the record. */
  reason?: string | undefined;
  dryRun?: boolean | undefined;
  /** How long it waits for the workers to credit what it sends, ms. */
  waitMs?: number;
}

/**
 * `known` were credited before; `written` are in the claim log again; `sent` went to the credit queue, because Redis
 * does not have the rain.
 */
type Imported =
  | {
      ok: true;
      winners: number;
      known: number;
      unpaid: number;
      /** Payments of a statement for other rains. */ others: number;
      written: number;
      sent: number;
      /** Claims that were sent and are not credited yet. */ waiting: number;
    }
  | Refused;

const REFUSALS_MAX = 20;

/**
 * Brings back winners whom neither store knows any more. Each is checked against the plan; all are imported, or none.
 * Safe to repeat.
 */
export async function importWinners(
  context: RestoreContext,
  rainId: string,
  csv: string,
  { reason, dryRun = false, waitMs = 15_000 }: ImportOptions = {},
): Promise<Imported> {
  const given = reason === undefined ? undefined : readReason(reason);
  if (given && !given.ok) return given;
  const file = readWinners(csv, rainId);
  if (!file.ok) return file;
  const foreign = await refuseForeign(context);
  if (foreign) return foreign;
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', await unknownReason(context, rainId));
  if (rain.settledAt !== undefined)
    return refuse('id', `the ledger has settled the rain ${rainId}: its money is distributed`);
  const taken = takenPackets(await readBooked(context, rainId), []);
  const refusals = check(rain, taken, file.winners);
  if (refusals.length > 0) return { ok: false, refusals };
  const fresh = file.winners.filter(({ redPacketId, userId }) => taken.userOf.get(redPacketId) !== userId);
  const done = {
    ok: true as const,
    winners: file.winners.length,
    known: file.winners.length - fresh.length,
    unpaid: file.unpaid,
    others: file.others,
    written: 0,
    sent: 0,
    waiting: 0,
  };
  const isInRedis = wholenessOf(await readPresence(context, rainId, rain.shards)) === 'whole';
  if (dryRun) return { ...done, ...(isInRedis ? { written: fresh.length } : { sent: fresh.length }) };
  await context.ledger.record({
    actor: context.actor,
    verb: 'restore',
    rainId,
    details: { imported: file.winners.length, ...(given && { reason: given.reason }) },
  });
  const now = await redisNow(context.redis);
  const claims = fresh.map(({ redPacketId, userId, amount, at = now }): Claim => ({
    rainId,
    redPacketId,
    amount,
    userId,
    at: String(at),
  }));
  if (isInRedis && claims.length > 0) await pauseShards(context, rainId, rain.shards, false);
  const back = isInRedis ? await putBack(context, rain, claims) : { written: 0, refused: claims };
  const waiting = await postClaims(context, rain, back.refused, waitMs);
  return { ...done, written: back.written, sent: back.refused.length, waiting: waiting.length };
}

/** Every winner has a packet of the plan with its amount, no user two, and the ledger contradicts none. */
function check(rain: BookedRain, { userOf, packetOf }: TakenPackets, winners: readonly WinnerRow[]): Refusal[] {
  const allocation = allocationOf(rain);
  const refusals: Refusal[] = [];
  const [lineOfPacket, lineOfUser] = [new Map<string, number>(), new Map<string, number>()];
  const reasonAgainst = ({ redPacketId, userId, amount }: WinnerRow): [column: string, reason: string] | undefined => {
    const verdict = checkReceipt(allocation, rain.id, { rainId: rain.id, redPacketId, amount });
    if (verdict.outcome === 'amount_differs')
      return ['amount', `${redPacketId} has ${verdict.promised} in the plan, not ${amount}`];
    if (verdict.outcome !== 'ok') return ['redPacketId', `${redPacketId} is no packet of the rain ${rain.id}`];
    if (!isPlanned(rain, allocation, { rainId: rain.id, redPacketId, amount, userId }))
      return ['userId', `${userId} cannot have won ${redPacketId}: it is in another shard`];
    if (lineOfPacket.has(redPacketId))
      return ['redPacketId', `${redPacketId} is in line ${lineOfPacket.get(redPacketId)} already`];
    if (lineOfUser.has(userId))
      return ['userId', `${userId} is in line ${lineOfUser.get(userId)} already, and wins one packet of a rain`];
    const owner = userOf.get(redPacketId);
    if (owner !== undefined && owner !== userId)
      return ['userId', `${redPacketId} is ${owner === '' ? 'discarded' : `credited to ${owner}`} in the ledger`];
    const other = packetOf.get(userId);
    return other === undefined || other === redPacketId
      ? undefined
      : ['redPacketId', `${userId} is credited with ${other} in the ledger`];
  };
  for (const winner of winners) {
    const against = reasonAgainst(winner);
    if (against) refusals.push({ field: `line ${winner.line}, column ${against[0]}`, reason: against[1] });
    if (refusals.length === REFUSALS_MAX) break;
    lineOfPacket.set(winner.redPacketId, winner.line);
    lineOfUser.set(winner.userId, winner.line);
  }
  return refusals;
}
