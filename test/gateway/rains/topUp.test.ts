import { expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRain, redisNow } from '../../../src/store/rains.ts';
import { auditRain } from '../../../src/operator/audit.ts';
import { createRain } from '../../../src/operator/create.ts';
import { loadRain } from '../../../src/operator/load.ts';
import { recycleRain } from '../../../src/operator/recycle.ts';
import { startRain } from '../../../src/operator/schedule.ts';
import { closeRain } from '../../../src/operator/transitions.ts';
import { topUpRain } from '../../../src/operator/topUp.ts';
import { verifyRain } from '../../../src/operator/verify.ts';
import { checkProof } from '../../../src/rain/proof.ts';
import { dial, type Client } from '../../support/client.ts';
import { claimLog } from '../../support/operatorContext.ts';
import { eventually } from '../../support/eventually.ts';
import { openTwoGateways } from '../../support/servers/twoGateways.ts';

const stage = openTwoGateways();

const SHARDS = 2;

async function open(id: string, packets: number, opensInMs = -1_000): Promise<void> {
  const now = await redisNow(stage.context.redis);
  expect(
    await createRain(stage.context, {
      id,
      plan: { budget: `${packets}.00`, packets },
      opensAt: now + opensInMs,
      closesAt: now + opensInMs + 600_000,
      shards: SHARDS,
    }),
  ).toMatchObject({ ok: true });
  expect(await loadRain(stage.context, id)).toMatchObject({ ok: true });
}

async function ask(client: Client, rainId: string): Promise<{ code: string; redPacketId?: string; amount?: string }> {
  client.say({ type: 'grab', rainId });
  return client.next('result');
}

/** Waits until every gateway answers "nothing left" without Redis. */
async function untilAnsweredAlone(): Promise<void> {
  const look = async () => ({
    refusedLocally: stage.gateways.map(({ counters }) => counters.answers['-1']),
    scriptCalls: Number(/cmdstat_evalsha:calls=(\d+)/.exec(await stage.context.redis.info('commandstats'))?.[1] ?? 0),
  });
  let last = await look();
  await eventually(
    async () => {
      const now = await look();
      const alone =
        now.scriptCalls === last.scriptCalls && now.refusedLocally.every((count, i) => count > last.refusedLocally[i]!);
      last = now;
      return alone;
    },
    { everyMs: 100 },
  );
}

