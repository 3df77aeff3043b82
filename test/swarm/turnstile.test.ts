import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Turnstile } from '../../src/swarm/turnstile.ts';

describe('the turnstile', () => {
  test('[R10] lets no more through than time has earned, in the order of arrival', async () => {
    let time = 0;
    const turnstile = new Turnstile(100, () => time);
    const through: number[] = [];
    for (let i = 0; i < 50; i++) void turnstile.pass().then((passed) => { if (passed) through.push(i); });
    time = 100;
    await eventually(() => through.length > 0);
    time = 150;
    await eventually(() => through.length === 15);
    expect(through).toEqual(Array.from({ length: 15 }, (_, i) => i));
    turnstile.close();
  });

  test('does not make up for a stall in one burst', async () => {
    let time = 0;
    const turnstile = new Turnstile(100, () => time);
    let through = 0;
    for (let i = 0; i < 500; i++) void turnstile.pass().then((passed) => { if (passed) through++; });
    time = 60_000;
    await eventually(() => through > 0);
    expect(through).toBe(10);
    turnstile.close();
  });

  test('sends away who waits when it closes, and who comes after', async () => {
    const turnstile = new Turnstile(1, () => 0);
    const waiting = turnstile.pass();
    turnstile.close();
    expect([await waiting, await turnstile.pass()]).toEqual([false, false]);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('[R12] refuses %d a second', (perSecond) => {
    expect(() => new Turnstile(perSecond, () => 0)).toThrow(RangeError);
  });
});
