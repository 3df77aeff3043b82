import { z } from 'zod';
import type { RedisClient } from '../platform/redis/connect.ts';
import { grabKeys, SHARDS_MAX } from '../store/keys.ts';
import { receive, type Move } from '../store/moves.ts';
import { run } from '../store/scripts.ts';

/** Users per EVALSHA at most. */
export const BATCH_USERS_MAX = 512;

const won = z.object({ code: z.enum(['0', '1']), redPacketId: z.string().min(1), amount: z.string(), mac: z.string() });
/** `shards`, only with "-1": this shard has none left, and another one of so many may have some; see `mover.ts`. */
const refused = z.object({
  code: z.enum(['-1', '-2', '-3', '-4', '-7', '-8', '-11']),
  shards: z.int().min(2).max(SHARDS_MAX).optional(),
});
const answer = z.discriminatedUnion('code', [won, refused]);

/** The answer of `lua/grab.lua` for one user. "-7": the outcome is unknown; grabbing again is safe and returns it. */
export type GrabAnswer = z.infer<typeof answer>;

/** A win as its user is told it. */
export type ToldPacket = Omit<z.infer<typeof won>, 'mac'>;
/** The answers without a packet. */
export type Refusal = z.infer<typeof refused>;

export const BUSY: Refusal = { code: '-7' };
export const NO_SUCH_RAIN: Refusal = { code: '-8' };

/** Most users of a rain lose. Their answers are fixed strings, looked up instead of parsed. */
const REFUSALS: ReadonlyMap<string, GrabAnswer> = new Map(
  [
    ...refused.shape.code.options.map((code) => ({ code })),
    ...Array.from({ length: SHARDS_MAX - 1 }, (_, i) => ({ code: '-1', shards: i + 2 }) as const),
  ].map((refusal) => [JSON.stringify(refusal), refusal]),
);

const REFUSAL_LENGTH_MAX = Math.max(...[...REFUSALS.keys()].map((text) => text.length));
/**
 * A win as lua/grab.lua writes it, if no character is escaped. Reading it so takes a tenth of the time of JSON and a
 * schema.
 */
const WON = /^\{"code":"([01])","redPacketId":"([^"\\]+)","amount":"([^"\\]*)","mac":"([^"\\]*)"\}$/;

function parse(reply: unknown): GrabAnswer {
  if (typeof reply !== 'string') throw new TypeError(`lua/grab.lua answered ${typeof reply}, not a string`);
  // No win is so short, and a longer text would be hashed in vain.
  const refusal = reply.length <= REFUSAL_LENGTH_MAX ? REFUSALS.get(reply) : undefined;
  if (refusal) return refusal;
  const win = WON.exec(reply);
  if (win) return { code: win[1] as '0' | '1', redPacketId: win[2]!, amount: win[3]!, mac: win[4]! };
  return answer.parse(JSON.parse(reply));
}

export interface GrabEngine {
  /**
   * Decides for up to BATCH_USERS_MAX users of one shard, in order. Never rejects: if Redis cannot be reached or its
   * answer is invalid, every user gets "-7", since the script may or may not have run.
   * @param move packets of another shard that are put on the list first, in the same step
   */
  grab(rainId: string, shard: number, userIds: readonly string[], move?: Move): Promise<GrabAnswer[]>;
}

/**
 * @param checked the ticket rules that the caller has checked for the grabs of a rain, as text
 * @param gateway the name of this gateway, see `claim.ts`: it is told of the credits of the users who win here; '':
 *   none
 */
export function createGrabEngine(
  redis: RedisClient,
  onFault: (error: unknown) => void,
  checked: (rainId: string) => string = () => '',
  gateway = '',
): GrabEngine {
  return {
    async grab(rainId, shard, userIds, move) {
      try {
        const replies = move
          ? await receive(redis, rainId, move, userIds, checked(rainId), gateway)
          : await run(redis, 'grab', grabKeys(rainId, shard), [...userIds, checked(rainId), gateway]);
        if (!Array.isArray(replies) || replies.length !== userIds.length)
          throw new TypeError('lua/grab.lua did not answer once per user');
        return replies.map(parse);
      } catch (error) {
        onFault(error);
        return userIds.map(() => BUSY);
      }
    },
  };
}

/** How a batch of grabs is decided. */
export function decideGrabs(engine: GrabEngine) {
  return {
    decide: (rainId: string, shard: number, grabs: readonly { readonly userId: string }[]) =>
      engine.grab(
        rainId,
        shard,
        grabs.map(({ userId }) => userId),
      ),
    busy: BUSY as GrabAnswer,
  };
}
