import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { creditJobId } from '../../src/credit/job.ts';
import { claimsOf, newRain } from '../ledger/claims.ts';
import { eventually } from '../support/eventually.ts';
import { openRoom, type Room } from './room.ts';

describe('a credit worker that is closed', () => {
  let room: Room;
  beforeAll(async () => {
    room = await openRoom();
  });
  afterAll(() => room?.stop());

  async function hang(rainId: string) {
    await room.ledger.createRain(newRain(rainId, 1_000n), 'ann');
    let begun = false;
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const worker = room.work({
      onCredited: async () => {
        begun = true;
        await held;
      },
    });
    const job = { rainId, shard: 0, from: 0, entries: claimsOf(rainId, 0, 1).map((claim) => JSON.stringify(claim)) };
    const { id } = await room.queue.add('range', job, { jobId: creditJobId(job) });
    await eventually(() => begun);
    return { worker, letGo, state: async () => (await room.queue.getJob(id!))!.getState() };
  }

  it('finishes the job that it has begun', async () => {
    const { worker, letGo, state } = await hang('begun');
    const closed = worker.close();
    letGo();
    expect(await closed).toBe('done');
    expect(await state()).toBe('completed');
  });

  it('[R10] does not wait longer than its deadline, and returns the job', async () => {
    const { worker, letGo, state } = await hang('stuck');
    const since = performance.now();
    expect(await worker.close(200)).toBe('abandoned');
    expect(performance.now() - since).toBeLessThan(2_000);
    expect(await state()).toBe('waiting');
    letGo();
  });
});
