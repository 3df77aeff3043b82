import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { sessionKey } from '../../store/keys.ts';
import type { BookedOperator } from '../../ledger/staff.ts';
import { readJson } from '../../rain/json.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';

/** From the last request on. */
export const SESSION_MS = 12 * 3_600_000;
/** However busy he is: a browser that was left open somewhere is not signed in for ever. */
const SESSION_MS_MAX = 7 * 24 * 3_600_000;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const stored = z.object({ name: z.string(), epoch: z.int(), since: z.number() });

export interface Session {
  name: string;
  /** What his browser sends back with everything but GET. */
  csrf: string;
  /** Epoch ms. */
  expiresAt: number;
}

export interface Sessions {
  /** A new one for each sign-in: what a browser held before is never made good. */
  open(operator: Pick<BookedOperator, 'name' | 'epoch'>): Promise<{ token: string; session: Session }>;
  /** `undefined`: it is none, or over. Prolongs it, unless it is only looked at. @param epochOf of whom it names, now; `undefined` when he may not sign in */
  find(token: string, epochOf: (name: string) => Promise<number | undefined>, looking?: boolean): Promise<Session | undefined>;
  close(token: string): Promise<void>;
}

/** Kept in Redis by the hash of what the browser holds: who reads Redis cannot be anybody with it. */
export function openSessions(redis: RedisClient, now: () => number = Date.now): Sessions {
  const keyOf = (token: string): string => sessionKey(createHash('sha256').update(token).digest('hex'));
  return {
    async open({ name, epoch }) {
      const token = randomBytes(32).toString('base64url');
      await redis.set(keyOf(token), JSON.stringify({ name, epoch, since: now() }), 'PX', SESSION_MS);
      return { token, session: { name, csrf: csrfOf(token), expiresAt: now() + SESSION_MS } };
    },
    async find(token, epochOf, looking = false) {
      if (!TOKEN.test(token)) return undefined;
      const found = stored.safeParse(readJson(await redis.get(keyOf(token)) ?? '')).data;
      if (!found) return undefined;
      const leftMs = Math.min(SESSION_MS, found.since + SESSION_MS_MAX - now());
      // The book has the last word: another password, or being disabled, ends all sessions of before.
      if (leftMs <= 0 || await epochOf(found.name) !== found.epoch) {
        await redis.del(keyOf(token));
        return undefined;
      }
      if (!looking) await redis.pexpire(keyOf(token), leftMs);
      return { name: found.name, csrf: csrfOf(token), expiresAt: now() + leftMs };
    },
    async close(token) {
      if (TOKEN.test(token)) await redis.del(keyOf(token));
    },
  };
}

/** Follows from what only this browser and nobody's script holds, so that it need not be kept. */
function csrfOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}

/** In constant time. */
export function isCsrf({ csrf }: Session, sent: unknown): boolean {
  if (typeof sent !== 'string') return false;
  const [a, b] = [Buffer.from(csrf), Buffer.from(sent)];
  return a.length === b.length && timingSafeEqual(a, b);
}
