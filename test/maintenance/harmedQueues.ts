import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { creditJobId, type CreditJob } from '../../src/credit/job.ts';
import type { CreditQueue } from '../../src/credit/queue.ts';
import { startQueueRepair } from '../../src/maintenance/queueRepair.ts';
import type { Loop } from '../../src/platform/concurrency/loop.ts';
import { openRoom, type Room } from '../credit/room.ts';
import { claimsOf, newRain, sumOfFirst } from '../ledger/claims.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';

/** How somebody else stops a queue: a name that the repair's log has, and what is written into Redis. */
export type Harm = [name: string, harm: (lane: CreditQueue, room: Room) => Promise<unknown>];

export const jobOf = (rainId: string): CreditJob => ({
  rainId,
  shard: 0,
  from: 0,
  entries: claimsOf(rainId, 0, 5).map((claim) => JSON.stringify(claim)),
});

/** Queues of a file that others harm, and the repair of them. */
export interface HarmedQueues {
  room: Room;
  /** Starts the repair. @returns what it logs */
  repair(): ReturnType<typeof listeningLog>['heard'];
}

/** Opened before the tests of the calling file. */
export function harmedQueues(): HarmedQueues {
  const loops: Loop[] = [];
  const queues: Omit<HarmedQueues, 'room'> & { room?: Room } = {
    repair() {
      const { log, heard } = listeningLog();
      const { redis, queue, later } = queues.room!;
      loops.push(startQueueRepair({ redis, queues: [queue, later], log, everyMs: 20 }));
      return heard;
    },
  };
  beforeAll(async () => {
    queues.room = await openRoom();
  });
  afterEach(async () => {
    await Promise.all(loops.splice(0).map((loop) => loop.close()));
    await queues.room?.rest();
  });
  afterAll(() => queues.room?.stop());
  return queues as HarmedQueues;
}

export function testHarms(queues: HarmedQueues, harms: readonly Harm[]): void {
  let cases = 0;
  test.each(harms)(
    'a queue that somebody else has stopped (%s) is put right in both lanes, and that is logged once',
    async (fault, harm) => {
      const { room } = queues;
      const number = ++cases;
      const rainOf = ({ name }: CreditQueue) => `stopped-${number}-${name}`;
      for (const lane of [room.queue, room.later]) {
        const rainId = rainOf(lane);
        await room.ledger.createRain(newRain(rainId, sumOfFirst(5)), 'ann');
        const job = jobOf(rainId);
        await lane.add('range', job, { jobId: creditJobId(job) });
        await harm(lane, room);
      }
      room.work();
      const heard = queues.repair();
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
      await Promise.all([room.queue, room.later].map((lane) => harm(lane, room)));
      await addAndFinish(10);
      const errors = () => heard.filter(({ level }) => level === 'error');
      await eventually(() =>
        expect(
          errors()
            .map(({ queue }) => queue)
            .sort(),
        ).toEqual(['credit', 'credit-later']),
      );
      for (const { found } of errors()) expect(found).toContain(fault);
    },
  );
}
