import { createHash } from 'node:crypto';

/** A file of the long part. */
export interface LongFile {
  path: string;
  seconds: number;
  /** Whether nothing runs beside it. */
  alone: boolean;
  /** Steps from the file to the nearest change since the last full run; `undefined`: it reaches none. */
  steps: number | undefined;
}

export interface LongChoice {
  /** They run always, whatever the budget is. */
  core: LongFile[];
  /** They reach a change; the nearest first. */
  changed: LongFile[];
  /** Others, as the commit chooses them. */
  byTurns: LongFile[];
  /** They do not run: no time was left. */
  left: LongFile[];
  seconds: number;
}

/** Mistakes that only types show, money of rains and of sales, restore, tampering, and one walk: 12 minutes at most. */
export const CORE: readonly string[] = [
  'test/lint.long.test.ts',
  'test/faults/money.long.test.ts',
  'test/faults/sale.long.test.ts',
  'test/faults/restore.long.test.ts',
  'test/tamper/tamper.long.test.ts',
  'test/walk/evening.long.test.ts',
];

/** Charts and units change rarely: their tests run only when they reach a change. */
export const isOfDeploy = (path: string): boolean => path.startsWith('test/deploy/');

/** Workers of project long. */
const WORKERS = 2;

/** Seconds that these files take together: side by side, then those that run alone. */
export function secondsTogether(files: readonly LongFile[]): number {
  const sum = (some: readonly LongFile[]) => some.reduce((all, { seconds }) => all + seconds, 0);
  const beside = files.filter(({ alone }) => !alone);
  const longest = Math.max(0, ...beside.map(({ seconds }) => seconds));
  return Math.max(sum(beside) / WORKERS, longest) + sum(files.filter(({ alone }) => alone));
}

/** Chooses files for a budget of seconds. The commit decides whose turn it is. */
export function chooseLong(
  files: readonly LongFile[],
  { budgetSeconds, commit }: { budgetSeconds: number; commit: string },
): LongChoice {
  const turn = new Map(files.map(({ path }) => [path, turnOf(commit, path)]));
  const inTurn = [...files].sort((a, b) => (turn.get(a.path)! < turn.get(b.path)! ? -1 : 1));
  const core = inTurn.filter(({ path }) => CORE.includes(path));
  const chosen = [...core];
  const take = (candidates: readonly LongFile[]) =>
    candidates.filter((file) => {
      const fits = secondsTogether([...chosen, file]) <= budgetSeconds;
      if (fits) chosen.push(file);
      return fits;
    });
  const rest = inTurn.filter(({ path }) => !CORE.includes(path));
  const changed = take(rest.filter(({ steps }) => steps !== undefined).sort((a, b) => a.steps! - b.steps!));
  const byTurns = take(rest.filter(({ path, steps }) => steps === undefined && !isOfDeploy(path)));
  const left = rest.filter((file) => !chosen.includes(file));
  return { core, changed, byTurns, left, seconds: secondsTogether(chosen) };
}

const turnOf = (commit: string, path: string): string => createHash('sha256').update(`${commit} ${path}`).digest('hex');
