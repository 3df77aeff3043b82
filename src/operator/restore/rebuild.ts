import { RESTORING } from '../../store/holds.ts';
import { rebuildShard, type KnownClaim, type RebuiltShard } from '../../store/rebuild.ts';
import { shardKeys, shardOf } from '../../store/keys.ts';
import { plannedFor } from '../../store/loadPackets.ts';
import { redisNow } from '../../store/rains.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import { canonicalJson } from '../../rain/json.ts';
import { redPacketId, redPacketIndex } from '../../rain/red-packet.ts';
import { ticketRulesText } from '../../rain/ticketRules.ts';
import type { Claim } from '../../rain/claim.ts';
import { readBooked } from '../audit/booked.ts';
import { breaksCommitment } from '../../ledger/commitment.ts';
import { draftOf } from '../commitment.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { stockOf } from '../load.ts';
import { recordedTickets } from '../tickets.ts';
import { bookedClaims } from './bookedClaims.ts';
import { isLogTrusted } from './logTrust.ts';
import { readShardClaims, type ShardClaims } from './knownWins.ts';
import { noteKnownMoves, readMovedPackets, type MovedPackets } from './otherShards.ts';
import { readPresence } from './presence.ts';
import { elementIn, elementOf } from './packetElements.ts';
import { claimOf, readJudgedWins, takenPackets } from './toldWins.ts';

/**
 * `revived`: shards that have their state back; `told`: claims of told wins that were written, on the operator's word.
 */
type Rebuilt = { ok: true; shards: number; packets: number; told: number } | Refused;

/** How often a shard is read again that somebody else has changed meanwhile. */
const ATTEMPTS_MAX = 5;

/**
 * Gives the shards a state again that have lost it: packets = plan - claims of the log - credits - discards - told
 * wins. All wins that are known are in the log before the state is there. The rain is paused then, or closed when its
 * time is over.
 * @param word the operator takes it that wins may be unknown, and has told wins paid
 */
export async function rebuildRain(
  context: OperatorContext,
  rain: BookedRain,
  lost: readonly number[],
  word: boolean,
  dryRun: boolean,
): Promise<Rebuilt> {
  const { fields, allocation, isOver } = await planOf(context, rain);
  if (breaksCommitment(rain, fields['commitment']))
    return refuse(
      'id',
      `seed and plan of the rain ${rain.id} do not match the commitment; its packets would not be the promised ones`,
    );
  const done = { ok: true as const, shards: 0, packets: 0, told: 0 };
  const moved = await readMovedPackets(context, rain, lost);
  const placed = new Set(moved.listed);
  for (const shard of lost) {
    const candidates = candidatesOf(rain, allocation, shard, moved);
    const planned = String(plannedFor(shard, rain.shards, allocation.length));
    for (let attempt = 1; ; attempt++) {
      const known = await readKnown(
        context,
        rain,
        allocation,
        shard,
        word,
        candidates.filter((index) => !placed.has(redPacketId(rain.id, index))),
      );
      if (
        !word &&
        !(await isLogTrusted(
          context,
          rain,
          shard,
          known.elements.filter((element) => !moved.coming.has(elementIn(element) ?? '')),
        ))
      ) {
        return refuse(
          'reason',
          `wins of the rain ${rain.id} that are not credited may be unknown: its claim log is not complete. Bring the data of Redis back, or import the winners with rain restore import ${rain.id} --winners winners.csv, or take it that some are missing with rain restore apply ${rain.id} --reason "…"`,
        );
      }
      if (!dryRun) await noteKnownMoves(context, rain, shard);
      const outcome = dryRun
        ? 'revived'
        : await rebuildShard(context.redis, context.signer, rain.id, shard, {
            ...known,
            state: isOver ? 'closed' : 'paused',
            fields: { ...fields, packets: planned, loaded: planned },
          });
      if (outcome === 'changed' && attempt < ATTEMPTS_MAX) continue;
      if (outcome === 'changed') return refuse('id', `somebody else changes the rain ${rain.id} meanwhile; try again`);
      for (const index of candidates) placed.add(redPacketId(rain.id, index));
      if (outcome === 'revived')
        [done.shards, done.packets, done.told] = [
          done.shards + 1,
          done.packets + known.elements.length,
          done.told + known.told,
        ];
      break;
    }
  }
  return done;
}

/**
 * Packets that may have been in this shard, as indices in the order of the plan: those that it was loaded with, and
 * those that others lent to it.
 */
function candidatesOf(
  rain: BookedRain,
  allocation: BigInt64Array,
  shard: number,
  { broughtTo }: MovedPackets,
): number[] {
  const indices = new Set<number>();
  for (let index = shard; index < allocation.length; index += rain.shards) indices.add(index);
  for (const id of broughtTo.get(shard) ?? []) {
    const index = redPacketIndex(rain.id, id);
    if (index !== undefined && index < allocation.length) indices.add(index);
  }
  return [...indices].sort((a, b) => a - b);
}

