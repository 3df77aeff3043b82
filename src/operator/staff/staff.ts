import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Role } from '../../ledger/staff.ts';
import { firstRefusal } from '../../rain/refusal.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { wording } from '../wording.ts';
import { hashPassword, newPassword } from './password.ts';

const operatorName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/, 'expected 1 to 64 letters, digits, . _ @ or -');
const tokenLabel = wording('expected the purpose of the token', 100);

/** The prefix makes a token recognizable wherever it leaks, in a log or a repository. */
const TOKEN_PREFIX = 'rop_';
const TOKEN_FORM = /^rop_[A-Za-z0-9_-]{43}$/;

type Staff = Pick<OperatorContext, 'ledger' | 'actor'>;
type Done = { ok: true } | Refused;

const noSuchOperator = (name: string): Refused => refuse('name', `there is no operator ${name}`);

/** Adds an operator who may sign in at the console. */
export async function addOperator({ ledger, actor }: Staff, name: string, role: Role, password: string): Promise<Done> {
  const refused = check(operatorName, name, 'name') ?? check(newPassword, password, 'password');
  if (refused) return refused;
  return await ledger.staff.add({ name, role, passwordHash: await hashPassword(password) }, actor) ? { ok: true } : refuse('name', `there is an operator ${name} already; set a new password with: rain operator password`);
}

/** Ends all sessions of the operator; a disabled operator may sign in again. */
export async function changePassword({ ledger, actor }: Staff, name: string, password: string): Promise<Done> {
  const refused = check(newPassword, password, 'password');
  if (refused) return refused;
  return await ledger.staff.setPassword(name, await hashPassword(password), actor) ? { ok: true } : noSuchOperator(name);
}

/** Ends all sessions and tokens of the operator at once. */
export async function disableOperator({ ledger, actor }: Staff, name: string): Promise<Done> {
  return await ledger.staff.disable(name, actor) ? { ok: true } : noSuchOperator(name);
}

type Issued = { ok: true; token: string; expiresAt?: number } | Refused;

/**
 * Issues a token for scripts, with all rights of its operator; it is shown only this once.
 * @param forMs absent: until the operator is disabled
 */
export async function issueToken({ ledger, actor }: Staff, name: string, label: string, forMs?: number): Promise<Issued> {
  const refused = check(tokenLabel, label, 'label');
  if (refused) return refused;
  const token = TOKEN_PREFIX + randomBytes(32).toString('base64url');
  const expiresAt = forMs === undefined ? undefined : Date.now() + forMs;
  const until = expiresAt === undefined ? {} : { expiresAt };
  return await ledger.staff.addToken(name, { hash: hashOfBearer(token)!, label: label.trim(), ...until }, actor) ? { ok: true, token, ...until } : refuse('name', `there is no operator ${name} who may sign in`);
}

/** `undefined`: not a valid token. A token has 256 random bits, so that a fast hash is enough; only the hash is stored. */
export function hashOfBearer(token: string): string | undefined {
  return TOKEN_FORM.test(token) ? createHash('sha256').update(token).digest('hex') : undefined;
}

function check(schema: z.ZodType, value: unknown, field: string): Refused | undefined {
  const parsed = schema.safeParse(value);
  return parsed.success ? undefined : { ok: false, refusals: [firstRefusal(parsed.error, field)] };
}
