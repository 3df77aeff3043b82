import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createDeadQueue } from '../../src/credit/queue.ts';
import { readDeadLetters } from '../../src/credit/deadLetters.ts';
import { QUEUE_PREFIX, shardKeys } from '../../src/store/keys.ts';
import { SECRET, startWallet, type Wallet } from '../credit/wallet.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { openWorker } from '../support/servers/worker.ts';
import { openPlayers, wonRain } from './room.ts';

let context: TestContext;
let wallet: Wallet;
beforeAll(async () => {
  [context, wallet] = await Promise.all([openTestContext(), startWallet()]);
});
afterAll(async () => {
  await wallet?.stop();
  await context?.stop();
});

function players(settings: Record<string, string> = {}) {
  const opened = openPlayers(context, settings);
  onTestFinished(() => opened.close());
  return opened;
}

/** The reasons of a rain's dead letters, once a worker has given up this many claims of it. */
async function letters(rainId: string, count: number): Promise<string[]> {
  const worker = await openWorker(context);
  onTestFinished(() => worker.close());
  const dead = createDeadQueue({ connection: context.redis, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true });
  onTestFinished(() => dead.close());
  return eventually(
    async () => {
      const found = (await readDeadLetters(dead, { rainId, limit: 10 })).letters.map(({ reason }) => reason);
      expect(found).toHaveLength(count);
      return found;
    },
    { timeoutMs: 20_000 },
  );
}

test.each([
  ['our ledger', () => ({})],
  ['an external wallet', () => ({ PAYOUT_PROVIDER: 'webhook', WEBHOOK_URL: wallet.url, WEBHOOK_SECRET: SECRET })],
] as const)(
  '[R14] a claim that the plan does not hold is held from the first asking on, and never paid by %s',
  async (name, settings) => {
    const id = `made-up-${name.length}`;
    const thief = `thief-${id}`;
    const [claim] = await wonRain(context, id, ['zoe']);
    const { claimed, claims } = shardKeys(id, 0);
    const madeUp = JSON.stringify({ ...claim, redPacketId: `${id}-10`, amount: '50.00', userId: thief });
    await context.redis.multi().hset(claimed, thief, madeUp).lpush(claims, madeUp).exec();
    const { statementOf } = players(settings());
    await eventually(async () =>
      expect(await statementOf(thief)).toMatchObject({
        wallet: '0.00',
        pending: '0.00',
        settled: true,
        packets: [{ status: 'held', amount: '50.00' }],
      }),
    );
    expect(wallet.asksOf(`${id}-10`)).toBe(0);
  },
);

test('[R14] a win whose amount was raised in the log is held as it stands there, and its true amount is credited when its user asks', async () => {
  const [claim] = await wonRain(context, 'raised', ['ann']);
  const { claims } = shardKeys('raised', 0);
  await context.redis.lset(claims, 0, JSON.stringify({ ...claim, amount: '9.00' }));
  expect(await letters('raised', 1)).toEqual(['not_in_plan']);
  expect(await context.ledger.credits('raised')).toEqual([]);
  const { statementOf } = players();
  await eventually(async () =>
    expect(await statementOf('ann')).toMatchObject({
      wallet: '1.00',
      packets: [{ status: 'credited', amount: '1.00' }],
    }),
  );
});
