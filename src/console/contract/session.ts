import { z } from 'zod';
import { time, type Endpoint } from './endpoint.ts';

const session = z.object({
  name: z.string(),
  role: z.enum(['viewer', 'operator']),
  csrf: z.string().describe('Send it as the header x-csrf-token with every request except GET. Empty for a bearer token, which needs none.'),
  expiresAt: time.describe('When the session ends if no request is sent before.'),
});

/** The length is limited, because the password is hashed. */
const credentials = z.strictObject({ name: z.string('expected a name').min(1, 'expected a name').max(128, 'expected at most 128 characters'), password: z.string('expected a password').max(1_024, 'expected at most 1024 characters') });

const path = '/api/console/session';
const tag = 'session';

export const sessionApi = {
  open: { id: 'signIn', method: 'POST', path, tag, summary: 'Sign in: sets the cookie rain_session.', access: 'anybody', body: credentials, status: 200, answer: session },
  current: { id: 'whoAmI', method: 'GET', path, tag, summary: 'The signed-in operator.', access: 'viewer', status: 200, answer: session },
  close: { id: 'signOut', method: 'DELETE', path, tag, summary: 'Sign out.', access: 'viewer', status: 204 },
} satisfies Record<string, Endpoint>;
