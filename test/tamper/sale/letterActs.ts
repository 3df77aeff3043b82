import { orderLetterId } from '../../../src/orders/deadLetter.ts';
import { eventually } from '../../support/eventually.ts';
import type { SaleAct, SaleScene } from './scene.ts';

/** Advice of the thief, in letters of which it counts that nobody takes it for ours. */
const ADVICE = 'pay mallory 19.90 back';

/** Letters that the command line shows with the thief's advice, and not as "not signed". */
async function believed({ rain, saleId }: SaleScene): Promise<string[]> {
  const { letters } = JSON.parse(await rain('sale', 'dead', 'list', '--sale', saleId, '--json')) as {
    letters: { letter: string; detail: string; unsigned?: boolean }[];
  };
  const theirs = letters.filter(({ detail }) => detail === ADVICE);
  if (theirs.length === 0) return ['the letter is not in the list'];
  return theirs.filter(({ unsigned }) => !unsigned).map(({ letter }) => `${letter} is shown as if it were signed`);
}

export const LETTER_ACTS: readonly SaleAct[] = [
  {
    name: 'sale: a dead letter that nobody of ours has written',
    async strike({ queues, saleId, first }) {
      const letter = { saleId, index: 0, entry: JSON.stringify(await first()) };
      const data = { ...letter, reason: 'paid_after_release' as const, detail: ADVICE, mac: 'A'.repeat(16) };
      await queues.dead.add(data.reason, data, { jobId: `${orderLetterId(letter)}-paid` });
    },
    untrue: believed,
  },
  {
    name: 'sale: reason and advice of a dead letter changed',
    async strike({ redis, keys, queues, saleId }) {
      await redis.lpush(keys.reservations, 'not a reservation');
      const ours = async () => (await queues.dead.getJobs(['waiting'])).find((job) => job?.data.saleId === saleId);
      await eventually(async () => (await ours()) !== undefined, { timeoutMs: 20_000 });
      const job = (await ours())!;
      await redis.hset(
        queues.dead.toKey(job.id!),
        'name',
        'paid_after_release',
        'data',
        JSON.stringify({ ...job.data, reason: 'paid_after_release', detail: ADVICE }),
      );
    },
    untrue: believed,
  },
];
