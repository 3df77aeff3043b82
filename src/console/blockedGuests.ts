import type { RedisClient } from '../platform/redis/connect.ts';
import { lookOf } from '../rain/lookAlike.ts';
import { nicknameOf } from '../rain/names.ts';
import { readBlocks } from '../store/blocks.ts';

/** As long as a gateway may take to learn of a block. */
const KEPT_MS = 1_000;

export interface BlockedGuests {
  holds(userId: string): boolean;
  /** Whether a guest with this name, or one that looks like it, is blocked. */
  hasName(nickname: string): boolean;
}

export const NOBODY_BLOCKED: BlockedGuests = { holds: () => false, hasName: () => false };

/**
 * Reads the blocks once for all who ask within a second. Without Redis the last ones hold; the gateways refuse blocked
 * users in any case.
 */
export function followBlockedGuests(redis: RedisClient): () => Promise<BlockedGuests> {
  let [known, readAt, reading] = [NOBODY_BLOCKED, -Infinity, undefined as Promise<void> | undefined];
  async function read(): Promise<void> {
    try {
      if (redis.status === 'ready') known = guestsAmong((await readBlocks(redis)).blocks, Date.now());
    } catch {
      // The last list stays in force.
    }
    [readAt, reading] = [performance.now(), undefined];
  }
  return async () => {
    if (performance.now() >= readAt + KEPT_MS) await (reading ??= read());
    return known;
  };
}

type Blocks = Awaited<ReturnType<typeof readBlocks>>['blocks'];

/** @param now epoch ms */
export function guestsAmong(blocks: Blocks, now: number): BlockedGuests {
  const ids = new Set(
    blocks.filter(({ kind, until = Infinity }) => kind === 'user' && until > now).map(({ who }) => who),
  );
  const looks = new Set(
    [...ids].map((id) => nicknameOf(id)).flatMap((name) => (name === undefined ? [] : lookOf(name))),
  );
  // Only guests have chosen theirs. A name of signs alone looks like nothing, and must not keep all such names out.
  looks.delete('');
  return { holds: (userId) => ids.has(userId), hasName: (nickname) => looks.has(lookOf(nickname)) };
}
