import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { openSessions } from './sessions.ts';

/** A way in: a browser that is signed in, or a token of a script. Times are epoch ms. */
interface Access {
  /** The begin of its hash, 16 hexadecimal digits; it opens nothing. */
  id: string;
  kind: 'session' | 'token';
  hash: string;
  since: number;
  /** Absent: not used yet. */
  lastUsedAt?: number;
  expiresAt: number;
  /** The address of the sign-in of a session, or of the last use of a token. */
  address?: string;
  /** The browser's name for itself, or the token's purpose. */
  device: string;
}

const ID_CHARACTERS = 16;

type AccessContext = Pick<OperatorContext, 'redis' | 'ledger' | 'signer' | 'actor'>;

/** The open sessions and the tokens of an operator. `undefined`: there is no such operator. */
export async function listAccess(
  { redis, ledger, signer }: AccessContext,
  name: string,
): Promise<Access[] | undefined> {
  const operator = await ledger.staff.operator(name);
  if (!operator) return undefined;
  if (operator.disabledAt !== undefined) return [];
  const sessions = await openSessions(redis, signer, ledger.staff).list(operator);
  const tokens = await ledger.staff.tokens(name);
  return [
    ...sessions.map(({ agent, ...plain }): Access => ({
      ...plain,
      id: idOf(plain.hash),
      kind: 'session',
      device: agent,
    })),
    ...tokens.map(({ hash, label, createdAt, expiresAt, lastUsedAt, lastUsedFrom }): Access => ({
      id: idOf(hash),
      kind: 'token',
      hash,
      since: createdAt,
      expiresAt,
      device: label,
      ...(lastUsedAt !== undefined && { lastUsedAt }),
      ...(lastUsedFrom !== undefined && { address: lastUsedFrom }),
    })),
  ];
}

/** Ends one session or token of an operator. */
export async function endAccess(
  context: AccessContext,
  name: string,
  id: string,
): Promise<{ ok: true; ended: Access } | Refused> {
  const { redis, ledger, signer, actor } = context;
  const known = await listAccess(context, name);
  if (!known) return refuse('name', `there is no operator ${name}`);
  const ended = known.find((one) => one.id === id);
  const done =
    ended &&
    (ended.kind === 'token'
      ? await ledger.staff.endToken(name, ended.hash, actor)
      : await openSessions(redis, signer, ledger.staff).end(name, ended.hash));
  if (!done) return refuse('id', `${name} has no session or token ${id}; see rain operator sessions ${name}`);
  if (ended.kind === 'session') await ledger.record({ actor, verb: 'operator_end', details: { name, session: id } });
  return { ok: true, ended };
}

function idOf(hash: string): string {
  return hash.slice(0, ID_CHARACTERS);
}
