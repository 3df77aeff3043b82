import type { RedisFacts } from '../../platform/redis/facts.ts';
import { findOnRedis, unknownSetting, type Finding } from './finding.ts';

/** The size of the next rain. */
export interface Planned {
  packets: number;
  /** Expected users; each wins at most one packet [R1]. */
  users: number;
}

/**
 * As `used_memory` of Redis 7.0 grew: 59 to 60 bytes per packet in its list, 405 to 506 per claim by the length of user
 * ids. A packet that is won leaves its list, but the list's memory is freed in steps: both are counted.
 */
const BYTES = {
  perPacket: 60,
  perClaim: 512,
  /** Scripts, client buffers, the queue with 200 waiting jobs of 500 claims, and a hash that doubles. */
  overhead: 64 * 1024 * 1024,
} as const;

export function neededBytes({ packets, users }: Planned): number {
  return BYTES.overhead + packets * BYTES.perPacket + Math.min(packets, users) * BYTES.perClaim;
}

/** @param servers number of servers that share the packets */
export function checkMemory(
  { maxMemoryBytes, usedMemoryBytes, systemMemoryBytes }: RedisFacts,
  servers: number,
  planned: Planned,
): Finding {
  const needed = Math.ceil(neededBytes(planned) / servers);
  const expected = `${mib(needed)} free for ${planned.packets} packets and ${planned.users} users`;
  const limit = maxMemoryBytes || systemMemoryBytes;
  if (limit === undefined || usedMemoryBytes === undefined) return unknownSetting('memory', expected);
  const free = limit - usedMemoryBytes;
  const verdict = free < needed ? 'wrong' : maxMemoryBytes ? 'ok' : 'warning';
  const found = maxMemoryBytes
    ? `${mib(free)} free of maxmemory ${mib(limit)}`
    : `maxmemory is 0 (no limit); ${mib(free)} free of the machine's ${mib(limit)}`;
  return findOnRedis(
    'memory',
    verdict,
    found,
    expected,
    `set maxmemory to at least ${mib(usedMemoryBytes + needed)}, and to half of what Redis may use: a rewrite of the ` +
      'append-only file may copy everything. Redis does not know the limit of a container: without maxmemory it is ' +
      'killed there before it refuses a write',
  );
}

function mib(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MiB`;
}
