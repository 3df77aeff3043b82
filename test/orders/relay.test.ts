import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startQueueRepair } from '../../src/maintenance/queueRepair.ts';
import type { OrderJob } from '../../src/orders/job.ts';
import { reservationLogOf } from '../../src/orders/relay.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { advance } from '../../src/relay/position.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { eventually } from '../support/eventually.ts';
import { dump } from '../support/rain.ts';
import { openOrderRoom, type OrderRoom } from './room.ts';
import { figuresOf } from './saleFigures.ts';

let room: OrderRoom;
beforeAll(async () => {
  room = await openOrderRoom();
});
afterEach(async () => {
  await room.queues.orders.obliterate({ force: true });
  await room.redis.del('sale:live');
});
afterAll(() => room?.stop());
const { buy } = figuresOf(() => room);
const jobs = async () =>
  (await room.queues.orders.getJobs(['waiting'], 0, -1, true)).map(({ data }: { data: OrderJob }) => data);
const cursor = (saleId: string) => room.redis.get(saleKeys(saleId).relayed);

it('carries the log of every live sale, oldest first, and moves each cursor; sales of one campaign have logs of their own', async () => {
  for (const id of ['spring.1', 'spring.2', 'single']) await room.openUnbooked(id);
  await buy('spring.1', 0, 2);
  await buy('spring.2', 2, 5);
  await buy('single', 5, 9);
  await room.carry();
  const carried = (await jobs()).map(({ saleId, from, entries }) => [
    saleId,
    from,
    entries.map((entry) => (JSON.parse(entry) as { userId: string }).userId),
  ]);
  expect(carried.sort()).toEqual([
    ['single', 0, ['u5', 'u6', 'u7', 'u8']],
    ['spring.1', 0, ['u0', 'u1']],
    ['spring.2', 0, ['u2', 'u3', 'u4']],
  ]);
  expect([await cursor('spring.1'), await cursor('spring.2'), await cursor('single')]).toEqual(['2', '3', '4']);
  await buy('spring.1', 9, 10);
  await room.carry();
  expect((await jobs()).map(({ saleId, from }) => [saleId, from])).toContainEqual(['spring.1', 2]);
});

it('[R11] writes nothing while there is nothing to carry', async () => {
  await room.openUnbooked('quiet');
  const before = await dump(room.redis, 'sale:*');
  await room.carry();
  expect(await dump(room.redis, 'sale:*')).toEqual(before);
});

it('[R5] a cursor moves only under the lease, and not for a sale that Redis has lost', async () => {
  await room.openUnbooked('leased');
  const { keys } = reservationLogOf('leased');
  const move = (owner: string) => advance(room.redis, keys, { owner, from: '0', to: 1 });
  await room.redis.set(keys.lease, 'me');
  expect([await move('another'), await move('me'), await move('me')]).toEqual([
    'lease_lost',
    'moved',
    'moved_by_another',
  ]);
  await room.redis.del(keys.state);
  expect(await move('me')).toBe('shard_gone');
});

it('a queue of orders that somebody has stopped is put right, with a job whose turn never comes', async () => {
  await room.openUnbooked('stopped');
  await buy('stopped', 0, 1);
  await room.carry();
  const [job] = await room.queues.orders.getJobs(['waiting']);
  await room.queues.orders.pause();
  await room.redis
    .multi()
    .lrem(room.queues.orders.toKey('paused'), 0, job!.id!)
    .zadd(room.queues.orders.toKey('delayed'), Number.MAX_SAFE_INTEGER, job!.id!)
    .exec();
  const repair = startQueueRepair({
    redis: room.redis,
    queues: [room.queues.orders, room.queues.later],
    log: createLog('repair', 'silent'),
    everyMs: 20,
  });
  await eventually(async () =>
    expect([await room.queues.orders.isPaused(), await room.queues.orders.getJob(job!.id!)]).toEqual([
      false,
      undefined,
    ]),
  );
  await repair.close();
});
