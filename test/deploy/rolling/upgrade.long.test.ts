import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../../src/ledger/migrate.ts';
import { closeRain } from '../../../src/operator/transitions.ts';
import { compiledEntry } from '../../../src/platform/process/childProcess.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import { deploy } from '../../faults/deployment.ts';
import { createAndLoad, requestFor } from '../../faults/users/rainfall.ts';
import { checkRain } from '../../faults/verdict.ts';
import { dial } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/freePort.ts';
import { memoryFolder } from '../../support/runner/memoryFolder.ts';
import { scrape } from '../../support/scrape.ts';
import { RollingCrowd } from './crowd.ts';
import { openFleet } from './fleet.ts';
import { buildPrevious, findPrevious } from './previous.ts';

const USERS = 240;
const PACKETS = 216;
const TAP_MS = 25;
const NEW = compiledEntry('bin/rain.js');

const previous = findPrevious();
const missing = 'missing' in previous ? previous.missing : undefined;
if (missing !== undefined) console.warn(`the test of an upgrade is skipped: ${missing}`);

const run = promisify(execFile);

/** This process's count of that name, over all labels. */
const count = async (port: number, name: string): Promise<number> =>
  [...(await scrape(`http://127.0.0.1:${port}`))]
    .filter(([key]) => key === name || key.startsWith(`${name}{`))
    .reduce((sum, [, value]) => sum + value, 0);

/** @returns the code of the answer */
async function grab(port: number, rainId: string, userId: string): Promise<string> {
  const client = await dial(`ws://127.0.0.1:${port}/v1`, userId);
  client.say({ type: 'grab', rainId });
  const { code } = await client.next('result');
  await client.leave();
  return code;
}

/** Users who tap one after the other, half of them at each gateway; they come when both know the rain. */
async function openCrowd(rainId: string, ports: readonly number[]): Promise<RollingCrowd> {
  const urls = ports.map((port) => `ws://127.0.0.1:${port}/v1`);
  for (const url of urls) {
    await eventually(async () => {
      const probe = await dial(url, 'probe');
      const { rains } = await probe.next('welcome');
      await probe.leave();
      expect(rains.map((rain) => rain.rainId)).toContain(rainId);
    });
  }
  const crowd = new RollingCrowd(urls, rainId, USERS);
  onTestFinished(() => crowd.leave());
  await crowd.join();
  return crowd;
}

/** So many users of each crowd have tapped in the end, while the system is as it is now. */
async function tapSome(crowds: readonly RollingCrowd[], upTo: number): Promise<void> {
  for (const crowd of crowds) crowd.tapEvery(TAP_MS);
  await eventually(() => crowds.every((crowd) => crowd.tapped >= upTo), { timeoutMs: 60_000 });
  for (const crowd of crowds) crowd.rest();
  await eventually(() => crowds.every((crowd) => crowd.unanswered === 0));
}

