import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { shardKeys } from '../../../src/store/keys.ts';
import type { SentWin } from '../../../src/grab/restore.ts';
import { startRestorer } from '../../../src/gateway/durability/restorer.ts';
import { createLog, type Logger } from '../../../src/platform/telemetry/log.ts';
import { listeningLog } from '../../support/log.ts';
import { eventually } from '../../support/eventually.ts';
import { connect, openRedis, stockRain } from '../../support/rain.ts';
import { signer } from '../../support/signer.ts';

const { server, redis } = await openRedis();

test('a doubt is enough for another check; a failed check is repeated until it succeeds, and reported once', async () => {
  await stockRain(redis, { rainId: 'r1', amounts: ['1.00'] });
  const keys = shardKeys('r1', 0);
  const recentWins: SentWin[] = [
    { rainId: 'r1', shard: 0, userId: 'ann', redPacketId: 'r1-0', amount: '1.00', at: Date.now() },
  ];
  const warnings: string[] = [];
  const log = createLog('gateway', 'silent');
  log.warn = ((_facts: object, message: string) => {
    warnings.push(message);
  }) as Logger['warn'];
  let looks = 0;
  const restorer = startRestorer({
    redis,
    signer,
    recentWins: {
      *[Symbol.iterator]() {
        looks++;
        yield* recentWins;
      },
    },
    log,
    retryMs: 10,
  });
  onTestFinished(() => restorer.close());
  await redis.set(keys.claims, 'of another type');
  restorer.doubt();
  expect(restorer.looking(keys.state), 'packets of lost wins may lie in the list again').toBe(true);
  await eventually(() => looks > 3);
  await redis.del(keys.claims);
  await eventually(async () => expect(await redis.llen(keys.claims)).toBe(1));
  await eventually(() =>
    expect(warnings).toEqual([expect.stringContaining('cannot check'), expect.stringContaining('put back')]),
  );
  expect(restorer.looking(keys.state)).toBe(false);
  const checked = looks;
  restorer.doubt();
  expect(restorer.looking(keys.state), 'whatever stays broken stops nobody for long').toBe(false);
  await eventually(() => expect(looks).toBe(checked + 1));
  const before = looks;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(looks).toBe(before);
});

test('results of other rains are reported at once, and once, even if the wins of one rain cannot be checked', async () => {
  await stockRain(redis, { rainId: 'broken', amounts: ['1.00'] });
  await stockRain(redis, { rainId: 'whole', amounts: ['1.00'] });
  const recentWins = ['broken', 'whole', 'gone'].map((rainId): SentWin => ({
    rainId,
    shard: 0,
    userId: 'ann',
    redPacketId: `${rainId}-0`,
    amount: '1.00',
    at: Date.now(),
  }));
  await redis.set(shardKeys('broken', 0).claims, 'of another type');
  const { log, heard } = listeningLog();
  let looks = 0;
  const restorer = startRestorer({
    redis,
    signer,
    recentWins: {
      *[Symbol.iterator]() {
        looks++;
        yield* recentWins;
      },
    },
    log,
    retryMs: 10,
  });
  onTestFinished(() => restorer.close());
  restorer.doubt();
  await eventually(() => looks > 3);
  const logged = () => heard.filter(({ level }) => level === 'warn' || level === 'error').map(({ msg }) => msg);
  expect(logged()).toEqual([
    expect.stringContaining('put back'),
    expect.stringContaining('has lost a rain'),
    expect.stringContaining('cannot check'),
  ]);
  await redis.del(shardKeys('broken', 0).claims);
  await eventually(() => expect(logged()).toHaveLength(4));
  expect(logged().at(-1)).toContain('put back');
});

test('a rain that cannot be checked does not keep the reservations of sales from being put back', async () => {
  await stockRain(redis, { rainId: 'frozen', amounts: ['1.00'] });
  await redis.set(shardKeys('frozen', 0).claims, 'of another type');
  const { log, heard } = listeningLog();
  let putBack = 0;
  const restorer = startRestorer({
    redis,
    signer,
    recentWins: [
      { rainId: 'frozen', shard: 0, userId: 'ann', redPacketId: 'frozen-0', amount: '1.00', at: Date.now() },
    ],
    log,
    retryMs: 10,
    also: () => {
      putBack++;
      return Promise.resolve();
    },
  });
  onTestFinished(() => restorer.close());
  restorer.doubt();
  await eventually(() => expect(putBack).toBeGreaterThan(1));
  expect(heard.map(({ msg }) => msg)).toEqual([expect.stringContaining('cannot check')]);
});

test('what is missing may be lost from the moment when the connection is cut: another one may be there sooner, and read from a replica that is behind', async () => {
  const grabs = await connect(server.url);
  onTestFinished(() => grabs.disconnect());
  const restorer = startRestorer({ redis: grabs, signer, recentWins: [], log: listeningLog().log });
  onTestFinished(() => restorer.close());
  const { state } = shardKeys('cut', 0);
  expect(restorer.looking(state)).toBe(false);
  const closed = once(grabs, 'close');
  await redis.client('KILL', 'ID', await grabs.client('ID'));
  await closed;
  expect(restorer.looking(state)).toBe(true);
  await eventually(() => expect([grabs.status, restorer.looking(state)]).toEqual(['ready', false]));
});
