import { expect, test } from 'vitest';
import { UnknownRains } from '../../../src/console/player/unknownRains.ts';

const HALL = '10.0.0.1';
const here = () => false;
const missing = async () => undefined;
const invent = (rains: UnknownRains, count: number, from = 0) =>
  Promise.all(Array.from({ length: count }, (_, n) => rains.lookUp(HALL, `invented-${from + n}`, here, missing)));
/** For so many rains one after another that do not exist. */
async function msOf(rains: UnknownRains, count: number, from: number): Promise<number> {
  const began = performance.now();
  for (let n = 0; n < count; n++) await invent(rains, 1, from + n);
  return performance.now() - began;
}

test('[R10] one guest who invents rains keeps the others of the address from none that is there, asked for before or not', async () => {
  const rains = new UnknownRains();
  await invent(rains, 60);
  const flood = invent(rains, 300, 60);
  expect(await rains.lookUp(HALL, 'real', here, async () => 'its look')).toBe('its look');
  expect(rains.exceeds(HALL, 'another')).toBe(false);
  await flood;
});

test('[R10] invented rains beyond sixty a minute are looked up four at a time, five hundred a second', async () => {
  const rains = new UnknownRains();
  let [asking, most] = [0, 0];
  const counted = async () => {
    most = Math.max(most, ++asking);
    await Promise.resolve();
    asking--;
    return undefined;
  };
  await invent(rains, 60);
  const began = performance.now();
  await Promise.all(Array.from({ length: 100 }, (_, n) => rains.lookUp(HALL, `more-${n}`, here, counted)));
  expect(most).toBeLessThanOrEqual(4);
  expect(performance.now() - began).toBeGreaterThan(25 * 8 * 0.9);
});

test('[R10] the minute of an address ends, however often it asks again for what does not exist', async () => {
  let now = 0;
  const rains = new UnknownRains(() => now);
  await invent(rains, 60);
  now = 59_000;
  expect(await msOf(rains, 20, 100)).toBeGreaterThan(20 * 8 * 0.9);
  now = 60_001;
  expect(await msOf(rains, 60, 200)).toBeLessThan(60 * 8 * 0.9);
  expect(await msOf(rains, 20, 300)).toBeGreaterThan(20 * 8 * 0.9);
});

test('[R10] only so many look-ups of an address wait; the rain of a crowd waits for none of them', async () => {
  const rains = new UnknownRains();
  await rains.lookUp('10.0.0.2', 'known', here, async () => ({}));
  let go = () => {};
  const slow = new Promise<undefined>((resolve) => {
    go = () => resolve(undefined);
  });
  const waiting = Array.from({ length: 1_200 }, (_, n) =>
    rains.lookUp(
      HALL,
      `n-${n}`,
      () => n >= 4,
      () => slow,
    ),
  );
  expect([rains.exceeds(HALL, 'another'), rains.exceeds(HALL, 'known'), rains.exceeds('10.0.0.2', 'another')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(await rains.lookUp(HALL, 'known', here, async () => 'at once')).toBe('at once');
  go();
  await Promise.all(waiting);
  expect(rains.exceeds(HALL, 'another')).toBe(false);
});
