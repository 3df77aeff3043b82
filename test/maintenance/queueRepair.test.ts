import { expect, test } from 'vitest';
import { creditJobId } from '../../src/credit/job.ts';
import { eventually } from '../support/eventually.ts';
import { harmedQueues, jobOf, testHarms, type Harm } from './harmedQueues.ts';

const queues = harmedQueues();
const FAR = Date.UTC(3_000, 0) * 0x1000;

testHarms(queues, [
  ['paused', (lane, { hand }) => hand.hset(lane.toKey('meta'), 'paused', 1)],
  ['concurrency', (lane, { hand }) => hand.hset(lane.toKey('meta'), 'concurrency', 0)],
  ...['meta', 'completed', 'failed', 'prioritized', 'id'].map((name): Harm => [
    `type of ${name}`,
    async (lane, { hand }) => {
      await hand.del(lane.toKey(name));
      await hand.sadd(lane.toKey(name), 'not of this type');
    },
  ]),
  ['id', (lane, { hand }) => hand.set(lane.toKey('id'), 'many')],
  ['id', (lane, { hand }) => hand.set(lane.toKey('id'), '9223372036854775807')],
  ['maxLenEvents', (lane, { hand }) => hand.hset(lane.toKey('meta'), 'opts.maxLenEvents', 'many')],
]);

test('jobs due in the year 3000 are removed, so that they neither fill a lane nor stop the relay; other keys stay', async () => {
  const { room } = queues;
  const ids = [creditJobId(jobOf('never')), 'meta', 'wait'];
  const honest = jobOf('honest');
  await room.later.add('range', honest, { jobId: creditJobId(honest), delay: 600_000 });
  for (const id of ids) await room.hand.zadd(room.later.toKey('delayed'), FAR, id);
  await room.hand.hset(room.later.toKey(ids[0]!), 'data', '{}');
  queues.repair();
  await eventually(async () => expect(await room.later.getJobCountByTypes('delayed')).toBe(1));
  await eventually(async () => expect(await room.hand.exists(room.later.toKey(ids[0]!))).toBe(0));
  expect(await room.hand.exists(room.later.toKey('meta'))).toBe(1);
  await room.later.obliterate({ force: true });
});
