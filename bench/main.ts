// `npm run bench`: compares the cost of a grab with its cost in other common designs.
//
//     npm run bench -- [--quick] [--json] [--only name]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { postgresInstalled, startPostgres } from '../test/support/servers/postgres.ts';
import { batching, losing, winning } from './measures/answers.ts';
import { broadcast } from './measures/broadcast.ts';
import { ceiling } from './measures/ceiling.ts';
import { crowd } from './measures/crowd.ts';
import { crediting, settlement } from './measures/crediting.ts';
import { history } from './measures/history.ts';
import { handshake } from './measures/handshake.ts';
import type { Measure } from './measures/measure.ts';
import { SIZES } from './sizes.ts';
import { reserving, soldOut, soldOutOverHttp } from './measures/sale/buying.ts';
import { expiring } from './measures/sale/expiring.ts';
import { lastOrder, ordering } from './measures/sale/ordering.ts';
import { masters } from './measures/scale/masters.ts';
import { migrating } from './measures/scale/migrating.ts';
import { memory } from './measures/memory.ts';
import { overload } from './measures/overload.ts';
import { shardCredits } from './measures/scale/credits.ts';
import { audit } from './measures/scale/audit.ts';
import { board } from './measures/scale/board.ts';
import { calls } from './measures/scale/calls.ts';
import { credited } from './measures/scale/credited.ts';
import { queue } from './measures/scale/queue.ts';
import { shards } from './measures/scale/shards.ts';
import { spread } from './measures/scale/spread.ts';
import { thin } from './measures/scale/thin.ts';
import { winners } from './measures/scale/winners.ts';
import { stocking } from './measures/stocking.ts';
import { chartOf } from './report/chart.ts';
import { describeMachine, lookAtMachine } from './report/machine.ts';
import { failed, verdictOf, type Row } from './report/row.ts';
import { tableOf } from './report/table.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = fileURLToPath(new URL('results', import.meta.url));
const MEASURES: readonly Measure[] = [
  losing,
  batching,
  winning,
  crediting,
  settlement,
  shardCredits,
  handshake,
  memory,
  history,
  broadcast,
  stocking,
  ceiling,
  overload,
  reserving,
  soldOut,
  soldOutOverHttp,
  ordering,
  lastOrder,
  expiring,
  migrating,
  crowd,
  masters,
  spread,
  winners,
  credited,
  board,
  audit,
  queue,
  calls,
  thin,
  shards,
];

function refuse(sentence: string): never {
  console.error(`bench: ${sentence}`);
  process.exit(2);
}

function read(): { quick?: boolean; json?: boolean; only?: string } {
  try {
    return parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, only: { type: 'string' } } })
      .values;
  } catch (error) {
    return refuse(`${(error as Error).message.split('.')[0]}; expected --quick, --json and --only name`);
  }
}

const { quick = false, json = false, only } = read();
/** `sale` names all measures `sale-…`, `scale` all `scale-…`. */
const isNamed = (name: string) => name === only || name.startsWith(`${only}-`);
const chosen = MEASURES.filter(({ name, onlyWhenAsked }) =>
  only === undefined ? onlyWhenAsked !== 'always' && !(quick && onlyWhenAsked === 'quick') : isNamed(name),
);
if (chosen.length === 0)
  refuse(`--only ${only}: expected one of ${['sale', 'scale', ...MEASURES.map(({ name }) => name)].join(', ')}`);
if (!postgresInstalled) refuse('PostgreSQL is not installed; on Debian: apt-get install postgresql');
const say = (sentence: string) => {
  if (!json) console.error(`  ${sentence}`);
};
const machine = lookAtMachine();
/** Results of a quick run are not written. */
const write = (file: string, text: string) => {
  if (quick) return;
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}/${file}`, text);
};
// PostgreSQL syncs every write too, like Redis: results without the disk would not be comparable.
const [postgres, [compiled]] = await Promise.all([
  startPostgres(['fsync=on']),
  once(
    spawn(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'], {
      cwd: ROOT,
      stdio: 'inherit',
    }),
    'exit',
  ),
]);
const rows: Row[] = [];
const resultsOf = (some: readonly Row[]) => ({
  at: new Date().toISOString(),
  size: quick ? 'quick' : 'full',
  machine,
  rows: some.map((row) => ({ ...row, verdict: verdictOf(row) })),
});
/** Measures that run only when asked for keep their last results, each with its day. */
function keep(name: string, some: readonly Row[]): void {
  const path = `${RESULTS}/scale.json`;
  const kept = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>) : {};
  write('scale.json', `${JSON.stringify({ ...kept, [name]: resultsOf(some) }, undefined, 2)}\n`);
}
try {
  if (compiled !== 0) throw new Error('the sources do not compile');
  for (const measure of chosen) {
    say(`${measure.name} … (${Math.round(process.uptime())} s)`);
    const measured = await measure
      .rows({ size: SIZES[quick ? 'quick' : 'full'], postgres, say: (sentence) => say(`  ${sentence}`), write })
      .catch((error: unknown) => [failed(measure.name, error)]);
    if (measure.name.startsWith('scale-')) keep(measure.name, measured);
    rows.push(...measured);
  }
} finally {
  await postgres.stop();
}
const results = resultsOf(rows);
// Only a full run updates the results that the README shows.
if (only === undefined) {
  write('latest.json', `${JSON.stringify(results, undefined, 2)}\n`);
  write('latest.svg', chartOf(rows, describeMachine(machine)));
}
if (json) console.log(JSON.stringify(results));
else console.log(`${describeMachine(machine)}\n\n${tableOf(rows)}`);
process.exitCode = rows.some((row) => ['missed', 'no figure'].includes(verdictOf(row))) ? 1 : 0;
