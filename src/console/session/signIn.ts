import type { OperatorContext } from '../../operator/context.ts';
import { isPassword } from '../../operator/staff/password.ts';
import type { BookedOperator } from '../../ledger/staff.ts';
import { mayTry } from './loginAttempts.ts';

/** Passwords looked at at once: each takes 32 MiB and a thread of four [R10]. */
const CHECKS_MAX = 4;
let checking = 0;

type SignIn = { ok: true; operator: BookedOperator } | { ok: false; code: 'wrong_password' | 'too_many' };

/** Says the same, and as late, of a name that nobody has, of one that is disabled, and of a wrong password. Goes on record either way. */
export async function signIn({ redis, ledger }: Pick<OperatorContext, 'redis' | 'ledger'>, { name, password, address }: { name: string; password: string; address: string }): Promise<SignIn> {
  if (!await mayTry(redis, address, name)) return { ok: false, code: 'too_many' };
  if (checking >= CHECKS_MAX) return { ok: false, code: 'too_many' };
  checking++;
  try {
    const found = plainName(name) ? await ledger.staff.operator(name) : undefined;
    const operator = found?.disabledAt === undefined ? found : undefined;
    const right = await isPassword(password, operator?.passwordHash);
    // What was typed as a name may be a password typed into the wrong field: only names that exist are recorded.
    await ledger.record({ actor: found ? `console:${found.name}` : 'console', verb: right ? 'login' : 'login_failed', details: { address } });
    return right && operator ? { ok: true, operator } : { ok: false, code: 'wrong_password' };
  } finally {
    checking--;
  }
}

/** What the database can be asked for. */
function plainName(name: string): boolean {
  return /^[^\p{Cc}\p{Cs}]+$/u.test(name);
}
