import { beforeAll, expect, test } from 'vitest';
import { findRain } from '../../src/store/rains.ts';
import { createCampaign } from '../../src/operator/campaign/create.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import type { TestContext } from '../support/operatorContext.ts';
import { openRounds } from './rollOverStage.ts';

const { context: openContext, round, settle, end, report, expectInOrder } = openRounds();
let context: TestContext;
beforeAll(() => {
  context = openContext();
});

/** Counted from the moment money goes back, the call of the book or of Redis after which its caller is gone. */
function mortal(at: number): { context: OperatorContext; reached: () => boolean } {
  let calls = -1;
  const guarded = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(of, name) {
        const value: unknown = Reflect.get(of, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (name === 'recycle') calls = 0;
          const dies = calls >= 0 && calls++ === at;
          const die = () => {
            throw new Error(`killed after ${String(name)}`);
          };
          const done: unknown = Reflect.apply(value, of, args);
          return dies ? Promise.resolve(done).then(die) : done;
        };
      },
    });
  return {
    context: { ...context, ledger: guarded(context.ledger), redis: guarded(context.redis) },
    reached: () => calls > at,
  };
}

test('[R5][R8] killed after any step since the money went back, then repeated by two at once: it rolls over exactly once', async () => {
  let deaths = 0;
  for (let at = 0; ; at++) {
    const id = `dies-${at}`;
    await createCampaign(context, { id, winsPerUserMax: 9, rollOver: true });
    for (const number of [1, 2, 3]) await round(id, number);
    await end(`${id}.1`, 'ann');
    const { context: dying, reached } = mortal(at);
    const first = await settle(`${id}.1`, dying).then(
      ({ outcome }) => outcome,
      (error: Error) => error.message,
    );
    if (!reached()) {
      expect(first).toBe('settled');
      break;
    }
    expect(first).toContain('killed after');
    deaths++;
    // Meanwhile the next round ends, so that another one would be chosen now.
    await closeRain(context, `${id}.2`);
    const live = (await findRain(context.redis, `${id}.1`))!;
    const again = await Promise.allSettled([1, 2].map(() => settleRain(context, `${id}.1`, live)));
    if (again.some(({ status }) => status === 'rejected'))
      expect(await settleRain(context, `${id}.1`, live)).toEqual({ outcome: 'settled' });
    const [second, third] = [await report(`${id}.2`), await report(`${id}.3`)];
    expect([second.budget, third.budget].sort(), `${first}`).toEqual(['4.00', '7.00']);
    expect(await settle(`${id}.2`)).toEqual({ outcome: 'settled' });
    // Money that came too late for the second goes on to the third.
    expect((await report(`${id}.3`)).budget).toBe('11.00');
    await expectInOrder(`${id}.1`, `${id}.2`, `${id}.3`);
  }
  // The steps must have been met: a test in which nobody dies proves nothing.
  expect(deaths).toBeGreaterThan(8);
}, 300_000);
