import { expect, test } from 'vitest';
import { startCli } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test(
  'a second start keeps the password, says what it waits for in seconds, and Ctrl-C says what it ends',
  {
    timeout: 180_000,
  },
  async () => {
    const RAIN_HOME = temporaryFolder();
    const start = async () => {
      const system = startCli(['up', '--no-demo'], { RAIN_HOME, GATEWAY_PORT: '0', CONSOLE_PORT: '0' });
      await eventually(() => system.stderr().includes('serving until'), { timeoutMs: 80_000 });
      system.child.kill('SIGINT');
      const { exit, stderr } = await system.done;
      expect(exit).toBe(0);
      return stderr;
    };
    const [first, second] = [await start(), await start()];
    expect(first).toMatch(/^console .* operator \/ \S{16}$/m);
    expect(first.match(/^database: applied \d+ migrations$/gm)).toHaveLength(1);
    expect(second).toContain('operator, with the password of the first start');
    expect(second).not.toMatch(/applied/);
    for (const told of [first, second]) {
      expect(told).toMatch(/^starting Redis and the database …(\n {2}waiting: .+ …)* \d+\.\d s$/m);
      expect(told).toMatch(/^starting worker, gateway and console …(\n {2}waiting: .+ …)* \d+\.\d s$/m);
      expect(told).toContain(
        `\nending console, gateway, worker, Redis, the database; the data stays in ${RAIN_HOME}\n`,
      );
    }
  },
);
