import { afterAll, expect, onTestFinished, test } from 'vitest';
import { EVENTS_CHANNEL, shardKeys } from '../../../src/store/keys.ts';
import { draftRain, loadPackets } from '../../../src/store/loadPackets.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { announceChange, close, pause, reschedule, resume } from '../../../src/store/transitions.ts';
import { mayEnter } from '../../../src/rain/audience.ts';
import type { Terms } from '../../../src/rain/terms.ts';
import { isListedFor, toList } from '../../../src/gateway/rains/visibility.ts';
import type { Named } from '../../../src/platform/auth/token.ts';
import { dial, type Client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { openRedis } from '../../support/rain.ts';
import { buy, stockSale, tee } from '../sales/stage.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { creditedEvent, signer } from '../../support/signer.ts';

const { server, redis } = await openRedis();
const gateway = await openGateway(server.url);
afterAll(() => gateway.close());

async function stock(rainId: string, terms: Terms = {}, title = rainId): Promise<void> {
  const now = await redisNow(redis);
  await draftRain(redis, signer, {
    rainId,
    title,
    shards: 1,
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    packets: 1,
    terms,
  });
  await loadPackets(redis, signer, rainId, 1, BigInt64Array.of(100n), () => {});
}

async function enter(userId: string, named: Named = {}): Promise<Client> {
  const client = await dial(gateway.url, userId, named);
  onTestFinished(() => client.leave());
  return client;
}

const listed = async (client: Client) => (await client.next('welcome')).rains.map(({ rainId }) => rainId);

async function grab(client: Client, rainId: string): Promise<string> {
  client.say({ type: 'grab', rainId });
  return (await client.next('result')).code;
}

/** @returns the rain, once its snapshot has come */
async function join(client: Client, rainId: string): Promise<string> {
  client.say({ type: 'join', rainId });
  while ((await client.next('rain')).rainId !== rainId);
  return rainId;
}

async function joinRefused(client: Client, rainId: string): Promise<string> {
  client.say({ type: 'join', rainId });
  return (await client.next('result')).code;
}

test('nobody is told of an unlisted rain, and who knows its id joins it and wins', async () => {
  await stock('quiet', { unlisted: true });
  const stranger = await enter('stranger');
  const friend = await enter('friend');
  // The gateway knows it from here on, and has told everybody whom it tells.
  expect(await join(friend, 'quiet')).toBe('quiet');
  expect(await listed(await enter('late'))).not.toContain('quiet');
  await stock('loud');
  expect(await join(friend, 'loud')).toBe('loud');
  expect(await stranger.next('rain')).toMatchObject({ rainId: 'loud' });
  expect(await grab(friend, 'quiet')).toBe('0');
  expect(await redis.hlen(shardKeys('quiet', 0).claimed)).toBe(1);
});

test('who watches another rain hears when an operator moves, starts, pauses, resumes or ends one, and not what is left of it', async () => {
  const now = await redisNow(redis);
  await draftRain(redis, signer, {
    rainId: 'evening',
    title: 'evening',
    shards: 1,
    opensAt: now + 3_600_000,
    closesAt: now + 7_200_000,
    packets: 2,
    terms: {},
  });
  await loadPackets(redis, signer, 'evening', 1, BigInt64Array.of(100n, 100n), () => {});
  await announceChange(redis, 'evening');
  await stock('first');
  const [elsewhere, player] = [await enter('elsewhere'), await enter('player')];
  await join(elsewhere, 'first');
  await join(player, 'evening');
  const heard = async () => {
    for (;;) {
      const { rainId, state, opensAt } = await elsewhere.next('rain');
      if (rainId === 'evening') return [state, opensAt - now];
    }
  };
  const changed = async (change: Promise<unknown>) => {
    await change;
    await announceChange(redis, 'evening');
    return await heard();
  };
  expect(await changed(reschedule(redis, 'evening', 1, { opensAt: now + 60_000, closesAt: now + 600_000 }))).toEqual([
    'loaded',
    60_000,
  ]);
  expect(await changed(reschedule(redis, 'evening', 1, { opensAt: now - 1, closesAt: now + 600_000 }))).toEqual([
    'open',
    -1,
  ]);
  expect(await grab(player, 'evening')).toBe('0');
  await announceChange(redis, 'evening');
  await eventually(async () => (await player.next('rain')).left === 1);
  expect(await changed(pause(redis, 'evening', 1)), 'nothing of what was left before').toEqual(['paused', -1]);
  expect(await changed(resume(redis, 'evening', 1))).toEqual(['open', -1]);
  expect(await changed(close(redis, 'evening', 1, 'early'))).toEqual(['closed', -1]);
});

test('a rain by invitation does not exist for a user whose token does not name it, also when it is known and its packets are gone', async () => {
  await stock('vip', { invitedOnly: true });
  const stranger = await enter('uninvited');
  expect([await grab(stranger, 'vip'), await joinRefused(stranger, 'vip'), await grab(stranger, 'vip')]).toEqual([
    '-8',
    '-8',
    '-8',
  ]);
  const other = await enter('invited-elsewhere', { rains: ['*', 'other'] });
  expect([await joinRefused(other, 'vip'), await grab(other, 'vip')]).toEqual(['-8', '-8']);
  expect(await redis.hlen(shardKeys('vip', 0).claimed)).toBe(0);
  const guest = await enter('guest', { rains: ['vip'] });
  expect(await listed(guest)).toEqual(['vip']);
  expect([await join(guest, 'vip'), await grab(guest, 'vip')]).toEqual(['vip', '0']);
  const second = await enter('second', { rains: ['vip'] });
  expect([await grab(second, 'vip'), await grab(second, 'vip')]).toEqual(['-1', '-1']);
  expect(await grab(stranger, 'vip')).toBe('-8');
  expect(await listed(await enter('uninvited'))).not.toContain('vip');
});

test('a token is for the rains that it names and for no other, and one of sales is for no rain', async () => {
  await stock('mine');
  await stock('theirs');
  const client = await enter('ann', { rains: ['mine'] });
  expect([await joinRefused(client, 'theirs'), await grab(client, 'theirs'), await grab(client, 'mine')]).toEqual([
    '-8',
    '-8',
    '0',
  ]);
  const buyer = await enter('bob', { sales: ['*'] });
  expect(await listed(buyer)).toEqual([]);
  expect(await grab(buyer, 'theirs')).toBe('-8');
  expect(await redis.hlen(shardKeys('theirs', 0).claimed)).toBe(0);
  expect(await grab(await enter('cat', { rains: ['*'] }), 'theirs')).toBe('0');
});

test('a token that only watches sees rains and sales as everybody does, and takes part in none', async () => {
  await stock('watched');
  await stockSale(redis, { saleId: 'goods', items: [tee(1)] });
  const screen = await enter('screen', { watch: true });
  expect(await join(screen, 'watched')).toBe('watched');
  screen.say({ type: 'visit', saleId: 'goods' });
  expect(await screen.next('sale')).toMatchObject({ saleId: 'goods' });
  expect([await grab(screen, 'watched'), (await buy(screen, 'goods')).code]).toEqual(['-8', '-8']);
  expect(await grab(await enter('player'), 'watched')).toBe('0');
  await eventually(async () => (await screen.next('rain')).left === 0);
  const named = await enter('lobby', { watch: true, rains: ['watched'] });
  expect([await join(named, 'watched'), await joinRefused(named, 'mine')]).toEqual(['watched', '-8']);
  expect([await redis.hlen(shardKeys('watched', 0).claimed), await redis.hlen(saleKeys('goods').buyers)]).toEqual([
    1, 0,
  ]);
  // Two screens of one hall do not count each other as phones.
  expect([gateway.screens(), gateway.sockets() > gateway.screens()]).toEqual([2, true]);
  await screen.leave();
  await eventually(() => gateway.screens() === 1);
});

test('[R9] a socket whose token is for another rain hears nothing of the credits of its user', async () => {
  await stock('credited');
  const [wide, named, narrow] = [
    await enter('dan'),
    await enter('dan', { rains: ['credited'] }),
    await enter('dan', { rains: ['mine'] }),
  ];
  expect(await grab(wide, 'credited')).toBe('0');
  const heard: string[] = [];
  narrow.socket.on('message', (data) => heard.push((JSON.parse(String(data)) as { type: string }).type));
  await redis.publish(
    EVENTS_CHANNEL,
    creditedEvent('credited', [{ userId: 'dan', redPacketId: 'credited-0', amount: '1.00' }]),
  );
  for (const client of [wide, named])
    expect(await client.next('credited')).toMatchObject({ rainId: 'credited', amount: '1.00' });
  narrow.say({ type: 'ping', t: 1 });
  await narrow.next('pong');
  expect(heard.filter((type) => type !== 'rain' && type !== 'welcome')).toEqual(['pong']);
});

test('[R10] `welcome` lists the next rains, few and short, however many there are and however long their titles', async () => {
  for (let i = 0; i < 30; i++) await stock(`many-${i}`, {}, '红'.repeat(200));
  const client = await enter('watcher');
  expect(await join(client, 'many-29')).toBe('many-29');
  const later = await enter('later');
  const { rains } = await later.next('welcome');
  expect(rains.length).toBeGreaterThan(0);
  expect(rains.length).toBeLessThanOrEqual(10);
  expect(Buffer.byteLength(JSON.stringify(rains))).toBeLessThan(4_200);
});

test('one that is too long is left out, and those after it are listed', () => {
  const shown = (opensAt: number, title: string, state = 'open') => ({ opensAt, title, state });
  expect(
    toList([shown(3, 'c'), shown(1, 'x'.repeat(5_000)), shown(2, 'b'), shown(0, 'a', 'closed')]).map(
      ({ title }) => title,
    ),
  ).toEqual(['b', 'c']);
});

test('who may enter, and who is told unasked', () => {
  const of = (...rains: string[]) => ({ rains: new Set(rains), sales: new Set<string>() });
  const rows = [undefined, of('r'), of('*'), of('other')].map((audience) =>
    [{}, { unlisted: true }, { invitedOnly: true }].map(
      (visibility) =>
        `${mayEnter(audience, 'rains', 'r', visibility as Terms) ? 'enters' : '-'} ${isListedFor(audience, 'rains', 'r', visibility as Terms) ? 'told' : '-'}`,
    ),
  );
  expect(rows).toEqual([
    ['enters told', 'enters -', '- -'],
    ['enters told', 'enters told', 'enters told'],
    ['enters told', 'enters -', '- -'],
    ['- -', '- -', '- -'],
  ]);
});
