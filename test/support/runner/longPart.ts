import { changesSinceLastFullRun, currentCommit, type Changes } from './lastFullRun.ts';
import { chooseLong, isOfDeploy, type LongChoice, type LongFile } from './longChoice.ts';
import { readImportGraph, type StepsToChange } from './importGraph.ts';
import { readProjects } from './projects.ts';
import { secondsOf } from './startOrder.ts';

/** Chooses of the long part what runs in so many minutes, and says why. */
export function longPart(root: string, minutes: number): { files: string[]; lines: string[] } {
  const changes = changesSinceLastFullRun(root);
  const choice = chooseLong(longFiles(root, changes), { budgetSeconds: minutes * 60, commit: currentCommit(root) });
  const files = [...choice.core, ...choice.changed, ...choice.byTurns].map(({ path }) => path);
  return { files, lines: linesOf(choice, changes) };
}

/** Tests of deploy/ of the short part that reach no change. */
export function idleDeployTests(root: string): string[] {
  const changes = changesSinceLastFullRun(root);
  if ('all' in changes) return [];
  const steps = stepsOf(root, changes);
  return readProjects(root).files.filter(
    (path) => isOfDeploy(path) && !path.endsWith('.long.test.ts') && steps(path) === undefined,
  );
}

/** Steps from a test to the nearest change. Tests of deploy/ ask for that folder, and for what they import. */
function stepsOf(root: string, changes: Changes): (path: string) => number | undefined {
  if ('all' in changes) return () => 0;
  const [everywhere, imported] = [true, false].map((programs) => readImportGraph(root, { programs })) as [
    StepsToChange,
    StepsToChange,
  ];
  const deployChanged = [...changes.files].some((path) => path.startsWith('deploy/'));
  return (path) => {
    if (!isOfDeploy(path)) return everywhere(path, changes.files);
    return deployChanged ? 0 : imported(path, changes.files);
  };
}

function longFiles(root: string, changes: Changes): LongFile[] {
  const { files, projectOf, opensBrowser } = readProjects(root);
  const steps = stepsOf(root, changes);
  return files
    .filter((path) => path.endsWith('.long.test.ts'))
    .map((path) => ({
      path,
      seconds: secondsOf({ path, opensBrowser: opensBrowser(path) }),
      alone: projectOf(path) === 'alone',
      steps: steps(path),
    }));
}

function linesOf({ core, changed, byTurns, left, seconds }: LongChoice, changes: Changes): string[] {
  const files = core.length + changed.length + byTurns.length;
  const reached = left.filter(({ steps }) => steps !== undefined);
  const idle = left.filter(({ steps }) => steps === undefined);
  const listed = (some: LongFile[]) => some.map(({ path }) => `  ${path}`).sort();
  return [
    `long part: ${files} of ${files + left.length} files, about ${Math.ceil(seconds / 60)} minutes: ${core.length} always, ` +
      `${changed.length} that reach a change, ${byTurns.length} by turns`,
    'all' in changes
      ? `everything counts as changed, and runs by turns: ${changes.all}`
      : `changes: ${changes.files.size} files since the last full run at ${changes.since.commit.slice(0, 8)}, ${changes.since.date}`,
    ...(reached.length > 0 ? [`not run for want of time, though they reach a change:`, ...listed(reached)] : []),
    ...(idle.length > 0 ? ['not run:', ...listed(idle)] : []),
  ];
}
