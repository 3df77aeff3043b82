import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts', 'test/support/postgresOfRun.ts', 'test/support/browserOfRun.ts'],
    reporters: ['default', 'test/faults/reporter.ts', 'test/support/reporter.ts'],
    // Every file is a process of its own, as it starts servers of its own; two of them, as a small machine has two cores.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
});
