import { createHash } from 'node:crypto';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { attemptsKey } from '../../store/keys.ts';
import type { OperatorContext } from '../../operator/context.ts';
import { isPassword } from '../../operator/staff/password.ts';

const WINDOW_MS = 15 * 60_000;
/**
 * Attempts in 15 minutes. An attacker who knows a name can use up its attempts and lock its owner out until the next window.
 * Open sessions and bearer tokens keep working, and one address alone has too few attempts for it.
 */
const ATTEMPTS_MAX = { address: 20, name: 40 } as const;

/** PostgreSQL rejects control characters and lone surrogates. */
const PLAIN_NAME = /^[^\p{Cc}\p{Cs}]+$/u;

/** Parallel password checks. Each takes 32 MiB and one of four threads [R10]. */
const CHECKS_MAX = 4;
let checking = 0;

/**
 * An unknown name, a disabled account and a wrong password get the same answer after the same time. Every attempt is recorded in
 * the audit log.
 */
export async function signIn({ redis, ledger }: Pick<OperatorContext, 'redis' | 'ledger'>, { name, password, address }: { name: string; password: string; address: string }) {
  if (!await mayTry(redis, address, name) || checking >= CHECKS_MAX) return { ok: false, code: 'too_many' } as const;
  checking++;
  try {
    const found = PLAIN_NAME.test(name) ? await ledger.staff.operator(name) : undefined;
    const operator = found?.disabledAt === undefined ? found : undefined;
    const right = await isPassword(password, operator?.passwordHash);
    // The typed name may be a password in the wrong field. So only existing names are recorded.
    await ledger.record({ actor: found ? `console:${found.name}` : 'console', verb: right ? 'login' : 'login_failed', details: { address } });
    return right && operator ? { ok: true, operator } as const : { ok: false, code: 'wrong_password' } as const;
  } finally {
    checking--;
  }
}

/**
 * Whether a login with this name from this address may be tried now. Counts the attempt in Redis before it is made, so that
 * neither parallel attempts nor several consoles allow more.
 */
async function mayTry(redis: RedisClient, address: string, name: string): Promise<boolean> {
  const window = Math.floor(Date.now() / WINDOW_MS);
  const tried = await Promise.all(([['address', address], ['name', name]] as const).map(async ([kind, value]) => {
    const key = attemptsKey(kind, createHash('sha256').update(value).digest('hex').slice(0, 32), window);
    const count = await redis.incr(key);
    await redis.pexpire(key, WINDOW_MS);
    return count <= ATTEMPTS_MAX[kind];
  }));
  return tried.every(Boolean);
}
