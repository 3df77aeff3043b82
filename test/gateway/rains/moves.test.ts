import { expect, test } from 'vitest';
import { auditRain } from '../../../src/operator/audit.ts';
import { createRain } from '../../../src/operator/create.ts';
import { loadRain } from '../../../src/operator/load.ts';
import { pauseRain, resumeRain } from '../../../src/operator/transitions.ts';
import { shardKeys, shardOf } from '../../../src/store/keys.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { dial, type Client } from '../../support/client.ts';
import { claimLog } from '../../support/operatorContext.ts';
import { eventually } from '../../support/eventually.ts';
import { openTwoGateways } from '../../support/servers/twoGateways.ts';

const stage = openTwoGateways();

async function open(id: string, packets: number, shards: number): Promise<void> {
  const now = await redisNow(stage.context.redis);
  expect(
    await createRain(stage.context, {
      id,
      title: id,
      plan: { budget: `${packets}.00`, packets },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
      shards,
    }),
  ).toMatchObject({ ok: true });
  expect(await loadRain(stage.context, id)).toMatchObject({ ok: true });
}

/** Asks until the answer is final, as every client does. */
async function grab(client: Client, rainId: string): Promise<string> {
  for (;;) {
    client.say({ type: 'grab', rainId });
    const { code } = await client.next('result');
    if (code !== '-7' && code !== '-5') return code;
  }
}

test.each([
  [16, 200, 300],
  [8, 60, 50],
])(
  '[R13] over %i shards %i packets and %i users who ask once: as many win as can, the others hear "nothing left"',
  async (shards, packets, users) => {
    const id = `spread-${shards}`;
    await open(id, packets, shards);
    const clients = await Promise.all(
      Array.from({ length: users }, (_, i) => dial(stage.gateways[i % 2]!.url, `user-${i}`)),
    );
    const codes = await Promise.all(clients.map((client) => grab(client, id)));
    expect(codes.filter((code) => code === '0')).toHaveLength(Math.min(packets, users));
    expect(codes.filter((code) => code === '-1')).toHaveLength(Math.max(0, users - packets));
    expect(await auditRain(stage.context, id)).toMatchObject({
      problems: [],
      tampering: [],
      report: { balanced: true },
    });
    const won = (
      await Promise.all(Array.from({ length: shards }, (_, shard) => claimLog(stage.context, id, shard)))
    ).flat();
    expect(new Set(won.map(({ redPacketId }) => redPacketId)).size).toBe(won.length);
    await Promise.all(clients.map((client) => client.leave()));
  },
  60_000,
);

test('whoever looks at a rain of several shards sees 0 left only when nothing is; then the gateways answer alone', async () => {
  await open('seen', 6, 3);
  const home = Array.from({ length: 200 }, (_, i) => `u${i}`)
    .filter((user) => shardOf(user, 3) === 0)
    .slice(0, 7);
  const clients = await Promise.all(home.map((user, i) => dial(stage.gateways[i % 2]!.url, user)));
  const [watcher, ...others] = clients as [Client, ...Client[]];
  watcher.say({ type: 'join', rainId: 'seen' });
  // A gateway that has read the rain while it was loaded tells that first, and what has changed next.
  await eventually(async () => {
    expect((await watcher.next('rain')).left).toBe(6);
  });
  for (const client of others) expect(await grab(client, 'seen')).toBe('0');
  // Nobody asks any more: the gateway itself finds out that nothing is left.
  await eventually(async () => {
    expect((await watcher.next('rain')).left).toBe(0);
  });
  for (let shard = 0; shard < 3; shard++)
    expect(await stage.context.redis.hget(shardKeys('seen', shard).state, 'elsewhere')).toBeNull();
  expect(await grab(watcher, 'seen')).toBe('-1');
  await Promise.all(clients.map((client) => client.leave()));
});

test('[R7] while it is paused nothing moves, and a user whose shard is empty hears that it is paused', async () => {
  await open('paused', 3, 3);
  const [first, second] = Array.from({ length: 200 }, (_, i) => `u${i}`).filter((user) => shardOf(user, 3) === 1) as [
    string,
    string,
  ];
  const [ann, bob] = [await dial(stage.gateways[0]!.url, first), await dial(stage.gateways[1]!.url, second)];
  expect(await grab(ann, 'paused')).toBe('0');
  await pauseRain(stage.context, 'paused');
  expect(await grab(bob, 'paused')).toBe('-4');
  expect(await stage.context.redis.exists(shardKeys('paused', 1).received)).toBe(0);
  await resumeRain(stage.context, 'paused');
  expect(await grab(bob, 'paused')).toBe('0');
  await Promise.all([ann.leave(), bob.leave()]);
});
