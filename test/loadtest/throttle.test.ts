import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Throttle } from '../../src/loadtest/bots/throttle.ts';

describe('the throttle', () => {
  test('[R10] lets no more through than time has earned, in the order of arrival', async () => {
    let time = 0;
    const throttle = new Throttle(100, () => time);
    const through: number[] = [];
    for (let i = 0; i < 50; i++)
      void throttle.pass().then((passed) => {
        if (passed) through.push(i);
      });
    time = 100;
    await eventually(() => through.length > 0);
    time = 150;
    await eventually(() => through.length === 15);
    expect(through).toEqual(Array.from({ length: 15 }, (_, i) => i));
    throttle.close();
  });

  test('does not make up for a stall in one burst', async () => {
    let time = 0;
    const throttle = new Throttle(100, () => time);
    let through = 0;
    for (let i = 0; i < 500; i++)
      void throttle.pass().then((passed) => {
        if (passed) through++;
      });
    time = 60_000;
    await eventually(() => through > 0);
    expect(through).toBe(10);
    throttle.close();
  });

  test('rejects waiting and later callers when it closes', async () => {
    const throttle = new Throttle(1, () => 0);
    const waiting = throttle.pass();
    throttle.close();
    expect([await waiting, await throttle.pass()]).toEqual([false, false]);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('[R12] refuses %d a second', (perSecond) => {
    expect(() => new Throttle(perSecond, () => 0)).toThrow(RangeError);
  });
});
