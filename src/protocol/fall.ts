/**
 * The fall of the packets over one user's screen: which packet appears when, where, and for how long, is a pure function of
 * his seed. Page, bot and gateway compute it alike, so that a tap names a packet and the gateway knows whether it can have
 * been seen. What is won in a packet is not decided here: the fall is scenery that can be checked.
 *
 * Packets are numbered 0, 1, 2 … from the opening on, one in every PACKET_EVERY_MS, at a moment within it that only the seed
 * tells. Integers of 32 bits and powers of two only, so that every machine computes the same.
 */
export const PACKET_EVERY_MS = 125;
/** From its appearance at the top to its end at the bottom. */
export const FALL_MS_MIN = 2_600;
export const FALL_MS_MAX = 4_600;

/** One packet as it is drawn. Lengths are parts of the screen, 0 to 1; what chance decides beside that is for the eye. */
export interface FallingPacket {
  packet: number;
  /** How much of its fall is behind it, 0 to 1. */
  fallen: number;
  ageMs: number;
  lane: number;
  scale: number;
  sway: number;
  phase: number;
}

/** Seeds are unsigned integers of 32 bits. */
const SEEDS = 2 ** 32;
/** What is drawn for a packet, each by a number of its own. */
const DELAY = 1;
const LENGTH = 2;
const LANE = 3;
const SCALE = 4;
const SWAY = 5;
const PHASE = 6;

/** Uniform in [0, 1) for each seed, packet and purpose: a mixer of 32-bit integers in which every bit of input moves every bit of output. */
function chance(seed: number, packet: number, purpose: number): number {
  return mix(mix(mix(seed) ^ packet) ^ Math.imul(purpose, 0x9e3779b1)) / SEEDS;
}

function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Epoch ms at which this packet appears. @param opensAt of the rain, epoch ms */
export function appearsAt(seed: number, opensAt: number, packet: number): number {
  return opensAt + (packet + chance(seed, packet, DELAY)) * PACKET_EVERY_MS;
}

/** For how long it can be seen, ms. */
export function fallMsOf(seed: number, packet: number): number {
  return FALL_MS_MIN + chance(seed, packet, LENGTH) * (FALL_MS_MAX - FALL_MS_MIN);
}

/** All packets that can be seen at `now` (epoch ms, Redis's clock), in the order in which they appeared. */
export function packetsAt(seed: number, opensAt: number, now: number): FallingPacket[] {
  const latest = Math.floor((now - opensAt) / PACKET_EVERY_MS);
  const earliest = Math.max(0, latest - Math.ceil(FALL_MS_MAX / PACKET_EVERY_MS) - 1);
  const seen: FallingPacket[] = [];
  for (let packet = earliest; packet <= latest; packet++) {
    const ageMs = now - appearsAt(seed, opensAt, packet);
    const fallMs = fallMsOf(seed, packet);
    if (ageMs < 0 || ageMs > fallMs) continue;
    const drawn = (purpose: number) => chance(seed, packet, purpose);
    seen.push({
      packet, ageMs, fallen: ageMs / fallMs, scale: 0.75 + drawn(SCALE) * 0.45, sway: drawn(SWAY), phase: drawn(PHASE),
      // Steps of the golden section spread them more evenly than chance, which likes heaps.
      lane: (packet * 0.618 + drawn(LANE) * 0.1) % 1,
    });
  }
  return seen;
}
