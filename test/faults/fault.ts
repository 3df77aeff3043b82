import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgresInstalled } from '../support/postgres.ts';
import { deploy, type Deployment, type DeploymentOptions } from './deployment.ts';
import type { RunResult } from './recovery.ts';
import type { Row } from './row.ts';
import { playRun, type FaultOptions, type Run, type Strike } from './run.ts';

/** Handed in by `npm run faults`; `npm run test:long` has a few runs each, and a seed of its own. */
const ASKED_RUNS = process.env['FAULTS_RUNS'] === undefined ? undefined : Number(process.env['FAULTS_RUNS']);
/** Asked to look long and closely: also at what takes minutes. */
export const thorough = (ASKED_RUNS ?? 0) >= 10;
/** `npm run faults` plays the long files, which have the short faults, too. */
export const asked = ASKED_RUNS !== undefined;
const RUNS = 2;
const SLOW_RUNS = 1;
const SEED = process.env['FAULTS_SEED'] ?? randomBytes(4).toString('hex');

/** Of one run that went wrong, the first so many sentences are told. */
const SENTENCES_MAX = 10;

/** A run that takes longer hangs, ms. */
const RUN_MS_MAX = 240_000;

/** How a file of faults registers one. */
export type Fault = (name: string, strike: Strike, options?: FaultOptions) => void;

/** One deployment for all faults of a file, one rain after another on it. @param short only those that `npm test` plays, once each */
export function openMatrix(options: DeploymentOptions = {}, { short = false } = {}): Fault {
  let deployment: Deployment | undefined;
  beforeAll(async () => { deployment = await deploy(options); }, 120_000);
  afterAll(() => deployment?.end(), 60_000);
  return (name, strike, faultOptions = {}) => {
    if (short && !faultOptions.short) return;
    testFault(name, (run) => playRun(deployment!, run, strike, faultOptions), { possible: postgresInstalled, ...faultOptions, ...(short && { runsMax: 1 }) });
  };
}

/** A test and a row of the table: all runs of one fault. What goes wrong is told with the seed that chose its moments. */
export function testFault(name: string, play: (run: Run) => Promise<RunResult>, { slow = false, runsMax = Infinity, possible = true } = {}): void {
  const runs = Math.min(runsMax, ASKED_RUNS ?? (slow ? SLOW_RUNS : RUNS));
  test.skipIf(!possible)(name, async ({ task }) => {
    const row: Row = { fault: name, runs: 0, acknowledged: 0, lost: 0, doubled: 0, recoverySeconds: 0 };
    task.meta.fault = row;
    const wrong: string[] = [];
    for (let number = 1; number <= runs; number++) {
      row.runs++;
      const sentences = await play({ name: `${SEED}/${name}/${number}`, rainId: rainIdOf(name, number) }).then((result) => enter(row, result), String);
      wrong.push(...[sentences].flat().slice(0, SENTENCES_MAX).map((sentence) => `run ${number} of seed ${SEED}: ${sentence}`));
    }
    expect(wrong).toEqual([]);
    // Where nobody won nothing was shown.
    expect(row.acknowledged).toBeGreaterThan(0);
  }, runs * RUN_MS_MAX);
}

/** Adds a run to its row; gives what is wrong with it. */
function enter(row: Row, { acknowledged, lost, doubled, recoverySeconds, problems, struck }: RunResult): string[] {
  row.acknowledged += acknowledged;
  row.lost += lost;
  row.doubled += doubled;
  row.recoverySeconds = Math.max(row.recoverySeconds, recoverySeconds);
  return [...(lost > 0 ? [`${lost} lost`] : []), ...(doubled > 0 ? [`${doubled} doubled`] : []), ...problems].map((problem) => `struck ${struck}: ${problem}`);
}

/** Never that of an earlier run on the same deployment. */
function rainIdOf(name: string, number: number): string {
  return `${createHash('sha256').update(name).digest('hex').slice(0, 6)}-${number}-${randomBytes(3).toString('hex')}`;
}
