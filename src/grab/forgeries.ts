import { z } from 'zod';
import type { RedisClient } from '../platform/redis/connect.ts';
import { campaignKeys, shardKeys } from '../store/keys.ts';
import { run } from '../store/scripts.ts';
import type { Signer } from '../store/signer.ts';

/** A win as Redis has it; `mac`: "" where there is none. */
export interface HeldWin {
  userId: string;
  redPacketId: string;
  amount: string;
  mac: string;
}

interface ForgeryRules {
  redis: RedisClient;
  signer: Signer;
  /** Packets that nobody signed were set aside. Called once for each call of the script. */
  onSpoiled: (rainId: string, forged: readonly HeldWin[]) => void;
  /** The rain is signed with another key than ours: nothing can be said about its packets. */
  onOtherKey: (rainId: string) => void;
  onFault: (error: unknown) => void;
}

const reply = z.union([z.int(), z.literal('other_key'), z.null()]);

export type Forgeries = ReturnType<typeof createForgeries>;

/** Tells packets that were made by us from others, which somebody has written into Redis. */
export function createForgeries({ redis, signer, onSpoiled, onOtherKey, onFault }: ForgeryRules) {
  return {
    isGenuine: signer.isGenuine,

    /**
     * Takes forged wins of at most one batch back and sets their packets aside. Never rejects.
     * @returns whether their users may grab again
     */
    async spoil(rainId: string, shard: number, forged: readonly HeldWin[]): Promise<boolean> {
      const { state, claimed, spoiled } = shardKeys(rainId, shard);
      try {
        const done = reply.parse(
          await run(
            redis,
            'spoil',
            [state, claimed, spoiled, campaignKeys(rainId, shard).wins],
            [
              signer.keyIds.join(','),
              ...forged.flatMap(({ userId, redPacketId, amount, mac }) => [userId, redPacketId, amount, mac]),
            ],
          ),
        );
        if (done === 'other_key') onOtherKey(rainId);
        else if (done !== null && done > 0) onSpoiled(rainId, forged);
        return done !== 'other_key';
      } catch (error) {
        onFault(error);
        return false;
      }
    },
  };
}
