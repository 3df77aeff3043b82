import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkerProcess } from '../../src/bin/servers/worker.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain, pauseRain, resumeRain } from '../../src/operator/transitions.ts';
import { verifyRain } from '../../src/operator/verify.ts';
import { checkReceipt, verifyFairness } from '../../src/rain/commitment.ts';
import type { RainSnapshot } from '../../src/protocol/messages.ts';
import { dial, type Client } from '../support/client.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { dump } from '../support/rain.ts';
import { openWorker } from '../support/servers/worker.ts';

let context: TestContext;
let gateway: Gateway;
let worker: WorkerProcess;
beforeAll(async () => {
  context = await openTestContext();
  gateway = await openGateway(context.redisUrl);
  worker = await openWorker(context);
});
afterAll(async () => {
  await gateway.close();
  await worker.close();
  await context.stop();
});

/** Every raw frame that this socket receives. */
function record(client: Client): string[] {
  const frames: string[] = [];
  client.socket.on('message', (data) => frames.push(String(data)));
  return frames;
}

const isSettled = (frame: string) => (JSON.parse(frame) as Partial<RainSnapshot>).state === 'settled';

test('over a whole rain nobody sees the seed before it is settled; then every connected user can recompute the won packet', async () => {
  const watcher = await dial(gateway.url, 'watcher');
  const frames = record(watcher);
  const now = await redisNow(context.redis);
  const created = await createRain(context, {
    id: 'whole',
    plan: { budget: '30.00', packets: 10 },
    opensAt: now + 700,
    closesAt: now + 600_000,
    shards: 2,
  });
  if (!created.ok) throw new Error('refused');
  const { seed } = (await context.ledger.rain('whole'))!;
  expect(seed).toMatch(/^[0-9a-f]{64}$/);
  /** All Redis keys of the rains: everything that a gateway reads, and more. */
  const redisHoldsSeed = async () => JSON.stringify(await dump(context.redis, 'rain:*')).includes(seed);
  const secret = async () => {
    expect(await redisHoldsSeed()).toBe(false);
    expect(frames.filter((frame) => frame.includes(seed))).toEqual([]);
  };

  await secret();
  await loadRain(context, 'whole');
  watcher.say({ type: 'join', rainId: 'whole' });
  await secret();
  const players = await Promise.all(Array.from({ length: 6 }, (_, i) => dial(gateway.url, `player-${i}`)));
  const heard = players.map(record);
  await eventually(() => frames.some((frame) => (JSON.parse(frame) as Partial<RainSnapshot>).state === 'open'));
  const receipts = await Promise.all(
    players.map(async (player) => {
      player.say({ type: 'join', rainId: 'whole' });
      player.say({ type: 'grab', rainId: 'whole', ref: 'tap' });
      for (;;) {
        const { ref, rainId, redPacketId, amount } = await player.next('result');
        if (ref === 'tap' && redPacketId && amount) return { rainId, redPacketId, amount };
      }
    }),
  );
  await secret();
  await pauseRain(context, 'whole');
  await secret();
  await resumeRain(context, 'whole');
  await Promise.all(players.map((player) => player.next('credited')));
  await secret();
  await closeRain(context, 'whole');
  // From here on it may be settled at any moment. The frames before that are checked below.
  await eventually(() => frames.some(isSettled), { timeoutMs: 15_000 });

  for (const told of [frames, ...heard]) {
    await eventually(() => told.some(isSettled));
    const end = told.findIndex(isSettled);
    expect(told.slice(0, end).filter((frame) => frame.includes(seed))).toEqual([]);
    // The commitment that was shown first counts.
    const first = told
      .map((frame) => JSON.parse(frame) as Partial<RainSnapshot>)
      .find(({ type, rainId }) => type === 'rain' && rainId === 'whole')!;
    const last = JSON.parse(told[end]!) as RainSnapshot;
    expect(first.commitment).toBe(created.commitment);
    const { rainId, plan, shards, seed: shownSeed } = last as Required<RainSnapshot>;
    const verdict = verifyFairness({ rainId, plan, shards, seed: shownSeed, commitment: first.commitment! });
    if (verdict.outcome !== 'ok') throw new Error(verdict.outcome);
    for (const receipt of receipts)
      expect(checkReceipt(verdict.allocation, 'whole', receipt)).toEqual({ outcome: 'ok' });
  }

  const late = await dial(gateway.url, 'late');
  late.say({ type: 'join', rainId: 'whole' });
  expect(await late.next('rain')).toMatchObject({ state: 'settled', seed, commitment: created.commitment });
  expect(await verifyRain(context, 'whole', receipts)).toMatchObject({
    ok: true,
    fair: true,
    checked: { left: 4, claims: 6, credits: 6, receipts: 6 },
  });
  await Promise.all([watcher, late, ...players].map((client) => client.leave()));
});
