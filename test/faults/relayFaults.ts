import { doom, untilDeath } from './death.ts';
import type { Fault } from './fault.ts';

/** Of the claims of a rain, which is won out, so many surely come; in how many batches they come depends on the machine. */
const CLAIMS_MAX = 150;
/** All users are there long before it ends: who is late on a busy machine would win nothing, and the claim of the death never come. */
const rain = { windowMs: 4_000, arrivalsMs: 1_900 };

export function relayFaults(fault: Fault): void {
  fault('kill -9 of the relay between "the queue has it" and "the cursor moved"', untilDeath, {
    when: 'swing', short: true, rain, prepare: (scene) => doom(scene, 'added', scene.random.between(1, CLAIMS_MAX)),
  });

  fault('kill -9 of the worker between "in the book" and "told"', untilDeath, {
    when: 'swing', rain, prepare: (scene) => doom(scene, 'credited', scene.random.between(1, CLAIMS_MAX)),
  });
}
