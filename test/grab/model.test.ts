import { test } from 'vitest';
import { openModel } from './modelPlay.ts';

const SEED = Number(process.env['MODEL_SEED'] ?? 20_260_214);
const RUNS = Number(process.env['MODEL_RUNS'] ?? 20);
const play = openModel();

// More runs, each time with another seed, in model.long.test.ts.
test(
  '[R1]–[R8][R11] whatever happens in whatever order, the real rain does what the model does',
  () => play({ seed: SEED, runs: RUNS }),
  180_000,
);
