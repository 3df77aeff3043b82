import { randomBytes } from 'node:crypto';
import { addOperator, changePassword } from '../../operator/staff/staff.ts';
import { openContext } from '../context.ts';

/** The operator of a system on this machine. Operators from `rain operator add` are not changed. */
export const FIRST_OPERATOR = 'operator';

/**
 * Creates a new password for the first operator at each start. It is shown on the terminal and stored nowhere. It ends all older
 * sessions, so that a password which somebody saw is valid only until the next start.
 */
export async function admitFirstOperator(redisUrl: string, databaseUrl: string): Promise<string> {
  const context = await openContext(redisUrl, databaseUrl, 'up');
  try {
    const password = randomBytes(12).toString('base64url');
    const added = await addOperator(context, FIRST_OPERATOR, 'operator', password);
    const done = added.ok ? added : await changePassword(context, FIRST_OPERATOR, password);
    if (!done.ok) throw new Error(`no operator can sign in: ${done.refusals[0]?.reason}`);
    return password;
  } finally {
    await context.close();
  }
}
