import { BUSY, type GrabEngine } from './engine.ts';
import type { Forgeries, HeldWin } from './forgeries.ts';

/**
 * How often a batch is decided again because of forged packets, before its users hear "busy" [R10]. Each time takes a
 * packet off the list.
 */
const AGAIN_MAX = 8;

/** An engine that returns only wins of packets that we have signed. A user who got another one gets the next packet. */
export function verifiedEngine(
  engine: GrabEngine,
  { isGenuine, spoil }: Pick<Forgeries, 'isGenuine' | 'spoil'>,
): GrabEngine {
  return {
    async grab(rainId, shard, userIds, move) {
      const answers = await engine.grab(rainId, shard, userIds, move);
      for (let round = 0; ; round++) {
        const places: number[] = [];
        const forged: HeldWin[] = [];
        for (let i = 0; i < answers.length; i++) {
          const answer = answers[i]!;
          if (!('mac' in answer) || isGenuine(rainId, answer)) continue;
          places.push(i);
          forged.push({ userId: userIds[i]!, redPacketId: answer.redPacketId, amount: answer.amount, mac: answer.mac });
        }
        if (forged.length === 0) return answers;
        const again =
          (await spoil(rainId, shard, forged)) && round < AGAIN_MAX
            ? await engine.grab(
                rainId,
                shard,
                forged.map(({ userId }) => userId),
              )
            : forged.map(() => BUSY);
        places.forEach((place, i) => {
          answers[place] = again[i]!;
        });
      }
    },
  };
}
