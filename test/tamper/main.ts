// `npm run tamper`: does to Redis and PostgreSQL by hand what somebody does who can write to them, and checks that
// nobody is paid for it and that it is noticed.
//
//     npm run tamper -- [--json] [--only part-of-a-name]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openAttemptRun } from '../support/attemptRun.ts';
import { tamperWithAll } from './run.ts';

const { json, only, refuse } = openAttemptRun('tamper');
const root = fileURLToPath(new URL('../..', import.meta.url));
const built = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (built.status !== 0) process.exit(1);
const played = await tamperWithAll({
  only,
  tell: (sentence) => {
    if (!json) console.log(sentence);
  },
});
if (json)
  for (const { act, paidWrongly, untold } of played)
    for (const sentence of [...paidWrongly, ...untold]) console.error(`${act}: ${sentence}`);
if (played.length === 0) refuse(`--only ${only}: expected a part of the name of an act`);
const count = (list: 'paidWrongly' | 'untold') => played.reduce((sum, one) => sum + one[list].length, 0);
const result = { acts: played.length, paid_wrongly: count('paidWrongly'), untold: count('untold') };
console.log(JSON.stringify(result));
process.exit(result.paid_wrongly + result.untold === 0 ? 0 : 1);
