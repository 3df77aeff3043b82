import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { Hub } from '../../../src/gateway/broadcast/hub.ts';
import { Broadcast } from '../../../src/gateway/broadcast/broadcast.ts';
import type { HandlerContext } from '../../../src/gateway/handlers/context.ts';
import { LIMITS } from '../../../src/gateway/limits.ts';
import { subscribeToEvents } from '../../../src/gateway/rains/subscriber.ts';
import type { Session } from '../../../src/gateway/sockets/session.ts';
import { EVENTS_CHANNEL } from '../../../src/store/keys.ts';
import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { guestId } from '../../../src/rain/names.ts';
import { creditedEvent, signer } from '../../support/signer.ts';

test("the winners' ticker is not sent during another broadcast, and is sent afterwards", async () => {
  let loopBudget = () => {};
  const hub = new Hub(
    new Broadcast({
      sliceMs: 0,
      nextTurn: (go) => {
        loopBudget = go;
      },
    }),
  );
  const subscriber = Object.assign(new EventEmitter(), { subscribe: () => Promise.resolve(1) });
  await subscribeToEvents(
    subscriber as unknown as RedisClient,
    {
      hub,
      signer,
      limits: LIMITS,
      winnerNames: 'full',
      overload: { killSwitches: { off: {} } },
    } as unknown as HandlerContext,
    'gateway1',
  );
  const written: string[] = [];
  const stream = { writableLength: 0, write: (frame: Buffer) => written.push(String(frame)) };
  const watcher = { userId: 'ann', watched: new Set(), socket: { readyState: 1 }, stream } as unknown as Session;
  hub.watch(watcher, 'r1');
  for (let i = 0; i < 40; i++) hub.add({ ...watcher, userId: `user-${i}` });
  const credit = () =>
    subscriber.emit(
      'message',
      EVENTS_CHANNEL,
      creditedEvent('r1', [{ userId: guestId('3fRxKk29sPqZ', 'Bob'), redPacketId: 'r1-0', amount: '5.00' }]),
    );

  hub.each(() => {});
  expect(hub.broadcasting).toBe(true);
  credit();
  while (hub.broadcasting) loopBudget();
  expect(written).toEqual([]);
  credit();
  expect(written).toEqual([expect.stringContaining('"winners":[{"user":"Bob","amount":"5.00"}]')]);
});
