import { onTestFinished } from 'vitest';
import { startCli } from './cli.ts';
import { eventually } from './eventually.ts';

/**
 * Starts `rain up --event "Annual party"` in this home; it ends with the test. `page`: as phones reach it; `password`:
 * only at the first start.
 */
export async function startEvent(home: string, ...more: string[]) {
  const system = startCli(['up', '--event', 'Annual party', ...more], {
    RAIN_HOME: home,
    GATEWAY_PORT: '0',
    CONSOLE_PORT: '0',
    LOG_LEVEL: 'warn',
  });
  const end = async () => {
    system.child.kill('SIGTERM');
    await system.done;
  };
  onTestFinished(end);
  // From an empty folder it creates a database first, beside other tests.
  await eventually(
    () =>
      system.stderr().includes('serving until') ||
      (system.child.exitCode !== null && Promise.reject(new Error(system.stderr()))),
    { timeoutMs: 120_000 },
  );
  const told = system.stderr();
  const found = (pattern: RegExp) => pattern.exec(told)?.[1];
  return {
    told,
    page: found(/^guests {3}(\S+)$/m)!,
    console: found(/^console {2}(\S+)$/m)!,
    password: found(/operator \/ (\S+)/),
    end,
  };
}
