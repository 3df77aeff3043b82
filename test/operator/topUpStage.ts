import { afterAll, expect } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { shardOf } from '../../src/store/keys.ts';
import { findRain, readRain, redisNow, type StoredRain } from '../../src/store/rains.ts';
import { auditRain, type RainReport } from '../../src/operator/audit.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import type { ToppedUp } from '../../src/operator/topUp.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';

export const MORE = { budget: '7.00', packets: 7 } as const;

interface TopUpStage {
  context: TestContext;
  engine: GrabEngine;
  /** A rain of 10.00 in five packets, whose time has come, not loaded yet. */
  plan(id: string, more?: Partial<CreateRequest>): Promise<void>;
  /** The same, loaded: it rains. */
  open(id: string, more?: Partial<CreateRequest>): Promise<void>;
  /** One after the other. @returns the codes */
  grabAs(id: string, shards: number, ...users: string[]): Promise<string[]>;
  report(id: string): Promise<RainReport>;
  read(id: string): Promise<StoredRain>;
  creditAll(id: string, shards?: number): Promise<void>;
}

/** At the head of a test file; what it opens goes when its tests are done. */
export async function openTopUpStage(): Promise<TopUpStage> {
  const context = await openTestContext();
  afterAll(() => context.stop());
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  const stage: TopUpStage = {
    context,
    engine,
    async plan(id, more = {}) {
      const now = await redisNow(context.redis);
      expect(
        await createRain(context, {
          id,
          plan: { budget: '10.00', packets: 5 },
          opensAt: now - 1_000,
          closesAt: now + 600_000,
          ...more,
        }),
      ).toMatchObject({ ok: true });
    },
    async open(id, more = {}) {
      await stage.plan(id, more);
      expect(await loadRain(context, id)).toMatchObject({ ok: true });
    },
    async grabAs(id, shards, ...users) {
      const codes: string[] = [];
      for (const user of users) codes.push((await engine.grab(id, shardOf(user, shards), [user]))[0]!.code);
      return codes;
    },
    report: async (id) => (await auditRain(context, id))!.report,
    read: async (id) => (await readRain(context.redis, id, (await findRain(context.redis, id))!))!,
    async creditAll(id, shards = 1) {
      for (let shard = 0; shard < shards; shard++) await context.ledger.credit(await claimLog(context, id, shard));
    },
  };
  return stage;
}

export const usersFrom = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `user-${from + i}`);
export const why = (done: ToppedUp) => (done.ok ? undefined : done.refusals);
