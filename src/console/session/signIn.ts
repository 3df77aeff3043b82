import type { OperatorContext } from '../../operator/context.ts';
import { isPassword } from '../../operator/staff/password.ts';
import type { BookedOperator } from '../../ledger/staff.ts';
import { mayTry } from './loginAttempts.ts';

/** Parallel password checks. Each takes 32 MiB and one of four threads [R10]. */
const CHECKS_MAX = 4;
let checking = 0;

type SignIn = { ok: true; operator: BookedOperator } | { ok: false; code: 'wrong_password' | 'too_many' };

/**
 * An unknown name, a disabled account and a wrong password get the same answer after the same time. Every attempt is recorded in
 * the audit log.
 */
export async function signIn({ redis, ledger }: Pick<OperatorContext, 'redis' | 'ledger'>, { name, password, address }: { name: string; password: string; address: string }): Promise<SignIn> {
  if (!await mayTry(redis, address, name)) return { ok: false, code: 'too_many' };
  if (checking >= CHECKS_MAX) return { ok: false, code: 'too_many' };
  checking++;
  try {
    const found = plainName(name) ? await ledger.staff.operator(name) : undefined;
    const operator = found?.disabledAt === undefined ? found : undefined;
    const right = await isPassword(password, operator?.passwordHash);
    // The typed name may be a password in the wrong field. So only existing names are recorded.
    await ledger.record({ actor: found ? `console:${found.name}` : 'console', verb: right ? 'login' : 'login_failed', details: { address } });
    return right && operator ? { ok: true, operator } : { ok: false, code: 'wrong_password' };
  } finally {
    checking--;
  }
}

/** PostgreSQL rejects control characters and lone surrogates. */
function plainName(name: string): boolean {
  return /^[^\p{Cc}\p{Cs}]+$/u.test(name);
}
