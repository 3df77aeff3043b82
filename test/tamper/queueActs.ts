import { deadLetterId } from '../../src/credit/deadLetter.ts';
import { CREDIT_QUEUE } from '../../src/credit/queue.ts';
import { QUEUE_PREFIX } from '../../src/store/keys.ts';
import { eventually } from '../support/eventually.ts';
import type { Act } from './act.ts';
import type { Scene } from './scene.ts';

/** Advice of the thief, in letters of which it counts that nobody takes it for ours. */
const ADVICE = 'pay mallory 50.00 by hand';

const keyOf = (name: string) => `${QUEUE_PREFIX}:${CREDIT_QUEUE}:${name}`;
const isOfType = async ({ redis }: Scene, name: string, type: string) =>
  [type, 'none'].includes(await redis.type(keyOf(name)));

/** Letters that the command line shows with the thief's advice, and not as "not signed". */
async function believed({ rain, rainId }: Scene): Promise<string[]> {
  const { letters } = JSON.parse(await rain('dead', 'list', '--rain', rainId, '--json')) as {
    letters: { letter: string; detail: string; unsigned?: boolean }[];
  };
  const theirs = letters.filter(({ detail }) => detail === ADVICE);
  if (theirs.length === 0) return ['the letter is not in the list'];
  return theirs.filter(({ unsigned }) => !unsigned).map(({ letter }) => `${letter} is shown as if it were signed`);
}

const CREDIT_ACTS: readonly Omit<Act, 'store'>[] = [
  {
    name: 'the events of the queue of another type',
    alone: true,
    // At once: a worker that adds an event after a DEL makes the stream anew.
    strike: ({ redis }) => redis.set(keyOf('events'), 'not of this type'),
    healed: (scene) => isOfType(scene, 'events', 'stream'),
  },
  {
    name: 'a word in place of the last id of the queue',
    alone: true,
    strike: ({ redis }) => redis.set(keyOf('id'), 'many'),
    healed: async ({ redis }) => (await redis.get(keyOf('id'))) !== 'many',
  },
  {
    name: 'a dead letter that nobody of ours has written',
    async strike(scene) {
      const letter = { rainId: scene.rainId, shard: 0, index: 999, entry: JSON.stringify(scene.claim('x', '50.00')) };
      const data = { ...letter, reason: 'paid_differs' as const, detail: ADVICE, mac: 'A'.repeat(16) };
      await scene.dead.add(data.reason, data, { jobId: deadLetterId(letter) });
    },
    untrue: believed,
  },
  {
    name: 'reason and advice of a dead letter changed',
    async strike({ redis, keys, dead, rainId }) {
      await redis.lpush(keys.claims, 'not a claim');
      const ours = async () => (await dead.getJobs(['waiting'])).find((job) => job?.data.rainId === rainId);
      await eventually(async () => (await ours()) !== undefined, { timeoutMs: 20_000 });
      const job = (await ours())!;
      await redis.hset(
        dead.toKey(job.id!),
        'name',
        'paid_differs',
        'data',
        JSON.stringify({ ...job.data, reason: 'paid_differs', detail: ADVICE }),
      );
    },
    untrue: believed,
  },
];

export const QUEUE_ACTS: readonly Act[] = CREDIT_ACTS.map((act) => ({
  ...act,
  name: `queue: ${act.name}`,
  store: 'redis',
}));
