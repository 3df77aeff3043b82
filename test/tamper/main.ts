// `npm run tamper`: does to Redis and PostgreSQL by hand what somebody does who can write to them, and checks that nobody is paid
// for it and that it is noticed.
//
//     npm run tamper -- [--json] [--only part-of-a-name]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { tamperWithAll } from './run.ts';

function refuse(sentence: string): never {
  console.error(`tamper: ${sentence}`);
  process.exit(2);
}

function read(): { json?: boolean; only?: string } {
  try {
    return parseArgs({ options: { json: { type: 'boolean' }, only: { type: 'string' } } }).values;
  } catch (error) {
    return refuse(`${(error as Error).message.split('.')[0]}; expected --json and --only name`);
  }
}

const { json = false, only } = read();
if (!postgresInstalled) refuse('PostgreSQL is not installed; on Debian: apt-get install postgresql');
const root = fileURLToPath(new URL('../..', import.meta.url));
const built = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'], { cwd: root, stdio: 'inherit' });
if (built.status !== 0) process.exit(1);
const played = await tamperWithAll({ only, tell: (sentence) => { if (!json) console.log(sentence); } });
if (json) for (const { act, paidWrongly, untold } of played) for (const sentence of [...paidWrongly, ...untold]) console.error(`${act}: ${sentence}`);
if (played.length === 0) refuse(`--only ${only}: expected a part of the name of an act`);
const count = (list: 'paidWrongly' | 'untold') => played.reduce((sum, one) => sum + one[list].length, 0);
const result = { acts: played.length, paid_wrongly: count('paidWrongly'), untold: count('untold') };
console.log(JSON.stringify(result));
process.exit(result.paid_wrongly + result.untold === 0 ? 0 : 1);
