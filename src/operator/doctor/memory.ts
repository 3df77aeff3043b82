import type { RedisFacts } from '../../platform/redis/facts.ts';
import { untold, type Finding } from './finding.ts';

/** What the next rain is to hold. */
export interface Planned {
  packets: number;
  /** Users who may come; each wins at most one packet [R1]. */
  users: number;
}

/**
 * Redis's memory of a rain, as `used_memory` of Redis 7.0 grew (250,000 packets of 12.21, rain ids of 14 characters): 59 to
 * 60 bytes a packet in its list; a claim (hash, log, set of the credited) 405 bytes with user ids of 11 characters and 506
 * with 36. A packet that is won leaves its list, but the lists' memory goes back in steps: both are counted.
 */
const BYTES = {
  perPacket: 60,
  perClaim: 512,
  /** Scripts, clients' buffers, the queue with 200 waiting jobs of 500 claims, and a hash that doubles. */
  besides: 64 * 1024 * 1024,
} as const;

export function neededBytes({ packets, users }: Planned): number {
  return BYTES.besides + packets * BYTES.perPacket + Math.min(packets, users) * BYTES.perClaim;
}

/** @param servers among how many the packets are spread */
export function judgeMemory({ maxMemoryBytes, usedMemoryBytes, systemMemoryBytes }: RedisFacts, servers: number, planned: Planned): Finding {
  const needed = Math.ceil(neededBytes(planned) / servers);
  const expected = `${mib(needed)} free for ${planned.packets} packets and ${planned.users} users`;
  const limit = maxMemoryBytes || systemMemoryBytes;
  if (limit === undefined || usedMemoryBytes === undefined) return untold('redis', 'memory', expected);
  const free = limit - usedMemoryBytes;
  const verdict = free < needed ? 'wrong' : free < 2 * needed && !maxMemoryBytes ? 'warning' : 'ok';
  return {
    subject: 'redis', name: 'memory', verdict, found: `${mib(free)} free of ${maxMemoryBytes ? 'maxmemory' : "the machine's"} ${mib(limit)}`, expected,
    ...(verdict === 'wrong' && { advice: `set maxmemory to at least ${mib(usedMemoryBytes + needed)}, on a machine that has twice as much (a rewrite of the log may copy it all)` }),
    ...(verdict === 'warning' && { advice: 'take a machine with twice as much memory: a rewrite of the log may copy it all' }),
  };
}

function mib(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MiB`;
}
