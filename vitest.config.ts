import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import LongestFirst from './test/support/runner/longestFirst.ts';
import { readProjects, WITHOUT_VARIABLE, type Project } from './test/support/runner/projects.ts';

const { files, projectOf } = readProjects(fileURLToPath(new URL('.', import.meta.url)));

const without = (process.env[WITHOUT_VARIABLE] ?? '').split(' ');

/**
 * Files that share a worker share what they import, which is loaded once; what they leave behind fails them by name.
 */
function project(name: Project, more: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include: files.filter((file) => projectOf(file) === name && !without.includes(file)),
      isolate: false,
      unstubGlobals: true,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      ...more,
      // Files that failed run once more, one after the other.
      ...(process.env['RAIN_ALONE'] && { maxWorkers: 1 }),
      // So much of a value stands in an error's message, which is all that the end of a run shows of it.
      chaiConfig: { truncateThreshold: 500 },
    },
  };
}

const servers = {
  pool: 'forks',
  setupFiles: ['test/support/runner/nothingLeft.ts'],
  globalSetup: ['test/support/servers/postgresOfRun.ts', 'test/support/servers/browserOfRun.ts'],
} as const;

export default defineConfig({
  test: {
    // A file is transformed once for all projects and runs, as long as it stays the same.
    experimental: { fsModuleCache: true },
    globalSetup: ['test/support/runner/build.ts'],
    reporters: ['default', 'test/faults/reporter.ts', 'test/support/runner/reporter.ts'],
    sequence: { sequencer: LongestFirst },
    teardownTimeout: 10_000,
    projects: [
      project('unit', {
        pool: 'threads',
        maxWorkers: 2,
        setupFiles: ['test/support/runner/withoutServers.ts'],
        sequence: { groupOrder: 1 },
      }),
      // Two leave a third of two cores idle. With four, tests of clocks and deadlines fail now and then: they go by a
      // busy machine's.
      project('system', { ...servers, maxWorkers: 3, sequence: { groupOrder: 2 } }),
      project('long', { ...servers, maxWorkers: 2, sequence: { groupOrder: 3 } }),
      project('alone', { ...servers, maxWorkers: 1, sequence: { groupOrder: 4 } }),
    ],
  },
});
