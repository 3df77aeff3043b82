import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deploy } from '../../faults/deployment.ts';
import { checkRain } from '../../faults/verdict.ts';
import { createAndLoad, requestFor } from '../../faults/users/rainfall.ts';
import type { Part } from '../../faults/systemPart.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import { SOCKET_LIMITS } from '../../../src/gateway/sockets/limits.ts';
import { closeRain } from '../../../src/operator/transitions.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/freePort.ts';
import { memoryFolder } from '../../support/runner/memoryFolder.ts';
import { command, haproxy, stateOf } from '../haproxy.ts';
import { RollingCrowd, type Cost } from './crowd.ts';
import { openFleet } from './fleet.ts';
import { graceOf } from './manifest.ts';

const USERS = 800;
const PACKETS = 720;
const GATEWAYS = 3;
const TAP_MS = 80;
/**
 * The client's own limit for an answer (`client/connection.ts`): nobody may be left so long, not even by a gateway that
 * is lost.
 */
const WAIT_MS_MAX = 10_000;
/** A gateway drains, its users wait as it has asked them to, and are back. */
const REPLACED_MS_MAX = SOCKET_LIMITS.closeMs + SOCKET_LIMITS.reconnectMsMin + SOCKET_LIMITS.reconnectWindowMsMin;

/** A rain behind HAProxy whose gateways and workers are replaced while its users tap, one after the other. */
async function open(rainId: string) {
  const deployment = await deploy({ gateways: 0, workers: 0, env: { TRUSTED_PROXIES: '1' } });
  onTestFinished(() => deployment.end());
  const fleet = openFleet(deployment);
  onTestFinished(() => fleet.end());
  // A place for each pod that there will be: a controller would write new addresses into the balancer.
  const ports = await Promise.all(Array.from({ length: 2 * GATEWAYS }, () => freePort()));
  const folder = memoryFolder('rain-test-rolling-');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const gateways: Part[] = await Promise.all(ports.slice(0, GATEWAYS).map((port) => fleet.gateway(port)));
  const workers = await Promise.all([fleet.worker(), fleet.worker()]);
  const site = await haproxy.serve(folder, { gateways: ports, console: await freePort() });
  onTestFinished(() => site.close());
  for (const place of ports.keys())
    await eventually(async () => expect(await stateOf(site, place + 1)).toBe(place < GATEWAYS ? 'UP' : 'DOWN'));
  await createAndLoad(
    deployment.context,
    await requestFor(deployment.context, rainId, {
      users: USERS,
      packets: PACKETS,
      shards: 2,
      opensInMs: 500,
      windowMs: 600_000,
    }),
  );
  const crowd = new RollingCrowd([`wss://127.0.0.1:${site.https}/v1`], rainId, USERS);
  onTestFinished(() => crowd.leave());
  await crowd.join();
  return { deployment, fleet, ports, gateways, workers, site, crowd };
}

/** Everybody is back. @returns what it cost */
async function settled(crowd: RollingCrowd): Promise<Cost> {
  await eventually(() => crowd.connected === USERS, { timeoutMs: 30_000 });
  return crowd.takeCost();
}

/** The same after a gateway has ended, which its players may notice later than this test. */
async function returned(crowd: RollingCrowd): Promise<Cost> {
  await eventually(() => crowd.moved > 0, { timeoutMs: 30_000 });
  return settled(crowd);
}

describe.skipIf(haproxy.missing)(haproxy.missing ?? 'under load, behind HAProxy', () => {
  test('[R1][R4][R6] all gateways and workers are replaced, one is restarted, one is lost: each user has one verdict, winners are what the ledger has', async () => {
    const rainId = 'rolling';
    const { deployment, fleet, ports, gateways, workers, site, crowd } = await open(rainId);
    const costs: Record<string, Cost> = {};
    const grace = graceOf('gateway');
    crowd.takeCost();
    crowd.tapEvery(TAP_MS);

    for (const [i, old] of gateways.entries()) {
      const place = GATEWAYS + i;
      gateways[i] = await fleet.gateway(ports[place]!);
      await eventually(async () => expect(await stateOf(site, place + 1)).toBe('UP'));
      const readyAt = performance.now();
      // Kubernetes acts at once: the controller takes it out of the balancer, and the preStop hook begins.
      await command(site, `set server rain_gateway/g${i + 1} state drain`);
      await sleep(grace.preStopMs);
      const signalledAt = performance.now();
      expect(await old.stop()).toMatchObject({ code: 0 });
      expect(performance.now() - signalledAt, 'killed by Kubernetes').toBeLessThan(
        grace.killedAfterMs - grace.preStopMs,
      );
      costs[`gateway ${i + 1} replaced`] = await returned(crowd);
      expect(performance.now() - readyAt, 'back before the next one goes').toBeLessThan(grace.betweenMs);
    }
    for (const [i, old] of workers.entries()) {
      workers[i] = await fleet.worker();
      const signalledAt = performance.now();
      expect(await old.stop()).toMatchObject({ code: 0 });
      expect(performance.now() - signalledAt).toBeLessThan(graceOf('worker').killedAfterMs);
      costs[`worker ${i + 1} replaced`] = await settled(crowd);
    }
    expect(await gateways[0]!.stop()).toMatchObject({ code: 0 });
    await gateways[0]!.start();
    costs['restarted, the balancer not told'] = await returned(crowd);
    await eventually(async () => expect(await stateOf(site, GATEWAYS + 1)).toBe('UP'));
    await gateways[1]!.kill();
    costs['lost'] = await returned(crowd);
    expect([crowd.tapped < USERS, crowd.winners().length < PACKETS], 'all of it while it rains').toEqual([true, true]);
    crowd.tapAll();
    await eventually(() => crowd.unanswered === 0, { timeoutMs: WAIT_MS_MAX });
    costs['the rest, at once'] = crowd.takeCost();
    console.table(costs);

    expect(Object.fromEntries(crowd.verdicts)).toEqual({ won: PACKETS, nothing_left: USERS - PACKETS });
    for (const [action, { away, answer }] of Object.entries(costs)) {
      expect(Math.max(away, answer), action).toBeLessThan(action.endsWith('replaced') ? REPLACED_MS_MAX : WAIT_MS_MAX);
    }
    expect(
      Object.values(costs)
        .slice(0, GATEWAYS)
        .every(({ moved }) => moved > 0),
    ).toBe(true);
    await eventually(() => [...crowd.records.values()].filter(({ credited }) => credited).length === PACKETS, {
      timeoutMs: 30_000,
    });
    expect(await closeRain(deployment.context, rainId)).toMatchObject({ ok: true });
    await eventually(
      async () => expect(await deployment.context.redis.hget(shardKeys(rainId, 0).state, 'state')).toBe('settled'),
      { timeoutMs: 60_000, everyMs: 500 },
    );
    expect(await checkRain(deployment.context, deployment.database, rainId, crowd)).toEqual({
      acknowledged: PACKETS,
      lost: 0,
      doubled: 0,
      problems: [],
    });
    expect(fleet.accidents).toEqual([]);
  }, 300_000);
});
