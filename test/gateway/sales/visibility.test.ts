import { afterAll, expect, onTestFinished, test } from 'vitest';
import { publish } from '../../../src/store/events.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { follow } from '../../../src/store/sales.ts';
import type { Visibility } from '../../../src/rain/terms.ts';
import type { Named } from '../../../src/platform/auth/token.ts';
import { dial, type Client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openRedis } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { signer } from '../../support/signer.ts';
import { callerOf } from '../http/stage.ts';
import { buy, stockSale, tee } from './stage.ts';

const { server, redis } = await openRedis();
const gateway = await openGateway(server.url);
afterAll(() => gateway.close());

/** One unit each, so that a purchase needs no ref. */
const stock = (sale: { saleId: string } & Visibility) => stockSale(redis, { items: [tee(10)], perUserMax: 1, ...sale });

async function enter(userId: string, named: Named = {}): Promise<Client> {
  const client = await dial(gateway.url, userId, named);
  onTestFinished(() => client.leave());
  return client;
}

/** @returns the sale, once its snapshot has come */
async function visit(client: Client, saleId: string): Promise<string> {
  client.say({ type: 'visit', saleId });
  while ((await client.next('sale')).saleId !== saleId);
  return saleId;
}

async function visitRefused(client: Client, saleId: string): Promise<string> {
  client.say({ type: 'visit', saleId });
  return (await client.next('order')).code;
}

const listed = async (client: Client) => (await client.next('welcome')).sales?.map(({ saleId }) => saleId) ?? [];

test('nobody is told of an unlisted sale, and who knows its id buys in it', async () => {
  await stock({ saleId: 'quiet', unlisted: true });
  const stranger = await enter('stranger');
  const friend = await enter('friend');
  expect(await visit(friend, 'quiet')).toBe('quiet');
  await stock({ saleId: 'loud' });
  expect(await visit(friend, 'loud')).toBe('loud');
  expect(await stranger.next('sale')).toMatchObject({ saleId: 'loud' });
  expect(await listed(await enter('late'))).toEqual(['loud']);
  expect((await buy(friend, 'quiet')).code).toBe('0');
});

test('a gateway that is too old for a term of a sale grants nothing in it', async () => {
  await stock({ saleId: 'newer' });
  const { state } = saleKeys('newer');
  await redis.hset(state, 'terms', JSON.stringify({ ageMin: 18 }));
  const buyer = await enter('young');
  expect((await buy(buyer, 'newer')).code).toBe('-7');
  await redis.hset(state, 'terms', '{}');
  await eventually(async () => expect((await buy(buyer, 'newer')).code).toBe('0'));
});

test('a sale by invitation does not exist for a user whose token does not name it, over sockets and over HTTP', async () => {
  await stock({ saleId: 'vip', invitedOnly: true });
  const stranger = await enter('uninvited');
  expect([
    (await buy(stranger, 'vip')).code,
    await visitRefused(stranger, 'vip'),
    (await buy(stranger, 'vip')).code,
  ]).toEqual(['-8', '-8', '-8']);
  const overHttp = await callerOf(gateway, 'uninvited');
  expect([(await overHttp.sale('vip')).status, (await overHttp.buy('vip', 'one')).body]).toEqual([
    404,
    expect.objectContaining({ code: '-8' }),
  ]);
  expect(await redis.llen(saleKeys('vip').reservations)).toBe(0);

  const guest = await enter('guest', { sales: ['vip'] });
  expect(await listed(guest)).toEqual(['vip']);
  expect((await buy(guest, 'vip')).code).toBe('0');
  const guestOverHttp = await callerOf(gateway, 'guest-2', { named: { sales: ['vip'] } });
  const bought = await guestOverHttp.buy('vip', 'one');
  expect([(await guestOverHttp.sale('vip')).status, bought.body['code']]).toEqual([200, '0']);
});

test('a token for one sale reads and cancels no order of another', async () => {
  await stock({ saleId: 'first' });
  const mine = await enter('ann');
  const { reservationId } = await buy(mine, 'first');
  const narrow = await enter('ann', { sales: ['second'] });
  narrow.say({ type: 'cancel', saleId: 'first', reservationId });
  expect(await narrow.next('order')).toMatchObject({ saleId: 'first', code: '-8' });
  expect((await (await callerOf(gateway, 'ann', { named: { rains: ['*'] } })).order(reservationId!)).status).toBe(404);
  expect((await (await callerOf(gateway, 'ann')).order(reservationId!)).status).toBe(200);
});

test('[R9] a socket whose token is for another sale hears nothing of the orders of its user, nor that units are back', async () => {
  await stockSale(redis, { saleId: 'asked', items: [tee(1)], perUserMax: 1 });
  const [wide, named, narrow] = [
    await enter('eve'),
    await enter('eve', { sales: ['asked'] }),
    await enter('eve', { sales: ['elsewhere'], rains: ['*'] }),
  ];
  const heard: string[] = [];
  narrow.socket.on('message', (data) => heard.push((JSON.parse(String(data)) as { type: string }).type));
  expect((await buy(await enter('fay'), 'asked')).code).toBe('0');
  expect((await buy(wide, 'asked')).code).toBe('-12');
  const order = { userId: 'eve', reservationId: 'asked-7', status: 'paid' as const };
  await publish(redis, { type: 'orders', saleId: 'asked', orders: [{ ...order, mark: signer.orderMark(order) }] });
  for (const client of [wide, named])
    expect(await client.next('order')).toMatchObject({ reservationId: 'asked-7', status: 'paid' });
  await follow(redis, 'asked', [{ userId: 'fay', ordinal: 1, status: 'cancelled', toStock: true }]);
  await publish(redis, { type: 'sale_changed', saleId: 'asked' });
  for (const client of [wide, named]) expect(await client.next('restock')).toMatchObject({ sku: 'tee', left: 1 });
  narrow.say({ type: 'ping', t: 1 });
  await narrow.next('pong');
  expect(heard.filter((type) => type !== 'sale' && type !== 'welcome')).toEqual(['pong']);
});

test('[R10] `welcome` lists sales without their items, in few bytes', async () => {
  const items = Array.from({ length: 50 }, (_, i) => ({
    sku: `s${i}`,
    units: 1,
    price: '1.00',
    name: '商'.repeat(120),
    description: '述'.repeat(200),
    picture: `https://shop.example/${'p'.repeat(400)}`,
  }));
  await stockSale(redis, { saleId: 'long', items });
  const client = await enter('bob', { sales: ['long'] });
  expect(await visit(client, 'long')).toBe('long');
  const { sales } = await (await enter('cat', { sales: ['long'] })).next('welcome');
  expect(sales).toMatchObject([{ saleId: 'long', state: 'open' }]);
  expect(Buffer.byteLength(JSON.stringify(sales))).toBeLessThan(400);
});

test('`welcome` and snapshot tell that all items are free, so that pages speak of no sale', async () => {
  const seat = { sku: 'seat', units: 5, price: '0.00' };
  await stockSale(redis, { saleId: 'drop', items: [seat] });
  await stockSale(redis, { saleId: 'mixed', items: [seat, { sku: 'mug', units: 5, price: '9.90' }] });
  for (const [id, free] of [
    ['drop', true],
    ['mixed', undefined],
  ] as const) {
    const client = await enter('dan', { sales: [id] });
    expect(await visit(client, id)).toBe(id);
    const { sales } = await (await enter('eve', { sales: [id] })).next('welcome');
    expect((sales as { saleId: string; free?: true }[]).find(({ saleId }) => saleId === id)?.free, id).toBe(free);
  }
});
