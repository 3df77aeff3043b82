import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';

// The example is JavaScript, as its readers have it.
const load = async (name: string): Promise<Record<string, CallableFunction>> =>
  (await import(new URL(`../../examples/express/src/${name}.js`, import.meta.url).href)) as Record<
    string,
    CallableFunction
  >;

interface Shop {
  apply: (event: object) => void;
  order: (id: string) => { status: string };
  balanceOf: (user: string) => bigint;
}

/**
 * Answers of a console, one for each report.
 * @returns the shop after all of them, with an order of 19.90 that ann pays from 30.00
 */
async function reported(answers: readonly (readonly [status: number, body: string])[]) {
  const left = [...answers];
  const server = createServer((_request, response) => {
    const [status, body] = left.shift()!;
    response.writeHead(status).end(body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await eventually(() => server.listening);
  const shop = (await load('shop'))['openShop']!() as Shop;
  const journal = { written: async () => {}, record: async (event: object) => shop.apply(event) };
  const orders = (await load('orders'))['openOrders']!(shop, journal, {
    consoleUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret: 'x'.repeat(32),
  }) as {
    answer: (request: object) => Promise<unknown>;
    pay: (order: string, user: string) => Promise<string | undefined>;
  };
  shop.apply({ type: 'credited', claimId: 'c', rainId: 'r', userId: 'ann', amount: '30.00' });
  await orders.answer({
    orders: [{ orderId: 'o', userId: 'ann', amount: '19.90', payBy: String(Date.now() + 60_000) }],
  });
  expect(await orders.pay('o', 'ann')).toBeUndefined();
  await eventually(() => shop.order('o').status !== 'debited');
  return { status: shop.order('o').status, balance: shop.balanceOf('ann'), unread: left.length };
}

test('a report whose answer does not name the order, as that of a proxy, is repeated: nothing is paid back, nothing believed', async () => {
  const proxies = [
    [404, 'not found'],
    [200, '<html>sign in</html>'],
  ] as const;
  expect(await reported([...proxies, [200, JSON.stringify({ orderId: 'o', outcome: 'was', status: 'paid' })]])).toEqual(
    { status: 'paid', balance: 1_010n, unread: 0 },
  );
});

test('a payment that came too late is paid back once', async () => {
  expect(await reported([[409, JSON.stringify({ code: 'pay_back', orderId: 'o', status: 'timed_out' })]])).toEqual({
    status: 'timed_out',
    balance: 3_000n,
    unread: 0,
  });
});

test('a password may have colons, and must be there', async () => {
  const { openSessions } = await load('session');
  const sessions = openSessions!('ann:a:long secret,bob:b') as {
    signIn: (response: object, name: unknown, password: unknown) => boolean;
  };
  const signIn = (name: unknown, password: unknown) => sessions.signIn({ cookie: () => {} }, name, password);
  expect([
    signIn('ann', 'a:long secret'),
    signIn('ann', 'a'),
    signIn('ann', ''),
    signIn('nobody', ''),
    signIn(undefined, undefined),
  ]).toEqual([true, false, false, false, false]);
  for (const users of ['ann', 'ann:', ':secret', '', 'ann:a,'])
    expect(() => openSessions!(users) as unknown, users).toThrow('SHOP_USERS: expected name:password');
});
