import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { operatorSessionsKey, sessionKey } from '../../store/keys.ts';
import type { Signer } from '../../store/signer.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BookedOperator, Role } from '../../ledger/staff.ts';
import { readJson } from '../../rain/json.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';

/** Counted from the last request. */
export const SESSION_MS = 12 * 3_600_000;
/** A session ends after this time even if it is used: a forgotten open browser must not stay signed in for ever. */
const SESSION_MS_MAX = 7 * 24 * 3_600_000;
/** Sessions of one operator at a time; one more ends the one that was used least recently [R10]. */
const SESSIONS_MAX = 20;
/** So many are taken off the list at once, if somebody has filled it [R10]. */
const SURPLUS_MAX = 10_000;
const AGENT_CHARACTERS_MAX = 200;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const stored = z.object({
  name: z.string(),
  epoch: z.int(),
  since: z.number(),
  address: z.string(),
  agent: z.string(),
  mac: z.string(),
});
type Stored = z.infer<typeof stored>;

export interface Session {
  name: string;
  role: Role;
  /** Whether the operator has one-time codes. */
  totp: boolean;
  /** In the browser's cookie. */
  token: string;
  /** Names the session without opening it. */
  hash: string;
  /** The browser must send it with every request except GET. */
  csrf: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** A session as its operator sees it in a list. Times are epoch ms. */
interface ListedSession {
  hash: string;
  since: number;
  lastUsedAt: number;
  expiresAt: number;
  /** The address of the sign-in. */
  address: string;
  /** The browser's name for itself. */
  agent: string;
}

export type Sessions = ReturnType<typeof openSessions>;

/**
 * Sessions are stored in Redis under the hash of the token, so that a reader of Redis cannot use them, and signed, so
 * that a writer of Redis cannot make any. The ledger remembers those that were ended, so that none can be put back.
 */
export function openSessions(
  redis: RedisClient,
  signer: Pick<Signer, 'sessionMac' | 'isSession'>,
  staff: Pick<Ledger['staff'], 'endSession'>,
) {
  const signed = (hash: string, { name, epoch, since, address, agent }: Omit<Stored, 'mac'>): string =>
    [sessionKey(hash), epoch, since, address, agent, name].join('\n');

  async function read(hash: string): Promise<Stored | undefined> {
    const found = stored.safeParse(readJson((await redis.get(sessionKey(hash))) ?? '')).data;
    return found && signer.isSession(found.mac, signed(hash, found)) ? found : undefined;
  }

  async function remove(name: string, hash: string): Promise<boolean> {
    await redis.zrem(operatorSessionsKey(name), hash);
    return (await redis.del(sessionKey(hash))) === 1;
  }

  /** @returns false: it has ended already */
  async function end(name: string, hash: string): Promise<boolean> {
    await staff.endSession(name, hash, Date.now() + SESSION_MS_MAX);
    return remove(name, hash);
  }

  async function noteUse(name: string, hash: string): Promise<void> {
    const key = operatorSessionsKey(name);
    await redis.zadd(key, Date.now(), hash);
    await redis.pexpire(key, SESSION_MS);
  }

  /** Names that somebody else has written into the list are no sessions, and end none. */
  async function endSurplus(name: string): Promise<void> {
    const key = operatorSessionsKey(name);
    const surplus = Math.min((await redis.zcard(key)) - SESSIONS_MAX, SURPLUS_MAX);
    if (surplus <= 0) return;
    const hashes = await redis.zrange(key, '0', String(surplus - 1));
    const found = await Promise.all(hashes.map(read));
    for (const [i, hash] of hashes.entries()) if (found[i]?.name === name) await end(name, hash);
    await redis.zrem(key, ...hashes);
  }

  return {
    /** Every sign-in gets a new token. A token that the browser held before never becomes valid. */
    async open(
      { name, role, epoch, totpSecret }: BookedOperator,
      { address, agent }: { address: string; agent: string },
    ): Promise<Session> {
      const token = randomBytes(32).toString('base64url');
      const [hash, now] = [hashOf(token), Date.now()];
      const opened = {
        name,
        epoch,
        since: now,
        address,
        agent: agent.replace(/[^\x20-\x7e]/g, '').slice(0, AGENT_CHARACTERS_MAX),
      };
      await redis.set(
        sessionKey(hash),
        JSON.stringify({ ...opened, mac: signer.sessionMac(signed(hash, opened)) } satisfies Stored),
        'PX',
        SESSION_MS,
      );
      await noteUse(name, hash);
      await endSurplus(name);
      return {
        name,
        role,
        totp: totpSecret !== undefined,
        token,
        hash,
        csrf: csrfOf(token),
        expiresAt: now + SESSION_MS,
      };
    },
    /**
     * Prolongs the session, unless `peek`.
     * @param activeOperator `undefined`: the operator may not sign in
     * @returns `undefined`: there is no such session, it has ended, or somebody else has written it
     */
    async find(
      token: string,
      activeOperator: (name: string) => Promise<BookedOperator | undefined>,
      peek = false,
    ): Promise<Session | undefined> {
      if (!TOKEN.test(token)) return undefined;
      const hash = hashOf(token);
      const found = await read(hash);
      if (!found) return undefined;
      const leftMs = Math.min(SESSION_MS, found.since + SESSION_MS_MAX - Date.now());
      // The ledger decides: a new password, or disabling the account, ends all earlier sessions.
      const operator = await activeOperator(found.name);
      if (leftMs <= 0 || operator?.epoch !== found.epoch || operator.endedSessions.includes(hash)) {
        await remove(found.name, hash);
        return undefined;
      }
      if (!peek) await Promise.all([redis.pexpire(sessionKey(hash), leftMs), noteUse(found.name, hash)]);
      return {
        name: operator.name,
        role: operator.role,
        totp: operator.totpSecret !== undefined,
        token,
        hash,
        csrf: csrfOf(token),
        expiresAt: Date.now() + leftMs,
      };
    },
    /** The open ones, latest used first. */
    async list({
      name,
      epoch,
      endedSessions,
    }: Pick<BookedOperator, 'name' | 'epoch' | 'endedSessions'>): Promise<ListedSession[]> {
      const used = await redis.zrange(operatorSessionsKey(name), '0', String(SESSIONS_MAX - 1), 'REV', 'WITHSCORES');
      const listed: ListedSession[] = [];
      for (let at = 0; at < used.length; at += 2) {
        const hash = used[at]!;
        const [found, leftMs] = await Promise.all([read(hash), redis.pttl(sessionKey(hash))]);
        if (found?.name !== name || found.epoch !== epoch || leftMs <= 0 || endedSessions.includes(hash))
          await redis.zrem(operatorSessionsKey(name), hash);
        else
          listed.push({
            hash,
            since: found.since,
            lastUsedAt: Number(used[at + 1]),
            expiresAt: Date.now() + leftMs,
            address: found.address,
            agent: found.agent,
          });
      }
      return listed;
    },
    end,
  };
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

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
