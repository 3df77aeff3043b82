import { shardKeys } from '../../store/keys.ts';
import { redisNow } from '../../store/rains.ts';
import type { OperatorContext } from '../context.ts';
import type { BookedPlan } from './bookedPlan.ts';
import { readBookedPackets, type BookedPackets } from './bookedPackets.ts';
import { readClaimLog, type Logged } from './claimLog.ts';
import { readPacketLists } from './packetLists.ts';
import { compareShards } from './shardMoves.ts';
import { compareState } from './shardState.ts';
import { createTamperingList, type TamperingList } from './tampering.ts';
import { createUserDigest } from './userDigest.ts';

/** Where a rain's packets are, according to Redis and the ledger. */
export interface PacketPaths {
  booked: BookedPackets;
  logged: Logged;
  /**
   * Elements set aside, and unreadable list elements that will be set aside later. One that moves during the read
   * counts twice.
   */
  spoiled: number;
  /** Whether this packet is still in a list, is on its way to one, or was not loaded yet. */
  unclaimed: (index: number) => boolean;
  /** The rain is settled and its keys have expired: only the ledger is left. */
  expired: boolean;
  tampering: TamperingList;
  /** Faults in the data that somebody other than a thief may have made, such as log entries that do not parse. */
  problems: string[];
  /** Packets of the rain, when a shard does not know, or not rightly, that others have some; else 0. */
  untold: number;
  /** Steps that the operator should repeat; no money depends on them. */
  notices: string[];
}

/** Reads packets first, then the ledger, then the log: see `auditRain`. */
export async function readPacketPaths(context: OperatorContext, plan: BookedPlan): Promise<PacketPaths> {
  const tampering = createTamperingList();
  const { id: rainId, shards, settledAt } = plan.rain();
  const expired = settledAt !== undefined && !(await context.redis.exists(shardKeys(rainId, 0).state));
  const listedAt = await redisNow(context.redis);
  const { left, loaded, spoiled, onTheirWay } = await readPacketLists(context, plan, tampering);
  const digestOf = createUserDigest();
  const booked = await readBookedPackets(context, plan, digestOf, tampering);
  for (const problem of booked.problems) tampering.note('ledger', problem, problem);
  const logged = await readClaimLog(context, {
    plan,
    booked,
    tampering,
    digestOf,
    windows: await plan.windows(),
    wasListed: (index, at) => at < listedAt && left.has(index),
  });
  const notices = await compareState(context, plan, tampering);
  const untold = await compareShards(context, plan, !left.isEmpty() || !onTheirWay.isEmpty(), tampering);
  if (untold)
    notices.push(
      `a shard does not know that others have packets, and may tell users that nothing is left; a worker puts that right`,
    );
  return {
    booked,
    logged,
    expired,
    untold,
    tampering,
    spoiled: spoiled + logged.spoiled,
    problems: logged.problems,
    notices,
    // Unclaimed packets of an expired rain: all that were neither credited nor discarded.
    unclaimed: (index) =>
      expired
        ? booked.recycledCents > 0n
        : left.has(index) || onTheirWay.has(index) || Math.floor(index / shards) >= loaded[index % shards]!,
  };
}
