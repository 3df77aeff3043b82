// Runs vitest with these arguments, then files that failed once more; the set-up starts it, with packages in place.
//
//     node --import tsx test/support/runner/main.ts test [--project NAME …] [FILTER …]
//     node --import tsx test/support/runner/main.ts test:long [--project NAME …] [--minutes N | FILTER …]
import { constants } from 'node:os';
import { writeLastFullRun } from './lastFullRun.ts';
import { idleDeployTests, longPart } from './longPart.ts';
import { WITHOUT_VARIABLE } from './projects.ts';
import { afterRepeat, closingLines, countsOf, filesToRepeat, type RunRecord } from './runRecord.ts';
import { endWithRun, runVitest } from './vitestRun.ts';

/** The counts, or an end with the code of a run that came to none. */
function recordOf({ record, code, signal }: Awaited<ReturnType<typeof runVitest>>): RunRecord {
  if (record) return record;
  process.exit(code ?? 128 + constants.signals[signal!]);
}

interface Plan {
  args: string[];
  env?: Record<string, string>;
  /** Told before the run, and again at its end. */
  lines: string[];
  /** Whether this is the whole long part. */
  full: boolean;
}

function planOf([command, ...args]: string[]): Plan {
  const root = process.cwd();
  const own = args.filter((arg, i) => arg !== '--project' && args[i - 1] !== '--project');
  if (command === 'test:long' && own[0] === '--minutes') {
    const minutes = Number(own[1]);
    if (own.length > 2 || !Number.isFinite(minutes)) {
      console.error('--minutes: expected a number of minutes, and no other argument');
      process.exit(2);
    }
    const { files, lines } = longPart(root, minutes);
    return { args: [...args.slice(0, args.indexOf('--minutes')), ...files], lines, full: false };
  }
  if (own.length > 0) return { args, lines: [], full: false };
  if (command === 'test:long') return { args, lines: [], full: true };
  const idle = idleDeployTests(root);
  const lines = idle.length > 0 ? [`not run, since deploy/ has not changed: ${idle.join(', ')}`] : [];
  return { args, env: { [WITHOUT_VARIABLE]: idle.join(' ') }, lines, full: false };
}

/** Files are named anew for a second run; an option, such as the name of a test, is of somebody who looks closely. */
const onlyFilters = (args: readonly string[]): boolean =>
  args.every((arg, i) => arg === '--project' || args[i - 1] === '--project' || !arg.startsWith('-'));

endWithRun();
const began = performance.now();
const { args, env, lines, full } = planOf(process.argv.slice(2));
for (const line of lines) console.log(line);
const run = await runVitest(args, env);
let record = recordOf(run);
let code = run.code ?? 1;
const repeated = onlyFilters(args) ? filesToRepeat(record) : [];
if (repeated.length > 0) {
  console.log(`failed, and runs once more, alone: ${repeated.join(', ')}`);
  const again = await runVitest(repeated, { RAIN_ALONE: '1' });
  const after = afterRepeat(record, recordOf(again));
  record = after.record;
  code = record.failures.length > 0 ? 1 : again.code!;
  console.log('');
  for (const { file, title } of after.flaky) console.log(`flaky: ${file} ${title || 'outside its tests'}`);
}
for (const line of lines) console.log(line);
if (full && code === 0) {
  const minutes = Math.round((performance.now() - began) / 60_000);
  const unwritten = writeLastFullRun(process.cwd(), { minutes, counts: countsOf(record) });
  if (unwritten) console.log(`this full run is not written down: ${unwritten}`);
}
for (const line of closingLines(record)) console.log(line);
process.exitCode = code;
