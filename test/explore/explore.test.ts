import { beforeAll, expect, test } from 'vitest';
import { loadScripts } from '../../src/store/scripts.ts';
import { openRedis } from '../support/rain.ts';
import { explore } from './run.ts';

const SEED = Number(process.env['EXPLORE_SEED'] ?? 1);
const RUNS = Number(process.env['EXPLORE_RUNS'] ?? 40);

const { redis } = await openRedis();
beforeAll(() => loadScripts(redis));

// Thousands of runs: npm run explore.
test('[R1][R2][R13] whatever the order of many gateways, nobody is told "nothing left" while a packet is nobody\'s, and each defect is found', async () => {
  const told: string[] = [];
  const explored = await explore(redis, { runs: RUNS, seed: SEED }, (sentence) => told.push(sentence));
  expect(told).toEqual([]);
  expect(explored).toMatchObject({
    false_no: 0,
    lost: 0,
    doubled: 0,
    mutants: {
      forgets_what_is_on_its_way: 'found',
      collects_once: 'found',
      acks_before_receive: 'found',
      receives_twice: 'found',
    },
  });
}, 180_000);
