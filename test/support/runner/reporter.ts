import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/**
 * Closes the run with one line for machines, `N passed, N failed[, N skipped]`, from vitest's own counts. Whatever went
 * wrong outside a test (a file that would not load, a hook of a suite, an unhandled error) counts as one failure each.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state]++;
      if (module.errors().length > 0) count.failed++;
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) count.failed++;
    }
    // A test that never came to run (its worker died, the run was cut short) has not passed.
    const failed = count.failed + count.pending;
    process.stdout.write(`\n${count.passed} passed, ${failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ''}\n`);
    if (failed > 0) process.exitCode ||= 1;
  }
}
