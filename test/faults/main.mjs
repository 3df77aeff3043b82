// `npm run faults`: plays every fault of this folder many times, and prints the table of results.
//
//     npm run faults -- [--runs N] [--seed S] [--only name]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RUNS_MAX = 1_000;

function refuse(message) {
  console.error(`faults: ${message}`);
  process.exit(2);
}

function read() {
  try {
    return parseArgs({
      options: { runs: { type: 'string', default: '20' }, seed: { type: 'string' }, only: { type: 'string' } },
    }).values;
  } catch (error) {
    return refuse(`${error.message.split('.')[0]}; expected --runs N, --seed S and --only name`);
  }
}

const { runs, seed = randomBytes(4).toString('hex'), only } = read();
if (!/^[1-9]\d*$/.test(runs) || Number(runs) > RUNS_MAX)
  refuse(`--runs ${runs}: expected a whole number from 1 to ${RUNS_MAX}`);
if (!/^[\w-]{1,64}$/.test(seed)) refuse(`--seed ${seed}: expected up to 64 letters, digits, _ or -`);
if (only === '') refuse('--only: expected a part of a name as the table has it');

const build = spawnSync(process.execPath, ['src/bin/setup.mjs', 'build'], { cwd: ROOT, stdio: 'inherit' });
if (build.status !== 0) {
  console.error(`faults: the build ended with ${build.signal ?? `exit code ${build.status}`}`);
  process.exit(1);
}
console.log(`faults: ${runs} runs each, seed ${seed}`);
const pattern = only === undefined ? [] : ['-t', only.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')];
const vitest = spawn(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'test/faults', '--passWithNoTests=false', ...pattern],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, RAIN_BUILT: '1', FAULTS_RUNS: runs, FAULTS_SEED: seed },
  },
);
// The terminal sends Ctrl-C to vitest, too. This process only waits for its exit code.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => vitest.kill('SIGTERM'));
const [code] = await once(vitest, 'exit');
process.exit(code ?? 1);
