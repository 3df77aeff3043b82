import { doom, untilDeath } from './death.ts';
import { openMatrix } from './fault.ts';

const fault = openMatrix();

fault('kill -9 of the relay between "the queue has it" and "the cursor moved"', untilDeath, {
  when: 'swing', prepare: (scene) => doom(scene, 'added', scene.random.between(1, 5)),
});

fault('kill -9 of the worker between "in the book" and "told"', untilDeath, {
  when: 'swing', prepare: (scene) => doom(scene, 'credited', scene.random.between(1, 5)),
});
