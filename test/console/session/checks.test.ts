import { beforeEach, expect, test } from 'vitest';
import { createPlaces, inTurn } from '../../../src/console/session/checks.ts';

const PLACES = 8;
let at: number;
let take: ReturnType<typeof createPlaces>;
beforeEach(() => {
  at = 1_000;
  take = createPlaces(
    () => at,
    () => 1,
  );
});

const stranger = (address: string) => take({ name: 'nobody', address, isKnown: false });
const known = (name: string) => take({ name, address: '10.0.0.1', isKnown: true });
function placed(place: ReturnType<typeof stranger>) {
  if ('waitMs' in place) throw new Error(`no place for ${place.waitMs} ms`);
  return place;
}
const fill = () => Array.from({ length: PLACES }, (_, n) => placed(stranger(`10.1.0.${n}`)));

test('[R10] there are eight places for strangers, and when half of them are taken each address has one only', () => {
  const places = ['a', 'a', 'b', 'b', 'c', 'd'].map((address) => placed(stranger(address)));
  for (const address of ['a', 'b', 'c', 'd']) expect(stranger(address)).toEqual({ waitMs: 1_000 });
  for (const address of ['e', 'f']) placed(stranger(address));
  expect(stranger('g')).toEqual({ waitMs: 1_000 });
  places[0]!.leave(true);
  expect(stranger('a')).toEqual({ waitMs: 1_000 });
  placed(stranger('h'));
});

test('[R10] strangers take no place of those who are known, and no name takes those of the others', () => {
  fill();
  for (const name of ['ann', 'ann', 'ben', 'ben', 'cem', 'dan', 'eve', 'fay']) placed(known(name));
  for (const name of ['ann', 'dan', 'guy']) expect(known(name)).toEqual({ waitMs: 1_000 });
});

test('[R10] strangers who keep failing leave half of the places to addresses that have not', () => {
  const failing = Array.from({ length: 20 }, (_, n) => `10.4.0.${n}`);
  for (const address of failing) for (let n = 0; n < 3; n++) placed(stranger(address)).leave(false);
  expect(failing.filter((address) => 'leave' in stranger(address))).toHaveLength(4);
  placed(stranger('10.4.1.1'));
  // A user who is refused for this waits as for any other place.
  expect(stranger(failing[19]!)).toEqual({ waitMs: 1_000 });
});

test('right passwords do not count as failures', () => {
  for (let n = 0; n < 20; n++) placed(stranger('10.5.0.1')).leave(true);
  for (let n = 0; n < 7; n++) placed(stranger(`10.5.1.${n}`));
  placed(stranger('10.5.0.1'));
});

test('an address that finds no place has to wait, longer each time and ten seconds at most', () => {
  const places = fill();
  const waits = Array.from({ length: 6 }, () => {
    const refused = stranger('10.2.0.1');
    if (!('waitMs' in refused)) throw new Error('there was a place');
    at += refused.waitMs;
    return refused.waitMs;
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  for (const { leave } of places) leave(true);
  placed(stranger('10.2.0.1'));
});

test('who was told to wait is refused until then, which makes nothing longer; other addresses are not concerned', () => {
  const places = fill();
  expect(stranger('10.2.0.2')).toEqual({ waitMs: 1_000 });
  for (const { leave } of places) leave(true);
  at += 400;
  expect(stranger('10.2.0.2')).toEqual({ waitMs: 600 });
  placed(stranger('10.2.0.3'));
  at += 600;
  placed(stranger('10.2.0.2'));
});

test('after a minute without asking an address starts from the beginning', () => {
  fill();
  for (let n = 0; n < 3; n++) {
    stranger('10.3.0.1');
    at += 4_000;
  }
  at += 60_000;
  expect(stranger('10.3.0.1')).toEqual({ waitMs: 1_000 });
});

test('those who are known and strangers are checked by turns, one at a time', async () => {
  const order: string[] = [];
  let running = 0;
  const check = (kind: 'known' | 'stranger') =>
    inTurn(kind, async () => {
      expect(++running).toBe(1);
      await Promise.resolve();
      order.push(kind);
      running--;
    });
  await Promise.all([
    ...Array.from({ length: 4 }, () => check('stranger')),
    ...Array.from({ length: 3 }, () => check('known')),
  ]);
  expect(order).toEqual(['stranger', 'known', 'stranger', 'known', 'stranger', 'known', 'stranger']);
});