describe.skipIf(missing)(missing ?? 'from the previous version', () => {
  test('[R1][R4][R6] migrate, workers, gateways: old and new beside each other serve rains of one shard of each, and nothing is lost or doubled', async () => {
    const folder = memoryFolder('rain-test-previous-');
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const old = await buildPrevious((previous as { commit: string }).commit, folder);
    const rain = async (entry: string, env: Record<string, string>, ...args: string[]) =>
      (await run(process.execPath, [entry, ...args], { cwd: join(entry, '..'), env: { ...process.env, ...env } }))
        .stdout;
    const deployment = await deploy({
      gateways: 0,
      workers: 0,
      migrateWith: (url) => rain(old, { DATABASE_URL: url }, 'migrate'),
    });
    onTestFinished(() => deployment.end());
    const fleet = openFleet(deployment);
    onTestFinished(() => fleet.end());
    const { context, database, env } = deployment;
    const [a, b, oldMetrics, newMetrics] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);

    const create = async (rainId: string, shards: number) =>
      createAndLoad(
        context,
        await requestFor(context, rainId, {
          users: USERS,
          packets: PACKETS,
          shards,
          opensInMs: 500,
          windowMs: 3_600_000,
        }),
      );

    // As it was: all old.
    const gatewayA = await fleet.gateway(a, { entry: old });
    const gatewayB = await fleet.gateway(b, { entry: old });
    const workers = [
      await fleet.worker({ entry: old }),
      await fleet.worker({ entry: old, env: { METRICS_PORT: String(oldMetrics) } }),
    ];
    const createOld = (rainId: string, shards: number) =>
      rain(
        old,
        env,
        'create',
        '--id',
        rainId,
        '--budget',
        `${PACKETS}.00`,
        '--packets',
        String(PACKETS),
        '--shards',
        String(shards),
        '--start',
        '+1s',
        '--duration',
        '1h',
        '--load',
      );
    await createOld('before', 1);
    await createOld('labelled', 2);
    const before = await openCrowd('before', [a, b]);
    await eventually(async () => expect(await grab(a, 'labelled', 'ann')).toBe('0'));
    await tapSome([before], USERS / 4);

    // The order of docs/how-to/upgrade.md. The tables, then workers: an old and a new one credit a rain of each
    // version.
    await migrate(deployment.databaseUrl);
    await fleet.worker({ env: { METRICS_PORT: String(newMetrics) } });
    await workers[0]!.stop();
    await create('during', 1);
    const during = await openCrowd('during', [a, b]);
    const paid = () => Promise.all([oldMetrics, newMetrics].map((port) => count(port, 'rain_credited_claims_total')));
    const [oldBefore, newBefore] = await paid();
    await tapSome([before, during], USERS / 2);
    await eventually(async () => {
      const [byOld, byNew] = await paid();
      expect([byOld! > oldBefore!, byNew! > newBefore!], 'both versions have credited').toEqual([true, true]);
    });
    await fleet.worker();
    await workers[1]!.stop();

    // Then gateways: an old and a new one grab in them.
    await gatewayA.stop();
    await fleet.gateway(a);
    await tapSome([before, during], (3 * USERS) / 4);

    // A rain of several shards that somebody has left open, and the way out: the old version settles it.
    expect([await grab(a, 'labelled', 'bob'), await grab(b, 'labelled', 'eve')]).toEqual(['-7', '0']);
    await workers[1]!.start();
    await rain(old, env, 'close', 'labelled');
    await eventually(async () => expect((await context.ledger.rain('labelled'))!.settledAt).toBeDefined(), {
      timeoutMs: 60_000,
    });
    expect((await context.ledger.book('labelled'))!.credited.count).toBe(2);
    await workers[1]!.stop();
    await gatewayB.stop();
    await fleet.gateway(b);

    // As it will be: all new. Only now is a rain of several shards created.
    await create('after', 2);
    const after = await openCrowd('after', [a, b]);
    const rains = { before, during, after };
    for (const crowd of Object.values(rains)) crowd.tapAll();
    for (const [rainId, crowd] of Object.entries(rains)) {
      await eventually(() => crowd.unanswered === 0, { timeoutMs: 30_000 });
      expect(Object.fromEntries(crowd.verdicts), rainId).toEqual({ won: PACKETS, nothing_left: USERS - PACKETS });
      expect(await closeRain(context, rainId)).toMatchObject({ ok: true });
      await eventually(
        async () => expect(await context.redis.hget(shardKeys(rainId, 0).state, 'state')).toBe('settled'),
        { timeoutMs: 60_000 },
      );
      expect(await checkRain(context, database, rainId, crowd), rainId).toEqual({
        acknowledged: PACKETS,
        lost: 0,
        doubled: 0,
        problems: [],
      });
      expect(await rain(NEW, env, 'verify', rainId)).toBeTruthy();
    }
    expect(fleet.accidents).toEqual([]);
  }, 300_000);
});
