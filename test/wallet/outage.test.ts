import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { proxyDatabase } from '../support/servers/database.ts';
import { TcpProxy } from '../support/servers/proxy.ts';
import { openPlayers, wonRain, type Players } from './room.ts';

let context: TestContext;
let toRedis: TcpProxy;
let toBook: TcpProxy;
let players: Players;
beforeAll(async () => {
  context = await openTestContext();
  toRedis = await TcpProxy.open(Number(new URL(context.redisUrl).port));
  const book = await proxyDatabase(context.databaseUrl);
  toBook = book.line;
  players = openPlayers({ redisUrl: `redis://127.0.0.1:${toRedis.port}`, databaseUrl: book.url });
});
afterAll(async () => {
  await players?.close();
  await toRedis?.close();
  await toBook?.close();
  await context?.stop();
});

const settled = (userId: string, wallet: string) =>
  eventually(async () => expect(await players.statementOf(userId)).toMatchObject({ wallet, settled: true }));

test('without Redis the statement shows the ledger at once, with a note', async () => {
  await wonRain(context, 'before', ['ann']);
  await settled('ann', '1.00');
  await wonRain(context, 'after', ['ann']);
  toRedis.refuse();
  const begun = performance.now();
  expect(await players.statementOf('ann')).toMatchObject({
    wallet: '1.00',
    pending: '0.00',
    settled: false,
    note: expect.stringContaining('safe'),
    packets: [{ rainId: 'before' }],
  });
  expect(performance.now() - begun).toBeLessThan(4_000);
  toRedis.pass();
  await settled('ann', '2.00');
});

test('a silent Redis delays nobody', async () => {
  await settled('bob', '0.00');
  toRedis.blackhole();
  const begun = performance.now();
  expect(await players.statementOf('bob')).toMatchObject({ wallet: '0.00', settled: false });
  expect(performance.now() - begun).toBeLessThan(4_000);
  toRedis.pass();
  await settled('bob', '0.00');
});

test('without the ledger there is no answer, and wins are credited when it is back', async () => {
  await wonRain(context, 'bookless', ['cid']);
  toBook.refuse();
  await expect(players.statementOf('cid')).rejects.toThrow();
  toBook.pass();
  await settled('cid', '1.00');
  expect(await context.ledger.sumOfBalances()).toBe(0n);
});

test('[R5] the next request finds a commit whose answer was lost', async () => {
  const [claim] = await wonRain(context, 'half', ['dan']);
  await settled('eve', '0.00');
  toBook.blackhole('toClient');
  await expect(
    Promise.race([
      players.statementOf('dan'),
      new Promise((_, reject) => {
        setTimeout(() => reject(new Error('no answer')), 3_000).unref();
      }),
    ]),
  ).rejects.toThrow();
  toBook.refuse();
  toBook.pass();
  await settled('dan', '1.00');
  expect(await context.ledger.credits('half')).toEqual([
    { redPacketId: claim!.redPacketId, userId: 'dan', amountCents: 100n },
  ]);
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  expect(await engine.grab('half', 0, ['dan'])).toMatchObject([{ code: '1' }]);
});
