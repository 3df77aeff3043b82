import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { testClient } from '../support/rainClient.ts';
import { openShops, openSystem, type Shop } from './shop.ts';

const openShop = await openShops();

const claimOf = (n: number, userId = `user${n}`) => ({
  claimId: `spring-${n}:${userId}:1.05`,
  rainId: 'spring',
  redPacketId: `spring-${n}`,
  userId,
  amount: '1.05',
  at: '1795000000000',
});
const balanceOf = async (shop: Shop, name: string) =>
  ((await (await (await shop.signIn(name))('/me')).json()) as { balance: string }).balance;
/** The token that the shop gives this user, as the shop's page fetches it. */
const tokenOf = async (shop: Shop, name: string) => (await (await shop.signIn(name))('/rain-token')).text();

test('[R5] forty equal claims at once, alone and in batches, credit once, and each is told what was paid', async () => {
  const shop = await openShop(['user1']);
  await shop.start();
  const answers = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      const answer = await shop.post('/wallet', i % 2 === 0 ? claimOf(1) : { claims: [claimOf(1)] });
      return JSON.stringify(await answer.json());
    }),
  );
  expect(answers.filter((text) => text.includes('"receipts":[{'))).toHaveLength(1);
  for (const text of answers) expect(text).toMatch(/"amount":"1.05"/);
  expect(shop.events()).toHaveLength(1);
  expect(await balanceOf(shop, 'user1')).toBe('1.05');
  // The same user in the same rain, by a claim that is another one: paid before, with what was paid.
  const other = await shop.post('/wallet', { ...claimOf(1), claimId: 'spring-9:user1:3.00', amount: '3.00' });
  expect([other.status, await other.json()]).toEqual([
    409,
    { claimId: 'spring-9:user1:3.00', status: 'already', userId: 'user1', amount: '1.05' },
  ]);
  expect(await balanceOf(shop, 'user1')).toBe('1.05');
});

test('what it has answered survives kill -9; a line that was being written is cut off', async () => {
  const shop = await openShop(['user1', 'user2']);
  await shop.start();
  expect((await shop.post('/wallet', claimOf(1))).status).toBe(200);
  await shop.kill();
  const { size } = statSync(shop.file);
  appendFileSync(shop.file, readFileSync(shop.file).subarray(0, 40));
  await shop.start();
  expect(statSync(shop.file).size).toBe(size);
  expect((await shop.post('/wallet', claimOf(1))).status).toBe(409);
  expect((await shop.post('/wallet', claimOf(2))).status).toBe(200);
  expect([await balanceOf(shop, 'user1'), await balanceOf(shop, 'user2')]).toEqual(['1.05', '1.05']);
});