/** The fields of a state, all but those of one shard. */
async function planOf(context: OperatorContext, rain: BookedRain) {
  const { rainId, opensAt, closesAt, terms = {}, commitment } = await draftOf(context, rain);
  const { amounts, topUps = [] } = stockOf(rain);
  const ticketRules = await recordedTickets(context, rain.id);
  return {
    allocation: amounts,
    // A close that met the loss has ended the other shards.
    isOver:
      rain.sealedAt !== undefined ||
      (await redisNow(context.redis)) >= closesAt ||
      (await readPresence(context, rain.id, rain.shards)).shards.some(({ state }) => state === 'closed'),
    fields: {
      ...(rain.shards > 1 && {
        shards: String(rain.shards),
        elsewhere: String(rain.shards),
        total: String(amounts.length),
      }),
      rainId,
      opensAt: String(opensAt),
      closesAt: String(closesAt),
      terms: canonicalJson(terms),
      held: RESTORING,
      ...(commitment !== undefined && { commitment }),
      ...(terms.winsMax !== undefined && { winsMax: String(terms.winsMax) }),
      ...(topUps.length > 0 && { topUps: canonicalJson(topUps) }),
      signedBy: context.signer.keyId,
      ...(ticketRules && { ticketRules: ticketRulesText(ticketRules) }),
    } as Record<string, string>,
  };
}

type Known = Pick<RebuiltShard, 'elements' | 'claims' | 'logLength'> & { told: number };

async function readKnown(
  context: OperatorContext,
  rain: BookedRain,
  allocation: BigInt64Array,
  shard: number,
  word: boolean,
  candidates: readonly number[],
): Promise<Known> {
  // A packet may have been won in any shard.
  const everywhere = await Promise.all(
    Array.from({ length: rain.shards }, (_, each) => readShardClaims(context, rain, allocation, each)),
  );
  const claims = everywhere[shard]!;
  const booked = await readBooked(context, rain.id);
  const wins = everywhere.flatMap(({ logged, byUser }) => [...logged.map(({ claim }) => claim), ...byUser.values()]);
  const taken = takenPackets(booked, wins);
  const told = (await readJudgedWins(context, rain, allocation, taken)).filter(
    ({ verdict, userId }) => verdict === 'payable' && shardOf(userId, rain.shards) === shard,
  );
  const paid: Claim[] = word ? told.map((win) => claimOf(rain.id, win)) : [];
  const here = [...booked.credits].filter(([, { userId }]) => shardOf(userId, rain.shards) === shard);
  const credited = await bookedClaims(
    context,
    rain.id,
    here.map(([id, { userId, cents }]) => ({ redPacketId: id, userId, amountCents: cents })),
  );
  const elements: string[] = [];
  const withheld = new Set(told.map(({ redPacketId: id }) => id));
  for (const index of candidates) {
    const id = redPacketId(rain.id, index);
    if (!taken.userOf.has(id) && !withheld.has(id)) elements.push(elementOf(context, rain.id, allocation, index));
  }
  return {
    elements,
    claims: missingClaims(claims, [...credited, ...paid]),
    logLength: claims.logLength,
    told: paid.length,
  };
}

/**
 * Claims that the log or the claims by user lack: the user's own claim, the log's first claim of each user, and wins
 * known from elsewhere.
 */
function missingClaims({ logged, byUser }: ShardClaims, elsewhere: readonly Claim[]): KnownClaim[] {
  const inLog = new Set(logged.map(({ claim }) => nameOf(claim)));
  const missing: KnownClaim[] = [];
  for (const { claim } of logged) if (!byUser.has(claim.userId)) missing.push({ claim, logged: true });
  for (const claim of [...byUser.values(), ...elsewhere]) {
    if (inLog.has(nameOf(claim))) continue;
    inLog.add(nameOf(claim));
    missing.push({ claim, logged: false });
  }
  return missing;
}

function nameOf({ redPacketId: id, userId }: Claim): string {
  return `${id}\n${userId}`;
}

/**
 * The shards that have to be rebuilt: those without a state; with `drafts`, also drafts, which an older Redis has not
 * loaded yet.
 */
export async function shardsToRebuild(
  { redis }: OperatorContext,
  rain: BookedRain,
  drafts: boolean,
): Promise<number[]> {
  const states = await Promise.all(
    Array.from({ length: rain.shards }, (_, shard) => redis.hget(shardKeys(rain.id, shard).state, 'state')),
  );
  return states.flatMap((state, shard) => (state === null || (drafts && state === 'draft') ? [shard] : []));
}
