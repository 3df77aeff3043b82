// `npm run attack`: tries every door as somebody who knows the source, by real requests to real servers, and checks
// that each stays shut to attacks and open to honest requests.
//
//     npm run attack -- [--json] [--only part-of-a-name]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openAttemptRun } from '../support/attemptRun.ts';
import { attackAll } from './run.ts';

const { json, only, refuse } = openAttemptRun('attack');
const root = fileURLToPath(new URL('../..', import.meta.url));
const built = spawnSync(process.execPath, ['src/bin/setup.mjs', 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
if (built.status !== 0) process.exit(1);
const verdicts = await attackAll({
  only,
  tell: (sentence) => {
    if (!json) console.log(sentence);
  },
});
if (json)
  for (const { family, notHeld } of verdicts) for (const sentence of notHeld) console.error(`${family}: ${sentence}`);
if (verdicts.length === 0) refuse(`--only ${only}: expected a part of the name of a family`);
const held = verdicts.filter(({ notHeld }) => notHeld.length === 0).length;
console.log(JSON.stringify({ families: verdicts.length, held }));
process.exit(held === verdicts.length ? 0 : 1);
