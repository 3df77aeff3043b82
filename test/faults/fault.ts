import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { deploy, type Deployment, type DeploymentOptions, type System } from './deployment.ts';
import { openPool } from './pool.ts';
import type { RunResult } from './recovery.ts';
import type { Row } from './row.ts';
import { playRun, type FaultOptions, type Run, type Strike } from './run.ts';

/** Set by `npm run faults`. `npm run test:long` makes a few runs each, with a random seed. */
const REQUESTED_RUNS = process.env['FAULTS_RUNS'] === undefined ? undefined : Number(process.env['FAULTS_RUNS']);
/** Many runs are requested, so also play the faults that take minutes. */
export const thorough = (REQUESTED_RUNS ?? 0) >= 10;
/** Started by `npm run faults`, which plays the long files. They include the short faults. */
export const asked = REQUESTED_RUNS !== undefined;
const RUNS = 2;
const SLOW_RUNS = 1;
const SEED = process.env['FAULTS_SEED'] ?? randomBytes(4).toString('hex');

/** Problems reported per run. */
const PROBLEMS_MAX = 10;

/** A longer run counts as hanging, ms. */
const RUN_MS_MAX = 240_000;
/** A test that is played beside others first waits for its turn. */
const TURNS = 3;

/** Registers one fault. */
export type Fault<D extends System = Deployment> = (name: string, strike: Strike<D>, options?: FaultOptions<D>) => void;

/** The faults that a file plays, and on how much. */
interface MatrixOptions {
  /** Only the faults that `npm test` plays, once each. */
  short?: boolean;
  /**
   * Runs that are played at once, each on a deployment of its own: a run mostly waits. `npm run faults` plays one after
   * another, since it measures.
   */
  atOnce?: number;
}

/** Deployments for all faults of a file, with one rain after another on each. */
export function openMatrix(options: DeploymentOptions = {}, more: MatrixOptions = {}): Fault {
  return openMatrixOn(() => deploy(options), more);
}

export function openMatrixOn<D extends System>(
  open: () => Promise<D>,
  { short = false, atOnce = 1 }: MatrixOptions = {},
): Fault<D> {
  const size = asked ? 1 : atOnce;
  const pool = openPool(open, size);
  return (name, strike, faultOptions = {}) => {
    if (short && !faultOptions.short) return;
    testFault(name, (run) => pool.lend((deployment) => playRun(deployment, run, strike, faultOptions)), {
      possible: postgresInstalled,
      concurrent: size > 1,
      ...faultOptions,
      ...(short && { runsMax: 1 }),
    });
  };
}

/** One test and one row of the table: all runs of one fault. Problems are reported with the seed of the run. */
export function testFault(
  name: string,
  play: (run: Run) => Promise<RunResult>,
  { slow = false, runsMax = Infinity, possible = true, concurrent = false } = {},
): void {
  const runs = Math.min(runsMax, REQUESTED_RUNS ?? (slow ? SLOW_RUNS : RUNS));
  test.skipIf(!possible)(
    name,
    { timeout: runs * RUN_MS_MAX * (concurrent ? TURNS : 1), concurrent },
    async ({ task }) => {
      const row: Row = { fault: name, runs: 0, acknowledged: 0, lost: 0, doubled: 0, recoverySeconds: 0 };
      task.meta.fault = row;
      const wrong: string[] = [];
      for (let number = 1; number <= runs; number++) {
        row.runs++;
        const problems = await play({ name: `${SEED}/${name}/${number}`, rainId: rainIdOf(name, number) }).then(
          (result) => addToRow(row, result),
          (error: unknown) => (error instanceof Error ? error.stack! : String(error)),
        );
        wrong.push(
          ...[problems]
            .flat()
            .slice(0, PROBLEMS_MAX)
            .map((problem) => `run ${number} of seed ${SEED}: ${problem}`),
        );
      }
      expect(wrong).toEqual([]);
      // Without any win the test shows nothing.
      expect(row.acknowledged).toBeGreaterThan(0);
    },
  );
}

/** Adds a run to its row. @returns its problems */
function addToRow(
  row: Row,
  { acknowledged, lost, doubled, recoverySeconds, problems, struck, figures = {} }: RunResult,
): string[] {
  row.acknowledged += acknowledged;
  row.lost += lost;
  row.doubled += doubled;
  row.recoverySeconds = Math.max(row.recoverySeconds, recoverySeconds);
  for (const [name, value] of Object.entries(figures)) ((row.figures ??= {})[name] ??= []).push(value);
  return [...(lost > 0 ? [`${lost} lost`] : []), ...(doubled > 0 ? [`${doubled} doubled`] : []), ...problems].map(
    (problem) => `struck ${struck}: ${problem}`,
  );
}

/** Unique, because several runs share one deployment. */
function rainIdOf(name: string, number: number): string {
  return `${createHash('sha256').update(name).digest('hex').slice(0, 6)}-${number}-${randomBytes(3).toString('hex')}`;
}
