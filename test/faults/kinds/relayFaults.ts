import { armDeath, untilDeath } from '../means/death.ts';
import type { Fault } from '../fault.ts';

/** The worker dies at one of the first so many claims: half of the packets, which are won on a busy machine, too. */
const CLAIMS_MAX = 100;
/**
 * All users arrive long before the end. Late users would win nothing, and the claim that triggers the death would never
 * come.
 */
const rain = { windowMs: 6_000, arrivalsMs: 1_900 };

export function relayFaults(fault: Fault): void {
  fault('kill -9 of the relay between "the queue has it" and "the cursor moved"', untilDeath, {
    when: 'swing',
    short: true,
    rain,
    prepare: (scene) => armDeath(scene, 'added', scene.random.between(1, CLAIMS_MAX)),
  });

  fault('kill -9 of the worker between "in the book" and "told"', untilDeath, {
    when: 'swing',
    rain,
    prepare: (scene) => armDeath(scene, 'credited', scene.random.between(1, CLAIMS_MAX)),
  });
}
