import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { Audience } from '../../src/gateway/audience.ts';
import { Broadcast } from '../../src/gateway/broadcast.ts';
import type { Door } from '../../src/gateway/door.ts';
import { LIMITS } from '../../src/gateway/limits.ts';
import { tellGateway } from '../../src/gateway/metrics.ts';
import { followNews } from '../../src/gateway/news.ts';
import type { Session } from '../../src/gateway/session.ts';
import { createTally } from '../../src/gateway/tally.ts';
import { createTimes } from '../../src/gateway/times.ts';
import { EVENTS_CHANNEL } from '../../src/grab/keys.ts';
import { openRegistry } from '../../src/runtime/metrics.ts';
import type { RedisClient } from '../../src/runtime/redis.ts';

test("the winners' ticker that is not shown, since all are being told something else, is counted and told", async () => {
  let turn = () => {};
  const audience = new Audience(new Broadcast({ sliceMs: 0, nextTurn: (go) => { turn = go; } }));
  const tally = createTally();
  const subscriber = Object.assign(new EventEmitter(), { subscribe: () => Promise.resolve(1) });
  await followNews(subscriber as unknown as RedisClient, { audience, tally, limits: LIMITS, relief: { switchboard: { off: {} } } } as Door);
  const registry = openRegistry();
  tellGateway(registry, { sockets: () => 0, socketsMax: 1, grabsPending: () => 0, tally, times: createTimes(), readiness: { report: () => ({ ready: true }), standing: () => [] }, load: () => ({ grabsPendingLimit: 0, socketsResting: 0, loopDelayMs: 0, roundTripMs: 0, switches: [] }) });

  // Somebody who has left meanwhile: nothing is written to him.
  const gone = { userId: 'ann', rains: new Set(), socket: { readyState: 3 } } as unknown as Session;
  for (let i = 0; i < 40; i++) audience.add({ ...gone, userId: `user-${i}` });
  audience.each(() => {});
  expect(audience.telling).toBe(true);
  subscriber.emit('message', EVENTS_CHANNEL, JSON.stringify({ type: 'credited', rainId: 'r1', claims: [{ userId: 'bob', redPacketId: 'r1-0', amount: '5.00' }] }));
  expect(await registry.metrics()).toContain('rain_gateway_ticker_shed_total 1\n');
  while (audience.telling) turn();
});
