import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PACKET_HEIGHT, PACKET_WIDTH } from '../../../client-demo/src/packet.ts';
import { Bursts } from '../../../client-demo/src/sky/burst.ts';
import { glowOf, markOf, pictureOf } from '../../../client-demo/src/sky/costume.ts';
import { Drift } from '../../../client-demo/src/sky/drift.ts';
import { Shower, xOf } from '../../../client-demo/src/sky/shower.ts';

const OPENS_AT = 1_900_000_000_000;
const [WIDTH, HEIGHT] = [390, 600];
const seeds = fc.nat(2 ** 32 - 1);

/** Repeatable chance. */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223 | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

function raining(seed: number, checked: boolean, still = false): Shower {
  const shower = new Shower(chanceOf(seed));
  shower.still = still;
  shower.fit(WIDTH, HEIGHT);
  if (checked) shower.fall = { seed, opensAt: OPENS_AT, now: OPENS_AT + 5_000 };
  for (let i = 0; i < 60; i++) shower.move(50, true);
  return shower;
}

test.each([['falls as it likes', false], ['falls as the gateway computes it', true]])('where it %s, a tap on a packet takes that packet, with its number, and it is gone', (_how, checked) => {
  fc.assert(fc.property(seeds, fc.boolean(), (seed, still) => {
    const shower = raining(seed, checked, still);
    const seen = shower.falling.filter(({ y }) => y > 0 && y < HEIGHT);
    expect(seen.length).toBeGreaterThan(0);
    const wanted = seen.at(-1)!;
    const before = shower.falling.map((one) => one.packet);
    const { packet } = wanted;
    const hit = shower.take(xOf(wanted), wanted.y);
    expect(hit).toBeDefined();
    if (!checked) return;
    expect(before).toContain(hit!.packet);
    shower.move(16, true);
    expect(shower.falling.map((one) => one.packet)).not.toContain(hit!.packet);
    if (hit!.packet !== packet) expect(shower.falling.map((one) => one.packet)).toContain(packet);
  }), { numRuns: 100 });
});

test('a tap beside every packet takes none', () => {
  const shower = raining(7, false);
  expect(shower.take(-200, HEIGHT / 2)).toBeUndefined();
});

test('packets that fall as they like stay over the screen, and stop coming when it stops', () => {
  const shower = raining(11, false);
  for (let i = 0; i < 200; i++) {
    shower.move(50, true);
    for (const { x } of shower.falling) expect(x).toSatisfy((at: number) => at >= PACKET_WIDTH / 2 && at <= WIDTH - PACKET_WIDTH / 2);
  }
  for (let i = 0; i < 400; i++) shower.move(50, false);
  expect(shower.falling).toEqual([]);
});

test('packets fall everywhere, not in columns', () => {
  fc.assert(fc.property(seeds, (seed) => {
    const shower = new Shower(chanceOf(seed));
    shower.fit(1_280, 600);
    shower.move(16, true);
    const tenths = new Set(shower.falling.map(({ x }) => Math.floor(x / 128)));
    expect(tenths.size).toBeGreaterThanOrEqual(9);
  }), { numRuns: 100 });
});

test('a packet wears the same picture for as long as it falls, mostly red, and every kind occurs', () => {
  const worn = new Map<string, number>();
  for (let packet = 0; packet < 400; packet++) {
    const falling = { x: 1, y: 1, scale: 1, speed: 1, sway: 5, phase: 0, packet };
    const picture = pictureOf(falling);
    expect(pictureOf({ ...falling, y: 300, phase: 9 })).toBe(picture);
    expect(markOf(falling, false).picture).toBe(picture);
    expect(glowOf(falling, false) === undefined).toBe(picture === 'envelope');
    worn.set(picture, (worn.get(picture) ?? 0) + 1);
  }
  expect([...worn.keys()].toSorted()).toEqual(['envelope', 'gold', 'ingot', 'koi', 'lantern']);
  expect(worn.get('envelope')).toBeGreaterThan(200);
});

test('[R10] coins and sparks are bounded, fly, and are gone', () => {
  const bursts = new Bursts(chanceOf(3));
  for (let i = 0; i < 100; i++) bursts.pop(100, 100);
  bursts.fountain(200, 200);
  expect(bursts.marks().length).toBeLessThanOrEqual(320);
  expect(bursts.busy).toBe(true);
  bursts.move(100);
  expect(new Set(bursts.marks().map(({ x }) => Math.round(x))).size).toBeGreaterThan(20);
  for (let i = 0; i < 60; i++) bursts.move(50);
  expect(bursts.busy).toBe(false);
});

test('what floats behind never runs out, and far packets show only while it rains', () => {
  const drift = new Drift(chanceOf(5));
  drift.fit(1_280, 800);
  const before = drift.marks(true).length;
  for (let i = 0; i < 2_000; i++) drift.move(50);
  expect(drift.marks(true)).toHaveLength(before);
  for (const { y } of drift.marks(true)) expect(y).toSatisfy((at: number) => at >= -PACKET_HEIGHT && at <= 800 + PACKET_HEIGHT);
  expect(drift.marks(false).some(({ picture }) => picture === 'envelope')).toBe(false);
  expect(before).toBeLessThan(120);
});
