import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { sessionKey } from '../../store/keys.ts';
import type { Signer } from '../../store/signer.ts';
import type { BookedOperator, Role } from '../../ledger/staff.ts';
import { readJson } from '../../rain/json.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';

/** Counted from the last request. */
export const SESSION_MS = 12 * 3_600_000;
/** A session ends after this time even if it is used: a forgotten open browser must not stay signed in for ever. */
const SESSION_MS_MAX = 7 * 24 * 3_600_000;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const stored = z.object({ name: z.string(), epoch: z.int(), since: z.number(), mac: z.string() });
type Stored = z.infer<typeof stored>;

export interface Session {
  name: string;
  role: Role;
  /** In the browser's cookie. */
  token: string;
  /** The browser must send it with every request except GET. */
  csrf: string;
  /** Epoch ms. */
  expiresAt: number;
}

export type Sessions = ReturnType<typeof openSessions>;

/**
 * Sessions are stored in Redis under the hash of the token, so that a reader of Redis cannot use them, and signed, so that a writer of
 * Redis cannot make any.
 */
export function openSessions(redis: RedisClient, signer: Pick<Signer, 'sessionMac' | 'isSession'>) {
  const keyOf = (token: string): string => sessionKey(createHash('sha256').update(token).digest('hex'));
  const signed = (token: string, { name, epoch, since }: Omit<Stored, 'mac'>): string => [keyOf(token), epoch, since, name].join('\n');
  return {
    /** Every sign-in gets a new token. A token that the browser held before never becomes valid. */
    async open({ name, role, epoch }: BookedOperator): Promise<Session> {
      const token = randomBytes(32).toString('base64url');
      const opened = { name, epoch, since: Date.now() };
      await redis.set(keyOf(token), JSON.stringify({ ...opened, mac: signer.sessionMac(signed(token, opened)) } satisfies Stored), 'PX', SESSION_MS);
      return { name, role, token, csrf: csrfOf(token), expiresAt: Date.now() + SESSION_MS };
    },
    /**
     * Prolongs the session, unless `peek`.
     * @param activeOperator `undefined`: the operator may not sign in
     * @returns `undefined`: there is no such session, it has ended, or somebody else has written it
     */
    async find(token: string, activeOperator: (name: string) => Promise<BookedOperator | undefined>, peek = false): Promise<Session | undefined> {
      if (!TOKEN.test(token)) return undefined;
      const found = stored.safeParse(readJson(await redis.get(keyOf(token)) ?? '')).data;
      if (!found || !signer.isSession(found.mac, signed(token, found))) return undefined;
      const leftMs = Math.min(SESSION_MS, found.since + SESSION_MS_MAX - Date.now());
      // The ledger decides: a new password, or disabling the account, ends all earlier sessions.
      const operator = await activeOperator(found.name);
      if (leftMs <= 0 || operator?.epoch !== found.epoch) {
        await redis.del(keyOf(token));
        return undefined;
      }
      if (!peek) await redis.pexpire(keyOf(token), leftMs);
      return { name: operator.name, role: operator.role, token, csrf: csrfOf(token), expiresAt: Date.now() + leftMs };
    },
    async close(token: string): Promise<void> {
      if (TOKEN.test(token)) await redis.del(keyOf(token));
    },
  };
}

/** Derived from the token, which no script can read. So it need not be stored. */
function csrfOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}

/** Compares in constant time. */
export function isCsrf({ csrf }: Session, sent: unknown): boolean {
  if (typeof sent !== 'string') return false;
  const [a, b] = [Buffer.from(csrf), Buffer.from(sent)];
  return a.length === b.length && timingSafeEqual(a, b);
}
