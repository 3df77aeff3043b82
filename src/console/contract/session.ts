import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { time } from './fields.ts';

const role = z.enum(['viewer', 'operator']);

const session = z.object({
  name: z.string(),
  role,
  csrf: z.string().describe('To be sent back as the header x-csrf-token with everything but GET. Empty for a bearer token, which needs none.'),
  expiresAt: time.describe('When the session ends if nothing is asked until then.'),
});

/** Bounded before it is hashed. */
const credentials = z.strictObject({ name: z.string('expected a name').min(1, 'expected a name').max(128, 'expected at most 128 characters'), password: z.string('expected a password').max(1_024, 'expected at most 1024 characters') });

const path = '/api/console/session';
const tag = 'session';

export const sessionApi = {
  open: endpoint({ id: 'signIn', method: 'POST', path, tag, summary: 'Sign in: sets the cookie rain_session.', who: 'anybody', body: credentials, status: 200, answer: session }),
  look: endpoint({ id: 'whoAmI', method: 'GET', path, tag, summary: 'Who is signed in.', who: 'viewer', status: 200, answer: session }),
  close: endpoint({ id: 'signOut', method: 'DELETE', path, tag, summary: 'Sign out.', who: 'viewer', status: 204 }),
};
