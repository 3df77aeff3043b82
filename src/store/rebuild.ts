import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Claim } from '../rain/claim.ts';
import type { StoredState } from '../rain/rain.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { shardKeys } from './keys.ts';
import { signedEntry } from './restoreClaims.ts';
import { run } from './scripts.ts';
import type { Signer } from './signer.ts';
import { keepShard } from './transitions.ts';

/** Packets, and claims, per script call: about 2 ms of Redis's time. */
const CHUNK = 2_000;
const CLAIMS_MAX = 500;

/** A claim that must be in both places; `logged`: the log has it already. */
export interface KnownClaim {
  claim: Claim;
  logged: boolean;
}

/** The content of a shard once it is back. */
export interface RebuiltShard {
  /** Elements of the packet list, in the order in which they are handed out. */
  elements: readonly string[];
  state: Extract<StoredState, 'paused' | 'closed'>;
  /** The other fields of the state. */
  fields: Readonly<Record<string, string>>;
  /** Claims that the log or the claims by user lack. */
  claims: readonly KnownClaim[];
  /** Length of the claim log when it was read. */
  logLength: number;
}

/**
 * `revived` now; `present` the shard has a state; `changed` somebody else has changed log or list meanwhile: read them
 * again.
 */
type Rebuilding = 'revived' | 'present' | 'changed';

/** Rebuilds a shard without a state. The state comes last: if this is cut, repeat it. */
export async function rebuildShard(
  redis: RedisClient,
  signer: Signer,
  rainId: string,
  shard: number,
  { elements, state, fields, claims, logLength }: RebuiltShard,
): Promise<Rebuilding> {
  const keys = shardKeys(rainId, shard);
  await keepShard(redis, rainId, shard);
  let length = logLength;
  for (let at = 0; at < claims.length; at += CLAIMS_MAX) {
    const args = claims
      .slice(at, at + CLAIMS_MAX)
      .flatMap(({ claim, logged }) => [claim.userId, signedEntry(signer, claim), logged ? '1' : '']);
    const done = z.int().parse(await run(redis, 'relog', [keys.state, keys.claimed, keys.claims], [length, ...args]));
    if (done < 0) return done === -1 ? 'present' : 'changed';
    length = done;
  }
  const digest = digestOf(elements);
  let at = 0;
  do {
    const chunk = elements.slice(at, at + CHUNK);
    const done = z.int().parse(await run(redis, 'rebuild', [keys.state, keys.rebuilt], [digest, at, ...chunk]));
    if (done === -1) return 'present';
    // More than expected: an interrupted rebuild of the same list got further.
    if (done < at + chunk.length) return 'changed';
    at = done;
  } while (at < elements.length);
  const revived = await run(
    redis,
    'revive',
    [keys.state, keys.packets, keys.claims, keys.rebuilt],
    [digest, elements.length, length, ...Object.entries({ ...fields, state }).flat()],
  );
  return revived === 1 ? 'revived' : revived === 0 ? 'present' : 'changed';
}

function digestOf(elements: readonly string[]): string {
  const hash = createHash('sha256');
  for (const element of elements) hash.update(element).update('\n');
  return hash.digest('hex');
}
