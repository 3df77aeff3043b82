import { expect, onTestFinished, test } from 'vitest';
import { parseReservation } from '../../../src/sale/reservation.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { heldBy, readSale } from '../../../src/store/sales.ts';
import { readToldReservations } from '../../../src/store/toldReservations.ts';
import { eventually } from '../../support/eventually.ts';
import { connect, openRedis } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { signer } from '../../support/signer.ts';
import { startPair } from '../../support/servers/replica.ts';
import { buy, enter, stockSale, tee } from './stage.ts';

const { server, redis } = await openRedis();

test('[R4] with replicas a reservation is told once they have it; until then the buyer hears "busy", and others are not delayed', async () => {
  const pair = await startPair();
  onTestFinished(() => pair.stop());
  const master = await connect(pair.master.url);
  onTestFinished(() => master.disconnect());
  const gateway = await openGateway(pair.master.url, {
    durability: { mode: 'replicas', replicas: 1 },
    durabilityWaitMs: 300,
  });
  onTestFinished(() => gateway.close());
  await stockSale(master, { saleId: 'safe', items: [tee(1)], perUserMax: 1 });
  const [ann, bob] = [await enter(gateway.url, 'ann'), await enter(gateway.url, 'bob')];
  pair.link.blackhole();
  expect(await buy(ann, 'safe')).toMatchObject({ code: '-7', retryInMs: expect.any(Number) as number });
  expect((await buy(bob, 'safe')).code).toBe('-12');
  ann.say({ type: 'visit', saleId: 'safe' });
  expect((await ann.next('order')).code, 'a visit tells no more').toBe('-7');
  pair.link.pass();
  await eventually(async () => expect(await buy(ann, 'safe')).toMatchObject({ code: '1', reservationId: 'safe-1' }));
}, 60_000);

/** Only a cut line makes the gateway look again. */
const NEVER_MS = 3_600_000;

/** Redis as it was before, as after a failover to a replica that had not received the latest writes. */
async function turnBack(saleId: string, change: () => Promise<void>): Promise<void> {
  const { state, stock, buyers, reservations } = saleKeys(saleId);
  const keys = [state, stock, buyers, reservations];
  const before = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  await change();
  const loss = redis.multi();
  keys.forEach((key, i) => {
    loss.del(key);
    if (before[i]) loss.restore(key, 0, before[i]);
  });
  await loss.exec();
}

const cutLines = () => redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');

test('[R4] a told reservation that Redis has lost is put back with its number, its units and its entry of the log', async () => {
  const gateway = await openGateway(server.url, { secondLookMs: NEVER_MS });
  onTestFinished(() => gateway.close());
  await stockSale(redis, { saleId: 'failed', items: [tee(3)], perUserMax: 2 });
  const [ann, bob, eve] = [
    await enter(gateway.url, 'ann'),
    await enter(gateway.url, 'bob'),
    await enter(gateway.url, 'eve'),
  ];
  expect((await buy(ann, 'failed', { ref: 'a' })).code).toBe('0');
  let log: string[] = [];
  await turnBack('failed', async () => {
    for (const [client, ref] of [
      [ann, 'b'],
      [bob, 'a'],
    ] as const)
      expect((await buy(client, 'failed', { ref })).code).toBe('0');
    log = await redis.lrange(saleKeys('failed').reservations, 0, -1);
  });
  expect(await readSale(redis, 'failed')).toMatchObject({ made: 1, items: [{ booked: 1 }] });
  await cutLines();
  await eventually(async () =>
    expect(await readSale(redis, 'failed')).toMatchObject({ made: 3, logged: 3, items: [{ booked: 3 }] }),
  );
  const parse = (entries: string[]) =>
    entries.map((entry) => parseReservation(entry)).sort((x, y) => (JSON.stringify(x) < JSON.stringify(y) ? -1 : 1));
  expect(parse(await redis.lrange(saleKeys('failed').reservations, 0, -1))).toEqual(parse(log));
  expect((await heldBy(redis, 'failed', 'ann')).map(({ ordinal, ref }) => [ordinal, ref])).toEqual([
    [1, 'a'],
    [2, 'b'],
  ]);
  expect(await buy(bob, 'failed', { ref: 'a' })).toMatchObject({ code: '1', reservationId: 'failed-3' });
  expect((await buy(eve, 'failed', { ref: 'e' })).code).toBe('-12');
});

test('[R2][R4] units that somebody else has by now are not booked twice, and a number that is given away is not used again', async () => {
  const gateway = await openGateway(server.url, { secondLookMs: NEVER_MS });
  onTestFinished(() => gateway.close());
  await stockSale(redis, { saleId: 'other', items: [tee(1), { sku: 'mug', units: 5, price: '9.90' }], perUserMax: 2 });
  const [ann, bob] = [await enter(gateway.url, 'ann'), await enter(gateway.url, 'bob')];
  await turnBack('other', async () => {
    expect((await buy(ann, 'other', { ref: 'a' })).reservationId).toBe('other-1');
    expect((await buy(ann, 'other', { ref: 'b', sku: 'mug' })).reservationId).toBe('other-2');
  });
  // Another gateway, which has told nothing, was faster.
  expect((await buy(bob, 'other', { ref: 'a' })).reservationId).toBe('other-1');
  await cutLines();
  await eventually(async () =>
    expect(await readSale(redis, 'other')).toMatchObject({
      made: 2,
      logged: 2,
      items: [
        { sku: 'tee', booked: 1 },
        { sku: 'mug', booked: 1 },
      ],
    }),
  );
  expect((await heldBy(redis, 'other', 'ann')).map(({ ordinal, sku }) => [ordinal, sku])).toEqual([[2, 'mug']]);
  expect((await heldBy(redis, 'other', 'bob')).map(({ ordinal, sku }) => [ordinal, sku])).toEqual([[1, 'tee']]);
  // A reservation that cannot be put back is written down, so that somebody tells ann.
  await eventually(async () =>
    expect(await readToldReservations(redis, signer, 'other')).toMatchObject([
      { reservationId: 'other-1', userId: 'ann', sku: 'tee', ref: 'a' },
    ]),
  );
});

test('[R4] a number that is drawn again after a loss is remembered for its second buyer, too', async () => {
  const gateway = await openGateway(server.url, { secondLookMs: NEVER_MS });
  onTestFinished(() => gateway.close());
  await stockSale(redis, { saleId: 'redrawn', items: [tee(5)], perUserMax: 2 });
  const [ann, bob] = [await enter(gateway.url, 'ann'), await enter(gateway.url, 'bob')];
  for (const client of [ann, bob])
    await turnBack('redrawn', async () =>
      expect((await buy(client, 'redrawn', { ref: 'a' })).reservationId).toBe('redrawn-1'),
    );
  await cutLines();
  await eventually(async () =>
    expect(await readSale(redis, 'redrawn')).toMatchObject({ made: 1, logged: 1, items: [{ booked: 1 }] }),
  );
  // One of them has it again; of the other it is written down.
  const [kept, lost] = (await heldBy(redis, 'redrawn', 'ann')).length === 1 ? ['ann', 'bob'] : ['bob', 'ann'];
  expect((await heldBy(redis, 'redrawn', kept)).map(({ ordinal }) => ordinal)).toEqual([1]);
  await eventually(async () =>
    expect(await readToldReservations(redis, signer, 'redrawn')).toMatchObject([
      { reservationId: 'redrawn-1', userId: lost },
    ]),
  );
});
