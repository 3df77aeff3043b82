import { afterAll, expect } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { shardOf } from '../../src/grab/keys.ts';
import { findRain, readRain, redisNow, type RainReading } from '../../src/grab/reading.ts';
import { auditRain, type RainReport } from '../../src/operator/audit.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import type { ToppedUp } from '../../src/operator/topUp.ts';
import { claimLog, openTestDesk, type TestDesk } from '../support/desk.ts';

export const MORE = { budget: '7.00', packets: 7 } as const;

interface TopUpStage {
  desk: TestDesk;
  engine: GrabEngine;
  /** A rain of 10.00 in five packets, whose time has come, not loaded yet. */
  plan(id: string, more?: Partial<CreateRequest>): Promise<void>;
  /** The same, loaded: it rains. */
  open(id: string, more?: Partial<CreateRequest>): Promise<void>;
  /** One after the other. @returns the codes */
  grabAs(id: string, shards: number, ...users: string[]): Promise<string[]>;
  report(id: string): Promise<RainReport>;
  read(id: string): Promise<RainReading>;
  creditAll(id: string, shards?: number): Promise<void>;
}

/** At the head of a test file; what it opens goes when its tests are done. */
export async function openTopUpStage(): Promise<TopUpStage> {
  const desk = await openTestDesk();
  afterAll(() => desk.stop());
  const engine = createGrabEngine(desk.redis, (fault) => { throw fault; });
  const stage: TopUpStage = {
    desk,
    engine,
    async plan(id, more = {}) {
      const now = await redisNow(desk.redis);
      expect(await createRain(desk, { id, plan: { budget: '10.00', packets: 5 }, opensAt: now - 1_000, closesAt: now + 600_000, ...more })).toMatchObject({ ok: true });
    },
    async open(id, more = {}) {
      await stage.plan(id, more);
      expect(await loadRain(desk, id)).toMatchObject({ ok: true });
    },
    async grabAs(id, shards, ...users) {
      const codes: string[] = [];
      for (const user of users) codes.push((await engine.grab(id, shardOf(user, shards), [user]))[0]!.code);
      return codes;
    },
    report: async (id) => (await auditRain(desk, id))!.report,
    read: async (id) => (await readRain(desk.redis, id, (await findRain(desk.redis, id))!))!,
    async creditAll(id, shards = 1) {
      for (let shard = 0; shard < shards; shard++) await desk.ledger.credit(await claimLog(desk, id, shard));
    },
  };
  return stage;
}

export const usersFrom = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `user-${from + i}`);
export const why = (done: ToppedUp) => (done.ok ? undefined : done.refusals);
