import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bursts } from '../../../client-demo/src/sky/burst.ts';
import { glowOf, markOf, pictureOf } from '../../../client-demo/src/sky/costume.ts';
import { Drift } from '../../../client-demo/src/sky/drift.ts';
import { PACKET_HEIGHT, PACKET_WIDTH, Shower, xOf } from '../../../client-demo/src/sky/shower.ts';

const [WIDTH, HEIGHT] = [390, 600];
const seeds = fc.nat(2 ** 32 - 1);

/** Reproducible random numbers. */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

function raining(seed: number, still = false): Shower {
  const shower = new Shower(chanceOf(seed));
  shower.still = still;
  shower.fit(WIDTH, HEIGHT);
  for (let i = 0; i < 60; i++) shower.move(50, true);
  return shower;
}

test('a tap on a packet removes that packet, or one in front of it, and no other', () => {
  fc.assert(
    fc.property(seeds, fc.boolean(), (seed, still) => {
      const shower = raining(seed, still);
      const wanted = shower.falling.filter(({ y }) => y > 0 && y < HEIGHT).at(-1)!;
      const before = shower.falling.map((packet) => ({ packet, y: packet.y }));
      const hit = shower.take(xOf(wanted), wanted.y);
      const moved = before.filter(({ packet, y }) => packet.y !== y);
      expect(moved.map(({ y }) => y)).toEqual([hit!.y]);
      expect(moved[0]!.packet.y).toBe(-PACKET_HEIGHT);
      shower.move(16, true);
      expect(shower.falling.some((packet) => packet === moved[0]!.packet && packet.y > 0)).toBe(false);
    }),
    { numRuns: 100 },
  );
});

test('with reduced motion the packets stay where they are, in view', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const shower = raining(seed, true);
      const before = structuredClone(shower.falling);
      for (const { y } of before) expect(y).toSatisfy((at: number) => at > 0 && at < HEIGHT);
      shower.move(300, true);
      expect(shower.falling).toEqual(before);
    }),
    { numRuns: 100 },
  );
});

test('a tap beside every packet takes none', () => {
  const shower = raining(7);
  expect(shower.take(-200, HEIGHT / 2)).toBeUndefined();
});

test('packets stay within the screen, and no new ones appear when the rain stops', () => {
  const shower = raining(11);
  for (let i = 0; i < 200; i++) {
    shower.move(50, true);
    for (const { x, y } of shower.falling) {
      expect(x).toSatisfy((at: number) => at >= PACKET_WIDTH / 2 && at <= WIDTH - PACKET_WIDTH / 2);
      expect(y).toSatisfy((at: number) => at >= -PACKET_HEIGHT - HEIGHT && at <= HEIGHT + PACKET_HEIGHT);
    }
  }
  for (let i = 0; i < 400; i++) shower.move(50, false);
  expect(shower.falling).toEqual([]);
});

test('packets fall everywhere, not in columns', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const shower = new Shower(chanceOf(seed));
      shower.fit(1_280, 600);
      shower.move(16, true);
      const tenths = new Set(shower.falling.map(({ x }) => Math.floor(x / 128)));
      expect(tenths.size).toBeGreaterThanOrEqual(9);
    }),
    { numRuns: 100 },
  );
});

test('a packet keeps its picture while it falls; most are red, and every picture occurs', () => {
  const worn = new Map<string, number>();
  const chance = chanceOf(9);
  for (let i = 0; i < 400; i++) {
    const falling = { x: 1, y: 1, scale: 0.75 + chance() * 0.45, speed: 1, sway: 4 + chance() * 12, phase: 0 };
    const picture = pictureOf(falling);
    expect(pictureOf({ ...falling, y: 300, phase: 9 })).toBe(picture);
    expect(markOf(falling, false).picture).toBe(picture);
    expect(glowOf(falling, false) === undefined).toBe(picture === 'envelope');
    worn.set(picture, (worn.get(picture) ?? 0) + 1);
  }
  expect([...worn.keys()].toSorted()).toEqual(['envelope', 'gold', 'ingot', 'koi', 'lantern']);
  expect(worn.get('envelope')).toBeGreaterThan(200);
});

test('[R10] coins and sparks are limited in number, fly, and vanish', () => {
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

test('the background never empties, and distant packets are shown only while it rains', () => {
  const drift = new Drift(chanceOf(5));
  drift.fit(1_280, 800);
  const before = drift.marks(true).length;
  for (let i = 0; i < 2_000; i++) drift.move(50);
  expect(drift.marks(true)).toHaveLength(before);
  for (const { y } of drift.marks(true))
    expect(y).toSatisfy((at: number) => at >= -PACKET_HEIGHT && at <= 800 + PACKET_HEIGHT);
  expect(drift.marks(false).some(({ picture }) => picture === 'envelope')).toBe(false);
  expect(before).toBeLessThan(120);
});
