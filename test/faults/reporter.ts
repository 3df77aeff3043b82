import type { Reporter, TestModule } from 'vitest/node';
import { figureTable, table } from './row.ts';

/** Prints the fault matrix if faults were played. */
export default class FaultReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.flatMap((module) =>
      [...module.children.allTests()].flatMap((test) => test.meta().fault ?? []),
    );
    if (rows.length > 0) process.stdout.write(`\n${table(rows)}\n${figureTable(rows).replace(/^./, '\n$&')}\n`);
    // Faults were requested, but none was played: the name is wrong, or PostgreSQL is not installed.
    else if (process.env['FAULTS_RUNS'] !== undefined) {
      process.stdout.write(
        '\nfaults: none was played; expected a part of a name as the table has it, and an installed PostgreSQL\n',
      );
      process.exitCode = 1;
    }
  }
}
