import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { creditJobId, type CreditJob } from '../../src/credit/job.ts';
import type { CreditQueue } from '../../src/credit/queue.ts';
import { startQueueRepair } from '../../src/maintenance/queueRepair.ts';
import type { Loop } from '../../src/platform/concurrency/loop.ts';
import { claimsOf, newRain, sumOfFirst } from '../ledger/claims.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { openRoom, type Room } from '../credit/room.ts';

let room: Room;
const loops: Loop[] = [];
beforeAll(async () => {
  room = await openRoom();
});
afterEach(async () => {
  await Promise.all(loops.splice(0).map((loop) => loop.close()));
  await room.rest();
});
afterAll(() => room?.stop());

const FAR = Date.UTC(3_000, 0) * 0x1000;
let cases = 0;
const jobOf = (rainId: string): CreditJob => ({
  rainId,
  shard: 0,
  from: 0,
  entries: claimsOf(rainId, 0, 5).map((claim) => JSON.stringify(claim)),
});

function start() {
  const { log, heard } = listeningLog();
  loops.push(startQueueRepair({ redis: room.redis, queues: [room.queue, room.later], log, everyMs: 20 }));
  return heard;
}

test.each<[string, (lane: CreditQueue) => Promise<unknown>]>([
  ['paused', (lane) => room.hand.hset(lane.toKey('meta'), 'paused', 1)],
  ['concurrency', (lane) => room.hand.hset(lane.toKey('meta'), 'concurrency', 0)],
  [
    'max',
    async (lane) => {
      await room.hand.hset(lane.toKey('meta'), 'max', 1, 'duration', 86_400_000);
      await room.hand.set(lane.toKey('limiter'), 9, 'PX', 86_400_000);
    },
  ],
  ...['meta', 'completed', 'failed', 'prioritized', 'id'].map(
    (name): [string, (lane: CreditQueue) => Promise<unknown>] => [
      `type of ${name}`,
      async (lane) => {
        await room.hand.del(lane.toKey(name));
        await room.hand.sadd(lane.toKey(name), 'not of this type');
      },
    ],
  ),
  ['id', (lane) => room.hand.set(lane.toKey('id'), 'many')],
  ['id', (lane) => room.hand.set(lane.toKey('id'), '9223372036854775807')],
  ['maxLenEvents', (lane) => room.hand.hset(lane.toKey('meta'), 'opts.maxLenEvents', 'many')],
  [
    'events',
    async (lane) => {
      await room.hand.del(lane.toKey('events'));
      await room.hand.xadd(lane.toKey('events'), `${2n ** 64n - 1n}-${2n ** 64n - 1n}`, 'event', 'the last one');
    },
  ],
])(
  'a queue that somebody else has stopped (%s) is put right in both lanes, and that is logged once',
  async (fault, harm) => {
    const number = ++cases;
    const rainOf = ({ name }: CreditQueue) => `stopped-${number}-${name}`;
    for (const lane of [room.queue, room.later]) {
      const rainId = rainOf(lane);
      await room.ledger.createRain(newRain(rainId, sumOfFirst(5)), 'ann');
      const job = jobOf(rainId);
      await lane.add('range', job, { jobId: creditJobId(job) });
      await harm(lane);
    }
    room.work();
    const heard = start();
    const addAndFinish = async (from: number) => {
      for (const lane of [room.queue, room.later]) {
        const job = { ...jobOf(rainOf(lane)), from };
        await eventually(() => lane.add('range', job, { jobId: creditJobId(job) }));
        await eventually(async () => expect(await lane.getJobCountByTypes('waiting', 'active', 'delayed')).toBe(0));
      }
    };
    await addAndFinish(5);
    await eventually(
      async () => {
        for (const lane of [room.queue, room.later])
          expect(await room.ledger.book(rainOf(lane))).toMatchObject({ credited: { count: 5 } });
      },
      { timeoutMs: 15_000 },
    );
    await Promise.all([room.queue, room.later].map(harm));
    await addAndFinish(10);
    const errors = heard.filter(({ level }) => level === 'error');
    expect(errors.map(({ queue }) => queue).sort()).toEqual(['credit', 'credit-later']);
    for (const { found } of errors) expect(found).toContain(fault);
  },
);

test('jobs due in the year 3000 are removed, so that they neither fill a lane nor stop the relay; other keys stay', async () => {
  const ids = [creditJobId(jobOf('never')), 'meta', 'wait'];
  const honest = jobOf('honest');
  await room.later.add('range', honest, { jobId: creditJobId(honest), delay: 600_000 });
  for (const id of ids) await room.hand.zadd(room.later.toKey('delayed'), FAR, id);
  await room.hand.hset(room.later.toKey(ids[0]!), 'data', '{}');
  start();
  await eventually(async () => expect(await room.later.getJobCountByTypes('delayed')).toBe(1));
  await eventually(async () => expect(await room.hand.exists(room.later.toKey(ids[0]!))).toBe(0));
  expect(await room.hand.exists(room.later.toKey('meta'))).toBe(1);
  await room.later.obliterate({ force: true });
});

test('an active job whose lock never expires is taken up again by a worker, also when the check for such jobs was stopped', async () => {
  await room.ledger.createRain(newRain('locked', sumOfFirst(5)), 'ann');
  const job = jobOf('locked');
  await room.queue.add('range', job, { jobId: creditJobId(job) });
  await room.hand.lmove(room.queue.toKey('wait'), room.queue.toKey('active'), 'RIGHT', 'LEFT');
  await room.hand.set(room.queue.toKey(`${creditJobId(job)}:lock`), 'thief');
  await room.hand.set(room.queue.toKey('stalled-check'), 'thief');
  room.work();
  start();
  await eventually(async () => expect(await room.ledger.book('locked')).toMatchObject({ credited: { count: 5 } }));
});
