import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { BookedOperator, Role } from '../../ledger/staff.ts';
import { TOKENS_MAX } from '../../ledger/staffTokens.ts';
import { firstRefusal } from '../../rain/refusal.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { wording } from '../wording.ts';
import { hashPassword, newPassword } from './password.ts';

const operatorName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/, 'expected 1 to 64 letters, digits, . _ @ or -');
const tokenLabel = wording('expected the purpose of the token', 100);

/** The prefix makes a token recognizable wherever it leaks, in a log or a repository. */
const TOKEN_PREFIX = 'rop_';
const TOKEN_FORM = /^rop_[A-Za-z0-9_-]{43}$/;

type Staff = Pick<OperatorContext, 'ledger' | 'actor'>;
type Done = { ok: true } | Refused;

const noSuchOperator = (name: string): Refused => refuse('name', `there is no operator ${name}`);

/** Adds an operator who may sign in at the console. */
export async function addOperator({ ledger, actor }: Staff, name: string, role: Role, password: string): Promise<Done> {
  const refused = check(operatorName, name, 'name') ?? check(newPassword(name), password, 'password');
  if (refused) return refused;
  return (await ledger.staff.add({ name, role, passwordHash: await hashPassword(password) }, actor))
    ? { ok: true }
    : refuse('name', `there is an operator ${name} already; set a new password with: rain operator password`);
}

/** Ends all sessions and tokens of the operator; a disabled operator may sign in again. */
export async function changePassword({ ledger, actor }: Staff, name: string, password: string): Promise<Done> {
  const refused = check(newPassword(name), password, 'password');
  if (refused) return refused;
  return (await ledger.staff.setPassword(name, await hashPassword(password), actor))
    ? { ok: true }
    : noSuchOperator(name);
}

/**
 * The operator's own change: it does not enable an account that was disabled meanwhile.
 * @param epoch the operator's when the present password was checked
 */
export async function changeOwnPassword(
  { ledger, actor }: Staff,
  { name, epoch }: Pick<BookedOperator, 'name' | 'epoch'>,
  password: string,
): Promise<Done> {
  const refused = check(newPassword(name), password, 'newPassword');
  if (refused) return refused;
  return (await ledger.staff.setOwnPassword(name, epoch, await hashPassword(password), actor))
    ? { ok: true }
    : refuse('name', 'the account was changed meanwhile; sign in again');
}

/** Ends all sessions and tokens of the operator at once: they were opened with other rights. */
export async function changeRole({ ledger, actor }: Staff, name: string, role: Role): Promise<Done> {
  return (await ledger.staff.setRole(name, role, actor)) ? { ok: true } : noSuchOperator(name);
}

/** Ends all sessions and tokens of the operator at once. */
export async function disableOperator({ ledger, actor }: Staff, name: string): Promise<Done> {
  return (await ledger.staff.disable(name, actor)) ? { ok: true } : noSuchOperator(name);
}

const DAY_MS = 24 * 3_600_000;
/** A forgotten token ends by itself. */
export const TOKEN_DAYS = 90;
const TOKEN_DAYS_MAX = 366;

type Issued = { ok: true; token: string; expiresAt: number } | Refused;

/** Issues a token for scripts, with all rights of its operator; it is shown only this once. */
export async function issueToken(
  { ledger, actor }: Staff,
  name: string,
  label: string,
  forMs: number = TOKEN_DAYS * DAY_MS,
): Promise<Issued> {
  const refused = check(tokenLabel, label, 'label');
  if (refused) return refused;
  if (!(forMs >= 1_000 && forMs <= TOKEN_DAYS_MAX * DAY_MS)) return refuse('for', `expected 1s to ${TOKEN_DAYS_MAX}d`);
  const token = TOKEN_PREFIX + randomBytes(32).toString('base64url');
  const expiresAt = Date.now() + forMs;
  if (await ledger.staff.addToken(name, { hash: hashOfBearer(token)!, label: label.trim(), expiresAt }, actor))
    return { ok: true, token, expiresAt };
  return refuse('name', `there is no operator ${name} who may sign in and has fewer than ${TOKENS_MAX} tokens`);
}

/**
 * `undefined`: not a valid token. A token has 256 random bits, so that a fast hash is enough; only the hash is stored.
 */
export function hashOfBearer(token: string): string | undefined {
  return TOKEN_FORM.test(token) ? createHash('sha256').update(token).digest('hex') : undefined;
}

function check(schema: z.ZodType, value: unknown, field: string): Refused | undefined {
  const parsed = schema.safeParse(value);
  return parsed.success ? undefined : { ok: false, refusals: [firstRefusal(parsed.error, field)] };
}
