import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { findRain, readRain, redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { draftRain } from '../../src/store/loadPackets.ts';
import { loadRain } from '../../src/operator/load.ts';
import { hasLost } from '../../src/operator/lostRains.ts';
import { rescheduleRain, startRain } from '../../src/operator/schedule.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

async function planned(id: string): Promise<void> {
  const now = await redisNow(context.redis);
  expect(
    await createRain(context, {
      id,
      plan: { budget: '5.00', packets: 5 },
      opensAt: now + 60_000,
      closesAt: now + 90_000,
    }),
  ).toMatchObject({ ok: true });
  expect(await loadRain(context, id)).toMatchObject({ ok: true });
}

/** An operator context where another operator acts right before or right after this operation of the ledger. */
function interrupted(
  when: 'before' | 'after',
  other: () => Promise<unknown>,
  operation: keyof Ledger = 'reschedule',
): OperatorContext {
  let done = false;
  const ledger = new Proxy(context.ledger, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      if (name !== operation || typeof value !== 'function' || done) return value;
      return async (...args: unknown[]) => {
        done = true;
        if (when === 'before') await other();
        const answer: unknown = await Reflect.apply(value, of, args);
        if (when === 'after') await other();
        return answer;
      };
    },
  });
  return { ...context, ledger };
}

const windows = async (id: string) => {
  const booked = (await context.ledger.rain(id))!;
  const read = (await readRain(context.redis, id, (await findRain(context.redis, id))!))!;
  return {
    book: { opensAt: booked.opensAt, closesAt: booked.closesAt },
    redis: { opensAt: read.opensAt, closesAt: read.closesAt },
  };
};

describe('two operators who reschedule a rain at once', () => {
  test('a rain that one operator has started is not postponed by the other: its wins could be lost', async () => {
    await planned('started');
    const tomorrow = (await redisNow(context.redis)) + 86_400_000;
    const late = await rescheduleRain(
      interrupted('before', () => startRain(context, 'started')),
      'started',
      { opensAt: tomorrow, closesAt: tomorrow + 60_000 },
    );
    expect(late).toMatchObject({ ok: false });
    const { book, redis } = await windows('started');
    expect(book).toEqual(redis);
    expect(
      await createGrabEngine(context.redis, (fault) => {
        throw fault;
      }).grab('started', 0, ['ann']),
    ).toMatchObject([{ code: '0' }]);
    // Redis forgets it: nobody may load it once more, since it had opened.
    await context.redis.flushall();
    expect(await hasLost(context, (await context.ledger.rain('started'))!)).toBe(true);
  });

  test.each(['before', 'after'] as const)(
    'one with a countdown, one who puts it off, the other %s the book: Redis has what the book has in the end',
    async (when) => {
      await planned(`moved-${when}`);
      const tomorrow = (await redisNow(context.redis)) + 86_400_000;
      await rescheduleRain(
        interrupted(when, () => startRain(context, `moved-${when}`, { inMs: 30_000 })),
        `moved-${when}`,
        { opensAt: tomorrow, closesAt: tomorrow + 60_000 },
      );
      const { book, redis } = await windows(`moved-${when}`);
      expect(redis).toEqual(book);
    },
  );

  test('a second click is neither another start nor another window', async () => {
    await planned('clicked');
    const [first, second] = [
      await startRain(
        interrupted('before', () => startRain(context, 'clicked')),
        'clicked',
      ),
      await startRain(context, 'clicked'),
    ];
    expect(first).toMatchObject({ ok: true, state: 'open' });
    expect(second).toEqual(first);
    expect((await context.ledger.actions('clicked')).filter(({ verb }) => verb === 'start')).toHaveLength(1);
    await planned('put-off');
    const opensAt = (await redisNow(context.redis)) + 3_600_000;
    const window = { opensAt, closesAt: opensAt + 1_000 };
    expect(
      await rescheduleRain(
        interrupted('before', () => rescheduleRain(context, 'put-off', window)),
        'put-off',
        window,
      ),
    ).toMatchObject({ ok: true, ...window });
    expect((await context.ledger.actions('put-off')).filter(({ verb }) => verb === 'schedule')).toHaveLength(1);
  });
});

