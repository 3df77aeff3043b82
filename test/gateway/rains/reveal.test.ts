import { afterAll, describe, expect, test } from 'vitest';
import { RainCache } from '../../../src/gateway/rains/rainCache.ts';
import { announceChange, close, settle } from '../../../src/store/transitions.ts';
import { findRain, redisNow } from '../../../src/store/rains.ts';
import { draftRain, loadPackets } from '../../../src/store/loadPackets.ts';
import type { RainSnapshot } from '../../../src/protocol/messages.ts';
import { commitmentOf, verifyFairness } from '../../../src/rain/commitment.ts';
import { dial, type Client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { openRedis } from '../../support/rain.ts';
import { signer } from '../../support/signer.ts';

const { server, redis } = await openRedis();
const gateway = await openGateway(server.url);
afterAll(() => gateway.close());

const SEED = 'ab'.repeat(32);
const PLAN = { packets: 2, budget: '2.00' };

async function committedRain(rainId: string): Promise<string> {
  const now = await redisNow(redis);
  const commitment = commitmentOf({ rainId, seed: SEED, plan: PLAN, shards: 1 });
  await draftRain(redis, signer, {
    rainId,
    title: rainId,
    shards: 1,
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    packets: 2,
    commitment,
  });
  const verdict = verifyFairness({ rainId, seed: SEED, plan: PLAN, shards: 1, commitment });
  if (verdict.outcome !== 'ok') throw new Error(verdict.outcome);
  await loadPackets(redis, signer, rainId, 1, verdict.allocation, () => {});
  await announceChange(redis, rainId);
  return commitment;
}

async function settled(rainId: string): Promise<void> {
  await close(redis, rainId, 1, 'early');
  await settle(redis, rainId, (await findRain(redis, rainId))!, { ttlMs: 60_000, reveal: { seed: SEED, plan: PLAN } });
}

/** The next snapshot of this rain in this state. */
async function sees(client: Client, rainId: string, state: string): Promise<RainSnapshot> {
  for (;;) {
    const snapshot = await client.next('rain');
    if (snapshot.rainId === rainId && snapshot.state === state) return snapshot;
  }
}

describe('the commitment on the wire', () => {
  test('is sent when the rain is announced, in welcome and on join; the seed is sent when it is settled', async () => {
    const early = await dial(gateway.url, 'early');
    await early.next('welcome');
    const commitment = await committedRain('open1');
    expect(await sees(early, 'open1', 'open')).toMatchObject({ commitment });
    const ann = await dial(gateway.url, 'ann');
    expect((await ann.next('welcome')).rains.find(({ rainId }) => rainId === 'open1')).toMatchObject({ commitment });
    ann.say({ type: 'join', rainId: 'open1' });
    const joined = await sees(ann, 'open1', 'open');
    expect(joined).toMatchObject({ commitment });
    for (const field of ['seed', 'plan', 'shards']) expect(joined).not.toHaveProperty(field);
    await settled('open1');
    expect(await sees(ann, 'open1', 'settled')).toMatchObject({ commitment, seed: SEED, plan: PLAN, shards: 1 });
    await Promise.all([early.leave(), ann.leave()]);
  });

  test('a late join of a settled rain gets the reveal, at every gateway', async () => {
    const commitment = await committedRain('late1');
    await settled('late1');
    const late = await dial(gateway.url, 'late');
    late.say({ type: 'join', rainId: 'late1' });
    expect(await sees(late, 'late1', 'settled')).toMatchObject({ commitment, seed: SEED, plan: PLAN, shards: 1 });
    await late.leave();
  });

  test('repeated lookups of a settled rain cause no messages to other users', async () => {
    await committedRain('late2');
    await settled('late2');
    const sent: RainSnapshot[] = [];
    const faults: unknown[] = [];
    const rainCache = new RainCache({
      redis,
      onChange: (snapshot) => sent.push(snapshot),
      onFault: (fault) => faults.push(fault),
      pollMs: 20,
      wholeMs: 20,
    });
    await rainCache.start();
    for (let i = 0; i < 3; i++) {
      expect(await rainCache.find('late2')).toMatchObject({ state: 'settled', seed: SEED });
      // The cache drops a settled rain at the next reading of all rains.
      await eventually(() => rainCache.reading('late2') === undefined);
    }
    rainCache.close();
    // Checked here, not thrown: a reading that is in flight now may fail when the connection ends.
    expect(faults).toEqual([]);
    expect(sent.filter(({ rainId }) => rainId === 'late2')).toEqual([]);
  });
});
