import type { OperatorContext } from '../../operator/context.ts';
import { isPassword } from '../../operator/staff/password.ts';
import { acceptCode } from '../../operator/staff/totp.ts';
import { REFUSALS, type Refusal } from '../refusals.ts';
import { countAttempt } from './attempts.ts';
import { createPlaces, inTurn } from './checks.ts';

/** PostgreSQL rejects control characters and lone surrogates. */
const PLAIN_NAME = /^[^\p{Cc}\p{Cs}]+$/u;

const takePlace = createPlaces();

interface SignIn {
  name: string;
  password: string;
  /** The code of the operator's app, or a recovery code. */
  code?: string | undefined;
  address: string;
  /** Id of a device from which this name has signed in before. */
  device: string | undefined;
}

/**
 * An unknown name, a disabled account and a wrong password get the same answer after the same time. Every attempt is
 * recorded in the audit log. The code is asked for after the right password, and wrong ones count as wrong passwords
 * do.
 * @param again whether somebody who is signed in proves it again, before another password or other one-time codes
 */
export async function signIn(
  { redis, ledger, signer }: Pick<OperatorContext, 'redis' | 'ledger' | 'signer'>,
  { name, password, code, ...origin }: SignIn,
  again = false,
) {
  const { address } = origin;
  // Known senders are looked at first: strangers can fill their own places only.
  const place = takePlace({ name, address, isKnown: again || origin.device !== undefined });
  if ('waitMs' in place) return { ok: false, refusal: tooMany(place.waitMs) } as const;
  let isRight = false;
  try {
    const attempt = await countAttempt(redis, { name, ...origin });
    if ('waitMs' in attempt) return { ok: false, refusal: tooMany(attempt.waitMs) } as const;
    const found = PLAIN_NAME.test(name) ? await ledger.staff.operator(name) : undefined;
    const operator = found?.disabledAt === undefined ? found : undefined;
    isRight = await inTurn(place.kind, () => isPassword(password, operator?.passwordHash));
    // The typed name may be a password in the wrong field. So only existing names are recorded.
    const actor = found ? `console:${found.name}` : 'console';
    const failed = (details: { code?: true } = {}) =>
      ledger.record({ actor, verb: 'login_failed', details: { address, ...details } });
    if (!isRight || !operator) {
      await failed();
      return { ok: false, refusal: REFUSALS.wrong_password } as const;
    }
    if (operator.totpSecret !== undefined && !code) {
      await attempt.succeeded();
      return { ok: false, refusal: REFUSALS.code_needed } as const;
    }
    if (operator.totpSecret !== undefined && !(await acceptCode({ ledger, signer, actor }, operator, code!))) {
      await failed({ code: true });
      return { ok: false, refusal: REFUSALS.wrong_code } as const;
    }
    await attempt.succeeded();
    if (!again) await ledger.record({ actor, verb: 'login', details: { address } });
    return { ok: true, operator } as const;
  } finally {
    place.leave(isRight);
  }
}

function tooMany(retryInMs: number): Refusal {
  const seconds = Math.ceil(retryInMs / 1_000);
  const time = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : seconds === 1 ? 'a second' : `${seconds} seconds`;
  return {
    ...REFUSALS.too_many_attempts,
    reason: `${REFUSALS.too_many_attempts.reason} Try again in ${time}.`,
    retryInMs,
  };
}
