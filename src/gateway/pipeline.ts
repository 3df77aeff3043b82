import type { GrabEngine } from '../grab/engine.ts';

/** One layer around the decision: it is given the engine inside it, and is asked in its place. */
export type Layer = (inner: GrabEngine) => GrabEngine;

/**
 * The way of a batch to Redis and back. `layers` are listed from the outside: the first is asked first and answers
 * last.
 */
export function pipeline(layers: readonly Layer[], engine: GrabEngine): GrabEngine {
  return layers.reduceRight((inner, layer) => layer(inner), engine);
}