test('[R12] nobody else credits, orders, pays, or gets a token', async () => {
  const shop = await openShop(['user1']);
  await shop.start();
  for (const path of ['/wallet', '/orders'])
    expect((await shop.post(path, claimOf(1), 'another secret of the same length 0123456')).status).toBe(401);
  expect((await fetch(`${shop.url}/wallet`, { method: 'POST', body: '{}' })).status).toBe(401);
  for (const [path, method] of [
    ['/rain-token', 'GET'],
    ['/me', 'GET'],
    ['/me/orders/autumn-1/pay', 'POST'],
  ] as const)
    expect((await fetch(shop.url + path, { method })).status).toBe(401);
  const wrong = await fetch(`${shop.url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'user1', password: 'open' }),
  });
  expect([wrong.status, await wrong.json()]).toEqual([401, expect.objectContaining({ code: 'wrong_password' })]);
  const refused = await shop.post('/wallet', { ...claimOf(1), amount: '1.5' });
  expect([refused.status, await refused.json()]).toEqual([422, expect.objectContaining({ status: 'refused' })]);
  expect(shop.events()).toEqual([]);
});

test(
  '[R5] a crowd with tokens of the shop wins, the shop is killed twice meanwhile, and each has the packet once',
  { timeout: 120_000 },
  async () => {
    const users = Array.from({ length: 60 }, (_, i) => `user${i}`);
    const shop = await openShop(users);
    const system = await openSystem(shop.url);
    const id = await system.rain(
      'create',
      '--budget',
      '60.00',
      '--packets',
      '60',
      '--start',
      '+1s',
      '--duration',
      '60s',
      '--load',
    );
    await shop.start(system);
    const clients = await Promise.all(
      users.map(async (name) => testClient(system.gatewayUrl, name, { token: await tokenOf(shop, name) })),
    );
    const outcomes = Promise.all(
      clients.map(async (client) => {
        await client.connect();
        await client.join(id);
        let outcome = await client.grab(id);
        while (outcome.kind === 'not_started') outcome = await client.grab(id);
        return outcome.kind;
      }),
    );
    for (const many of [5, 30]) {
      await eventually(() => expect(shop.events().length).toBeGreaterThanOrEqual(many), { timeoutMs: 60_000 });
      await shop.kill();
      await shop.start(system);
    }
    expect(new Set(await outcomes)).toEqual(new Set(['won']));
    await eventually(() => expect(shop.events()).toHaveLength(60), { timeoutMs: 60_000 });
    await eventually(
      () => {
        for (const client of clients) expect(client.heard('credited')).not.toEqual([]);
      },
      { timeoutMs: 60_000 },
    );
    const cents = await Promise.all(
      clients.map(async (client, i) => {
        const [won] = client.heard('won');
        expect(await balanceOf(shop, users[i]!)).toBe(won!.amount);
        return Math.round(Number(won!.amount) * 100);
      }),
    );
    expect(cents.reduce((sum, some) => sum + some, 0)).toBe(6_000);
    await system.rain('close', id);
    expect(await system.rain('audit', id)).toContain('The money adds up: 60.00 in 60 packets, 60 winners.');
  },
);

test(
  'an order comes to the shop, is paid from the wallet once, and the payment is reported after a kill before the report',
  { timeout: 120_000 },
  async () => {
    const shop = await openShop(['user1']);
    const system = await openSystem(shop.url);
    // It does not know where the console is yet, so its report does not arrive.
    await shop.start();
    expect((await shop.post('/wallet', { ...claimOf(1), amount: '50.00' })).status).toBe(200);
    const saleId = await system.rain('sale', 'create', '--item', 'tee:5@19.90', '--load');
    const buyer = await testClient(system.gatewayUrl, 'user1', { token: await tokenOf(shop, 'user1') });
    await buyer.connect();
    expect(await buyer.buy(saleId, { sku: 'tee', quantity: 1, ref: 'one' })).toMatchObject({ kind: 'reserved' });
    const orderId = `${saleId}-1`;
    await eventually(() => expect(shop.events()).toMatchObject([{}, { type: 'ordered' }]), { timeoutMs: 30_000 });
    const pay = async () => (await (await shop.signIn('user1'))(`/me/orders/${orderId}/pay`, 'POST')).status;
    expect(await Promise.all([pay(), pay(), pay()])).toEqual([200, 200, 200]);
    await shop.kill();
    expect(shop.events().map(({ type }) => type)).toEqual(['credited', 'ordered', 'debited']);
    await shop.start(system);
    await eventually(() => expect(buyer.heard('order').map(({ status }) => status)).toContain('paid'), {
      timeoutMs: 30_000,
    });
    await eventually(() =>
      expect(shop.events().map(({ type }) => type)).toEqual(['credited', 'ordered', 'debited', 'confirmed']),
    );
    expect([await pay(), await balanceOf(shop, 'user1')]).toEqual([200, '30.10']);
  },
);

test('a payment that comes when the order has ended is paid back, once', { timeout: 120_000 }, async () => {
  const shop = await openShop(['user1']);
  const system = await openSystem(shop.url);
  await shop.start();
  expect((await shop.post('/wallet', { ...claimOf(1), amount: '50.00' })).status).toBe(200);
  const saleId = await system.rain('sale', 'create', '--item', 'tee:5@19.90', '--hold', '5s', '--load');
  const buyer = await testClient(system.gatewayUrl, 'user1', { token: await tokenOf(shop, 'user1') });
  await buyer.connect();
  await buyer.buy(saleId, { sku: 'tee', quantity: 1, ref: 'one' });
  await eventually(() => expect(shop.events()).toMatchObject([{}, { type: 'ordered' }]), { timeoutMs: 30_000 });
  const ask = await shop.signIn('user1');
  expect((await ask(`/me/orders/${saleId}-1/pay`, 'POST')).status).toBe(200);
  expect(await balanceOf(shop, 'user1')).toBe('30.10');
  // Its report does not arrive in time.
  await eventually(() => expect(shop.events().at(-1)).toMatchObject({ type: 'ended', orderId: `${saleId}-1` }), {
    timeoutMs: 60_000,
  });
  expect(await balanceOf(shop, 'user1')).toBe('50.00');
  await shop.kill();
  await shop.start(system);
  expect(await balanceOf(shop, 'user1')).toBe('50.00');
});
