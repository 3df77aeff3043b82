import { afterAll, beforeAll, expect, test } from 'vitest';
import { shardKeys } from '../../src/store/keys.ts';
import { packetElement } from '../../src/store/loadPackets.ts';
import { recordTold } from '../../src/store/told.ts';
import { applyRestore } from '../../src/operator/restore/apply.ts';
import { compareRain } from '../../src/operator/restore/compare.ts';
import { claimLog } from '../support/operatorContext.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';
import { signer } from '../support/signer.ts';
import { Cut, cutContext, overtakenContext } from './cut.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = { ...(await openQueueContext()), signer };
});
afterAll(() => context.stop());

/** The losses; ten packets of 1.00, three won, two of them credited, and the third one told. */
const LOSSES: Record<string, (id: string) => Promise<unknown>> = {
  everything: (id) => context.redis.del(...Object.values(shardKeys(id, 0)).filter((key) => !key.endsWith(':told'))),
  state: (id) => context.redis.del(shardKeys(id, 0).state),
  async wins(id) {
    const claims = await claimLog(context, id);
    await context.redis.del(shardKeys(id, 0).claims, shardKeys(id, 0).claimed);
    for (const { redPacketId, amount } of claims.toReversed())
      await context.redis.rpush(shardKeys(id, 0).packets, packetElement(context.signer, id, redPacketId, amount));
  },
};

async function lose(id: string, loss: string): Promise<void> {
  await context.wonRain(id, 3);
  const claims = await claimLog(context, id);
  await context.ledger.credit(claims.slice(0, 2));
  const { redPacketId, amount, userId, at } = claims[2]!;
  await recordTold(context.redis, signer, id, [{ shard: 0, redPacketId, amount, userId, at: Number(at) }]);
  await LOSSES[loss]!(id);
}

async function restored(id: string) {
  const keys = shardKeys(id, 0);
  const [list, users, state, held] = await Promise.all([
    context.redis.lrange(keys.packets, 0, -1),
    context.redis.hkeys(keys.claimed),
    context.redis.hget(keys.state, 'state'),
    context.redis.hget(keys.state, 'held'),
  ]);
  return {
    list: list.map((element) => element.replaceAll(id, '').replace(/,"mac":"[^"]*"/, '')),
    users: users.sort(),
    log: (await claimLog(context, id)).map(({ userId }) => userId).sort(),
    state,
    held,
    left: (await compareRain(context, id))!.counts,
  };
}

/** Every sixth call is tried: all of them take five minutes. */
const STRIDE = 6;

const EXPECTED = {
  users: ['user-0', 'user-1', 'user-2'],
  log: ['user-0', 'user-1', 'user-2'],
  state: 'paused',
  held: null,
  left: {},
};

test.each(Object.keys(LOSSES))(
  '%s is lost: a restore that is cut at any call, or overtaken by another one there, ends with the same rain',
  async (loss) => {
    for (const [first, harm] of [
      [1, 'before'],
      [3, 'after'],
      [5, 'overtaken'],
    ] as const) {
      for (let at: number = first, done = false; !done; at += STRIDE) {
        const id = `${loss}-${harm}-${at}`;
        await lose(id, loss);
        let reached = false;
        const other = async () => {
          reached = true;
          expect(await applyRestore(context, id, { reason: 'the other one', waitMs: 0 })).toMatchObject({ ok: true });
        };
        const harmed = harm === 'overtaken' ? overtakenContext(context, at, other) : cutContext(context, at, harm);
        const ran = await applyRestore({ ...context, ...harmed, queues: context.queues }, id, {
          reason: 'harmed',
          waitMs: 0,
        }).then(
          () => true,
          (error: unknown) => {
            if (error instanceof Cut) return false;
            throw error;
          },
        );
        done = harm === 'overtaken' ? !reached : ran;
        await applyRestore(context, id, { reason: 'repeated', waitMs: 0 });
        const found = await restored(id);
        expect(found, id).toMatchObject(EXPECTED);
        expect(found.list, id).toHaveLength(7);
      }
    }
  },
  600_000,
);
