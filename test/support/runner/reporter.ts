import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { closingLines, lineOf, RECORD_VARIABLE, type Failure, type RunRecord } from './runRecord.ts';

interface ErrorOfTest {
  message: string;
  diff?: string;
}

/**
 * Closes the run with the name and the first error of each failure, and one line for machines, `N passed, N failed[, N
 * skipped]`, from vitest's own counts. Each fault outside a test (a file that would not load, a hook of a suite, an
 * unhandled error) counts as one failure. Where the run may be followed by a second one, both are written to a file, and
 * the lines are left to the one who started both.
 */
export default class SummaryReporter implements Reporter {
  readonly #recordPath = process.env[RECORD_VARIABLE];

  constructor() {
    // A vitest that a test starts has a record of its own, or none.
    delete process.env[RECORD_VARIABLE];
  }

  /** At once, because a long run may be ended before it tells of its failures. */
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state !== 'failed') return;
    process.stdout.write(`failed: ${lineOf(failure(test.module.relativeModuleId, test.fullName, errors))}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const record: RunRecord = {
      files: {},
      failures: unhandledErrors.map((error) => failure(undefined, 'outside a test', [error])),
    };
    for (const module of modules) addModule(record, module);
    process.stdout.write('\n');
    if (this.#recordPath === undefined) process.stdout.write(`${closingLines(record).join('\n')}\n`);
    else writeFileSync(this.#recordPath, JSON.stringify(record));
    if (record.failures.length > 0) process.exitCode ||= 1;
  }
}

function addModule({ files, failures }: RunRecord, module: TestModule): void {
  const path = module.relativeModuleId;
  const counts = (files[path] ??= { passed: 0, skipped: 0 });
  for (const test of module.children.allTests()) {
    const { state, errors } = test.result();
    if (state === 'passed' || state === 'skipped') counts[state]++;
    // A test that never came to run (its worker died, the run was cut short) has not passed.
    else failures.push(failure(path, test.fullName, errors));
  }
  if (module.errors().length > 0) failures.push(failure(path, '', module.errors()));
  for (const suite of module.children.allSuites())
    if (suite.errors().length > 0) failures.push(failure(path, suite.fullName, suite.errors()));
}

function failure(file: string | undefined, title: string, errors: readonly ErrorOfTest[] = []): Failure {
  return { file, title, messages: errors.flatMap((error) => [error.message, ...differences(error)]) };
}

/** Lines of the values that differ, without those that are equal. */
function differences({ diff }: ErrorOfTest): string[] {
  return stripVTControlCharacters(diff ?? '')
    .split('\n')
    .filter((line) => /^\s*[-+]\s/.test(line));
}
