import { randomSource } from '../rain/fairness.ts';

/** Distribution of the taps over the run: even, most at the start and then falling, rising, or in four waves. */
export const SHAPES = ['steady', 'spike', 'ramp', 'wave'] as const;
export type Shape = (typeof SHAPES)[number];

export interface Arrivals {
  shape: Shape;
  /** Average over the run; the maximum is 5 times that in a spike, twice that in a ramp or a wave. */
  perSecond: number;
}

const FALL = 5;
const CRESTS = 4;
const BISECTIONS = 50;
const DRAWS = 2 ** 53;

/** Share of the taps that have come when the share `u` of the time has passed; rises from 0 to 1. */
const CUMULATIVE: Record<Shape, (u: number) => number> = {
  steady: (u) => u,
  spike: (u) => (1 - Math.exp(-FALL * u)) / (1 - Math.exp(-FALL)),
  ramp: (u) => u * u,
  wave: (u) => u - Math.sin(2 * Math.PI * CRESTS * u) / (2 * Math.PI * CRESTS),
};

/**
 * The planned time of each user's tap, ms: a Poisson process whose rate follows the shape, the same in any number of
 * processes. An open loop: latency counts from the planned time, so the waits while the server stalls are included
 * (coordinated omission).
 */
export function arrivalsMs({ shape, perSecond }: Arrivals, users: number, seed: string): Float64Array {
  const random = randomSource(seed, 'arrivals');
  const wholeMs = (users * 1_000) / perSecond;
  const moments = new Float64Array(users);
  let come = 0;
  for (let i = 0; i < users; i++) {
    // Gaps of a Poisson process of rate 1, stretched to follow the shape.
    come += -Math.log((random.belowNumber(DRAWS) + 1) / DRAWS);
    moments[i] = come <= users ? wholeMs * timeOf(shape, come / users) : wholeMs + ((come - users) * 1_000) / perSecond;
  }
  return moments;
}

function timeOf(shape: Shape, part: number): number {
  let [least, most] = [0, 1];
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (least + most) / 2;
    if (CUMULATIVE[shape](middle) < part) least = middle;
    else most = middle;
  }
  return most;
}
