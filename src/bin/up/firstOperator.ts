import { randomBytes } from 'node:crypto';
import { addOperator, changePassword } from '../../operator/staff/staff.ts';
import { openContext } from '../context.ts';

/** Of the system on this machine; whoever adds others by `rain operator add` is left alone. */
export const FIRST_OPERATOR = 'operator';

/**
 * Lets whoever has started the system on his own machine sign in: a fresh password at each start, shown on his terminal and kept
 * nowhere. It ends the sessions of before, so that a password that was seen over a shoulder lasts as long as the system.
 */
export async function admitFirstOperator(redisUrl: string, databaseUrl: string): Promise<string> {
  const context = await openContext(redisUrl, databaseUrl, 'up');
  try {
    const password = randomBytes(12).toString('base64url');
    const added = await addOperator(context, FIRST_OPERATOR, 'operator', password);
    const done = added.ok ? added : await changePassword(context, FIRST_OPERATOR, password);
    if (!done.ok) throw new Error(`nobody can sign in: ${done.refusals[0]?.reason}`);
    return password;
  } finally {
    await context.close();
  }
}
