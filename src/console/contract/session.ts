import { z } from 'zod';
import { time, type Endpoint } from './endpoint.ts';

const session = z.object({
  name: z.string(),
  role: z.enum(['viewer', 'operator']),
  csrf: z
    .string()
    .describe(
      'Send it as the header x-csrf-token with every request except GET. Empty for a bearer token, which needs none.',
    ),
  expiresAt: time.describe('When the session ends if no request is sent before.'),
  playerPage: z.string().optional().describe("The address of the player's page, where it is not that of the console."),
  timeZone: z
    .string()
    .optional()
    .describe('Of the event, by its IANA name; absent: times are shown in that of the browser.'),
  event: z.string().optional().describe('Title of the event, where there is one.'),
  currency: z.string().describe('Of all amounts, ISO 4217.'),
  participants: z.boolean().describe('Whether people on the list of participants come in by their codes.'),
  totp: z
    .enum(['on', 'off', 'needed'])
    .describe(
      'Whether the operator has one-time codes. needed: none yet, and the operator may only read without them.',
    ),
});

/** The length is limited, because the password is hashed. Passwords of earlier versions may be longer than new ones. */
const password = z.string('expected a password').max(1_024, 'expected at most 1024 characters');
const code = z.string('expected a code').max(64, 'expected at most 64 characters');
const typedCode = code
  .optional()
  .describe("The code of the operator's app, or a recovery code. Where the operator has them.");
const credentials = z.strictObject({
  name: z.string('expected a name').min(1, 'expected a name').max(128, 'expected at most 128 characters'),
  password,
  code: typedCode,
});
const proof = { password: password.describe('The present one.'), code: typedCode };

const access = z.object({
  id: z.string(),
  kind: z.enum(['session', 'token']),
  current: z.boolean().describe('Whether this request came with it.'),
  since: time,
  lastUsedAt: time.optional(),
  expiresAt: time,
  address: z.string().optional().describe('Of the sign-in of a session, and of the last use of a token.'),
  device: z.string().describe('What the browser calls itself, or the purpose of the token.'),
});

const path = '/api/console/session';
const list = '/api/console/sessions';
const tag = 'session';

export const sessionApi = {
  open: {
    id: 'signIn',
    method: 'POST',
    path,
    tag,
    summary: 'Sign in: sets the cookie rain_session, over https __Host-rain_session.',
    access: 'anybody',
    body: credentials,
    status: 200,
    answer: session,
  },
  current: {
    id: 'whoAmI',
    method: 'GET',
    path,
    tag,
    summary: 'The signed-in operator.',
    access: 'viewer',
    nobody: true,
    query: z.strictObject({
      nobody: z
        .literal('204', 'expected 204')
        .optional()
        .describe('Answers 204 where nobody is signed in, for a page that asks before the sign-in.'),
    }),
    status: 200,
    answer: session,
  },
  close: { id: 'signOut', method: 'DELETE', path, tag, summary: 'Sign out.', access: 'viewer', status: 204 },
  list: {
    id: 'listSessions',
    method: 'GET',
    path: list,
    tag,
    summary: 'Your own sessions and tokens.',
    access: 'viewer',
    status: 200,
    answer: z.object({ sessions: z.array(access) }),
  },
  end: {
    id: 'endSession',
    method: 'DELETE',
    path: `${list}/:sessionId`,
    tag,
    summary: 'End one of your sessions or tokens.',
    access: 'viewer',
    params: z.strictObject({
      sessionId: z.string().regex(/^[0-9a-f]{16}$/, 'expected the id of a session or a token'),
    }),
    status: 204,
  },
  changePassword: {
    id: 'changeOwnPassword',
    method: 'PUT',
    path: `${path}/password`,
    tag,
    summary: 'Change your password. Ends all your other sessions and your tokens.',
    access: 'viewer',
    body: z.strictObject({ ...proof, newPassword: password }),
    status: 200,
    answer: session,
  },
  beginTotp: {
    id: 'beginTotp',
    method: 'POST',
    path: `${path}/totp`,
    tag,
    summary: 'A new secret for one-time codes (TOTP). It counts once it is confirmed.',
    access: 'viewer',
    body: z.strictObject(proof),
    status: 200,
    answer: z.object({
      secret: z.string().describe('Base32, to be typed into the app.'),
      uri: z.string().describe('otpauth://…, to be opened with the app.'),
      setup: z.string().describe('Send it back with the first code.'),
    }),
  },
  confirmTotp: {
    id: 'confirmTotp',
    method: 'PUT',
    path: `${path}/totp`,
    tag,
    summary: 'Confirm the secret by the first code. Ends all your other sessions; the recovery codes are shown once.',
    access: 'viewer',
    body: z.strictObject({
      setup: z.string('expected the set-up that was begun').max(1_024, 'expected at most 1024 characters'),
      code,
    }),
    status: 200,
    answer: z.object({ session, recoveryCodes: z.array(z.string()).describe('Each stands in for a code once.') }),
  },
} satisfies Record<string, Endpoint>;
