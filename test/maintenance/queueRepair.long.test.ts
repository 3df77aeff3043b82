import { expect, test } from 'vitest';
import { creditJobId } from '../../src/credit/job.ts';
import { newRain, sumOfFirst } from '../ledger/claims.ts';
import { eventually } from '../support/eventually.ts';
import { harmedQueues, jobOf, testHarms } from './harmedQueues.ts';

const queues = harmedQueues();

// Their repair is seen only when BullMQ's own pauses are over, 2 to 6 s.
testHarms(queues, [
  [
    'max',
    async (lane, { hand }) => {
      await hand.hset(lane.toKey('meta'), 'max', 1, 'duration', 86_400_000);
      await hand.set(lane.toKey('limiter'), 9, 'PX', 86_400_000);
    },
  ],
  [
    'events',
    async (lane, { hand }) => {
      await hand.del(lane.toKey('events'));
      await hand.xadd(lane.toKey('events'), `${2n ** 64n - 1n}-${2n ** 64n - 1n}`, 'event', 'the last one');
    },
  ],
]);

test('an active job whose lock never expires is taken up again by a worker, also when the check for such jobs was stopped', async () => {
  const { room } = queues;
  await room.ledger.createRain(newRain('locked', sumOfFirst(5)), 'ann');
  const job = jobOf('locked');
  await room.queue.add('range', job, { jobId: creditJobId(job) });
  await room.hand.lmove(room.queue.toKey('wait'), room.queue.toKey('active'), 'RIGHT', 'LEFT');
  await room.hand.set(room.queue.toKey(`${creditJobId(job)}:lock`), 'thief');
  await room.hand.set(room.queue.toKey('stalled-check'), 'thief');
  room.work();
  queues.repair();
  await eventually(async () => expect(await room.ledger.book('locked')).toMatchObject({ credited: { count: 5 } }));
});
