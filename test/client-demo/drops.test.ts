import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dropsOf } from '../../client-demo/src/drops.ts';
import { PACKET_HEIGHT, PACKET_WIDTH } from '../../client-demo/src/packet.ts';
import { lowestPacket } from '../../src/client/fall.ts';
import { packetsAt } from '../../src/protocol/fall.ts';

const OPENS_AT = 1_900_000_000_000;
const [WIDTH, HEIGHT] = [390, 600];
const fall = fc.record({ seed: fc.nat(2 ** 32 - 1), opensAt: fc.constant(OPENS_AT), now: fc.nat(600_000).map((since) => OPENS_AT + since) });

test('what is drawn is what the gateway knows to be there, from above the top to below the bottom', () => {
  fc.assert(fc.property(fall, (of) => {
    const drops = dropsOf(of, WIDTH, HEIGHT, false);
    expect(drops.map(({ packet }) => packet)).toEqual(packetsAt(of.seed, OPENS_AT, of.now).map(({ packet }) => packet));
    for (const { x, y } of drops) {
      expect(x).toSatisfy((at: number) => at >= PACKET_WIDTH / 2 && at <= WIDTH - PACKET_WIDTH / 2);
      expect(y).toSatisfy((at: number) => at >= -PACKET_HEIGHT && at <= HEIGHT + PACKET_HEIGHT);
    }
  }), { numRuns: 200 });
});

test('for those who asked for less motion a packet hangs where it is for as long as it is there', () => {
  fc.assert(fc.property(fall, (of) => {
    const later = dropsOf({ ...of, now: of.now + 300 }, WIDTH, HEIGHT, true);
    for (const drop of dropsOf(of, WIDTH, HEIGHT, true)) {
      expect(drop.y).toSatisfy((at: number) => at > 0 && at < HEIGHT);
      const same = later.find(({ packet }) => packet === drop.packet);
      if (same) expect(same).toEqual(drop);
    }
  }), { numRuns: 200 });
});

test('a key taps the packet that is lowest; before the first there is none', () => {
  fc.assert(fc.property(fall, (of) => {
    const drops = dropsOf(of, WIDTH, HEIGHT, false);
    const lowest = drops.reduce<(typeof drops)[number] | undefined>((low, drop) => (low && low.y >= drop.y ? low : drop), undefined);
    expect(lowestPacket(of)).toBe(lowest?.packet);
  }), { numRuns: 200 });
  expect(lowestPacket({ seed: 1, opensAt: OPENS_AT, now: OPENS_AT - 1 })).toBeUndefined();
});
