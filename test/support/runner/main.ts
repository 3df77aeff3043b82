// Runs vitest with these arguments, then files that failed once more; the set-up starts it, with packages in place.
//
//     node --import tsx test/support/runner/main.ts [--project NAME …] [FILTER …]
import { constants } from 'node:os';
import { afterRepeat, filesToRepeat, summaryOf, type RunRecord } from './runRecord.ts';
import { endWithRun, runVitest } from './vitestRun.ts';

/** The counts, or an end with the code of a run that came to none. */
function recordOf({ record, code, signal }: Awaited<ReturnType<typeof runVitest>>): RunRecord {
  if (record) return record;
  process.exit(code ?? 128 + constants.signals[signal!]);
}

/** Files are named anew for a second run; an option, such as the name of a test, is of somebody who looks closely. */
const onlyFilters = (args: readonly string[]): boolean =>
  args.every((arg, i) => arg === '--project' || args[i - 1] === '--project' || !arg.startsWith('-'));

endWithRun();
const args = process.argv.slice(2);
const run = await runVitest(args);
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
console.log(summaryOf(record));
process.exitCode = code;
