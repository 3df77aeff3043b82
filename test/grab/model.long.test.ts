import { randomInt } from 'node:crypto';
import { test } from 'vitest';
import { openModel } from './modelPlay.ts';

const SEED = Number(process.env['MODEL_SEED'] ?? randomInt(2 ** 31));
const RUNS = Number(process.env['MODEL_RUNS'] ?? 60);
const play = openModel();

test(
  `[R1]–[R8][R11] whatever happens in whatever order, many times over, the real rain does what the model does (MODEL_SEED ${SEED})`,
  () => play({ seed: SEED, runs: RUNS }),
  180_000,
);
