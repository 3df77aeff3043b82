import { expect, test } from 'vitest';
import { UnknownRains } from '../../../src/console/player/unknownRains.ts';

const HALL = '10.0.0.1';

async function invent(rains: UnknownRains, count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n++) await rains.count(HALL, `invented-${n}`, async () => undefined);
}

test('[R10] one guest who invents rains does not keep the others of the address from a rain that is there', async () => {
  const rains = new UnknownRains();
  await rains.count('10.0.0.2', 'real', async () => ({}));
  await invent(rains, 60);
  expect([rains.exceeds(HALL, 'invented-60'), rains.exceeds(HALL, 'real')]).toEqual([true, false]);
});

test('[R10] the minute of an address ends, however often it asks again for what does not exist', async () => {
  let now = 0;
  const rains = new UnknownRains(() => now);
  await invent(rains, 60);
  now = 59_000;
  await invent(rains, 1);
  expect(rains.exceeds(HALL, 'another')).toBe(true);
  now = 60_001;
  expect(rains.exceeds(HALL, 'another')).toBe(false);
});
