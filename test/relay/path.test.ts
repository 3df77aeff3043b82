import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { parseEvent, type RainEvent } from '../../src/store/events.ts';
import { EVENTS_CHANNEL, shardKeys } from '../../src/store/keys.ts';
import { loadScripts } from '../../src/store/scripts.ts';
import { createAnnouncer } from '../../src/relay/announce.ts';
import { createRelay } from '../../src/relay/relay.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { connectRedis, untilReady, type RedisClient } from '../../src/platform/redis/connect.ts';
import { openRoom, type Room } from '../credit/room.ts';
import { claimsOf, expectBalanced, newRain } from '../ledger/claims.ts';
import { eventually } from '../support/eventually.ts';
import { stockRain } from '../support/rain.ts';
import { signer } from '../support/signer.ts';

describe('from the win to the announcement of its credit', () => {
  let room: Room;
  let subscriber: RedisClient;
  const heard: RainEvent[] = [];
  beforeAll(async () => {
    room = await openRoom();
    await loadScripts(room.hand);
    subscriber = connectRedis(room.redisUrl, { purpose: 'subscriber', onError: () => {} });
    await untilReady(subscriber);
    subscriber.on('message', (_channel: string, frame: string) => heard.push(parseEvent(frame)!));
    await subscriber.subscribe(EVENTS_CHANNEL);
  });
  afterAll(async () => {
    subscriber?.disconnect();
    await room?.stop();
  });
  const creditedOf = (rainId: string) =>
    heard.flatMap((event) => (event.type === 'credited' && event.rainId === rainId ? event.claims : []));

  it('every win of the grab engine reaches the ledger, and then the gateways', async () => {
    const amounts = ['7.10', '0.01', '12.21'];
    await stockRain(room.hand, { rainId: 'path', amounts });
    await room.ledger.createRain(newRain('path', 1_932n), 'ann');
    const balancesWhenTold: Promise<bigint>[] = [];
    subscriber.on('message', (_channel: string, frame: string) => {
      const event = parseEvent(frame);
      if (event?.type === 'credited')
        balancesWhenTold.push(...event.claims.map(({ userId }) => room.ledger.balance(userId)));
    });
    const relay = createRelay({ redis: room.redis, queue: room.queue, log: createLog('relay', 'silent') });
    relay.start();
    room.work({ onCredited: createAnnouncer({ redis: room.redis, signer }) });

    const answers = await createGrabEngine(room.hand, () => {}).grab('path', 0, ['ann', 'bob', 'cleo', 'dan']);
    expect(answers.map(({ code }) => code)).toEqual(['0', '0', '0', '-1']);
    await eventually(() => expect(creditedOf('path')).toHaveLength(3), { timeoutMs: 10_000 });
    expect(await room.hand.scard(shardKeys('path', 0).credited)).toBe(3);
    expect((await Promise.all(balancesWhenTold)).every((cents) => cents > 0n)).toBe(true);
    expect(await room.ledger.book('path')).toMatchObject({
      fundedCents: 1_932n,
      credited: { count: 3, cents: 1_932n },
    });
    expect(await room.ledger.balance('dan')).toBe(0n);
    await relay.stop();
    await room.rest();
    await expectBalanced(room.database);
  });

  it('[R10] many credits are announced in events of at most 500', async () => {
    await stockRain(room.hand, { rainId: 'crowd', amounts: ['0.01'] });
    await createAnnouncer({ redis: room.hand, signer })('crowd', 0, claimsOf('crowd', 0, 1_200));
    await eventually(() => expect(creditedOf('crowd')).toHaveLength(1_200));
    expect(
      heard.flatMap((event) => (event.type === 'credited' && event.rainId === 'crowd' ? [event.claims.length] : [])),
    ).toEqual([500, 500, 200]);
    expect(await room.hand.scard(shardKeys('crowd', 0).credited)).toBe(1_200);
  });

  it('an announcement after the settlement expires with the rain', async () => {
    await stockRain(room.hand, { rainId: 'late', amounts: ['0.01'] });
    const keys = shardKeys('late', 0);
    await room.hand.pexpire(keys.state, 600_000);
    await createAnnouncer({ redis: room.hand, signer })('late', 0, claimsOf('late', 0, 1));
    expect(await room.hand.pttl(keys.credited)).toBeGreaterThan(0);
  });

  it('no key is written again for a rain whose keys have expired', async () => {
    await createAnnouncer({ redis: room.hand, signer })('expired', 0, claimsOf('expired', 0, 2));
    await eventually(() => expect(creditedOf('expired')).toHaveLength(2));
    expect(await room.hand.keys('rain:{expired/*')).toEqual([]);
  });
});
