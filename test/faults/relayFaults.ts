import { doom, untilDeath } from './death.ts';
import type { Fault } from './fault.ts';

/** The worker dies at one of the first so many claims of a rain that is won out: half of its packets, which a busy machine grants, too. */
const CLAIMS_MAX = 100;
/** The users arrive long before the end: of those who are late on a busy machine nobody wins, and the claim of the death never comes. */
const rain = { windowMs: 6_000, arrivalsMs: 1_900 };

export function relayFaults(fault: Fault): void {
  fault('kill -9 of the relay between "the queue has it" and "the cursor moved"', untilDeath, {
    when: 'swing', short: true, rain, prepare: (scene) => doom(scene, 'added', scene.random.between(1, CLAIMS_MAX)),
  });

  fault('kill -9 of the worker between "in the book" and "told"', untilDeath, {
    when: 'swing', rain, prepare: (scene) => doom(scene, 'credited', scene.random.between(1, CLAIMS_MAX)),
  });
}
