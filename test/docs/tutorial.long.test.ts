import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Gateway } from '../../src/gateway/server.ts';
import { rain } from '../support/call.ts';
import { SECRET } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openWorker } from '../support/servers/worker.ts';
import { commandsIn, type WrittenCommand } from './commands.ts';
import { pageAt } from './pages.ts';

/**
 * Pages whose commands are run in their order on real servers; those of the others are read by the program only, see
 * commands.test.ts.
 */
const PAGES_RUN = [
  'docs/tutorial/first-rain.md',
  'docs/how-to/campaigns.md',
  'docs/how-to/keep-scripts-out.md',
  'docs/how-to/rehearse.md',
  'docs/how-to/sell-in-a-flash-sale.md',
];
/** Commands that are not run here, and why. */
const LEFT_OUT: readonly [written: RegExp, why: string][] = [
  [/^npm start/, 'the walk starts the whole system'],
  [/completion/, 'a shell runs it'],
  [/ preflight /, 'it measures the machine; see test/preflight'],
  [/sale show newyear --watch/, 'it ends when the sale is settled, after minutes'],
  [/swarm --sale/, 'a minute of 2,000 buyers; see test/path/sale.test.ts'],
  [/sale (pay|cancel|refund) /, 'they need orders; see test/bin/sale.test.ts'],
  [/rain (worker|console|up)$|--order-service webhook/, "for a shop of the reader's"],
  [/rehearsal-1/, 'a minute of 2,000 users; the tutorial runs the same verbs'],
];

let context: TestContext;
let gateway: Gateway;
let worker: Awaited<ReturnType<typeof openWorker>>;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openTestContext();
  gateway = await openGateway(context.redisUrl);
  worker = await openWorker(context, { settling: { tidyMs: 100 } });
  folder = mkdtempSync(join(tmpdir(), 'rain-test-tutorial-'));
  env = {
    REDIS_URL: context.redisUrl,
    DATABASE_URL: context.databaseUrl,
    JWT_SECRET: SECRET,
    GATEWAY_PUBLIC_URL: gateway.url,
    RAIN_HOME: folder,
  };
});
afterAll(async () => {
  await gateway?.close();
  await worker?.close();
  await context?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = PAGES_RUN.flatMap((path) => commandsIn(pageAt(path))).filter(
  ({ words, text }) => words[0] === 'rain' && !LEFT_OUT.some(([left]) => left.test(text)),
);

test('the tutorial and the guides that can be tried here have commands', () => expect(run.length).toBeGreaterThan(20));

test('their commands do, in their order, what the pages say', { timeout: 240_000 }, async () => {
  const failed: string[] = [];
  for (const command of run) {
    const said = await tried(command);
    if (said !== undefined) failed.push(`${command.at}: ${command.text}: ${said}`);
  }
  expect(failed).toEqual([]);
  expect((await rain(['show', 'first'], env)).stdout).toContain('settled');
});

/** @returns its message, when it was not done */
async function tried({ words }: WrittenCommand): Promise<string | undefined> {
  // The file of a report belongs into a folder that goes.
  const args = words.map((word, i) => (words[i - 1] === '--report' ? join(folder, word) : word)).slice(1);
  // "Within seconds" it is settled: what looks at that is tried until it is so, the rest once.
  let last = await rain(args, env);
  if (last.exit !== 0 && words[1] === 'verify')
    await eventually(async () => (last = await rain(args, env)).exit === 0, { timeoutMs: 60_000, everyMs: 500 }).catch(
      () => {},
    );
  return last.exit === 0 ? undefined : last.stdout + last.stderr;
}
