import { randomSource } from '../rain/fairness.ts';

/** How the taps come, over the whole run: evenly, most at once and fewer and fewer, more and more, or in four crests. */
export const SHAPES = ['steady', 'spike', 'ramp', 'wave'] as const;
export type Shape = (typeof SHAPES)[number];

export interface Arrivals {
  shape: Shape;
  /** On average over the run; the highest is 5 times that in a spike, twice that in a ramp or a wave. */
  perSecond: number;
}

const FALL = 5;
const CRESTS = 4;
const BISECTIONS = 50;
const DRAWS = 2 ** 53;

/** Which part of all taps has come when a part `u` of the time has passed; rises from 0 to 1. */
const COME: Record<Shape, (u: number) => number> = {
  steady: (u) => u,
  spike: (u) => (1 - Math.exp(-FALL * u)) / (1 - Math.exp(-FALL)),
  ramp: (u) => u * u,
  wave: (u) => u - Math.sin(2 * Math.PI * CRESTS * u) / (2 * Math.PI * CRESTS),
};

/**
 * When each user means to tap: a Poisson process whose rate follows the shape, decided before anything is sent. Users come
 * independently of each other and of how quickly the server answers (an open loop): a server that stalls finds
 * everybody waiting who came meanwhile, and each one's latency counts from his own moment. A loop that asks again only when it
 * is answered would leave exactly those out (coordinated omission).
 *
 * @param seed 64 hex digits; with the same seed and figures everybody comes at the same moments, in however many processes
 * @returns ms from the beginning, rising
 */
export function arrivalsMs({ shape, perSecond }: Arrivals, users: number, seed: string): Float64Array {
  const random = randomSource(seed, 'arrivals');
  const wholeMs = (users * 1_000) / perSecond;
  const moments = new Float64Array(users);
  let come = 0;
  for (let i = 0; i < users; i++) {
    // Gaps of a Poisson process of rate 1, stretched so that so many have come when the shape says so.
    come += -Math.log((random.belowNumber(DRAWS) + 1) / DRAWS);
    moments[i] = come <= users ? wholeMs * timeOf(shape, come / users) : wholeMs + ((come - users) * 1_000) / perSecond;
  }
  return moments;
}

/** The inverse of `COME`. */
function timeOf(shape: Shape, part: number): number {
  let [least, most] = [0, 1];
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (least + most) / 2;
    if (COME[shape](middle) < part) least = middle;
    else most = middle;
  }
  return most;
}
