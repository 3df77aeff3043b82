import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { homeAt } from '../../src/platform/process/home.ts';
import { freePort } from '../support/freePort.ts';
import { memoryFolder } from '../support/runner/memoryFolder.ts';
import { layDatabase } from '../support/servers/pglite.ts';
import { watchLedger } from './means/bookWatch.ts';
import { chance } from './means/chance.ts';
import { startCrowd, issueTokens } from './users/crowd.ts';
import { testFault } from './fault.ts';
import { recover, type RunResult } from './recovery.ts';
import type { Run } from './run.ts';
import { newestRain, startUp } from './upRun.ts';

let home: string;
beforeAll(async () => {
  home = memoryFolder('rain-test-up-');
  // Like the home of an earlier start: creating a database takes longer than everything else.
  await layDatabase(homeAt(home));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const USERS = 200;
const DEMO = ['--bots', '60', '--packets', '180', '--budget', '180.00', '--duration', '6s'];

/** All runs share one home, with the data of the earlier runs. */
async function play({ name }: Run): Promise<RunResult> {
  const random = chance(name);
  const port = await freePort();
  const killed = await startUp(home, port, DEMO);
  const { id: rainId, opensAt, closesAt } = await newestRain(killed);
  const tokens = await issueTokens(rainId, USERS, killed.tokenFor);
  const crowd = startCrowd({
    rainId,
    gatewayUrls: [killed.running.gatewayUrl],
    tokens,
    from: opensAt,
    to: closesAt - 2_000,
    random,
  });
  const before = watchLedger(killed.context, rainId);
  await sleep(random.between(opensAt, closesAt - 2_000) - Date.now());
  const struckAt = Date.now();
  killed.cli.child.kill('SIGKILL');
  await killed.cli.done;
  await before.stop();
  await killed.leave();

  const next = await startUp(home, port, ['--no-demo']);
  const after = watchLedger(next.context, rainId, before.creditedAt);
  try {
    return await recover({
      context: next.context,
      database: next.database,
      rainId,
      crowd,
      book: after,
      opensAt,
      closesAt,
      struckAt,
      heal: async () => {},
    });
  } finally {
    await crowd.leave();
    await after.stop();
    await next.leave();
    next.cli.child.kill('SIGTERM');
    await next.cli.done;
  }
}

testFault('kill -9 of `rain up`, started again in its home', play, { slow: true });
