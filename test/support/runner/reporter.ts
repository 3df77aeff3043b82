import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/**
 * Closes the run with the name and the first error of each failure, and one line for machines, `N passed, N failed[, N
 * skipped]`, from vitest's own counts. Each fault outside a test (a file that would not load, a hook of a suite, an
 * unhandled error) counts as one failure.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const failures = unhandledErrors.map((error) => failure('outside a test', [error]));
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        count[state]++;
        // A test that never came to run (its worker died, the run was cut short) has not passed.
        if (state === 'failed' || state === 'pending')
          failures.push(failure(`${module.relativeModuleId} > ${test.fullName}`, errors));
      }
      if (module.errors().length > 0) failures.push(failure(module.relativeModuleId, module.errors()));
      for (const suite of module.children.allSuites()) {
        if (suite.errors().length > 0)
          failures.push(failure(`${module.relativeModuleId} > ${suite.fullName}`, suite.errors()));
      }
    }
    // Last, because whoever reads a long run sees its end first, and often no more.
    process.stdout.write(`\n${failures.map((line) => `FAILED ${line}\n`).join('')}`);
    process.stdout.write(
      `${count.passed} passed, ${failures.length} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ''}\n`,
    );
    if (failures.length > 0) process.exitCode ||= 1;
  }
}

function failure(name: string, errors: readonly Pick<SerializedError, 'message'>[] | undefined): string {
  return `${name}: ${errors?.[0]?.message.slice(0, 600) ?? 'it never ran'}`;
}