describe('an id that Redis holds for another rain', () => {
  const asked = async (id: string) => {
    const now = await redisNow(context.redis);
    return { id, plan: { budget: '5.00', packets: 5 }, opensAt: now + 60_000, closesAt: now + 90_000 };
  };
  const held = (id: string) => ({
    ok: false,
    refusals: [{ field: 'id', reason: `Redis still holds another rain ${id}` }],
  });

  test('[R12] is refused before any money is booked', async () => {
    await context.redis.lpush('rain:{remains/0}:claims', 'of another');
    expect(await createRain(context, await asked('remains'))).toEqual(held('remains'));
    expect(await context.ledger.rain('remains')).toBeUndefined();
    await context.redis.del('rain:{remains/0}:claims');
    expect(await createRain(context, await asked('remains'))).toMatchObject({ ok: true });
  });

  test('[R8] taken while the money is being booked: all of it goes back, and nobody can load or add to this rain', async () => {
    const request = await asked('overtaken');
    const other = () =>
      draftRain(context.redis, context.signer, {
        rainId: 'overtaken',
        title: 'of another ledger',
        shards: 1,
        opensAt: request.opensAt,
        closesAt: request.closesAt,
        packets: 9,
      });
    expect(await createRain(interrupted('before', other, 'createRain'), request)).toEqual(held('overtaken'));
    expect(await context.ledger.book('overtaken')).toMatchObject({
      fundedCents: 500n,
      recycledCents: 500n,
      settledAt: expect.any(Number) as number,
    });
    expect(await context.ledger.accountFaults('overtaken')).toEqual({ accounts: [], keptCents: 0n });
    expect(await context.ledger.sumOfBalances()).toBe(0n);
    expect((await context.ledger.actions('overtaken')).map(({ verb }) => verb)).toEqual(['create', 'recycle']);
    expect(await createRain(context, request)).toMatchObject({
      ok: false,
      refusals: [{ reason: 'the rain overtaken is settled' }],
    });
    expect(await loadRain(context, 'overtaken')).toMatchObject({ ok: false });
  });

  test('two operators who create it at once, with different plans: one has it, the other is refused, and one budget is booked', async () => {
    const request = await asked('both');
    const answers = await Promise.all(
      [request, { ...request, plan: { budget: '6.00', packets: 5 } }].map((each) => createRain(context, each)),
    );
    expect(answers.map(({ ok }) => ok).sort()).toEqual([false, true]);
    const booked = (await context.ledger.rain('both'))!;
    expect(await context.ledger.book('both')).toMatchObject({ fundedCents: booked.budgetCents, recycledCents: 0n });
  });

  test('is not another one when a second click has booked and written it since the ledger was read', async () => {
    const request = await asked('twice');
    expect(
      await createRain(
        interrupted('after', () => createRain(context, request), 'rain'),
        request,
      ),
    ).toMatchObject({ ok: true, rainId: 'twice' });
    expect(await context.ledger.book('twice')).toMatchObject({ fundedCents: 500n });
  });
});

test.each([
  [9e15, 9e15 + 1],
  [-9e15, -9e15 + 1],
  [8_640_000_000_000_001, 8_640_000_000_000_002],
])('[R12] a window from %d to %d, which is not a date, is refused without a fault', async (opensAt, closesAt) => {
  const refused = {
    ok: false,
    refusals: ['opensAt', 'closesAt'].map((field) => ({ field, reason: 'expected epoch milliseconds' })),
  };
  expect(await createRain(context, { id: 'nowhen', plan: { budget: '5.00', packets: 5 }, opensAt, closesAt })).toEqual(
    refused,
  );
  const id = `when-${opensAt < 0 ? 'before' : 'after'}-${Math.abs(opensAt)}`;
  await planned(id);
  expect(await rescheduleRain(context, id, { opensAt, closesAt })).toEqual(refused);
});