test('[R2][R8] while 150 users grab in a loop an empty rain is topped up three times: each packet once, settled to the cent, verified', async () => {
  await open('loop', 40);
  const clients = await Promise.all(
    Array.from({ length: 150 }, (_, i) => dial(stage.gateways[i % 2]!.url, `user-${i}`)),
  );
  const won = new Map<number, { redPacketId: string; amount: string }>();
  let over = false;
  const playing = clients.map(async (client, i) => {
    while (!over && !won.has(i)) {
      const { code, redPacketId, amount } = await ask(client, 'loop');
      if (redPacketId !== undefined && amount !== undefined) won.set(i, { redPacketId, amount });
      else expect(['-1', '-5', '-7', '-3']).toContain(code);
      await sleep(250);
    }
  });
  let packets = 40;
  for (const more of [30, 1, 60]) {
    // Empty in both shards: from now on the gateways refuse locally.
    await eventually(() => won.size === packets, { timeoutMs: 40_000 });
    await untilAnsweredAlone();
    expect(
      await topUpRain(stage.context, 'loop', { id: `loop-${more}`, budget: `${more}.00`, packets: more }),
    ).toMatchObject({ ok: true, loaded: true });
    packets += more;
    expect((await auditRain(stage.context, 'loop'))!.report).toMatchObject({
      budget: `${packets}.00`,
      packets,
      balanced: true,
    });
  }
  await eventually(() => won.size === packets, { timeoutMs: 40_000 });
  await closeRain(stage.context, 'loop');
  over = true;
  await Promise.all(playing);
  const log = (await Promise.all([0, 1].map((shard) => claimLog(stage.context, 'loop', shard)))).flat();
  expect(log.map(({ redPacketId }) => redPacketId).sort()).toEqual(
    [...won.values()].map(({ redPacketId }) => redPacketId).sort(),
  );
  expect(new Set(log.map(({ redPacketId }) => redPacketId)).size).toBe(131);
  for (const shard of [0, 1]) await stage.context.ledger.credit(await claimLog(stage.context, 'loop', shard));
  expect(await recycleRain(stage.context, 'loop')).toEqual({ ok: true, state: 'settled', amount: '0.00' });
  expect((await auditRain(stage.context, 'loop'))!.report).toMatchObject({
    budget: '131.00',
    credited: '131.00',
    winners: 131,
    balanced: true,
  });
  const receipts = [...won.values()].map((win) => ({ rainId: 'loop', ...win }));
  expect(await verifyRain(stage.context, 'loop', receipts)).toMatchObject({
    fair: true,
    problems: [],
    outOfTurn: 0,
    checked: { receipts: 131 },
  });

  // The snapshot of the settled rain is all that a verification needs.
  const [client] = clients;
  client!.say({ type: 'join', rainId: 'loop' });
  const settled = await eventually(async () => {
    const snapshot = await client!.next('rain');
    return snapshot.state === 'settled' && snapshot;
  });
  expect(
    checkProof({
      ...settled,
      commitment: settled.commitment!,
      seed: settled.seed!,
      plan: settled.plan,
      shards: settled.shards!,
      receipts,
      topUps: settled.topUps!.map(({ commitment, seed, plan }) => ({ commitment, seed: seed!, plan })),
    }),
  ).toEqual({ packets: 131, problems: [] });
  await Promise.all(clients.map((each) => each.leave()));
}, 180_000);

test('viewers of an empty rain are informed that it goes on, with the commitment and without the seed, and the next grab wins', async () => {
  await open('dry', 2);
  const watcher = await dial(stage.gateways[0]!.url, 'watcher');
  watcher.say({ type: 'join', rainId: 'dry' });
  await eventually(async () => (await watcher.next('rain')).left === 2);
  const crowd = await Promise.all(Array.from({ length: 12 }, (_, i) => dial(stage.gateways[1]!.url, `early-${i}`)));
  for (const client of crowd) await ask(client, 'dry');
  await eventually(async () => (await watcher.next('rain')).left === 0);
  expect((await ask(watcher, 'dry')).code).toBe('-1');
  const done = await topUpRain(stage.context, 'dry', { budget: '4.00', packets: 4 });
  const snapshot = await eventually(async () => {
    const told = await watcher.next('rain');
    return told.left > 0 && told;
  });
  expect(snapshot).toMatchObject({
    state: 'open',
    packets: 6,
    topUps: [{ commitment: (done as { commitment: string }).commitment, packets: 4 }],
  });
  expect(JSON.stringify(snapshot)).not.toContain('seed');
  expect((await ask(watcher, 'dry')).code).toBe('0');
  await Promise.all([watcher, ...crowd].map((client) => client.leave()));
  expect(await findRain(stage.context.redis, 'dry')).toBeDefined();
});

test('[R7] users who wait for a rain that is started now get its new times and may grab at once', async () => {
  await open('waiting', 5, 300_000);
  const client = await dial(stage.gateways[0]!.url, 'waiting-user');
  client.say({ type: 'join', rainId: 'waiting' });
  await eventually(async () => (await client.next('rain')).state === 'loaded');
  expect((await ask(client, 'waiting')).code).toBe('-2');
  const done = await startRain(stage.context, 'waiting');
  const snapshot = await eventually(async () => {
    const told = await client.next('rain');
    return told.state === 'open' && told;
  });
  expect(snapshot).toMatchObject({ ...(done.ok && { opensAt: done.opensAt, closesAt: done.closesAt }) });
  expect((await ask(client, 'waiting')).code).toBe('0');
  await client.leave();
});
