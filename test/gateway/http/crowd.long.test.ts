import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { readSale } from '../../../src/store/sales.ts';
import { openRedis } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { expectAllReserved, LIMITS_OF_A_CROWD, stockSale, tee } from '../sales/stage.ts';
import { callerOf, openAgent, type Caller } from './stage.ts';

const { server, redis } = await openRedis();

/** Asks until there is an answer, as a client does that is told to wait. */
async function untilDecided(
  caller: Caller,
  saleId: string,
  key: string | undefined,
  body: object,
): Promise<Record<string, unknown>> {
  for (;;) {
    const { status, body: answer } = await caller.buy(saleId, key, body);
    if (status === 200) return answer;
    expect([status, typeof answer['retryInMs']], JSON.stringify(answer)).toEqual([503, 'number']);
    await sleep(answer['retryInMs'] as number);
  }
}

test('[R1][R2] over HTTP, 5,000 concurrent asks of 2,000 users on 200 units: exactly 200 reservations of 200 users', async () => {
  const gateway = await openGateway(server.url, { limits: LIMITS_OF_A_CROWD });
  onTestFinished(() => gateway.close());
  await stockSale(redis, { saleId: 'crowd', items: [tee(200)], perUserMax: 1 });
  const agent = openAgent(500);
  const callers = await Promise.all(Array.from({ length: 2_000 }, (_, i) => callerOf(gateway, `user-${i}`, { agent })));
  const told = await Promise.all(
    callers.map(async (caller, i) => {
      // Every second user asks three times, the others twice: 5,000 asks.
      const answers = await Promise.all(
        Array.from({ length: i % 2 === 0 ? 3 : 2 }, () => untilDecided(caller, 'crowd', undefined, {})),
      );
      const distinct = new Set(answers.map(({ reservationId, code }) => reservationId ?? code));
      expect([...distinct]).toHaveLength(1);
      return [...distinct][0] as string;
    }),
  );
  await expectAllReserved(redis, 'crowd', told, 200);
  expect(gateway.counters.purchases['0']).toBe(200);
}, 60_000);

test('[R1][R2] over HTTP, 10,000 asks of one user with one key: one reservation, and equal answers', async () => {
  const gateway = await openGateway(server.url, { limits: LIMITS_OF_A_CROWD });
  onTestFinished(() => gateway.close());
  await stockSale(redis, { saleId: 'eager', items: [tee(200)], perUserMax: 5 });
  const ann = await callerOf(gateway, 'ann', { agent: openAgent(200) });
  const answers = await Promise.all(
    Array.from({ length: 10_000 }, () => untilDecided(ann, 'eager', 'only', { quantity: 2 })),
  );
  expect(answers.filter(({ code }) => code === '0')).toHaveLength(1);
  const distinct = new Set(answers.map(({ code: _, reason: __, ...rest }) => JSON.stringify(rest)));
  expect([...distinct].map((text) => JSON.parse(text) as unknown)).toEqual([
    expect.objectContaining({ reservationId: 'eager-1', quantity: 2, ref: 'only', status: 'reserved' }),
  ]);
  expect(await readSale(redis, 'eager')).toMatchObject({ made: 1, items: [{ booked: 2 }] });
}, 60_000);
