import { armDeath, untilDeath } from './death.ts';
import type { Fault } from './fault.ts';

/** A rain of which all packets are won has at least this many claims. The number of batches depends on the machine. */
const CLAIMS_MAX = 150;
/** All users arrive long before the end. Late users would win nothing, and the claim that triggers the death would never come. */
const rain = { windowMs: 4_000, arrivalsMs: 1_900 };

export function relayFaults(fault: Fault): void {
  fault('kill -9 of the relay between "the queue has it" and "the cursor moved"', untilDeath, {
    when: 'swing', short: true, rain, prepare: (scene) => armDeath(scene, 'added', scene.random.between(1, CLAIMS_MAX)),
  });

  fault('kill -9 of the worker between "in the book" and "told"', untilDeath, {
    when: 'swing', rain, prepare: (scene) => armDeath(scene, 'credited', scene.random.between(1, CLAIMS_MAX)),
  });
}
