import type { Fall } from '../../src/client/fall.ts';
import { fallMsOf, packetsAt } from '../../src/protocol/fall.ts';
import { PACKET_HEIGHT, PACKET_WIDTH } from './packet.ts';

export type { Fall };

/** A packet in the air. Lengths in CSS pixels. */
export interface Falling {
  x: number;
  y: number;
  scale: number;
  /** Pixels per second. */
  speed: number;
  sway: number;
  phase: number;
  /** Its number, where the gateway knows the fall as well. */
  packet?: number;
}

/** Where everybody hangs who asked for less motion: steps of the golden section, so that neighbours are apart. */
const ROW_STEP = 0.382;

/** Everything in the air at this moment, the latest first to be drawn. */
export function dropsOf({ seed, opensAt, now }: Fall, width: number, height: number, still: boolean): Falling[] {
  return packetsAt(seed, opensAt, now).map(({ packet, fallen, ageMs, lane, scale, sway, phase }) => ({
    packet, scale,
    x: PACKET_WIDTH / 2 + lane * Math.max(0, width - PACKET_WIDTH),
    y: still ? height * (0.08 + 0.84 * ((packet * ROW_STEP) % 1)) : -PACKET_HEIGHT + fallen * (height + 2 * PACKET_HEIGHT),
    speed: (height + 2 * PACKET_HEIGHT) / fallMsOf(seed, packet) * 1000,
    sway: 4 + sway * 12,
    phase: phase * Math.PI * 2 + (still ? 0 : ageMs / 700),
  }));
}
