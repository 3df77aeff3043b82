import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { readSale } from '../../../src/store/sales.ts';
import { dial, type Client } from '../../support/client.ts';
import { dialCrowd } from '../../support/crowd.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { openRedis } from '../../support/rain.ts';
import { buy, expectAllReserved, LIMITS_OF_A_CROWD, stockSale, tee } from './stage.ts';

const { server, redis } = await openRedis();

/** Asks until there is an answer, as a client does that is told to wait. */
async function untilDecided(client: Client, saleId: string, more: object): Promise<string> {
  for (;;) {
    const { code, retryInMs, reservationId } = await buy(client, saleId, more);
    if (code !== '-7') return reservationId ?? code;
    await sleep(retryInMs!);
  }
}

test('[R1][R2] 1,000 concurrent asks of 400 users on 40 units: exactly 40 reservations of 40 users', async () => {
  const gateway = await openGateway(server.url, { limits: LIMITS_OF_A_CROWD });
  onTestFinished(() => gateway.close());
  await stockSale(redis, { saleId: 'crowd', items: [tee(40)], perUserMax: 1 });
  const clients = await dialCrowd(gateway, 400);
  const told = await Promise.all(
    clients.map(async (client, i) => {
      // Every second user asks three times, the others twice: 1,000 asks.
      const answers = await Promise.all(
        Array.from({ length: i % 2 === 0 ? 3 : 2 }, () => untilDecided(client, 'crowd', {})),
      );
      expect(new Set(answers).size, answers.join()).toBe(1);
      return answers[0]!;
    }),
  );
  await expectAllReserved(redis, 'crowd', told, 40);
  expect(gateway.counters.purchases['0']).toBe(40);
}, 60_000);

test('[R1][R2] 10,000 asks of one user with one ref: one reservation and equal answers, from several sockets too', async () => {
  const gateway = await openGateway(server.url, { limits: LIMITS_OF_A_CROWD });
  onTestFinished(() => gateway.close());
  await stockSale(redis, { saleId: 'eager', items: [tee(200)], perUserMax: 5 });
  const clients = await Promise.all(Array.from({ length: 4 }, () => dial(gateway.url, 'ann')));
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.leave()));
  });
  const answers = new Set<string>();
  let [heard, fresh] = [0, 0];
  await Promise.all(
    clients.map(async (client) => {
      for (let i = 0; i < 2_500; i++)
        client.say({ type: 'buy', saleId: 'eager', sku: 'tee', quantity: 2, ref: 'only' });
      for (let i = 0; i < 2_500; i++) {
        const { code, reason: _, ...rest } = await client.next('order');
        heard++;
        if (code === '0') fresh++;
        answers.add(JSON.stringify(rest));
      }
    }),
  );
  expect([heard, fresh]).toEqual([10_000, 1]);
  expect([...answers].map((text) => JSON.parse(text) as unknown)).toEqual([
    expect.objectContaining({ reservationId: 'eager-1', quantity: 2, ref: 'only' }),
  ]);
  expect(await readSale(redis, 'eager')).toMatchObject({ made: 1, items: [{ booked: 2 }] });
}, 60_000);

test('beyond a multiple of what is left, undecided purchases of an item are answered "busy" with a pause', async () => {
  const gateway = await openGateway(server.url, {
    limits: { ...LIMITS_OF_A_CROWD, purchasesPerUnitMax: 2, purchasesPerItemMin: 3 },
  });
  onTestFinished(() => gateway.close());
  await stockSale(redis, { saleId: 'few', items: [tee(5), { sku: 'mug', units: 1, price: '9.90' }], perUserMax: 10 });
  const client = await dial(gateway.url, 'ann');
  onTestFinished(() => client.leave());
  client.say({ type: 'visit', saleId: 'few' });
  await client.next('sale');
  const codes = { tee: new Map<string, number>(), mug: new Map<string, number>() };
  // Messages of one write arrive in one turn, and wait for Redis together.
  const stream = (client.socket as unknown as { _socket: { cork(): void; uncork(): void } })._socket;
  stream.cork();
  for (const sku of ['tee', 'mug'] as const)
    for (let i = 0; i < 20; i++) client.say({ type: 'buy', saleId: 'few', sku, ref: `${sku}-${i}` });
  stream.uncork();
  for (let i = 0; i < 40; i++) {
    const { code, ref, retryInMs } = await client.next('order');
    const of = codes[ref!.slice(0, 3) as 'tee' | 'mug'];
    of.set(code, (of.get(code) ?? 0) + 1);
    if (code === '-7') expect(retryInMs).toBeGreaterThan(0);
  }
  expect(codes.tee.get('-7'), JSON.stringify([...codes.tee])).toBe(10);
  expect(codes.mug.get('-7'), JSON.stringify([...codes.mug])).toBe(17);
  expect(gateway.counters.refused.purchases_per_item).toBe(27);
});
