import { vi } from 'vitest';
import type { PendingGrab } from '../../../src/gateway/handlers/pendingGrab.ts';
import type { RandomIndex } from '../../../src/gateway/rains/lottery.ts';
import { FairStart } from '../../../src/gateway/rains/fairStart.ts';
import type { Session } from '../../../src/gateway/sockets/session.ts';
import { Batcher } from '../../../src/grab/batcher.ts';
import { decideGrabs, type GrabAnswer } from '../../../src/grab/engine.ts';
import { randomSource } from '../../../src/rain/fairness.ts';
import type { RainState } from '../../../src/rain/rain.ts';

export const SEED = (process.env['FAIR_SEED'] ?? 'fa12').repeat(64).slice(0, 64);
export const chance = (purpose: string): RandomIndex => {
  const random = randomSource(SEED, purpose);
  return (n) => random.belowNumber(n);
};
/** A "random" choice that keeps the order. */
const first: RandomIndex = (n) => n - 1;

const pending = (userId: string, ref?: string): PendingGrab => ({
  userId,
  session: {} as Session,
  rainId: 'r1',
  turn: 0,
  ref,
  also: undefined,
});

interface StageOptions {
  fairStartMs?: number;
  pendingMax?: number;
  chance?: RandomIndex;
  clockErrorMs?: number;
  /** How much this gateway's clock is ahead, ms. */
  aheadMs?: number;
  /** How much it was set since, ms. */
  shift?: () => number;
}

/** The fair start of one gateway, with a clock that the test moves. Time begins at 0. */
export function stage({
  fairStartMs = 100,
  pendingMax = 1_000,
  clockErrorMs = 0,
  aheadMs = 0,
  shift = () => 0,
  ...options
}: StageOptions = {}) {
  const began = performance.now();
  const now = () => Math.round(performance.now() - began) + aheadMs + shift();
  /** The grabs sent to Redis, by user and time. */
  const sentToRedis: [number, string][] = [];
  const answered: [string, string][] = [];
  const batcher = new Batcher<PendingGrab, GrabAnswer>(
    decideGrabs({
      grab: (_rainId, _shard, userIds) => {
        for (const user of userIds) sentToRedis.push([now(), user]);
        return Promise.resolve(userIds.map(() => ({ code: '-1' as const })));
      },
    }),
    ({ userId, ref }, _rainId, { code }) => {
      answered.push([ref ?? userId, code]);
    },
    { grabsPendingMax: pendingMax, grabBehindMsMax: 0 },
  );
  const readings = new Map<string, { claims: number; readAtMonotonic: number }>();
  const fairStart = new FairStart<PendingGrab>({
    fairStartMs,
    batcher,
    clock: { now, clockErrorMs: () => clockErrorMs },
    chance: options.chance ?? first,
    reading(rainId) {
      const reading = readings.get(rainId);
      return reading && { ...reading, isUntouched: reading.claims === 0 };
    },
    answerNotStarted: ({ userId, ref }) => {
      answered.push([ref ?? userId, '-2']);
    },
  });
  return {
    fairStart,
    batcher,
    sentToRedis,
    answered,
    readings,
    now,
    change(rainId: string, state: RainState, opensAt: number, claims = 0) {
      readings.set(rainId, { claims, readAtMonotonic: performance.now() });
      fairStart.expect(rainId, { state, opensAt });
    },
    /** Like the handler. @returns whether the grab was gathered */
    grab(rainId: string, userId: string, ref?: string): boolean {
      const taken = fairStart.near > 0 && fairStart.take(rainId, 1, pending(userId, ref));
      if (!taken) batcher.add(rainId, 1, pending(userId, ref));
      return taken;
    },
    until: (ms: number) => vi.advanceTimersByTimeAsync(ms - now()),
  };
}
